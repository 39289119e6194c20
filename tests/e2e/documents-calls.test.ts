/** Sentences of the last three documents, word for word, each played in its preset and outside, by `run` and over HTTP. */
import { describe, expect, it } from 'vitest';
import { registerTool } from '../../src/index.ts';
import { verifies } from '../requirements.ts';
import { type Call, type Result, type Row, type Seen, WAYS } from '../support/document-plays.ts';
import { inTurn } from '../support/long.ts';
import { testServer } from '../support/test-server.ts';

type Sentence = Omit<Row, 'preset'>;
const failed = (error_type: string, error_message: unknown = expect.any(String)) =>
  expect.objectContaining({ success: false, error_type, error_message });
const gave = (data: unknown) => expect.objectContaining({ success: true, data });
const called = (sentence: string, says: Row['says'], results: readonly unknown[], more: Partial<Row> = {}) => ({
  sentence,
  says: [...says, 'Done.'],
  ...more,
  holds: (seen: Seen) => {
    expect(seen.results).toEqual(results);
    expect(seen.answer).toMatch(/^Done\./);
  },
});
/** The prompt as one text, whatever it was written in. */
const promptOf = ({ requests }: Seen, number: number): string =>
  (JSON.parse(requests[number] ?? '[]') as { content: string }[]).map(({ content }) => content).join('\n\n');
const bash = (command: string): Call => ['bash', { command }];

const goesToNobody =
  (name: string) =>
  ({ results, requests, answer }: Seen): void => {
    expect(results.some(({ success }) => success)).toBe(false);
    expect(requests[1]).toMatch(new RegExp(`no tool named .{1,5}${name}`));
    expect(answer).toMatch(/^Done\./);
  };

const LLAMA_CHAT: readonly Sentence[] = [
  {
    sentence: 'Injects [AVAILABLE_TOOLS]…[/AVAILABLE_TOOLS] after the system prompt: valid JSON schema',
    says: ['Hello.'],
    holds: (seen) => {
      const [, tools] = /\[AVAILABLE_TOOLS\]([\s\S]*?)\[\/AVAILABLE_TOOLS\]/.exec(promptOf(seen, 0)) ?? [];
      // Outside the preset the server has a field of its own for tools.
      if (seen.preset === undefined) return expect(tools).toBeUndefined();
      expect(JSON.parse(tools ?? '')).toMatchObject([
        {
          type: 'function',
          function: {
            name: 'bash',
            parameters: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] },
          },
        },
      ]);
      expect(promptOf(seen, 0).indexOf('You are')).toBe(0);
    },
  },
  called(
    'Error handling for failed commands',
    [[bash('echo out; echo err >&2; exit 3')]],
    [
      expect.objectContaining({
        success: false,
        data: 'out\nerr\n',
        metadata: expect.objectContaining({ exit_code: 3 }),
      }),
    ],
    { allow: ['bash'] },
  ),
  {
    sentence: 'Format tool results as [TOOL_RESULTS]...[/TOOL_RESULTS], send results back to model',
    says: [[bash('echo here')], 'Done.'],
    allow: ['bash'],
    holds: (seen) => expect(promptOf(seen, 1)).toMatch(/\[TOOL_RESULTS\].*here.*\[\/TOOL_RESULTS\]|\nhere\n/s),
  },
  called(
    'Mistral: [TOOL_CALLS]func_name[ARGS]{"arg": "value"}, twice',
    [[bash('echo a'), bash('echo b')]],
    [gave('a\n'), gave('b\n')],
    { allow: ['bash'] },
  ),
  {
    sentence: 'stripToolCalls(text): removes tool call markers for clean display',
    says: ['Sure!\n[TOOL_CALLS]bash[ARGS]{"command": "echo a"}', 'All done.'],
    allow: ['bash'],
    holds: ({ answer, results }) => {
      expect(results).toEqual([gave('a\n')]);
      expect(answer).toMatch(/^All done\./);
      expect(answer).not.toContain('TOOL_CALLS');
    },
  },
  {
    sentence: '"required": ["command"]: the error goes back to the model',
    says: ['[TOOL_CALLS]bash[ARGS]{"cmd": "echo a"}', 'Done.'],
    allow: ['bash'],
    holds: ({ results, requests }) => {
      expect(results).toEqual([failed('validation_failed')]);
      expect(requests[1]).toMatch(/command is required/);
    },
  },
  {
    sentence: '_ => error: a tool that there is not',
    says: ['[TOOL_CALLS]new_tool[ARGS]{"command": "echo a"}', 'Done.'],
    holds: goesToNobody('new_tool'),
  },
  {
    sentence: 'User approval before executing sensitive commands',
    says: [[bash('touch made')], 'Done.'],
    holds: ({ results }) => expect(results).toEqual([failed('permission_denied')]),
  },
  called(
    'Agentic loop with multiple iterations',
    [[bash('echo 1 > a')], [bash('cat a')], [bash('cat a a')]],
    [gave(expect.any(String)), gave('1\n'), gave('1\n1\n')],
    { allow: ['bash'] },
  ),
  {
    sentence: 'Llama3: <function=name>{"arg": "value"}</function> behind words',
    says: ['Let me look.\n<function=bash>{"command": "echo a"}</function>', 'Done.'],
    allow: ['bash'],
    holds: ({ results }) => expect(results).toEqual([gave('a\n')]),
  },
  {
    sentence: 'Qwen: <tool_call>{"name": "func", "arguments": {...}}</tool_call>, twice',
    says: [
      '<tool_call>{"name": "bash", "arguments": {"command": "echo a"}}</tool_call>\n<tool_call>\n{"name": "bash", "arguments": {"command": "echo b"}}\n</tool_call>',
      'Done.',
    ],
    allow: ['bash'],
    holds: ({ results }) => expect(results).toEqual([gave('a\n'), gave('b\n')]),
  },
  {
    sentence: 'Model generates final response with context from tool execution',
    says: [[bash('echo 42')], 'It says 42.'],
    allow: ['bash'],
    holds: ({ answer, tools }) => {
      expect(answer).toMatch(/^It says 42\./);
      expect(tools).toEqual(['bash']);
    },
  },
];

