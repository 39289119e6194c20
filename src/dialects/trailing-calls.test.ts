import { expect, test } from 'vitest';
import { parseToolCalls } from './index.ts';
import { trailingCalls } from './trailing-calls.ts';

const tools = [{ name: 'ls', parameters: { type: 'object', properties: { path: { type: 'string' } } } }];
const found = (text: string) => trailingCalls(text, (part) => parseToolCalls(part, { dialect: 'auto', tools }));
const CALL = '{"name": "ls", "arguments": {"path": "."}}';

test.each([
  ['an exclamation', `Sure!\n${CALL}`, 'Sure!'],
  ['a sentence and an empty line', `I will list the folder.\n\n${CALL}\n`, 'I will list the folder.'],
  ['an announcement', `Let me look:\n${CALL}`, 'Let me look:'],
  ['several lines', `One moment.\n{\n  "name": "ls",\n  "arguments": {\n    "path": "."\n  }\n}`, 'One moment.'],
  ['a list of calls', `Sure.\n[${CALL}]`, 'Sure.'],
  ['a comma too many', 'Sure.\n{"name": "ls", "arguments": {"path": "."},}', 'Sure.'],
  ['the keys of Edison', 'Sure.\n{"tool": "ls", "args": {"path": "."}}', 'Sure.'],
])('a call behind %s', (_what, text, words) => {
  expect(found(text)).toMatchObject({ words, calls: [{ name: 'ls', arguments: { path: '.' } }] });
});

test.each([`I will call: ${CALL}`, `Sure! ${CALL}`])('a call in the line of words: %s', (text) => {
  expect(found(text)).toMatchObject({ isInLine: true });
});

test('two calls below each other', () => {
  expect(found(`Sure!\n${CALL}\n${CALL}`)?.calls).toHaveLength(2);
});

test('a call that cannot be read to its end', () => {
  expect(found('Sure!\n{"name": "ls", "arguments": {"path": "."}')).toMatchObject({
    calls: [],
    broken: [{ name: 'ls' }],
  });
});

test('a function with named arguments, and no word with a parenthesis', () => {
  expect(found('Sure!\nls(path=".")')).toMatchObject({ calls: [{ name: 'ls', arguments: { path: '.' } }] });
  expect(found('Listing is done by\nls()')).toBeUndefined();
});

test.each([
  ['of a tool that there is not', 'Sure!\n{"name": "erase", "arguments": {}}'],
  ['with words behind it', `Sure!\n${CALL}\nThat lists the folder.`],
  ['in a fence', `Sure!\n\`\`\`json\n${CALL}\n\`\`\``],
  ['in the middle of a sentence', `I use ${CALL}`],
  ['given as an example', `A call looks like this:\n${CALL}`],
  ['quoted', `The file contains:\n${CALL}`],
  ['alone', CALL],
  ['that is data', 'Here is the person:\n{"name": "Ann", "age": 7}'],
])('JSON %s stays as it is', (_what, text) => {
  expect(found(text)).toBeUndefined();
});
