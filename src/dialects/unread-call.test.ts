import { expect, test } from 'vitest';
import { findUnreadCall } from './index.ts';

const WRAPPED = expect.stringContaining('call is no key of a call');
test.each([
  ['edison', '{"tool": "x", "args": {}}', { name: 'x', arguments: {} }],
  ['edison', '{"tool": "x"}', { name: 'x', arguments: {} }],
  ['edison', '\ufeff```json\n{"tool": "x", "args": {"a": 1,}}\n```', { name: 'x', arguments: { a: 1 } }],
  ['edison', '{"tool": "x", "args": [1]}', { problem: expect.stringContaining('args must be an object: you wrote') }],
  ['edison', '{"tool": "x", "args": {}, "b": 1, "c": 2}', { problem: expect.stringContaining('b, c') }],
  ['plain-json', 'So:\n  {"name": "x", "arguments": {"a": 1}}\n', { name: 'x', arguments: { a: 1 } }],
  ['hermes', '{"name": "x", "parameters": {}}', { name: 'x' }],
  ['auto', '{"tool": "x", "args": {}}', { name: 'x' }],
  ['edison', '[{"tool": "x", "args": {}}]', { name: 'x' }],
  ['edison', '{"tool": null, "args": {}}', { name: '', problem: 'tool must be the name of a tool' }],
  ['edison', '{"tool": {"name": "x"}, "args": {}}', { problem: 'tool must be the name of a tool' }],
  ['edison', '{"Tool": "x", "Args": {}}', { name: 'x', problem: expect.stringContaining('Tool, Args') }],
  ['edison', '{"tool": "x", "args": "{}"}', { problem: expect.stringContaining('args must be an object: you wrote') }],
  ['edison', '{"tool": "x", "args": {"a": 1', { name: 'x', problem: expect.stringContaining('no JSON') }],
  [
    'edison',
    '<tool_call>{"name": "x", "arguments": {}}</tool_call>',
    { name: 'x', problem: expect.stringMatching('tool') },
  ],
  ['edison', '`{"tool": "x", "args": {}}`', { name: 'x' }],
  ['edison', '<think>\n{"tool": "x", "args": {}}<|im_end|>', { name: 'x' }],
  ['plain-json', 'Sure.\n{\n  "name": "x",\n  "arguments": {\n    "a": 1\n  }\n}\nOk?', { arguments: { a: 1 } }],
  ['plain-json', '- {"name": "x", "arguments": {}}', { name: 'x' }],
  ['plain-json', 'Action: {"name": "x", "arguments": {}}', { name: 'x' }],
  ['plain-json', 'I do it now: {"name": "x", "arguments": {}}', { name: 'x' }],
  ['plain-json', 'I do it:\n```json\n{"name": "x", "arguments": {}}\n```', { name: 'x' }],
  ['plain-json', '{"type": "function", "function": {"name": "x", "arguments": "{}"}}', { name: 'x' }],
  ['plain-json', '{"tool_calls": [{"name": "x", "arguments": {}}]}', { name: 'x' }],
  [
    'plain-json',
    '{"name": "x", "arguments": [1]}',
    { problem: expect.stringContaining('arguments must be an object: you wrote') },
  ],
  ['auto', '<function=x>{"a": 1}</function>', { name: 'x', arguments: { a: 1 } }],
  ['auto', '<invoke name="x"><parameter name="a">1</parameter></invoke>', { name: 'x' }],
  ['auto', '```xml\n<function name="x"><param name="a">1</param></function>\n```', { name: 'x' }],
  ['auto', 'erase_disk(a=1)', { name: 'erase_disk', arguments: { a: 1 } }],
  ['auto', '```\n[erase_disk(a=1)]\n```', { name: 'erase_disk' }],
  ['auto', 'Action: x\nAction Input: {"a": 1}', { name: 'x' }],
  ['auto', '[{"name": "x", "arguments": {}}]', { name: 'x' }],
  ['auto', '{"arguments": {"path": "."}}', { name: '', arguments: { path: '.' } }],
  ['edison', '{"args": {"query": "x"}}', { name: '', problem: 'it names no tool' }],
  ['edison', '{"call": {"tool": "x", "args": {"a": 1}}}', { name: 'x', arguments: { a: 1 }, problem: WRAPPED }],
  ['edison', '{"call": {"tool": "x", "args": "a"}}', { name: 'x', problem: WRAPPED }],
  [
    'edison',
    '{"why": "b", "call": [{"tool": "x", "args": {}}]}',
    { name: 'x', problem: expect.stringContaining('why, call is no key of a call') },
  ],
  ['edison', '{"a": {"b": {"call": {"tool": "x", "args": {}}}}}', { name: 'x' }],
  ['edison', 'Now:\n{"call": {"tool": "x", "args": {}}}\n', { name: 'x', isPart: true }],
  ['edison', '{"tool": "x", "args": {}}\n{"tool": "x", "args": {}}', { name: 'x', isPart: true }],
  ['plain-json', 'Sure.\n{"name": "x", "arguments": {}}', { problem: expect.stringContaining('words'), isPart: true }],
  [
    'auto',
    '{"name": "x", "arguments": [1]}',
    { name: 'x', problem: expect.stringContaining('arguments must be an object: you wrote') },
  ],
  ['auto', '[TOOL_CALLS]x[ARGS]["ls"]', { name: 'x', problem: expect.stringContaining('object') }],
  ['auto', '<function=x>ls</function>', { name: 'x', problem: expect.stringContaining('object') }],
  [
    'auto',
    '<tool_call>{"name": "x", "arguments": ["ls"]}</tool_call>',
    { problem: expect.stringContaining('arguments must be an object: you wrote') },
  ],
])('in %s %j is meant as a call', (dialect, text, call) => {
  expect(findUnreadCall(text, dialect)).toMatchObject(call);
});

