/** What model servers send that their protocol does not have, as a table: how it is written, and what a client must get. */
import type { JsonObject, JsonValue } from '../../src/core/json.ts';
import type { ScriptedResponse } from '../../src/testing/scripted-server/network.ts';
import { NAME } from './wire-cases.ts';

/** What comes of it. `words`: an answer without a call, or an error. `anything`: any answer or error that is well formed. */
export type Wanted =
  | { text: string; reasoning?: string }
  | { cities: readonly string[] }
  | 'words'
  | 'error'
  | 'anything';
export type OddRow = {
  name: string;
  wanted: Wanted;
  /** Whether tools are on offer. They are, where calls are wanted. */
  tools?: boolean;
  respond(isStream: boolean): ScriptedResponse;
};

const ANSWER = 'It is sünny. {"not": "a call"} 😀';
const text = { text: ANSWER };
const paris = { cities: ['Paris'] };
const both = { cities: ['Paris', 'Oslo'] };
const city = (name: string): string => JSON.stringify({ city: name });
const write = (value: JsonValue): string => JSON.stringify(value);

const event = (data: string): string => `data: ${data}\n\n`;
const DONE = event('[DONE]');
const SSE = { 'content-type': 'text/event-stream' };
const JSON_TYPE = { 'content-type': 'application/json' };

const chunk = (delta: JsonValue, finish: JsonValue = null, more: JsonObject = {}): JsonObject => ({
  id: 'c',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta, finish_reason: finish }],
  ...more,
});
const completion = (message: JsonValue, finish: JsonValue, more: JsonObject = {}): JsonObject => ({
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message, finish_reason: finish }],
  ...more,
});

type Form = {
  /** Of a stream, each with its own chunk; the message of a whole answer in one piece where absent. */
  deltas?: readonly JsonValue[];
  message: JsonObject;
  finish?: JsonValue;
  /** Beside the choices, in the last chunk or the whole answer. */
  more?: JsonObject;
};
/** As a server of chat completions writes it, whole or streamed. */
const asked = ({ deltas, message, finish, more = {} }: Form, isStream: boolean): ScriptedResponse => {
  const end = finish === undefined ? (message['tool_calls'] ? 'tool_calls' : 'stop') : finish;
  if (!isStream) return { headers: JSON_TYPE, chunks: [write(completion(message, end, more))] };
  const chunks = [...(deltas ?? [message]).map((delta) => chunk(delta)), chunk({}, end, more)];
  return { headers: SSE, chunks: [...chunks.map((one) => event(write(one))), DONE] };
};
const form = (name: string, wanted: Wanted, given: Form, tools?: boolean): OddRow => ({
  name,
  wanted,
  ...(tools === undefined ? {} : { tools }),
  respond: (isStream) => asked(given, isStream),
});

const call = (more: JsonObject = {}, inner: JsonObject = {}): JsonObject => ({
  index: 0,
  id: 'call_1',
  type: 'function',
  function: { name: NAME, arguments: city('Paris'), ...inner },
  ...more,
});
const oslo = (more: JsonObject = {}): JsonObject =>
  call({ index: 1, id: 'call_2', ...more }, { arguments: city('Oslo') });
const without = (from: JsonObject, ...names: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(from).filter(([name]) => !names.includes(name)));
const calling = (name: string, wanted: Wanted, calls: JsonValue, more: Partial<Form> = {}): OddRow =>
  form(name, wanted, { message: { role: 'assistant', content: null, tool_calls: calls }, ...more }, true);
/** In a stream each call has a chunk of its own. */
const oneByOne = (name: string, wanted: Wanted, calls: readonly JsonObject[]): OddRow =>
  calling(name, wanted, calls as JsonValue, {
    deltas: [{ role: 'assistant', content: null }, ...calls.map((one) => ({ tool_calls: [one] }))],
  });
const said = (name: string, message: JsonObject, more: Partial<Form> = {}, wanted: Wanted = text): OddRow =>
  form(name, wanted, { message: { role: 'assistant', content: ANSWER, ...message }, ...more });

