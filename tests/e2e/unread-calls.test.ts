/** A text that is meant as a call is never an answer, on the command line and over HTTP, in a preset and outside it. */
import { expect, it, onTestFinished } from 'vitest';
import { renderCall } from '../../src/dialects/index.ts';
import { startScriptedServer } from '../../src/testing/index.ts';
import { runHalter } from '../support/halter-process.ts';
import { everyNth } from '../support/long.ts';
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
const EXHAUSTED = /unusable tool calls 2 times in a row; 1 correction is allowed/;
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
  ...['{"name":"system_stats","arguments":{}}', '{"tool":"system_stats","args":{},"id":1}'].map(
    (text): Row => ({
      what: 'a call with other keys, again and again,',
      says: [text],
      flags: ['--preset', 'edison'],
      preset: 'edison',
      code: 1,
      answer: '',
      error: EXHAUSTED,
      told: /no key of a call/,
    }),
  ),
  {
    what: 'the text that the model wrote',
    says: ['{"tool":"system_stats","args":{},"why":"y"}', 'Done.'],
    flags: ['--preset', 'edison'],
    preset: 'edison',
    code: 0,
    answer: 'Done.',
    told: /\\"why\\":\\"y\\"/,
  },
  {
    what: 'a call without a name that fits a tool which writes',
    says: ['{"arguments":{"path":"f.txt","content":"x"}}', 'Done.'],
    flags: ['--preset', 'zoo-keeper', '--allow', 'write_file'],
    preset: 'zoo-keeper',
    code: 0,
    answer: 'Done.',
    told: /call names no tool/,
  },
  {
    what: 'a call without a name that fits a tool which writes, where no dialect is named,',
    says: ['{"arguments":{"path":"f.txt","content":"x"}}', 'Done.'],
    flags: ['--allow', 'write_file'],
    code: 0,
    answer: 'Done.',
    told: /call names no tool/,
  },
  {
    what: 'a call without a name that fits no tool',
    says: ['{"args":{"query":"x"}}', 'Done.'],
    flags: ['--preset', 'edison'],
    preset: 'edison',
    code: 0,
    answer: 'Done.',
    told: /call names no tool/,
  },
  ...['[TOOL_CALLS]bash[ARGS]["ls"]', '<function=bash>ls</function>', '<function=bash>["ls"]</function>'].flatMap(
    (text): Row[] =>
      ['llama-chat', undefined].map((preset) => ({
        what: `${text}, whose arguments are no object,`,
        says: [text, 'Done.'],
        flags: preset ? ['--preset', preset] : [],
        ...(preset ? { preset } : {}),
        code: 0,
        answer: 'Done.',
        told: /must be a JSON object/,
      })),
  ),
  {
    what: 'a list as arguments behind the mark of Mistral',
    says: ['[TOOL_CALLS]ls[ARGS][1]', 'Done.'],
    flags: ['--dialect', 'mistral-args'],
    dialect: 'mistral-args',
    code: 0,
    answer: 'Done.',
    told: /must be a JSON object/,
  },
  ...[
    '<function=erase_disk>{"a":1}</function>',
    NAMED,
    'erase_disk(a=1)',
    '[TOOL_CALLS]erase_disk[ARGS]{"a":1}',
    `<tool_call>${NAMED}</tool_call>`,
  ].map(
    (text): Row => ({
      what: `${text} to nobody`,
      says: [text, 'Done.'],
      flags: ['--preset', 'llama-chat'],
      preset: 'llama-chat',
      code: 0,
      answer: 'Done.',
      told: /no tool named .{1,6}erase_disk/,
    }),
  ),
  {
    what: 'a call within another object',
    says: [`{"call": ${UNKNOWN}}`, 'Done.'],
    flags: ['--preset', 'edison'],
    preset: 'edison',
    code: 0,
    answer: 'Done.',
    told: /no tool named .{1,6}erase_disk/,
  },
  ...[
    ' system_stats',
    'system_stats ',
    'system_stats\\n',
    '\u00a0system_stats',
    'system\u200b_stats',
    'system_stats\u2060',
    'sys\u00adtem_stats',
  ].flatMap((name) =>
    [{ preset: 'edison' }, { dialect: 'edison' }].map(
      (named): Row => ({
        what: `${JSON.stringify(name)}, which is no name of a tool,`,
        says: [`{"tool": "${name}", "args": {}}`, 'Done.'],
        flags: named.preset ? ['--preset', 'edison'] : ['--dialect', 'edison'],
        ...named,
        code: 0,
        answer: 'Done.',
        told: /the name of a tool as it is|no tool named/,
      }),
    ),
  ),
  ...[{ preset: 'llama-chat', flags: ['--preset', 'llama-chat'] }, { flags: [] }].map(
    (named): Row => ({
      what: 'a call to nobody in an unseen tag',
      says: [`<tool\u200b_call>${NAMED}</tool_call>`, 'Done.'],
      ...named,
      code: 0,
      answer: 'Done.',
      told: /no tool named .{1,6}erase_disk|cannot be seen/,
    }),
  ),
  {
    what: 'a call behind a sentence in the same line',
    says: ['Sure. {"tool": "system_stats", "args": {}}', 'Done.'],
    flags: ['--preset', 'edison'],
    preset: 'edison',
    code: 0,
    answer: 'Done.',
    told: /words stand beside the call/,
  },
  {
    what: 'a call with an announcement behind it',
    says: ['{"tool": "system_stats", "args": {}}\n\nLet me check.', 'Done.'],
    flags: ['--preset', 'edison'],
    preset: 'edison',
    code: 0,
    answer: 'Done.',
    told: /something stands behind the call/,
  },
  {
    what: 'a call that ends too early behind words',
    says: ['Sure!\n{"name": "get_working_directory", "arguments": {}', 'Done.'],
    flags: [],
    code: 0,
    answer: 'Done.',
    told: /the call was cut off before its end/,
  },
  ...[
    '<parameter=path>.</parameter></function></tool_call>',
    '{"path": "."}</tool_call>',
    '[ARGS]{"path": "."}',
    '"arguments": {"path": "."}}</tool_call>',
  ].flatMap((text) =>
    [{ preset: 'edison' }, { preset: 'zoo-keeper' }, { preset: 'llama-chat' }, { dialect: 'hermes' }, {}].map(
      (named: { preset?: string; dialect?: string }): Row => ({
        what: `the rest of a call ${text}`,
        says: [text, 'Done.'],
        flags: Object.entries(named).flatMap(([key, value]) => [`--${key}`, value]),
        ...named,
        code: 0,
        answer: 'Done.',
        told: /The call names no tool/,
      }),
    ),
  ),
  ...[
    { preset: 'llama-chat', bare: '{"command": "ls -la"}' },
    { preset: 'zoo-keeper', bare: '{"path": "a.txt", "content": "b"}' },
    { preset: 'edison', bare: '{"prompt": "a red tower"}' },
    { bare: '{"command": "ls -la"}' },
  ].map(
    ({ bare, ...named }: { bare: string; preset?: string }): Row => ({
      what: `the arguments of one tool and no name, ${bare},`,
      says: [bare, 'This is what you asked for.'],
      flags: named.preset ? ['--preset', named.preset] : [],
      ...named,
      code: 0,
      answer: bare,
      told: /holds what may be a call to (bash|write_file|generate_image)/,
    }),
  ),
  ...['[TOOL_CALLS][]', '<|tool_call|>[]', '<tool_call>\n</tool_call>'].flatMap((says): Row[] => [
    {
      what: `a call of which nothing is there but its marks (${JSON.stringify(says)})`,
      says: [says, 'Done.'],
      flags: [],
      code: 0,
      answer: 'Done.',
      told: /The call names no tool/,
    },
    {
      what: `such a call, again and again (${JSON.stringify(says)})`,
      says: [says],
      flags: [],
      code: 1,
      answer: '',
      error: /unusable tool calls 3 times in a row; 2 corrections are allowed/,
    },
  ]),
];