test.each([
  ['{"call": {"tool": "read_file"}}', 'read_file'],
  ['{"calls": [{"tool": " read_file "}]}', 'read_file'],
  ['{"call": {"tool": "hammer"}}', undefined],
  ['{"call": {"tool": "read_file", "count": 3}}', undefined],
])('edison: what names a tool within %s, without arguments, is a call where that tool is on offer', (text, name) => {
  expect(findUnreadCall(text, 'edison', (one) => one === 'read_file')?.name).toBe(name);
});

test.each([
  ['native', '{"name": "x", "arguments": {}}'],
  ['edison', '{"answer": "x"}'],
  ['edison', '{"box": [{"tool": "hammer", "count": 3}]}'],
  ['edison', '{"answer": {"args": {"a": 1}}}'],
  ['plain-json', '{"name": "Ann", "age": 7}'],
  ['plain-json', 'See {"name": "x", "arguments": {}} above.'],
  ['plain-json', 'So:\n```\n{"name": "x", "arguments": {}}\n```\nand then?'],
  ['auto', 'So:\n{"name": "x", "arguments": {}}'],
  ['plain-json', 'I call {"name": "x", "arguments": {}} now.'],
  ['plain-json', '```json\n{"name": "x", "arguments": {}}\n```\nThat is a call.'],
  ['plain-json', 'The list:\n[{"name": "a"}]'],
  ['auto', '{"name": "Ann", "parameters": 3}'],
  ['auto', '{"function": "sin", "x": 3}'],
  ['auto', '{"arguments": {"path": "."}, "note": "how it is started"}'],
  ['auto', '{"name": "Ann", "arguments": "for and against", "age": 7}'],
  ['auto', 'print("hello")'],
  ['auto', '```python\nmain()\n```'],
  ['auto', 'def f(a=1):\n  return a'],
  ['auto', '<b>hello</b>'],
  ['auto', 'Use <invoke name="x"> for that.'],
  ['auto', '[1, 2]'],
  ['edison', ''],
])('in %s %j is an answer', (dialect, text) => {
  expect(findUnreadCall(text, dialect)).toBeUndefined();
});