const CALLS: readonly OddRow[] = [
  calling('a call', paris, [call()]),
  calling('a call without an index', paris, [without(call(), 'index')]),
  calling('a call whose index is a text', paris, [call({ index: '0' })]),
  calling('a call whose index is null', paris, [call({ index: null })]),
  calling('a call whose index is below zero', paris, [call({ index: -1 })]),
  calling('a call whose index is not the first', paris, [call({ index: 7 })]),
  calling('a call whose index is huge', paris, [call({ index: 1e9 })]),
  calling('a call without an id', paris, [without(call(), 'id')]),
  ...[null, '', 7, {}].map((id) => calling(`a call with the id ${write(id)}`, paris, [call({ id })])),
  calling('a call without a type', paris, [without(call(), 'type')]),
  calling('a call with an empty type', paris, [call({ type: '' })]),
  calling('arguments as an object', paris, [call({}, { arguments: { city: 'Paris' } })]),
  calling('arguments written twice', paris, [call({}, { arguments: write(city('Paris')) })]),
  calling('arguments in a list', paris, [call({}, { arguments: [{ city: 'Paris' }] })]),
  calling('arguments named parameters', paris, [call({}, { parameters: { city: 'Paris' }, arguments: null })]),
  calling('arguments with a line end behind', paris, [call({}, { arguments: `${city('Paris')}\n` })]),
  calling('a call that is not in a function', paris, [{ id: 'a', name: NAME, arguments: city('Paris') }]),
  calling('the one call in the place of the list', paris, call()),
  calling('a name with blanks', paris, [call({}, { name: ` ${NAME} ` })]),
  calling('a name with a prefix', paris, [call({}, { name: `functions.${NAME}` })]),
  calling('a null among the calls', paris, [null, call()]),
  calling('a call with text beside it', paris, [call()], {
    message: { role: 'assistant', content: 'Let me see.', tool_calls: [call()] },
  }),
  calling('an old function_call', paris, null, {
    message: { role: 'assistant', content: null, function_call: { name: NAME, arguments: city('Paris') } },
    finish: 'function_call',
  }),
  ...['stop', 'tool_call', 'function_call', 'TOOL_CALLS', 'end_turn', 'eos', '', null].map((finish) =>
    calling(`a call that ends with ${write(finish)}`, paris, [call()], { finish }),
  ),
  oneByOne('two calls', both, [call(), oslo()]),
  oneByOne('two calls under one index', both, [call(), oslo({ index: 0 })]),
  oneByOne('two calls with one id', both, [call(), oslo({ id: 'call_1' })]),
  oneByOne('two calls with one id under one index', both, [call(), oslo({ id: 'call_1', index: 0 })]),
  oneByOne('two calls without ids', both, [without(call(), 'id'), without(oslo(), 'id')]),
  oneByOne('two calls without ids and indexes', both, [without(call(), 'id', 'index'), without(oslo(), 'id', 'index')]),
  calling('two calls in one piece', both, [call(), oslo()]),
  calling('two calls in one piece under one index', both, [call(), oslo({ index: 0 })]),
  calling('no name', 'words', [call({}, { name: '' })]),
  calling('a name that is null', 'words', [call({}, { name: null })]),
  calling('a name that is no text', 'words', [call({}, { name: 7 })]),
  calling('a call of nothing', 'words', [{}]),
  calling('a call without a function', 'words', [{ index: 0, id: 'a', type: 'function' }]),
  calling('a tool that is not there', 'words', [call({}, { name: 'launch_rockets', arguments: '{}' })]),
  calling('arguments that break off', 'words', [call({}, { arguments: '{"city": "Par' })]),
  calling('arguments that break off by the limit', 'words', [call({}, { arguments: '{"city": "Par' })], {
    finish: 'length',
  }),
  calling('arguments that are prose', 'words', [call({}, { arguments: 'the city of Paris' })]),
  ...[[], '[]', 7, 'null', true].map((args) =>
    calling(`arguments ${write(args)}`, 'anything', [call({}, { arguments: args })]),
  ),
  ...['', null, '{}', {}].map((args) =>
    calling(`arguments ${write(args)}`, 'anything', [call({}, { arguments: args })]),
  ),
  form('a call where no tool is on offer', 'words', {
    message: { role: 'assistant', content: null, tool_calls: [call()] },
  }),
  form('a call beside words where no tool is on offer', text, {
    message: { role: 'assistant', content: ANSWER, tool_calls: [call()] },
  }),
];

