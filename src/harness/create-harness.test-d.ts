/** What the compiler knows of tools and harnesses. Held by `tsc`: nothing here runs. */
import type { ModelMessage } from 'ai';
import type OpenAI from 'openai';
import { z } from 'zod';
import type { JsonSchema } from '../core/json.ts';
import {
  builtinTools,
  type Chat,
  createHarness,
  defineTool,
  type Harness,
  type OnPermission,
  ok,
  registerTool,
  type Tool,
  type ToolArguments,
  type ToolValue,
} from '../index.ts';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(_: Same<A, B>): void => {};

// JSON Schema, as it is written: what is required or has a default is there, the rest may be absent.
const search = defineTool({
  name: 'search',
  description: 'Search',
  parameters: {
    type: 'object',
    properties: {
      query: { type: 'string' },
      limit: { type: 'integer', default: 5 },
      order: { enum: ['new', 'old'] },
      tags: { type: 'array', items: { type: 'string' } },
      near: { type: 'object', properties: { x: { type: 'number' } }, required: ['x'] },
      page: { type: ['integer', 'null'] },
    },
    required: ['query'],
  },
  run: (args) => {
    same<
      typeof args,
      {
        query: string;
        limit: number;
        order?: 'new' | 'old';
        tags?: string[];
        near?: { x: number };
        page?: number | null;
      }
    >(true);
    return { found: args.limit };
  },
});
same<ToolArguments<typeof search>['limit'], number | undefined>(true);
same<ToolArguments<typeof search>['query'], string>(true);
same<ToolValue<typeof search>, { found: number }>(true);

// Zod: `run` gets the output, a caller writes the input.
const schedule = defineTool({
  name: 'schedule',
  description: 'Schedule',
  parameters: z.object({ day: z.string().transform((text) => new Date(text)), hours: z.number().default(1) }),
  run: async ({ day, hours }) => {
    same<typeof day, Date>(true);
    same<typeof hours, number>(true);
    return day.toISOString();
  },
});
same<ToolArguments<typeof schedule>, { day: string; hours?: number | undefined }>(true);
same<ToolValue<typeof schedule>, string>(true);

// A positional function: the types of its parameters come from the words of the table.
const add = registerTool('add', 'Add', ['a', 'b'], (a, b) => a + b, ['integer', 'integer']);
same<ToolArguments<typeof add>, { a: number; b: number }>(true);
same<ToolValue<typeof add>, number>(true);
registerTool('shout', 'Shout', ['text', 'loud'], (text, loud) => (loud ? text.toUpperCase() : text), [
  'string',
  'boolean',
]);
// @ts-expect-error: an integer has no toUpperCase
registerTool('wrong', 'Wrong', ['a'], (a) => a.toUpperCase(), ['integer']);
// @ts-expect-error: there is no such type
registerTool('odd', 'Odd', ['a'], (a) => `${a}`, ['date']);
// @ts-expect-error: `quiet` is not among the parameters
defineTool({ name: 'x', description: 'x', parameters: { type: 'object', properties: {} }, run: ({ quiet }) => quiet });

// A schema that is only known when the program runs says nothing to the compiler.
declare const later: Record<string, string>;
defineTool({
  name: 'later',
  description: 'Later',
  parameters: later,
  run: (args) => same<typeof args, Record<string, unknown>>(true) ?? '',
});

// A harness knows its tools by name.
const harness = createHarness({ model: 'm', tools: [search, schedule, add] });
void harness.executeTool('add', { a: 1, b: 2 });
void harness.executeTool('search', { query: 'x' });
void harness.executeTool('a_tool_of_a_plugin', { anything: true });
// @ts-expect-error: b is missing
void harness.executeTool('add', { a: 1 });
// @ts-expect-error: a query is text
void harness.executeTool('search', { query: 1 });

export const history = async (): Promise<number> => {
  const { toolCalls } = await harness.chat('What is 42 + 58?');
  let sum = 0;
  for (const call of toolCalls) if (call.name === 'add') sum += call.arguments.a + call.arguments.b;
  return sum;
};

