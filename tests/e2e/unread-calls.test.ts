/** A text that is meant as a call is never an answer, on the command line and over HTTP, in a preset and outside it. */
import { expect, it, onTestFinished } from 'vitest';
import { startScriptedServer } from '../../src/testing/index.ts';
import { runHalter } from '../support/halter-process.ts';
import { sentEvents } from '../support/sent-events.ts';
import { testServer } from '../support/test-server.ts';

type Row = {
  what: string;
  /** What the model answers with, turn by turn; the last one again and again. */
  says: string[];
  flags: string[];
  preset?: string;
  dialect?: string;
  code: number;
  answer: string;
  error?: RegExp;
  /** In the last request: what the model was told. */
  told?: RegExp;
};

const UNKNOWN = '{"tool": "erase_disk", "args": {}}';
const NAMED = '{"name": "erase_disk", "arguments": {}}';
const EXHAUSTED = /unusable tool calls 2 times in a row; 1 corrections/;
const ROWS: Row[] = [
  {
    what: 'a tool that nobody knows, once',
    says: [UNKNOWN, 'Done.'],
    flags: ['--preset', 'edison'],
    preset: 'edison',
    code: 0,
    answer: 'Done.',
    told: /no tool named .{1,6}erase_disk/,
  },
  {
    what: 'a tool that nobody knows, again',
    says: [UNKNOWN],
    flags: ['--preset', 'edison'],
    preset: 'edison',
    code: 1,
    answer: '',
    error: EXHAUSTED,
  },
  {
    what: 'arguments that are no object',
    says: ['{"tool": "system_stats", "args": "all"}', 'Done.'],
    flags: ['--preset', 'edison'],
    preset: 'edison',
    code: 0,
    answer: 'Done.',
    told: /args must be an object/,
  },
  {
    what: 'a key too many',
    says: ['{"tool": "system_stats", "args": {}, "why": "to know"}', 'Done.'],
    flags: ['--preset', 'edison'],
    preset: 'edison',
    code: 0,
    answer: 'Done.',
    told: /why is no key of a call/,
  },
  {
    what: 'a number as text',
    says: ['{"tool": "rag_search", "args": {"query": "x", "limit": "3"}}', 'Done.'],
    flags: ['--preset', 'edison'],
    preset: 'edison',
    code: 0,
    answer: 'Done.',
    told: /limit must be integer, not string/,
  },
  {
    what: 'a service that is not set up',
    says: ['{"tool": "web_search", "args": {"query": "x"}}', 'Done.'],
    flags: ['--preset', 'edison', '--allow', 'web_search'],
    preset: 'edison',
    code: 0,
    answer: 'Done.',
    told: /HALTER_WEB_SEARCH_URL/,
  },
  {
    what: 'bare JSON to nobody',
    says: [NAMED, 'Done.'],
    flags: ['--preset', 'zoo-keeper'],
    preset: 'zoo-keeper',
    code: 0,
    answer: 'Done.',
    told: /no tool named .{1,6}erase_disk/,
  },
  {
    what: 'bare JSON on a line in the middle of words',
    says: [`I do it now:\n${NAMED}\nIs that fine?`, 'Done.'],
    flags: ['--preset', 'zoo-keeper'],
    preset: 'zoo-keeper',
    code: 0,
    answer: 'Done.',
    told: /no tool named .{1,6}erase_disk/,
  },
  {
    what: 'no name',
    says: ['{"tool": null, "args": {}}', 'Done.'],
    flags: ['--preset', 'edison'],
    preset: 'edison',
    code: 0,
    answer: 'Done.',
    told: /call names no tool/,
  },
  {
    what: 'another notation',
    says: ['<tool_call>{"name": "system_stats", "arguments": {}}</tool_call>', 'Done.'],
    flags: ['--preset', 'edison'],
    preset: 'edison',
    code: 0,
    answer: 'Done.',
    told: /write it as/,
  },
  {
    what: 'indented JSON among words',
    says: [`Sure.\n${JSON.stringify(JSON.parse(NAMED), null, 2)}\nOk?`, 'Done.'],
    flags: ['--preset', 'zoo-keeper'],
    preset: 'zoo-keeper',
    code: 0,
    answer: 'Done.',
    told: /no tool named .{1,6}erase_disk/,
  },
  {
    what: 'a fence behind words',
    says: [`I do it:\n\`\`\`json\n${NAMED}\n\`\`\``, 'Done.'],
    flags: ['--dialect', 'plain-json'],
    dialect: 'plain-json',
    code: 0,
    answer: 'Done.',
    told: /no tool named .{1,6}erase_disk/,
  },
  {
    what: 'a named dialect outside every preset',
    says: [NAMED, 'Done.'],
    flags: ['--dialect', 'plain-json'],
    dialect: 'plain-json',
    code: 0,
    answer: 'Done.',
    told: /no tool named .{1,6}erase_disk/,
  },
];

const turnsOf =
  ({ says }: Row) =>
  (number: number) => ({ text: says[Math.min(number, says.length - 1)] ?? '' });