const PARTS: readonly (readonly [string, readonly JsonObject[]])[] = [
  ['in pieces', [call({}, { arguments: '' }), { index: 0, function: { arguments: city('Paris') } }]],
  ['in pieces with a name each', ['{"ci', 'ty":"P', 'aris"}'].map((piece) => call({}, { arguments: piece }))],
  [
    'in pieces with an empty name and id each',
    [call({}, { arguments: '{"ci' }), call({ id: '' }, { name: '', arguments: 'ty":"Paris"}' })],
  ],
  [
    'in pieces with a null name and id each',
    [call({}, { arguments: '{"ci' }), call({ id: null }, { name: null, arguments: 'ty":"Paris"}' })],
  ],
  [
    'in pieces with a new id each',
    ['{"ci', 'ty":"P', 'aris"}'].map((piece, at) => ({
      index: 0,
      id: `a${at}`,
      function: { ...(at === 0 ? { name: NAME } : {}), arguments: piece },
    })),
  ],
  [
    'in pieces without an index',
    [without(call({}, { arguments: '' }), 'index'), { function: { arguments: city('Paris') } }],
  ],
  [
    'with its name behind',
    [
      { index: 0, id: 'a', function: { arguments: city('Paris') } },
      { index: 0, function: { name: NAME } },
    ],
  ],
  ['with a piece of nothing', [call(), { index: 0 }, { index: 0, function: {} }, { index: 0, function: null }]],
  ['with an empty list behind', [call(), {}]],
];
const STREAMED_CALLS: readonly OddRow[] = PARTS.map(([name, pieces]) =>
  calling(`a call ${name}`, paris, [call()], { deltas: pieces.map((piece) => ({ tool_calls: [piece] })) }),
);

const REASONED: Wanted = { text: ANSWER, reasoning: 'Hm, the sun.' };
const REASONING: readonly OddRow[] = [
  ...['reasoning_content', 'reasoning', 'reasoning_text', 'thinking'].map((field) =>
    said(`thoughts in ${field}`, { [field]: 'Hm, the sun.' }, {}, REASONED),
  ),
  said('thoughts in two fields', { reasoning: 'Hm, the sun.', reasoning_content: 'Hm, the sun.' }, {}, REASONED),
  said(
    'thoughts in reasoning and its details',
    { reasoning: 'Hm, the sun.', reasoning_details: [{ type: 'reasoning.text', text: 'Hm, the sun.' }] },
    {},
    REASONED,
  ),
  said(
    'thoughts in reasoning_details alone',
    { reasoning_details: [{ type: 'reasoning.text', text: 'Hm, the sun.', index: 0 }] },
    {},
    REASONED,
  ),
  said('thoughts as an object', { reasoning: { content: 'Hm, the sun.' } }, {}, text),
  said('thoughts that are null', { reasoning_content: null, reasoning: null, thinking: null }),
  said(
    'thoughts in parts of the content',
    {
      content: [
        { type: 'thinking', thinking: [{ type: 'text', text: 'Hm, the sun.' }] },
        { type: 'text', text: ANSWER },
      ],
    },
    {},
    REASONED,
  ),
  said('thoughts in marks', { content: `<think>Hm, the sun.</think>\n\n${ANSWER}` }, {}, REASONED),
  said('thoughts alone', { content: null, reasoning_content: 'Hm, the sun.' }, {}, 'anything'),
];

