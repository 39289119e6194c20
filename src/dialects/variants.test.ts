/** Small deviations that models make in every dialect, read whole and in any pieces. */
import { expect, test } from 'vitest';
import { createParser, dialectNames, parseToolCalls, renderCall, type ToolDefinition } from './index.ts';

const tools: ToolDefinition[] = [
  {
    name: 'read_file',
    parameters: { type: 'object', properties: { path: { type: 'string' }, 'say "x"': { type: 'string' } } },
  },
  { name: 'a&b', parameters: { type: 'object', properties: { path: { type: 'string' } } } },
];
const CALL = { name: 'read_file', arguments: { path: 'a' } };
const written = dialectNames().filter((name) => name !== 'auto' && name !== 'native');

const read = (dialect: string, text: string, size = text.length) => {
  const parser = createParser({ dialect, tools });
  for (let at = 0; at < text.length; at += size) parser.push(text.slice(at, at + size));
  const { calls, content, reasoning, broken } = parser.end().result;
  return {
    calls: calls.map(({ name, arguments: args }) => ({ name, arguments: args })),
    content: content.trim(),
    reasoning,
    broken,
  };
};

const expectCalls = (dialect: string, text: string, calls: object[] = [CALL]): void => {
  for (const size of [text.length, 1, 2, 7]) {
    expect(read(dialect, text, size), `${dialect} in pieces of ${size}`).toMatchObject({
      calls,
      content: '',
      broken: [],
    });
  }
};

const INVOKE = '<invoke name="read_file">\n<parameter name="path">a</parameter>\n</invoke>';
const HERMES = '<tool_call>{"name": "read_file", "arguments": {"path": "a"}}</tool_call>';

test.each([
  [
    'blanks in tags',
    'qwen3-coder',
    '<tool_call>\n<function = read_file>\n<parameter = path>\na\n</parameter>\n</function>\n</tool_call>',
  ],
  [
    'blanks at the ends of tags',
    'qwen3-coder',
    '<tool_call>\n<function=read_file >\n<parameter= path >\na\n</parameter >\n</function >\n</tool_call >',
  ],
  ['invoke inside tool_call', 'hermes', `<tool_call>\n${INVOKE}\n</tool_call>`],
  ['invoke inside tool_call', 'qwen3-coder', `<tool_call>\n${INVOKE}\n</tool_call>`],
  ['a name as code', 'hermes', HERMES.replace('"read_file"', '"`read_file`"')],
  ['a name as code', 'mistral-args', '[TOOL_CALLS]`read_file`[ARGS]{"path": "a"}'],
  [
    'a name as code',
    'deepseek-v3.1',
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>`read_file`<｜tool▁sep｜>{"path": "a"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
  ],
  [
    'a name as code',
    'glm-4.5',
    '<tool_call>`read_file`\n<arg_key>path</arg_key>\n<arg_value>a</arg_value>\n</tool_call>',
  ],
  ['a name as code', 'react', 'Action: `read_file`\nAction Input: {"path": "a"}'],
  ['reasoning closed twice', 'hermes', `<think>\nhm</think>\n\n</think>\n${HERMES}`],
  ['reasoning closed and never opened', 'hermes', `</think>\n${HERMES}`],
  ['a turn of the template begun again', 'hermes', `${HERMES}<|im_end|>\n<|im_start|>assistant\n`],
  [
    'a turn of the template begun again',
    'llama3-json',
    '{"name": "read_file", "parameters": {"path": "a"}}<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n',
  ],
  ['a byte order mark', 'plain-json', '\ufeff{"name": "read_file", "arguments": {"path": "a"}}'],
  ['a byte order mark', 'edison', '\ufeff{"tool": "read_file", "args": {"path": "a"}}'],
])('%s, in %s and found out', (_, dialect, text) => {
  expectCalls(dialect, text);
  expectCalls('auto', text);
});

test('one marker stands before several calls', () => {
  const text = '[TOOL_CALLS]read_file[ARGS]{"path": "a"}read_file[ARGS]{"path": "b"}';
  expectCalls('mistral-args', text, [CALL, { name: 'read_file', arguments: { path: 'b' } }]);
});

test.each([
  [
    'minimax-m2',
    '<minimax:tool_call>\n<invoke name="a&amp;b">\n<parameter name="path">a</parameter>\n</invoke>\n</minimax:tool_call>',
    { path: 'a' },
    'a&b',
  ],
  [
    'minimax-m2',
    '<minimax:tool_call>\n<invoke name="read_file">\n<parameter name="say &quot;x&quot;">a</parameter>\n</invoke>\n</minimax:tool_call>',
    { 'say "x"': 'a' },
    'read_file',
  ],
  [
    'kimi-k3',
    '<|open|>tools<|sep|><|open|>call tool="a&amp;b"<|sep|><|open|>argument key="path" type="string"<|sep|>a<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|>',
    { path: 'a' },
    'a&b',
  ],
])('attributes of %s may hold entities', (dialect, text, args, name) => {
  expectCalls(dialect, text, [{ name, arguments: args }]);
});

test.each(written)('%s: a byte order mark before a call changes nothing', (dialect) => {
  const text = renderCall(dialect, CALL);
  expect(parseToolCalls(`\ufeff${text}`, { dialect, tools }).calls).toEqual(
    parseToolCalls(text, { dialect, tools }).calls,
  );
});

test('a marker in an answer stays in it', () => {
  const text = 'The model writes </think> where its thoughts end.';
  for (const dialect of ['hermes', 'auto']) expect(read(dialect, text)).toMatchObject({ calls: [], content: text });
});