it.each(ROWS)('$what goes back to the model on the command line ($flags)', async (row) => {
  const turns = turnsOf(row);
  const server = await startScriptedServer({ turns: ({ number }) => turns(number) });
  onTestFinished(() => server.close());
  const reach = ['--provider', 'openai', '--base-url', `${server.url}/v1`, '-m', 'test-model'];
  const ran = await runHalter(['run', 'go', ...reach, ...row.flags, '--format', 'json']);
  expect(ran.code, ran.err).toBe(row.code);
  expect(ran.json()['answer']).toBe(row.answer);
  if (row.error) expect(ran.err).toMatch(row.error);
  if (row.told) expect(JSON.stringify(server.requests.at(-1)?.body)).toMatch(row.told);
});

it.each(ROWS)('$what goes back to the model over HTTP ($preset $dialect)', async (row) => {
  const { preset, dialect, told } = row;
  const turns = turnsOf(row);
  const server = await testServer((_request, number) => turns(number), { preset, dialect, allow: ['web_search'] });
  const reply = await server.json<{ response?: string; answer?: string }>('POST', '/api/chat', {
    message: 'go',
    mode: 'agent',
  });
  expect(JSON.stringify(reply)).not.toContain('erase_disk\\", \\"arg');
  if (told) expect(JSON.stringify(server.provider.requests.at(-1))).toMatch(told);
});

const ALONE = [
  UNKNOWN,
  `\`\`\`json\n${NAMED}\n\`\`\``,
  '<invoke name="erase_disk"><parameter name="a">1</parameter></invoke>',
  '```\nerase_disk(a=1)\n```',
];

it.each(ALONE)('where no dialect is named, %j alone is an error and not an answer', async (text) => {
  const server = await startScriptedServer({ turns: () => ({ text }) });
  onTestFinished(() => server.close());
  const reach = ['--provider', 'openai', '--base-url', `${server.url}/v1`, '-m', 'test-model'];
  const ran = await runHalter(['run', 'go', ...reach, '--format', 'stream-json']);
  expect(ran.code).toBe(1);
  expect(ran.lines()).toContainEqual(expect.objectContaining({ type: 'warning', code: 'unread_call' }));
  expect(ran.lines().at(-1)).toMatchObject({ type: 'turn_end', exit_reason: 'error' });
});

it.each(ALONE)('over HTTP %j alone is an error as well, with its warning', async (text) => {
  const server = await testServer({ text });
  const stream = await server.call('POST', '/api/chat', { message: 'go', mode: 'agent', stream: true });
  const error = { code: null, name: 'UnreadCall' };
  const ends: Record<string, unknown>[] = [];
  for await (const { type, data } of sentEvents(stream)) {
    if (type === 'turn_end' || type === 'chat_reply') ends.push(data);
  }
  expect(ends).toMatchObject([
    { exit_reason: 'error', error },
    { exit_reason: 'error', error, warnings: [{ code: 'unread_call' }] },
  ]);
  const again = await server.json('POST', '/api/chat', { message: 'go', mode: 'agent' });
  expect(again).toMatchObject({ exit_reason: 'error', error, warnings: [{ code: 'unread_call' }] });
});

it.each([
  [undefined, { tools_allowed: false }],
  ['local-harness', { tools_allowed: false }],
  ['local-harness', { mode: 'chat' }],
])('with tools off a native call goes back to the model over HTTP (preset %s, %j)', async (preset, off) => {
  const call = { calls: [{ name: 'ls', arguments: {} }] };
  const ask = { message: 'hello', ...off };
  const warnings = [{ code: 'call_without_tools', message: expect.stringContaining('The model called ls') }];
  const server = await testServer((_request, number) => (number === 0 ? call : { text: 'I cannot look.' }), { preset });
  const reply = await server.json('POST', '/api/chat', ask);
  expect(reply).toMatchObject({ answer: 'I cannot look.', exit_reason: 'answered', tools_used: [], warnings });
  expect(server.provider.requests).toHaveLength(2);
  expect(JSON.stringify(server.provider.requests[1]?.messages)).toContain('No tool can be called for this message');
  // What is said beside the call is the answer.
  const both = await testServer({ ...call, text: 'I would look.' }, { preset });
  expect(await both.json('POST', '/api/chat', ask)).toMatchObject({ answer: 'I would look.', warnings });
  expect(both.provider.requests).toHaveLength(1);
  // A model that does nothing else gave no answer.
  const stubborn = await testServer(call, { preset });
  expect((await stubborn.call('POST', '/api/chat', ask)).status).toBe(503);
  expect(stubborn.provider.requests).toHaveLength(2);
});

it('prose that holds JSON on purpose stays an answer', async () => {
  const text = `Write this:\n\n\`\`\`json\n${UNKNOWN}\n\`\`\`\n\nThen send it.`;
  const server = await startScriptedServer({ turns: () => ({ text }) });
  onTestFinished(() => server.close());
  const reach = ['--provider', 'openai', '--base-url', `${server.url}/v1`, '-m', 'test-model'];
  for (const flags of [[], ['--preset', 'edison'], ['--dialect', 'plain-json']]) {
    const ran = await runHalter(['run', 'go', ...reach, ...flags, '--format', 'json']);
    expect(ran.code, ran.err).toBe(0);
    expect(ran.json()['answer']).toBe(text);
  }
});
