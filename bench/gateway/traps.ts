/** What models and servers do wrong, one row each, and how one sees that the client came through. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Client, readCall, type ToolCall, writeCall } from './clients.ts';
import type { Chunk, ModelRequest, Reply } from './model.ts';

export const SECRET = 'tangerine';
export const ANSWER = `It says: ${SECRET}.`;
/** A turn that goes round longer than this is a loop. */
const LOOP_REQUESTS = 10;
/** Some 8,000 tokens. */
const LONG_SENTENCES = 700;
export const QUESTION = 'What is in hello.txt?';

export type Scene = {
  client: Client;
  folder: string;
  /** The file that is asked about. */
  file: string;
  /** Requests with tools, before this one. */
  turn: number;
  request: ModelRequest;
};
export type Result = { output: string; code: number | null; folder: string; requests: number };

export type Trap = {
  id: string;
  title: string;
  group: 'text' | 'name' | 'arguments' | 'parallel' | 'stream' | 'end' | 'server' | 'thought';
  /** Only while the answer is not known; undefined goes on to the plain call. */
  reply(scene: Scene): Reply | undefined;
  /** In the place of the plain question. */
  question?: string;
  /** It goes on although the file was read. */
  isEndless?: boolean;
  /** Absent: the answer came out. */
  passed?(result: Result): boolean;
};

const text = (content: string): Reply => ({ deltas: [{ content }] });
export const plainCall = ({ name, arguments: given }: ToolCall): Reply => call(name, JSON.stringify(given));
const call = (name: string, args: unknown, more: Partial<Reply> = {}): Reply => ({
  deltas: [{ tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name, arguments: args } }] }],
  finish: 'tool_calls',
  ...more,
});

type Write = (toolCall: ToolCall) => Reply | undefined;
/** The first turn goes wrong in this way; the second one, if there is any, is well-formed. */
const once =
  (write: Write) =>
  ({ client, file, turn }: Scene): Reply | undefined =>
    turn === 0 ? write(readCall(client, file)) : undefined;
/** The model writes so at every turn. */
const always =
  (write: Write) =>
  ({ client, file }: Scene): Reply | undefined =>
    write(readCall(client, file));

const json = (toolCall: ToolCall): string => JSON.stringify(toolCall);
const textRow = (id: string, title: string, write: (toolCall: ToolCall) => string): Trap => ({
  id,
  title,
  group: 'text',
  reply: always((toolCall) => text(write(toolCall))),
});
const parameters = ({ arguments: given }: ToolCall, tag: (key: string, value: string) => string): string =>
  Object.entries(given)
    .map(([key, value]) => tag(key, String(value)))
    .join('\n');

const TEXT: readonly Trap[] = [
  textRow('text-bare', 'a call as bare JSON', json),
  textRow('text-fenced', 'a call in a fence', (toolCall) => `\`\`\`json\n${json(toolCall)}\n\`\`\``),
  textRow(
    'text-tagged',
    'a call in <tool_call>',
    (toolCall) => `Let me see.\n<tool_call>\n${json(toolCall)}\n</tool_call>`,
  ),
  textRow(
    'text-mistral',
    '[TOOL_CALLS]name[ARGS]{…}',
    ({ name, arguments: given }) => `[TOOL_CALLS]${name}[ARGS]${JSON.stringify(given)}`,
  ),
  textRow(
    'text-function',
    '<function=name> with parameters',
    (toolCall) =>
      `<tool_call>\n<function=${toolCall.name}>\n${parameters(toolCall, (key, value) => `<parameter=${key}>\n${value}\n</parameter>`)}\n</function>\n</tool_call>`,
  ),
  textRow(
    'text-harmony',
    "a call in gpt-oss's channels",
    ({ name, arguments: given }) =>
      `<|channel|>commentary to=functions.${name} <|constrain|>json<|message|>${JSON.stringify(given)}<|call|>`,
  ),
  textRow(
    'text-pythonic',
    '[name(key="value")]',
    ({ name, arguments: given }) =>
      `[${name}(${Object.entries(given)
        .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
        .join(', ')})]`,
  ),
];