const turnsOf =
  ({ says }: Row) =>
  (number: number) => ({ text: says[Math.min(number, says.length - 1)] ?? '' });

it.each(everyNth(ROWS, 9))('$what goes back to the model on the command line ($flags)', async (row) => {
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
  '{"arguments":{"path":"."}}',
  '{"name":"erase_disk","arguments":"all"}',
  '<tool_call>{"name":"erase_disk","arguments":["all"]}</tool_call>',
  '[TOOL_CALLS]erase_disk[ARGS]{"command": "ls"',
  '[TOOL_CALLS]erase_disk[ARGS]{command: ls}',
];

it.each(everyNth(ALONE, 9))('where no dialect is named, %j alone is an error and not an answer', async (text) => {
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

it.each([
  ['--preset', 'zoo-keeper'],
  ['--preset', 'local-harness'],
  ['--dialect', 'plain-json'],
])('where no tools are on offer, a call is an error and not an answer (%s %s)', async (flag, value) => {
  const server = await startScriptedServer({ turns: () => ({ text: '{"name":"ls","arguments":{}}' }) });
  onTestFinished(() => server.close());
  const reach = ['--provider', 'openai', '--base-url', `${server.url}/v1`, '-m', 'test-model'];
  const ran = await runHalter(['run', 'go', ...reach, flag, value, '--no-tools', '--format', 'stream-json']);
  expect(ran.code).toBe(1);
  expect(ran.lines()).toContainEqual(
    expect.objectContaining({
      type: 'warning',
      code: 'unread_call',
      message: expect.stringContaining('no tools are on offer'),
    }),
  );
});

it('what is said of a call beside other text is true', async () => {
  const text = '{"name":"get_current_time","arguments":{}}\n\nLet me know.';
  const server = await startScriptedServer({ turns: () => ({ text }) });
  onTestFinished(() => server.close());
  const reach = ['--provider', 'openai', '--base-url', `${server.url}/v1`, '-m', 'test-model'];
  const ran = await runHalter(['run', 'go', ...reach, '--preset', 'zodollama']);
  expect(ran.code).toBe(1);
  expect(ran.err).toContain('The answer holds a call to get_current_time, beside which other text stands.');
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

it('every form of output says that the token limit cut the answer', async () => {
  const server = await startScriptedServer({ turns: () => ({ text: 'The first of', finish: 'length' }) });
  onTestFinished(() => server.close());
  const reach = ['--provider', 'openai', '--base-url', `${server.url}/v1`, '-m', 'test-model'];
  const ran = await runHalter(['run', 'go', ...reach, '--format', 'json']);
  const cut = expect.objectContaining({ code: 'answer_cut' });
  expect(ran.json()).toMatchObject({ finish_reason: 'length', warnings: expect.arrayContaining([cut]) });
  const streamed = await runHalter(['run', 'go', ...reach, '--format', 'stream-json']);
  const last = JSON.parse(streamed.out.trim().split('\n').at(-1) ?? '') as object;
  expect(last).toMatchObject({ type: 'turn_end', finish_reason: 'length', answer: 'The first of' });
  const text = await runHalter(['run', 'go', ...reach]);
  expect(text).toMatchObject({ code: 0, err: expect.stringContaining('cut') });
  const http = await testServer(() => ({ text: 'The first of', finish: 'length' }));
  const reply = await http.json('POST', '/api/chat', { message: 'go', mode: 'agent' });
  expect(reply).toMatchObject({ answer: 'The first of', finish_reason: 'length' });
});

it.each([
  ['edison', '{"tool": "web_search", "args": {"query": "x"}}', 'No search service is set up'],
  ['edison', '{"tool": "generate_image", "args": {"prompt": "x"}}', 'No image server is set up'],
  ['zoo-keeper', '{"name": "web_search", "arguments": {"query": "x"}}', 'No search service is set up'],
  [undefined, '{"name": "web_search", "arguments": {"query": "x"}}', 'No search service is set up'],
])('nobody is asked about a call that is known to fail (preset %s, %s)', async (preset, text, reason) => {
  const server = await testServer([{ text }, { text: 'I cannot search.' }], { preset });
  const reply = await server.json('POST', '/api/chat', { message: 'go', mode: 'agent' });
  expect(reply).toMatchObject({ exit_reason: 'answered', answer: 'I cannot search.' });
  expect(reply['permission_requests'] ?? []).toEqual([]);
  expect(JSON.stringify(server.provider.requests[1]?.messages)).toContain(reason);
  const { name = '', arguments: args = {}, tool = '', args: given = args } = JSON.parse(text);
  const made = await server.json('POST', '/api/tools/execute', { tool_name: name || tool, arguments: given });
  expect(JSON.stringify(made)).toContain(reason);
});

it('a field that POST /api/chat does not know is refused, and cancelling needs no body', async () => {
  const server = await testServer({ text: 'Hello.' });
  const reply = await server.call('POST', '/api/chat', { message: 'go', preset: 'edison' });
  expect([reply.status, await reply.text()]).toEqual([400, expect.stringContaining('preset')]);
  expect((await server.call('POST', '/api/chat/none/cancel')).status).toBe(404);
});

it.each([
  ['words', 'To see statistics you send this: {"tool": "system_stats", "args": {}, "x": 1}'],
  ['the call', '{"tool": "system_stats", "args": {}}'],
])('a call that is made after a correction, or %s, is not told as arguments that do not fit', async (_what, second) => {
  const turns = [{ text: '{"tool": "system_stats", "args": {}, "x": 1}' }, { text: second }, { text: 'All fine.' }];
  const model = await startScriptedServer({ turns: ({ number }) => turns[Math.min(number, 2)] ?? { text: '' } });
  onTestFinished(() => model.close());
  const reach = ['--provider', 'openai', '--base-url', model.openaiUrl, '-m', 'test-model'];
  const ran = await runHalter(['run', 'go', ...reach, '--preset', 'edison', '--format', 'json']);
  expect(JSON.stringify(ran.json()['warnings'] ?? [])).not.toContain('constrained_unfit');
  // The schema of the bare arguments would forbid both an answer in words and the call that was asked for.
  expect(JSON.stringify(model.requests[1]?.body)).not.toContain('"response_format"');
});

const NAMED_WITH_ID = '{"name": "erase_disk", "arguments": {"q": 1}, "id": "abc7"}';
const AMONG_WORDS = `I look first.\n${NAMED_WITH_ID}\nThen I tell you.`;
it.each([
  { preset: 'zoo-keeper', dialect: undefined },
  { preset: undefined, dialect: 'plain-json' },
])('a call that is not made keeps its id, and the words around it ($preset $dialect)', async ({ preset, dialect }) => {
  const saying = (text: string) => (number: number) => ({ text: number === 0 ? text : 'Done.' });
  for (const text of [NAMED_WITH_ID, AMONG_WORDS]) {
    const model = await startScriptedServer({ turns: ({ number }) => saying(text)(number) });
    onTestFinished(() => model.close());
    const reach = ['--provider', 'openai', '--base-url', `${model.url}/v1`, '-m', 'test-model'];
    const flags = preset === undefined ? ['--dialect', String(dialect)] : ['--preset', preset];
    const ran = await runHalter(['run', 'go', ...reach, ...flags, '--format', 'stream-json']);
    expect(ran.lines()).toContainEqual(expect.objectContaining({ type: 'tool_call', id: 'abc7', name: 'erase_disk' }));
    const server = await testServer((_request, number) => saying(text)(number), { preset, dialect });
    const stream = await server.call('POST', '/api/chat', { message: 'go', mode: 'agent', stream: true });
    expect(await stream.text()).toContain('"abc7"');
    if (text !== AMONG_WORDS) continue;
    for (const told of [model.requests[1]?.text, JSON.stringify(server.provider.requests[1])])
      expect(told).toMatch(/I look first\..*Then I tell you\./s);
  }
});

it.each(['qwen3-coder', 'hermes', 'seed-oss'])(
  'a call without its closing marks is told so, and not that it is long: %s',
  async (dialect) => {
    const call = renderCall(dialect, { name: 'write_file', arguments: { path: 'a.txt', content: 'hello' } });
    const open = call.slice(0, call.indexOf('hello') + 'hello'.length);
    for (const [finish, told] of [
      ['stop', true],
      ['length', false],
    ] as const) {
      const model = await startScriptedServer({
        turns: ({ number }) => (number === 0 ? { text: open, finish } : { text: 'Done.' }),
      });
      onTestFinished(() => model.close());
      const reach = ['--provider', 'openai', '--base-url', `${model.url}/v1`, '-m', 'test-model'];
      await runHalter(['run', 'go', ...reach, '--dialect', dialect]);
      expect(/the marks that close it are missing/.test(model.requests.at(-1)?.text ?? '')).toBe(told);
    }
  },
);

it('an answer that is nothing but a call to no tool is told once on standard error', async () => {
  const model = await startScriptedServer({ turns: () => ({ text: UNKNOWN }) });
  onTestFinished(() => model.close());
  const ran = await runHalter([
    'run',
    'go',
    '--provider',
    'openai',
    '--base-url',
    `${model.url}/v1`,
    '-m',
    'test-model',
  ]);
  expect(ran.code).toBe(1);
  expect(ran.err.match(/which is no tool here/g)).toHaveLength(1);
});

const SEARCH = '{"name": "web_search", "arguments": {"query": "x"}}';
it.each([
  { text: `Well, ${SEARCH} then.`, preset: 'zoo-keeper' },
  { text: `You could send\n${SEARCH}\nif you like.`, preset: 'zoo-keeper' },
  { text: `Here is an example: ${SEARCH}\nThat is how it looks.`, preset: undefined },
  { text: 'Here is one: {"tool": "web_search", "args": {"query": "x"}}\nThat is how it looks.', preset: undefined },
])('a call among words to a tool that is not set up is told of ($preset, $text)', async ({ text, preset }) => {
  const model = await startScriptedServer({ turns: () => ({ text }) });
  onTestFinished(() => model.close());
  const reach = ['--provider', 'openai', '--base-url', model.openaiUrl, '-m', 'test-model'];
  const flags = preset === undefined ? [] : ['--preset', preset];
  const ran = await runHalter(['run', 'go', ...reach, ...flags, '--format', 'json']);
  const warnings = [{ code: 'call_in_text', message: expect.stringContaining('a call to web_search') }];
  expect(ran.json()).toMatchObject({ answer: text, warnings });
  expect(ran.code, ran.err).toBe(0);
  const server = await testServer({ text }, { preset });
  expect(await server.json('POST', '/api/chat', { message: 'go', mode: 'agent' })).toMatchObject({
    answer: text,
    warnings,
  });
});