const FUNCTIONS = [
  registerTool('add_numbers', 'Add two integers', ['a', 'b'], (a, b) => a + b, ['integer', 'integer']),
  registerTool('get_time', 'Get current time', [], () => '2025-01-01 12:00:00', []),
  registerTool('negate', 'Negate', ['on'], (on) => !on, ['boolean']),
  registerTool(
    'throws',
    'Break',
    [],
    (): string => {
      throw new Error('no disk');
    },
    [],
  ),
];
const zoo = (name: string, args: object, more: object = {}): string =>
  JSON.stringify({ ...more, name, arguments: args });
const ZOO_KEEPER: readonly Sentence[] = [
  called('{"name": "add", "arguments": {"a": 42, "b": 58}}', [zoo('list_tasks', {})], [gave('[]')]),
  {
    sentence: 'An optional id field is used for correlation; if absent, one is auto-generated (call_1)',
    says: [zoo('list_tasks', {}, { id: 'mine' }), zoo('add_task', { content: 'x' }), 'Done.'],
    holds: ({ results, requests }) => {
      expect(results).toEqual([gave('[]'), gave('task_1')]);
      expect(requests.at(-1)).toMatch(/"mine"[\s\S]*"call_1"|list_tasks[\s\S]*add_task/);
    },
  },
  {
    sentence: 'Checks required fields and type correctness; on failure, injects an error message',
    says: [zoo('add_task', {}), zoo('ls', { max_entries: 3.5 }), zoo('add_task', { content: 'x' }), 'Done.'],
    holds: ({ results, requests }) => {
      expect(results).toEqual([failed('validation_failed'), failed('validation_failed'), gave('task_1')]);
      expect(requests[1]).toContain('content is required');
      expect(requests[2]).toContain('max_entries must be integer');
    },
  },
  {
    sentence: 'If retries are exhausted (max_retries, default: 2), the request fails: ToolRetriesExhausted',
    says: [1, 2, 3].map((value) => zoo('add_task', { wrong: value })),
    holds: ({ reason, error, requests, results }) => {
      expect(reason).toBe('error');
      expect(error).toMatchObject({ code: 503 });
      expect([requests.length, results.length]).toEqual([3, 3]);
    },
  },
  {
    sentence: 'ToolNotFound: requested tool not in registry',
    says: [`<tool_call>${zoo('add', { a: 1 })}</tool_call>`, 'Done.'],
    holds: goesToNobody('add'),
  },
  {
    sentence: 'Repeat until no tool call is detected',
    says: ['{"name": "Ada", "age": 36}'],
    holds: ({ answer, results }) => {
      expect(results).toEqual([]);
      expect(answer).toBe('{"name": "Ada", "age": 36}');
    },
  },
];