const USAGES: readonly (readonly [string, JsonValue])[] = [
  ['null', null],
  ['a text', 'many'],
  ['of texts', { prompt_tokens: '5', completion_tokens: '3' }],
  ['of nulls', { prompt_tokens: null, completion_tokens: null }],
  ['below zero', { prompt_tokens: -1, completion_tokens: -3 }],
  ['of parts', { prompt_tokens: 5.5, completion_tokens: 0.25 }],
  ['huge', { prompt_tokens: 1e300, completion_tokens: 1e300 }],
  ['with details that are null', { prompt_tokens: 5, completion_tokens: 3, prompt_tokens_details: null }],
  [
    'with more from the cache than there is',
    { prompt_tokens: 5, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 50 } },
  ],
];
const FIELDS: readonly OddRow[] = [
  said('words', {}),
  said(
    'calls that are null',
    { tool_calls: null, function_call: null, refusal: null, audio: null },
    { finish: 'stop' },
  ),
  said('calls that are an empty list', { tool_calls: [] }, { finish: 'stop' }),
  said('calls that are an empty text', { tool_calls: '' }, { finish: 'stop' }),
  said('content as parts', {
    content: [
      { type: 'text', text: 'It is sünny. ' },
      { type: 'text', text: ANSWER.slice(13) },
    ],
  }),
  said('content as texts', { content: ['It is sünny. ', ANSWER.slice(13)] }),
  said('content as a part', { content: { type: 'text', text: ANSWER } }),
  said('content as output_text', { content: [{ type: 'output_text', text: ANSWER }] }),
  said('a refusal', { content: null, refusal: ANSWER }),
  said('no role', {}, { message: { content: ANSWER } }),
  said('a role of another name', { role: 'model' }),
  said('a role in each piece', {}, { deltas: [...ANSWER].map((letter) => ({ role: 'assistant', content: letter })) }),
  said(
    'pieces of nothing',
    {},
    { deltas: [{}, { content: '' }, { content: null }, null, { content: ANSWER }, {}, null] },
  ),
  said(
    'a message for a delta',
    {},
    {
      deltas: [],
      more: { choices: [{ index: 0, message: { role: 'assistant', content: ANSWER }, finish_reason: 'stop' }] },
    },
  ),
  said(
    'a text for a message',
    {},
    { deltas: [], more: { choices: [{ index: 0, text: ANSWER, finish_reason: 'stop' }] } },
  ),
  said(
    'no index',
    {},
    {
      deltas: [],
      more: { choices: [{ delta: { content: ANSWER }, message: { content: ANSWER }, finish_reason: 'stop' }] },
    },
  ),
  ...['eos', 'end_turn', 'stop_sequence', 'STOP', 'EOS', 'complete', 'tool_calls', '', null, 0, true].map((finish) =>
    said(`words that end with ${write(finish)}`, {}, { finish }),
  ),
  ...['length', 'max_tokens', 'LENGTH', 'content_filter', 'model_length'].map((finish) =>
    said(`words that end with ${write(finish)}`, {}, { finish }),
  ),
  said('words that end with an error', {}, { finish: 'error' }, 'error'),
  ...USAGES.map(([name, usage]) => said(`usage that is ${name}`, {}, { more: { usage } })),
  said('timings for usage', {}, { more: { timings: { prompt_n: 5, predicted_n: 3 } } }),
  said('an error that is null', {}, { more: { error: null } }),
  said(
    'two choices',
    {},
    {
      deltas: [],
      more: {
        choices: [
          { index: 0, message: { content: ANSWER }, finish_reason: 'stop' },
          { index: 1, delta: { content: 'NO' }, message: { content: 'NO' }, finish_reason: 'stop' },
        ],
      },
    },
  ),
];

const STORY: readonly JsonObject[] = [
  chunk({ role: 'assistant', content: '' }),
  chunk({ content: 'It is sünny. ' }),
  chunk({ content: ANSWER.slice(13) }),
  chunk({}, 'stop'),
];
const MADE: readonly JsonObject[] = [
  chunk({ role: 'assistant', content: null }),
  chunk({ tool_calls: [call()] }),
  chunk({}, 'tool_calls'),
];