const rename = (id: string, title: string, renamed: (name: string) => string): Trap => ({
  id,
  title,
  group: 'name',
  reply: once(({ name, arguments: given }) => call(renamed(name), JSON.stringify(given))),
});

const NAMES: readonly Trap[] = [
  rename('name-case', 'the name in another case', (name) =>
    name === name.toLowerCase() ? name.toUpperCase() : name.toLowerCase(),
  ),
  rename('name-prefix', 'functions.name', (name) => `functions.${name}`),
  rename('name-hyphen', 'a hyphen in the place of an underscore', (name) => name.replaceAll('_', '-').concat('_tool')),
  rename('name-unknown', 'a tool that nobody has', () => 'open_the_document'),
];

const spoil = (id: string, title: string, spoiled: (args: string, given: ToolCall) => unknown): Trap => ({
  id,
  title,
  group: 'arguments',
  // A model that writes so writes so again when it is asked again.
  reply: always((toolCall) => call(toolCall.name, spoiled(JSON.stringify(toolCall.arguments), toolCall))),
});

const ARGUMENTS: readonly Trap[] = [
  spoil('args-comma', 'a trailing comma', (args) => args.replace(/\}$/, ',}')),
  spoil('args-brace', 'the last brace is missing', (args) => args.slice(0, -1)),
  spoil('args-python', "Python's quotes", (args) => args.replaceAll("'", '’').replaceAll('"', "'")),
  spoil('args-bare-keys', 'keys without quotes', (args) => args.replaceAll(/"(\w+)":/g, '$1:')),
  spoil('args-object', 'an object where text belongs', (_args, { arguments: given }) => given),
  spoil('args-twice', 'encoded twice', (args) => JSON.stringify(args)),
  spoil('args-comment', 'a comment inside', (args) => args.replace('{', '{ // the file\n')),
  spoil('args-fence', 'a fence around', (args) => `\`\`\`json\n${args}\n\`\`\``),
  spoil('args-after', 'words behind', (args) => `${args}\nThis reads the file.`),
  {
    id: 'args-integer',
    title: 'a number as text',
    group: 'arguments',
    reply: ({ client, file }) => {
      const { name, arguments: given } = readCall(client, file);
      return call(name, JSON.stringify({ ...given, ...(client.read.integer ? { [client.read.integer]: '500' } : {}) }));
    },
  },
  spoil('args-null', 'null for what may be left out', (_args, { arguments: given }) =>
    JSON.stringify({ ...given, offset: null, limit: null }),
  ),
];

const pair = (parts: (first: object, second: object) => readonly Chunk[]): Trap['reply'] => {
  return ({ client, file, turn }) => {
    if (turn > 0) return undefined;
    const [first, second] = [readCall(client, file), readCall(client, file.replace('hello', 'second'))];
    const wire = ({ name, arguments: given }: ToolCall) => ({ name, arguments: JSON.stringify(given) });
    return { deltas: parts(wire(first), wire(second)), finish: 'tool_calls' };
  };
};
/** Both files were read: the model knows what only the second says. */
const bothRead = ({ output }: Result): boolean => output.includes(SECRET) && output.includes('and papaya');

const PARALLEL: readonly Trap[] = [
  {
    id: 'two-same-index',
    title: 'two calls with one index',
    group: 'parallel',
    reply: pair((first, second) => [
      { tool_calls: [{ index: 0, id: 'a', type: 'function', function: first }] },
      { tool_calls: [{ index: 0, id: 'b', type: 'function', function: second }] },
    ]),
    passed: bothRead,
  },
  {
    id: 'two-same-id',
    title: 'two calls with one id',
    group: 'parallel',
    reply: pair((first, second) => [
      { tool_calls: [{ index: 0, id: 'a', type: 'function', function: first }] },
      { tool_calls: [{ index: 1, id: 'a', type: 'function', function: second }] },
    ]),
    passed: bothRead,
  },
  {
    id: 'two-no-id',
    title: 'two calls without ids',
    group: 'parallel',
    reply: pair((first, second) => [
      { tool_calls: [{ index: 0, type: 'function', function: first }] },
      { tool_calls: [{ index: 1, type: 'function', function: second }] },
    ]),
    passed: bothRead,
  },
  {
    id: 'two-in-text',
    title: 'two calls as text',
    group: 'parallel',
    reply: ({ client, file, turn }) => {
      if (turn > 0) return undefined;
      const calls = [readCall(client, file), readCall(client, file.replace('hello', 'second'))];
      return text(calls.map((each) => `<tool_call>${json(each)}</tool_call>`).join('\n'));
    },
    passed: bothRead,
  },
];