const edison = (tool: string, args: object): string => JSON.stringify({ tool, args });
const EDISON: readonly Sentence[] = [
  {
    sentence: 'LLM outputs plain text (final answer) → loop exits',
    says: ['Use {braces} and {"a": 1} in JSON.'],
    holds: ({ answer, requests }) => {
      expect(answer).toBe('Use {braces} and {"a": 1} in JSON.');
      expect(requests).toHaveLength(1);
    },
  },
  {
    sentence: 'All required args must be present with correct types',
    says: [edison('generate_image', { prompt: 'x', width: '5' }), edison('system_stats', {}), 'Done.'],
    holds: ({ results, answer, requests }) => {
      expect(results.map(({ success }) => success)).toEqual([false, true]);
      expect(requests[1]).toMatch(/width must be (integer, not string|at least 64)/);
      expect(answer).toMatch(/^Done\./);
    },
  },
  {
    sentence: 'Error case: "[Tool] failed: [reason]"; the loop goes on',
    says: [edison('rag_search', { query: 'x' }), 'Nothing was found.'],
    holds: ({ results, requests, answer }) => {
      expect(results).toEqual([expect.objectContaining({ success: false })]);
      expect(requests[1]).toMatch(/\[rag_search\]: failed: No index|"success\\":false/);
      expect(answer).toBe('Nothing was found.');
    },
  },
  {
    sentence: 'Suffix final answer with "Sources: tool1, tool2"',
    says: [edison('system_stats', {}), 'The machine is idle.'],
    holds: ({ answer, tools }) => {
      expect(answer).toMatch(/^The machine is idle\.(\n\nSources: system_stats)?$/);
      expect(tools).toEqual(['system_stats']);
    },
  },
  {
    sentence: 'system_stats: returns CPU/memory/disk percentages',
    says: [edison('system_stats', {}), 'Done.'],
    holds: ({ results }) =>
      expect(JSON.parse(results[0]?.data ?? '')).toMatchObject({
        cpu_percent: expect.any(Number),
        memory_percent: expect.any(Number),
        disk_percent: expect.any(Number),
      }),
  },
  {
    sentence: 'Reached max 5 steps',
    says: [...Array.from({ length: 8 }, () => edison('system_stats', {})), 'Done.'],
    holds: ({ results, reason, preset }) =>
      expect([results.length, reason]).toEqual(preset === undefined ? [8, 'answered'] : [5, 'limit']),
  },
  {
    sentence: 'Unknown args are silently dropped',
    says: [edison('rag_search', { query: 'x', more: 1 }), 'Done.'],
    holds: ({ results, requests }) => {
      expect(results).toMatchObject([{ success: false, error_message: expect.stringMatching(/^No index/) }]);
      expect(requests[1]).not.toContain('Invalid arguments');
    },
  },
  {
    sentence: 'Unknown tools denied: rejects tool values not in TOOL_REGISTRY',
    says: [edison('ls', {}), 'Done.'],
    holds: ({ results, requests, preset }) => {
      if (preset === undefined) expect(results).toEqual([gave(expect.stringContaining('0 files'))]);
      else expect(requests[1]).toMatch(/no tool named .{1,5}ls/);
    },
  },
  {
    sentence: 'If still invalid: stop and return error',
    says: ['{"tool": "system_stats", "args": []}', '{"tool": "system_stats", "args": []}', 'Done.'],
    holds: ({ reason, error, preset }) => {
      expect(reason).toBe(preset === undefined ? 'answered' : 'error');
      expect(error?.code).toBe(preset === undefined ? undefined : 503);
    },
  },
  {
    sentence: 'Payload must be a dict with exactly keys {"tool", "args"}',
    says: ['{"tool": "system_stats", "args": {}, "why": "to know"}', 'Done.'],
    holds: ({ requests, preset }) => {
      if (preset !== undefined) expect(requests[1]).toMatch(/failed: Invalid arguments/);
      expect(requests).toHaveLength(2);
    },
  },
  {
    sentence: 'Ask LLM to correct JSON once',
    says: ['{"tool": "system_stats"', 'I cannot.'],
    holds: ({ requests, answer }) => {
      expect(requests).toHaveLength(2);
      expect(requests[1]).toMatch(/cut off/);
      expect(answer).toMatch(/I cannot\.$/);
    },
  },
];