// The built-in tools are known too, each by its name, beside those of the program.
const coder = createHarness({ model: 'm', tools: [...builtinTools, search] });
void coder.executeTool('read_file', { path: 'a.md' });
void coder.executeTool('search', { query: 'x' });
void coder.executeTool('get_working_directory', {});
// @ts-expect-error: the content is missing
void coder.executeTool('write_file', { path: 'a.md' });
// @ts-expect-error: a path is text
void coder.executeTool('read_file', { path: 1 });
export const changed = async (): Promise<string[]> => {
  const { toolCalls } = await coder.chat('Write it down');
  return toolCalls.flatMap((call) => {
    if (call.name === 'write_file') same<typeof call.arguments, { path: string; content: string }>(true);
    if (call.name === 'search') same<typeof call.arguments.query, string>(true);
    // @ts-expect-error: there is no such tool
    if (call.name === 'write_fil') return [];
    return call.name === 'replace_lines' ? [call.arguments.path] : [];
  });
};

// Whoever does not care has the plain types.
export const plain: Tool[] = [search, schedule, add];
export const anyHarness = (given: Harness): Chat => given.chat('hello');

// Servers have a command or an address.
createHarness({
  model: 'm',
  tools: [add],
  mcpServers: { files: { command: 'npx', args: ['-y', 'x'], env: { A: 'b' } }, far: { url: 'https://a.test/mcp' } },
  onServerQuestion: (question) => {
    if (question.kind === 'form') same<typeof question.fields, JsonSchema>(true);
    // @ts-expect-error: a form has no address
    if (question.kind === 'form') void question.url;
    return question.kind === 'sampling' ? { action: 'accept' } : { action: 'decline' };
  },
});
// @ts-expect-error: neither a command nor an address
createHarness({ model: 'm', mcpServers: { none: { args: ['x'] } } });

// Histories of other libraries need no cast.
declare const ofAiSdk: ModelMessage[];
declare const ofOpenAi: OpenAI.ChatCompletionMessageParam[];
createHarness({ model: 'm', messages: ofAiSdk });
createHarness({ model: 'm', messages: ofOpenAi });
createHarness({
  model: 'm',
  messages: [
    { role: 'user', content: [{ type: 'file', mediaType: 'image/png', data: 'iVBORw0KGgo=' }] },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'a', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'c', content: '{}' },
  ],
});
// @ts-expect-error a part of a page's message is no history: fromUIMessages makes one
createHarness({ model: 'm', messages: [{ id: 'x', role: 'user', parts: [] }] });

// An answer to a question, at once or later, as one word or with a reason.
export const answers: OnPermission[] = [
  () => 'deny',
  async () => 'deny',
  async () => 'session',
  async ({ name }) => (name === 'bash' ? 'deny' : 'allow_once'),
  async () => ({ decision: 'deny', reason: 'no' }),
  ({ name }) => (name === 'bash' ? 'deny' : Promise.resolve('allow_once')),
];
createHarness({ model: 'm', onPermission: async () => 'deny' });
// @ts-expect-error: it is none of the answers
createHarness({ model: 'm', onPermission: () => 'yes' });

// A row of a program's own type is data.
interface Row {
  id: number;
  name?: string;
}
const row: Row = { id: 1 };
ok(row);
ok([row]);
ok(new Map([['a', row]]));
// @ts-expect-error: no model can read it
ok(Symbol('a'));

// The value of an answer is what its schema says, object or not.
export const outputs = async (): Promise<void> => {
  const words = await harness.chat('x', { schema: { type: 'array', items: { type: 'string' } } });
  same<typeof words.output, string[]>(true);
  const word = await harness.chat('x', { schema: { type: 'string', enum: ['yes', 'no'] } });
  same<typeof word.output, 'yes' | 'no'>(true);
  const either = await harness.chat('x', { schema: { anyOf: [{ type: 'number' }, { type: 'null' }] } });
  same<typeof either.output, number | null>(true);
  const open = await harness.chat('x', { schema: { type: 'object' } });
  same<typeof open.output, Record<string, unknown>>(true);
  const known = await harness.chat('x', { schema: later });
  same<typeof known.output, Record<string, unknown>>(true);
  const made = await harness.chat('x', { schema: z.array(z.number()) });
  same<typeof made.output, number[]>(true);
};