type Framing = (events: readonly string[]) => string;
const FRAMINGS: readonly (readonly [string, Framing])[] = [
  ['ended by CRLF', (events) => [...events, '[DONE]'].map((one) => `data: ${one}\r\n\r\n`).join('')],
  ['ended by CR', (events) => [...events, '[DONE]'].map((one) => `data: ${one}\r\r`).join('')],
  ['ended by one line end', (events) => [...events, '[DONE]'].map((one) => `data: ${one}\n`).join('')],
  ['without a blank', (events) => [...events, '[DONE]'].map((one) => `data:${one}\n\n`).join('')],
  ['with comments', (events) => [...events, '[DONE]'].map((one) => `: keep-alive\n\n${event(one)}`).join('')],
  ['with pings', (events) => [...events, '[DONE]'].map((one) => `event: ping\ndata: {}\n\n${event(one)}`).join('')],
  [
    'with pings of another kind',
    (events) => [...events, '[DONE]'].map((one) => `data: {"type":"ping"}\n\n${event(one)}`).join(''),
  ],
  [
    'with names and ids',
    (events) => [...events, '[DONE]'].map((one) => `id: 1\nretry: 9\nevent: message\n${event(one)}`).join(''),
  ],
  [
    'with empty events',
    (events) => [...events, '[DONE]'].map((one) => `data:\n\ndata: {}\n\ndata: null\n\n\n\n${event(one)}`).join(''),
  ],
  ['behind a byte order mark', (events) => `\uFEFF${[...events, '[DONE]'].map(event).join('')}`],
  ['without [DONE]', (events) => events.map(event).join('')],
  ['without a last line end', (events) => [...events, '[DONE]'].map(event).join('').trimEnd()],
  ['without a word on how it ended', (events) => [...events.slice(0, -1), '[DONE]'].map(event).join('')],
  ['with more behind [DONE]', (events) => [...events, '[DONE]', ...events].map(event).join('')],
  ['one a line', (events) => events.map((one) => `${one}\n`).join('')],
  ['in a list', (events) => `[${events.join(',')}]`],
  [
    'with a broken event',
    (events) => [...events.slice(0, 1), '{"choices": [', ...events.slice(1), '[DONE]'].map(event).join(''),
  ],
  [
    'with usage in the middle',
    (events) =>
      [
        ...events.slice(0, 1),
        write({ choices: [], usage: { prompt_tokens: 5, completion_tokens: 3 } }),
        ...events.slice(1),
        '[DONE]',
      ]
        .map(event)
        .join(''),
  ],
  [
    'with usage without choices',
    (events) => [...events, write({ usage: { prompt_tokens: 5, completion_tokens: 3 } }), '[DONE]'].map(event).join(''),
  ],
  ['with choices that are null', (events) => [write({ choices: null }), ...events, '[DONE]'].map(event).join('')],
  ['with its end twice', (events) => [...events, ...events.slice(-1), '[DONE]'].map(event).join('')],
];
const streamed = (
  name: string,
  wanted: Wanted,
  body: string,
  more: ScriptedResponse = {},
  tools?: boolean,
): OddRow => ({
  name,
  wanted,
  ...(tools === undefined ? {} : { tools }),
  respond: () => ({ headers: SSE, chunks: inPieces(body), ...more }),
});
/** No boundary of a packet is one of an event. */
const PIECE = 11;
const inPieces = (body: string): string[] => body.match(new RegExp(`[\\s\\S]{1,${PIECE}}`, 'gu')) ?? [];

const FRAMED: readonly OddRow[] = FRAMINGS.flatMap(([name, framing]) => [
  streamed(`words in a stream ${name}`, text, framing(STORY.map(write))),
  streamed(`a call in a stream ${name}`, paris, framing(MADE.map(write)), {}, true),
]);

const events = (list: readonly JsonObject[]): string => list.map((one) => event(write(one))).join('');
const BROKEN: readonly OddRow[] = [
  streamed('words that break off', 'error', events(STORY.slice(0, -1))),
  streamed('a call that breaks off', 'error', events(MADE.slice(0, -1)), {}, true),
  streamed('words whose connection breaks', 'error', events(STORY.slice(0, -1)), { end: 'disconnected' }),
  streamed('a call whose connection breaks', 'error', events(MADE.slice(0, -1)), { end: 'disconnected' }, true),
  streamed('half an event', 'error', `${events(STORY.slice(0, -1))}data: {"choi`),
  streamed('nothing', 'error', ''),
  streamed('the end alone', 'error', DONE),
  streamed('comments alone', 'error', ': ping\n\n: ping\n\n'),
  streamed('no choices at all', 'error', `${events([{ id: 'c', choices: [] }])}${DONE}`),
];