const DOCUMENTS = [
  { preset: 'llama-chat', sentences: LLAMA_CHAT },
  { preset: 'zoo-keeper', sentences: ZOO_KEEPER },
  { preset: 'edison', sentences: EDISON },
] as const;

describe.each(WAYS.map((way, index) => ({ ...way, index })))('$way', ({ play, index }) => {
  for (const { preset, sentences } of DOCUMENTS)
    it.each(inTurn(sentences, index, WAYS.length))(`${preset}: $sentence`, async (sentence) => {
      verifies('L4', 'K4', 'E8');
      sentence.holds(await play({ ...sentence, preset }));
    });
});

/** A function of a program is told of over HTTP alone: on the command line it comes with a plugin. */
describe.each([undefined, 'zoo-keeper'])('registered functions with the preset %s', (preset) => {
  const plugins = { tools: FUNCTIONS, dialects: [], providers: {}, commands: [] };
  const resultOf = async (call: string): Promise<Result | undefined> => {
    const server = await testServer([{ text: call }, { text: 'Done.' }], { preset, plugins });
    const reply = await server.json<{ tool_events: { result: Result }[] }>('POST', '/api/chat', {
      message: 'go',
      mode: 'agent',
    });
    return reply.tool_events[0]?.result;
  };
  it.each([
    ['zero-parameter function', zoo('get_time', {}), gave('2025-01-01 12:00:00')],
    ['bool → boolean', zoo('negate', { on: true }), gave('false')],
    ['int → integer', zoo('add_numbers', { a: 1, b: 2.5 }), failed('validation_failed')],
    ['checks required fields', zoo('add_numbers', { a: 1 }), failed('validation_failed')],
    ['handler threw: ToolExecutionFailed', zoo('throws', {}), failed('internal_error', 'throws failed: no disk')],
    ['validates arguments', zoo('add_numbers', { a: 'x', b: 1 }), failed('validation_failed')],
  ])('%s', async (_sentence, call, result) => {
    verifies('K1', 'K7');
    expect(await resultOf(call)).toEqual(result);
  });
});

describe('POST /api/chat in the preset edison', () => {
  it('Store response in memory: the next message of the chat follows it', async () => {
    verifies('E13');
    const server = await testServer([{ text: 'Hello Ada.' }, { text: 'Ada.' }, { text: 'Unknown.' }], {
      preset: 'edison',
    });
    const ask = (message: string, chat_id: string) =>
      server.json('POST', '/api/chat', { message, mode: 'agent', chat_id });
    await ask('I am Ada', 'one');
    await ask('Who am I?', 'one');
    await ask('Who am I?', 'two');
    const [, same, other] = server.provider.requests.map(({ messages }) => JSON.stringify(messages));
    expect(same).toContain('Hello Ada.');
    expect(other).not.toContain('Ada');
  });
});
