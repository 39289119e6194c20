/** Zoo-Keeper looks for objects with a name and arguments anywhere: such a one is a call or goes back, and never the answer. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { startScriptedServer } from '../../src/testing/index.ts';
import { verifies } from '../requirements.ts';
import { runHalter } from '../support/halter-process.ts';
import { everyNth } from '../support/long.ts';
import { testServer } from '../support/test-server.ts';

const CALL = '{"name": "erase_disk", "arguments": {"a": 1}}';
const UNKNOWN = /no tool named .{1,6}erase_disk/;
const NAMELESS = /The call names no tool/;
const NO_OBJECT = /arguments must be an object/;
/** The text, and what the model is told of it. */
const BACK: [what: string, text: string, told: RegExp][] = [
  ['in a sentence', `I will call ${CALL} now, please wait.`, UNKNOWN],
  ['in a sentence about it', `You asked what ${CALL} means. It is a call.`, UNKNOWN],
  ['within a word', `abc${CALL}def`, UNKNOWN],
  ['in brackets', `I do it (${CALL}) now.`, UNKNOWN],
  ['with a key more, in a sentence', 'I use {"name": "erase_disk", "arguments": {}, "why": "x"} here.', UNKNOWN],
  ['with a key more, on a line', 'Ok.\n{"why": "x", "name": "erase_disk", "arguments": {}}\nGo.', UNKNOWN],
  ['two in a sentence', `First ${CALL} and then {"name":"format_c","arguments":{}}.`, UNKNOWN],
  ['behind data', `The entry {"name": "Ada", "age": 3} needs ${CALL} soon.`, UNKNOWN],
  ['cut off in a sentence', 'I will now {"name": "erase_disk", "arguments": {"a": 1', UNKNOWN],
  ['arguments as JSON text', 'I call {"name": "erase_disk", "arguments": "{\\"a\\": 1}"} now.', UNKNOWN],
  ['arguments as words', 'I call {"name": "ls", "arguments": "all"} now.', NO_OBJECT],
  ['arguments as a list, in a word', 'x{"name": "ls", "arguments": ["."]}y', NO_OBJECT],
  ['no name, in a sentence', 'I use {"name": null, "arguments": {}} here.', NAMELESS],
  ['an empty name, on a line', 'Ok.\n{"name": "", "arguments": {}}\nGo.', NAMELESS],
  ['a number as name, alone', '{"name": 5, "arguments": {}}', NAMELESS],
  ['a list as name, alone', '{"name": ["ls"], "arguments": {}}', NAMELESS],
  ['a tool on offer, within a word', 'abc{"name": "ls", "arguments": {}}def', /words stand beside the call/],
  [
    'a tool on offer with arguments, within a word',
    'abc{"name": "ls", "arguments": {"path": "."}}def',
    /words stand beside the call/,
  ],
  [
    'a tool that is not available here',
    'I call {"name": "web_search", "arguments": {"query": "x"}} now.',
    /words stand beside/,
  ],
];
const MANY = Array.from({ length: 31 }, (_, index) => `{"k":${index}}`).join(', ');
BACK.push(
  ['behind many objects', `The list ${MANY} needs ${CALL} soon.`, UNKNOWN],
  ['behind many objects in one', `The list {"all": [${MANY}]} needs ${CALL} soon.`, UNKNOWN],
  ['in a list of calls', `I do {"tool_calls": [${CALL}]} now.`, UNKNOWN],
  ['whole in data that is cut', `I do {"why": "x", "calls": [${CALL}, {"na`, UNKNOWN],
  ['cut in data', 'I do {"why": "x", "call": {"name": "erase_disk", "arguments": {"a": 1', UNKNOWN],
  ['the second of two', `First {"name":"format_c","arguments":{}} and then ${CALL}.`, UNKNOWN],
);
const STAYS: [what: string, text: string][] = [
  ['data', 'The entry {"name": "Ada", "age": 3} is fine.'],
  ['entries of data', 'They are {"people":[{"name":"Bob","arguments":"none"},{"name":"","arguments":{}}]} so far.'],
  ['inline code', `Use \`${CALL}\` for this.`],
  ['a fence among words', `It is sent so:\n\`\`\`json\n${CALL}\n\`\`\`\nThat is how.`],
  ['quotation marks', `The text "${CALL}" is a call.`],
  ['an example', `For example, ${CALL} would erase it.`],
  ['a cell', `| a | b |\n|---|---|\n| ${CALL} | x |`],
  ['a described tool', 'The tool {"name": "ls", "parameters": {"type": "object", "properties": {}}} lists.'],
];
const NAMED = [['--preset', 'zoo-keeper'] as const, ['--dialect', 'plain-json'] as const];

const onCommandLine = async (flags: readonly string[], says: readonly string[]) => {
  const server = await startScriptedServer({
    turns: ({ number }) => ({ text: says[Math.min(number, says.length - 1)] ?? '' }),
  });
  onTestFinished(() => server.close());
  const reach = ['--provider', 'openai', '--base-url', `${server.url}/v1`, '-m', 'test-model'];
  const ran = await runHalter(['run', 'go', ...reach, ...flags, '--format', 'json']);
  return { ran, requests: server.requests.map(({ body }) => JSON.stringify(body)) };
};

describe.each(NAMED)('%s %s', (flag, value) => {
  it.each(everyNth(BACK, 7))('on the command line a call goes back to the model: %s', async (_what, text, told) => {
    verifies('K5');
    const { ran, requests } = await onCommandLine([flag, value], [text, 'Done.']);
    expect(requests.at(-1)).toMatch(told);
    expect(ran.code, ran.err).toBe(0);
    expect(ran.json()['answer']).toBe('Done.');
  });

  it.each(BACK)('over HTTP a call goes back to the model: %s', async (_what, text, told) => {
    verifies('K5');
    const named = flag === '--preset' ? { preset: value } : { dialect: value };
    const server = await testServer((_request, number) => ({ text: number === 0 ? text : 'Done.' }), named);
    const reply = await server.json<{ answer: string }>('POST', '/api/chat', { message: 'go', mode: 'agent' });
    expect(JSON.stringify(server.provider.requests.at(-1))).toMatch(told);
    expect(reply.answer).toBe('Done.');
  });

  it.each(STAYS)('what is no call, is quoted or is an example stays the answer: %s', async (_what, text) => {
    verifies('K5');
    const named = flag === '--preset' ? { preset: value } : { dialect: value };
    const server = await testServer({ text }, named);
    const reply = await server.json<{ answer: string }>('POST', '/api/chat', { message: 'go', mode: 'agent' });
    expect(reply.answer).toBe(text);
    expect(server.provider.requests).toHaveLength(1);
  });

  it('a model that writes it again and again ends with the error of the document', async () => {
    verifies('K5');
    const { ran } = await onCommandLine([flag, value], [`I will call ${CALL} now.`]);
    expect(ran.code).toBe(1);
    expect(ran.err).toMatch(/unusable tool calls 3 times in a row/);
    expect(ran.json()['answer']).toBe('');
  });
});

it.each(BACK.filter(([what]) => what.endsWith('alone')))(
  'where no dialect is named it is an error: %s',
  async (_what, text) => {
    verifies('K5');
    const { ran } = await onCommandLine([], [text]);
    expect(ran.code).toBe(1);
    expect(ran.json()['warnings']).toMatchObject([{ code: 'unread_call' }]);
  },
);