const pieces = (whole: string, size: number): string[] =>
  Array.from({ length: Math.ceil(whole.length / size) }, (_, index) => whole.slice(index * size, (index + 1) * size));

const STREAM: readonly Trap[] = [
  {
    id: 'stream-finish-stop',
    title: 'a call that ends with finish_reason "stop"',
    group: 'stream',
    reply: once(({ name, arguments: given }) => call(name, JSON.stringify(given), { finish: 'stop' })),
  },
  {
    id: 'stream-pieces',
    title: 'arguments in pieces of one character',
    group: 'stream',
    reply: once(({ name, arguments: given }) => ({
      deltas: [
        { tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name, arguments: '' } }] },
        ...pieces(JSON.stringify(given), 1).map((part) => ({
          tool_calls: [{ index: 0, function: { arguments: part } }],
        })),
      ],
      finish: 'tool_calls',
    })),
  },
  {
    id: 'stream-text-pieces',
    title: 'a call as text in pieces of three characters',
    group: 'stream',
    reply: always((toolCall) => ({
      deltas: pieces(`I look.\n<tool_call>${json(toolCall)}</tool_call>`, 3).map((content) => ({ content })),
    })),
  },
  {
    id: 'stream-broken',
    title: 'a connection that ends in the middle of a call',
    group: 'stream',
    reply: once(({ name, arguments: given }) => ({
      ...call(name, JSON.stringify(given).slice(0, 12)),
      breaksOff: true,
    })),
    passed: ({ output, code }) =>
      output.includes(SECRET) || (code !== 0 && /error|connection|broke|cut|ended/i.test(output)),
  },
  {
    id: 'stream-null',
    title: 'deltas with nulls',
    group: 'stream',
    reply: once(({ name, arguments: given }) => ({
      deltas: [
        { role: 'assistant', content: null, tool_calls: null },
        {
          content: null,
          tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name, arguments: JSON.stringify(given) } }],
        },
      ],
      finish: 'tool_calls',
    })),
  },
];

/** A turn that was ended by somebody says so; one that goes on for ever, or ends as if all were well, does not count. */
const endedInWords =
  (words: RegExp) =>
  ({ output, requests, code }: Result): boolean =>
    requests <= LOOP_REQUESTS && (words.test(output) || code !== 0);

const ENDS: readonly Trap[] = [
  {
    id: 'end-half-call',
    title: 'the token limit in the middle of a file',
    group: 'end',
    reply: ({ client, folder, turn }) => {
      const target = join(folder, 'out.txt');
      const { name, arguments: given } = writeCall(client, target, 'line 1 line 2 line 3 the end');
      const args = JSON.stringify(given);
      return turn === 0
        ? call(name, args.slice(0, args.indexOf('line 2') + 4), { finish: 'length' })
        : text('It is written.');
    },
    // Nothing, or all of it: half a file is a damaged one.
    passed: ({ folder, output, requests }) => {
      const target = join(folder, 'out.txt');
      const isHalf = existsSync(target) && !readFileSync(target, 'utf8').includes('the end');
      return !isHalf && (requests > 1 || /cut|limit|length|token/i.test(output));
    },
  },
  {
    id: 'end-announced',
    title: '"I will now read the file" without a call',
    group: 'end',
    reply: ({ turn }) => (turn === 0 ? text("I'll now read the file hello.txt.") : undefined),
  },
  {
    id: 'end-empty-once',
    title: 'an empty answer',
    group: 'end',
    reply: ({ turn }) => (turn === 0 ? { deltas: [{ content: '' }] } : undefined),
  },
  {
    id: 'end-empty',
    isEndless: true,
    title: 'nothing but empty answers',
    group: 'end',
    reply: () => ({ deltas: [{ content: '' }] }),
    passed: endedInWords(/empty|no answer|nothing/i),
  },
  {
    id: 'loop-same',
    isEndless: true,
    title: 'the same call for ever',
    group: 'end',
    reply: ({ client, file }) => plainCall(readCall(client, file)),
    passed: endedInWords(/same|loop|repeat/i),
  },
  {
    id: 'loop-two',
    isEndless: true,
    title: 'two calls in turn for ever',
    group: 'end',
    reply: ({ client, file, turn }) =>
      plainCall(readCall(client, turn % 2 === 0 ? file : file.replace('hello', 'second'))),
    passed: ({ output, requests, code }) =>
      requests <= 2 * LOOP_REQUESTS && (/same|loop|repeat/i.test(output) || code !== 0),
  },
  {
    id: 'loop-text',
    isEndless: true,
    title: 'the same call as text for ever',
    group: 'end',
    reply: ({ client, file }) => text(`<tool_call>${json(readCall(client, file))}</tool_call>`),
    // As text it has to be made first.
    passed: (result) => result.requests > 1 && endedInWords(/same|loop|repeat/i)(result),
  },
];