const GONE = 'The slot is gone.';
const HTML = `<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body><h1>${GONE}</h1></body></html>`;
const ERRORS: readonly (readonly [string, JsonValue])[] = [
  ['an error', { error: { message: GONE, type: 'server_error', code: 500 } }],
  ['an error as a text', { error: GONE }],
  ['an error in errors', { errors: [{ message: GONE }] }],
  ['an error as vLLM wrote it', { object: 'error', message: GONE, type: 'BadRequestError', code: 400 }],
  ['a detail', { detail: GONE }],
  ['a list of details', { detail: [{ loc: ['body', 'messages'], msg: GONE, type: 'value_error' }] }],
  ['a message', { message: GONE }],
  ['success that is false', { success: false, message: GONE }],
  ['an empty object', {}],
  ['an empty list', []],
  ['null', null],
  ['a text', GONE],
  ['a number', 7],
];
const FAILED: readonly OddRow[] = [
  ...ERRORS.flatMap(([name, body]): OddRow[] => [
    { name: `${name} for an answer`, wanted: 'error', respond: () => ({ headers: JSON_TYPE, chunks: [write(body)] }) },
    streamed(`${name} for the first event`, 'error', `${event(write(body))}${DONE}`),
  ]),
  ...ERRORS.slice(0, 4).flatMap(([name, body]): OddRow[] => [
    streamed(`${name} among the words`, 'error', `${events(STORY.slice(0, 2))}${event(write(body))}${DONE}`),
    streamed(`${name} behind a call`, 'error', `${events(MADE.slice(0, 2))}${event(write(body))}`, {}, true),
  ]),
  streamed(
    'an event named error',
    'error',
    `${events(STORY.slice(0, 2))}event: error\n${event(write({ message: GONE }))}`,
  ),
  streamed('an event named error of words', 'error', `event: error\n${event(GONE)}`),
  ...[200, 400, 401, 403, 404, 500, 502, 503].flatMap((status): OddRow[] =>
    ['text/html', 'text/event-stream', 'application/json'].map((type) => ({
      name: `a page with ${status} as ${type}`,
      wanted: 'error',
      respond: () => ({ status, headers: { 'content-type': type }, chunks: [HTML] }),
    })),
  ),
  ...[400, 404, 409, 422, 500].flatMap((status): OddRow[] =>
    ERRORS.map(([name, body]) => ({
      name: `${name} with ${status}`,
      wanted: 'error',
      respond: () => ({ status, headers: JSON_TYPE, chunks: [write(body)] }),
    })),
  ),
  ...[204, 206, 301, 304].map(
    (status): OddRow => ({
      name: `status ${status} and nothing`,
      wanted: 'error',
      respond: () => ({ status, chunks: [] }),
    }),
  ),
];

/** The other form than the one that was asked for. */
const TURNED: readonly OddRow[] = [
  { name: 'a whole answer for a stream', wanted: text, respond: () => asked({ message: { content: ANSWER } }, false) },
  { name: 'a stream for a whole answer', wanted: text, respond: () => asked({ message: { content: ANSWER } }, true) },
  {
    name: 'a whole call for a stream',
    wanted: paris,
    tools: true,
    respond: () => asked({ message: { content: null, tool_calls: [without(call(), 'index')] } }, false),
  },
  {
    name: 'a whole answer of the old kind',
    wanted: text,
    respond: () => ({
      headers: JSON_TYPE,
      chunks: [write({ choices: [{ text: ANSWER, index: 0, finish_reason: 'stop' }] })],
    }),
  },
];

const line = (message: JsonValue, more: JsonObject = {}): JsonObject => ({
  model: 'm',
  created_at: '2026-01-01T00:00:00Z',
  message,
  done: false,
  ...more,
});
const END: JsonObject = { done: true, done_reason: 'stop', prompt_eval_count: 5, eval_count: 3 };
const NDJSON = { 'content-type': 'application/x-ndjson' };
const lines = (list: readonly JsonObject[], end = '\n'): string => list.map((one) => `${write(one)}${end}`).join('');
/** As Ollama writes it: in a stream the message and the end are lines of their own. */
const ollama = (name: string, wanted: Wanted, message: JsonValue, more: JsonObject = END, tools?: boolean): OddRow => ({
  name,
  wanted,
  ...(tools === undefined ? {} : { tools }),
  respond: (isStream) =>
    isStream
      ? { headers: NDJSON, chunks: inPieces(lines([line(message), line({ role: 'assistant', content: '' }, more)])) }
      : { headers: JSON_TYPE, chunks: [write(line(message, more))] },
});
const spoken = (message: JsonObject): JsonObject => ({ role: 'assistant', content: ANSWER, ...message });
const made = (calls: JsonValue): JsonObject => ({ role: 'assistant', content: '', tool_calls: calls });
const own = (args: JsonValue = { city: 'Paris' }, more: JsonObject = {}): JsonObject => ({
  function: { name: NAME, arguments: args },
  ...more,
});
const ownOslo = own({ city: 'Oslo' });

const ENDS: readonly JsonObject[] = [
  {},
  { done: true },
  { done: true, done_reason: null },
  { done: true, done_reason: 'length' },
  { ...END, prompt_eval_count: null },
  { ...END, prompt_eval_count: '5', eval_count: -1 },
];

