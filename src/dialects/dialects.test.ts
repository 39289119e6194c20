import fc from 'fast-check';
import { expect, test } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import type { JsonObject } from '../core/json.ts';
import type { ToolSchema } from '../core/tool.ts';
import {
  autoParseToolCalls,
  createParser,
  dialectNames,
  offerTools,
  type ParserEvent,
  parseToolCalls,
  renderCall,
  renderCalls,
  renderResult,
  stripToolCalls,
} from './index.ts';

const tools: ToolSchema[] = [
  {
    type: 'function',
    function: {
      name: 'read_file',
      description: 'Reads a file.',
      parameters: {
        type: 'object',
        properties: { path: { type: 'string' }, line: { type: 'integer' }, deep: { type: 'object' } },
        required: ['path'],
      },
    },
  },
  {
    type: 'function',
    function: { name: 'now', description: 'The time.', parameters: { type: 'object', properties: {} } },
  },
];
const written = dialectNames().filter((name) => name !== 'auto' && name !== 'native');

test.each(written)('what %s writes can be read', (dialect) => {
  verifies('L2', 'L4', 'L10');
  const calls: { name: string; arguments: JsonObject }[] = [
    { name: 'read_file', arguments: { path: 'src/ä b.ts', line: 3, deep: { a: ['x', 'y "z"'] } } },
    { name: 'now', arguments: {} },
  ];
  const { calls: read, content } = parseToolCalls(renderCalls(dialect, calls), { dialect, tools });
  expect(read.map(({ name, arguments: args }) => ({ name, arguments: args }))).toEqual(calls);
  expect(content).toBe('');
  expect(renderCall(dialect, calls[1] as { name: string; arguments: JsonObject })).toContain('now');
});

test.each(written)('%s offers every tool with its description, and hands results on whole', (dialect) => {
  verifies('L2');
  const offer = offerTools(dialect, tools);
  for (const { function: tool } of tools) {
    expect(offer).toContain(tool.name);
    expect(offer).toContain(tool.description);
  }
  expect(renderResult(dialect, { id: 'abc', name: 'now', content: 'It is noon.' })).toContain('It is noon.');
});

test('Mistral is offered its tools between its own markers', () => {
  verifies('L2');
  expect(offerTools('mistral-json', tools)).toMatch(/^\[AVAILABLE_TOOLS\]\[\{.*\}\]\[\/AVAILABLE_TOOLS\]$/s);
});

test('arguments go out while they are read', () => {
  verifies('L10');
  const parser = createParser({ dialect: 'hermes', tools });
  const pieces = ['<tool_call>{"name": "read_file", "argu', 'ments": {"path": "sr', 'c/a', '.ts"}}', '</tool_call>'];
  const events = pieces.map((piece) => parser.push(piece));
  expect(events[1]).toEqual([
    { type: 'call_start', index: 0, id: 'call_1', name: 'read_file' },
    { type: 'call_arguments', index: 0, delta: '{"path":"sr' },
  ]);
  expect(events[2]).toEqual([{ type: 'call_arguments', index: 0, delta: 'c/a' }]);
  expect(events[3]?.at(-1)).toMatchObject({
    type: 'call_end',
    call: { name: 'read_file', arguments: { path: 'src/a.ts' } },
  });
});

test('ids are the model’s own, else counted', () => {
  verifies('K5');
  const two = '{"name": "now", "arguments": {}, "id": "xyz"}\n{"name": "now", "arguments": {}}';
  expect(parseToolCalls(two, { dialect: 'plain-json', tools }).calls.map(({ id }) => id)).toEqual(['xyz', 'call_2']);
});

test('a call cut off is never among the calls', () => {
  verifies('L10');
  const result = parseToolCalls('<tool_call>{"name": "read_file", "arguments": {"path": "a', {
    dialect: 'hermes',
    tools,
  });
  expect(result).toMatchObject({ calls: [], truncated: true, broken: [{ name: 'read_file', problem: 'truncated' }] });
});