const refusesOnce = (id: string, title: string, status: NonNullable<Reply['status']>): Trap => ({
  id,
  title,
  group: 'server',
  reply: ({ turn }) => (turn === 0 ? { status } : undefined),
});
const error = (message: string): string => JSON.stringify({ error: { message, code: 503, type: 'unavailable_error' } });

const SERVER: readonly Trap[] = [
  refusesOnce('server-429', 'too many requests, once', {
    code: 429,
    body: error('Too many requests'),
    headers: { 'retry-after': '1' },
  }),
  refusesOnce('server-503', 'a model that is being loaded, once', { code: 503, body: error('Loading model') }),
  {
    id: 'server-html',
    title: "a proxy's page in the place of an answer",
    group: 'server',
    reply: () => ({
      status: {
        code: 404,
        body: '<html><head><title>404</title></head><body><h1>Not found</h1></body></html>',
        headers: { 'content-type': 'text/html' },
      },
    }),
    passed: ({ output, code }) => code !== 0 && !output.includes('<body>') && output.trim() !== '',
  },
  {
    id: 'server-cut',
    title: 'a prompt that the server cut in silence',
    question: `${QUESTION} ${'It was a long day, and much happened in it. '.repeat(LONG_SENTENCES)}`,
    group: 'server',
    reply: () => ({
      ...text('Hello there.'),
      usage: { prompt_tokens: 2_048, completion_tokens: 3 },
    }),
    passed: ({ output }) => /cut|truncat|window|context/i.test(output),
  },
  {
    id: 'server-too-long',
    title: 'a prompt that is refused as too long',
    group: 'server',
    reply: () => ({
      status: {
        code: 400,
        body: JSON.stringify({
          error: {
            code: 400,
            message: 'the request exceeds the available context size. try increasing the context size',
            type: 'exceed_context_size_error',
            n_prompt_tokens: 40_000,
            n_ctx: 4096,
          },
        }),
      },
    }),
    passed: ({ output, code, requests }) =>
      code !== 0 && requests <= LOOP_REQUESTS && /context|window|long/i.test(output),
  },
];

const THOUGHTS: readonly Trap[] = [
  {
    id: 'thought-call',
    title: 'a turn that is nothing but a thought with a call at its end',
    group: 'thought',
    reply: always((toolCall) => ({
      deltas: [{ reasoning_content: `I should read it.\n<tool_call>${json(toolCall)}</tool_call>` }],
    })),
  },
  {
    id: 'thought-lost-opening',
    title: 'a closing thought tag alone, then a call as text',
    group: 'thought',
    reply: always((toolCall) => text(`I should read it.\n</think>\n<tool_call>${json(toolCall)}</tool_call>`)),
  },
];

export const TRAPS: readonly Trap[] = [
  ...TEXT,
  ...NAMES,
  ...ARGUMENTS,
  ...PARALLEL,
  ...STREAM,
  ...ENDS,
  ...SERVER,
  ...THOUGHTS,
];