const OLLAMA: readonly OddRow[] = [
  ollama('words', text, spoken({})),
  ollama('calls that are null', text, spoken({ tool_calls: null, thinking: null, images: null })),
  ollama('calls that are an empty list', text, spoken({ tool_calls: [] })),
  ollama('content as parts', text, spoken({ content: [{ type: 'text', text: ANSWER }] })),
  ollama('thoughts', REASONED, spoken({ thinking: 'Hm, the sun.' })),
  ollama('thoughts in reasoning_content', REASONED, spoken({ reasoning_content: 'Hm, the sun.' })),
  ollama('thoughts in marks', REASONED, spoken({ content: `<think>Hm, the sun.</think>${ANSWER}` })),
  ...ENDS.map((end) =>
    ollama(`words that end with ${write(end)}`, Object.keys(end).length === 0 ? 'error' : text, spoken({}), end),
  ),
  ...[
    [own()],
    own(),
    [null, own()],
    [{ name: NAME, arguments: { city: 'Paris' } }],
    [own(city('Paris'))],
    [own({ city: 'Paris' }, { id: '' })],
    [own({ city: 'Paris' }, { id: 7, type: 'function' })],
  ].map((calls) => ollama(`the calls ${write(calls)}`, paris, made(calls), END, true)),
  ollama('two calls', both, made([own(), ownOslo]), END, true),
  ollama(
    'two calls with one id',
    both,
    made([own({ city: 'Paris' }, { id: 'a' }), { ...ownOslo, id: 'a' }]),
    END,
    true,
  ),
  ...[
    [{}],
    [{ function: {} }],
    [own('{"city": "Par')],
    [{ function: { name: '', arguments: {} } }],
    [{ function: { name: 'launch_rockets', arguments: {} } }],
  ].map((calls) => ollama(`the calls ${write(calls)}`, 'words', made(calls), END, true)),
  ...[[own({})], [own(null)], [own([])], [{ function: { name: NAME } }]].map((calls) =>
    ollama(`the calls ${write(calls)}`, 'anything', made(calls), END, true),
  ),
  streamed('a call and its end in one line', paris, lines([line(made([own()]), END)]), { headers: NDJSON }, true),
  streamed('a message that is null', text, lines([line(null), line(spoken({})), line(null, END)]), { headers: NDJSON }),
  streamed('lines ended by CRLF', text, lines([line(spoken({})), line(spoken({ content: '' }), END)], '\r\n'), {
    headers: NDJSON,
  }),
  streamed('blank lines', text, lines([line(spoken({})), line(spoken({ content: '' }), END)], '\n\n\n'), {
    headers: NDJSON,
  }),
  streamed('a broken line', text, `{"mess\n${lines([line(spoken({})), line(spoken({ content: '' }), END)])}`, {
    headers: NDJSON,
  }),
  streamed(
    'more behind the end',
    text,
    lines([line(spoken({})), line(spoken({ content: '' }), END), line(spoken({ content: 'NO' }))]),
    { headers: NDJSON },
  ),
  streamed('words that break off', 'error', lines([line(spoken({}))]), { headers: NDJSON }),
  streamed('a call that breaks off', 'error', lines([line(made([own()]))]), { headers: NDJSON }, true),
  streamed('half a line', 'error', `${lines([line(spoken({}))])}{"mod`, { headers: NDJSON }),
  streamed('nothing', 'error', '', { headers: NDJSON }),
  ...ERRORS.slice(0, 2).map(([name, body]) =>
    streamed(`${name} among the words`, 'error', `${lines([line(spoken({}))])}${write(body)}\n`, { headers: NDJSON }),
  ),
];
const OLLAMA_FAILED = FAILED.filter(({ name }) => !/event|among the words|behind a call/.test(name));

const CHAT_ROWS: readonly OddRow[] = [
  ...CALLS,
  ...STREAMED_CALLS,
  ...REASONING,
  ...FIELDS,
  ...FRAMED,
  ...BROKEN,
  ...FAILED,
  ...TURNED,
];

/** By the protocol that halter speaks with the server. */
export const ODD_UPSTREAMS: readonly (readonly [
  protocol: 'openai' | 'llama-cpp' | 'ollama',
  rows: readonly OddRow[],
])[] = [
  ['openai', CHAT_ROWS],
  ['llama-cpp', CHAT_ROWS],
  ['ollama', [...OLLAMA, ...OLLAMA_FAILED]],
];