test('a call that cannot be read stays in the text, and is said to be broken', () => {
  verifies('L10');
  const text = '<tool_call>{"name": "read_file", "arguments": {"path": what ever}}</tool_call>';
  const result = parseToolCalls(text, { dialect: 'hermes', tools });
  expect(result).toMatchObject({ calls: [], truncated: false, content: text, broken: [{ problem: 'malformed' }] });
});

test('names that are nearly right are put right, and it is said', () => {
  verifies('L10');
  const call = (name: string) =>
    parseToolCalls(`<tool_call>{"name": "${name}", "arguments": {}}</tool_call>`, { dialect: 'hermes', tools })
      .calls[0];
  expect(call('Read-File')).toMatchObject({ name: 'read_file', repairs: [{ kind: 'tool_name' }] });
  expect(call('read_files')).toMatchObject({ name: 'read_file', repairs: [{ kind: 'tool_name' }] });
  expect(call('functions.read_file')).toMatchObject({ name: 'read_file', repairs: [] });
  expect(call('erase_disk')).toMatchObject({ name: 'erase_disk', repairs: [] });
});

test('what a person sees holds no call and no marker, but what is quoted', () => {
  verifies('L5');
  expect(stripToolCalls('Hi.\n<tool_call>{"name": "now", "arguments": {}}</tool_call>\nDone.')).toBe('Hi.\n\nDone.');
  expect(stripToolCalls('[TOOL_CALLS]now[ARGS]{}', { dialect: 'mistral-args' })).toBe('');
  const quoted =
    'Write `<tool_call>` and then JSON:\n```\n<tool_call>{"name": "now", "arguments": {}}</tool_call>\n```\nLike so.';
  expect(stripToolCalls(quoted)).toBe(quoted);
});

test('native text is text, whatever it holds', () => {
  const text = ' <tool_call>{"name": "now", "arguments": {}}</tool_call>\n';
  expect(parseToolCalls(text, { dialect: 'native', tools })).toMatchObject({ calls: [], content: text.trimStart() });
});

test('a bare object is a call only for an offered tool, and only alone', () => {
  verifies('K5', 'L10');
  const call = '{"tool": "now", "args": {}}';
  expect(autoParseToolCalls(call, { tools }).calls).toHaveLength(1);
  expect(autoParseToolCalls(call, { tools: [] }).calls).toHaveLength(0);
  expect(autoParseToolCalls(`See ${call}`, { tools }).calls).toHaveLength(0);
  expect(autoParseToolCalls('{"tool": "erase", "args": {}}', { tools }).calls).toHaveLength(0);
});

test('an unknown dialect is a mistake of the program', () => {
  expect(() => createParser({ dialect: 'klingon' })).toThrow(/klingon/);
});

/** Everything that means something to some dialect. */
const part = fc.constantFrom(
  '<tool_call>', '</tool_call>', '<think>', '</think>', '```', '\n', ' ', '{"name": "now", "arguments": {}}', '{', '}',
  '[', ']', 'now()', 'a', '"', '<function=now>', '</function>', '<parameter=x>', '</parameter>', '[TOOL_CALLS]', '[ARGS]',
  '<|channel|>', 'analysis', '<|message|>', '<|end|>', '<|im_end|>', 'Action: now\nAction Input: {}', '>>>now\n', '`',
  '<｜DSML｜invoke name="now">', '<invoke name="now">', '</invoke>', '<arg_key>', '😀', '<|tool_call>call:now{}', 'to=',
); // biome-ignore format: a list

test.each(dialectNames())('%s: any text in any pieces gives the same, and throws nothing away', (dialect) => {
  verifies('L10');
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), fc.boolean(), (parts, startInReasoning) => {
      const read = (pieces: readonly string[]) => {
        const parser = createParser({ dialect, tools, startInReasoning });
        const events: ParserEvent[] = pieces.flatMap((piece) => parser.push(piece));
        const end = parser.end();
        return { events: [...events, ...end.events], result: end.result };
      };
      const whole = read([parts.join('')]);
      expect(read(parts).result).toEqual(whole.result);
      expect(read([...parts.join('')]).result).toEqual(whole.result);
      for (const { name } of whole.result.calls) expect(typeof name).toBe('string');
    }),
    { numRuns: 60 },
  );
});
