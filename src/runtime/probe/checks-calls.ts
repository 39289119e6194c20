/** Does it call tools: by the server's own field, as text, with arguments of every kind, and over several turns? */
import type { JsonObject } from '../../core/json.ts';
import type { ModelMessage, ToolCall } from '../../core/message.ts';
import type { ToolResult } from '../../core/tool-result.ts';
import { detectDialect } from '../../dialects/index.ts';
import type { Answer, Asker, Question } from './ask.ts';
import {
  ASSISTANT,
  type Check,
  expectCall,
  type Findings,
  failed,
  judged,
  passed,
  said,
  tool,
  user,
  type Verdict,
} from './check.ts';

const text = { type: 'string' } as const;
const WEATHER = tool('get_weather', 'Get the current weather of a city.', { city: text });
const CLOCK = tool('get_time', 'Get the current time.');
const READ = tool('read_file', 'Read a file of the project.', { path: text });
const WRITE = tool('write_file', 'Write text into a file.', { path: text, content: text });
const SEARCH = tool('search_web', 'Search the web for a query.', { query: text });
const MAIL = tool('send_mail', 'Send an e-mail.', { to: text, subject: text });
const SUM = tool('add', 'Add two integers.', { a: { type: 'integer' }, b: { type: 'integer' } });
const FEW = [WEATHER, CLOCK, READ, SEARCH, MAIL];
const MANY = [
  ...FEW,
  ...[
    'translate',
    'calendar',
    'play_music',
    'set_alarm',
    'book_flight',
    'convert_currency',
    'resize_image',
    'ping_host',
  ].map((name) => tool(name, `The tool for: ${name.replace('_', ' ')}.`, { what: text })),
  WRITE,
  SUM,
];

const asks = (tools: Question['tools'], request: string, more: Partial<Question> = {}): Question => ({
  messages: [ASSISTANT, user(request)],
  ...(tools ? { tools } : {}),
  ...more,
});

const DEFAULT_DIALECT = 'hermes';
/** The format that the model was trained on, by its template or its name. */
export const dialectOf = ({ info }: Pick<Asker, 'info'>): string =>
  detectDialect({ model: info.id, ...(info.chat_template ? { template: info.chat_template } : {}) }) ?? DEFAULT_DIALECT;

type Basic = { id: string; title: string; question: Question; judge(answer: Answer): Verdict };
const BASICS: readonly Basic[] = [
  {
    id: 'call',
    title: 'calls the one tool there is',
    question: asks([WEATHER], 'What is the weather in Paris?'),
    judge: (answer) => expectCall(answer, 'get_weather', { city: 'Paris' }),
  },
  {
    id: 'choice',
    title: 'chooses among five tools',
    question: asks(FEW, 'Read the file src/main.ts.'),
    judge: (answer) => expectCall(answer, 'read_file', { path: 'src/main.ts' }),
  },
  {
    id: 'no_arguments',
    title: 'calls a tool without arguments',
    question: asks([CLOCK, WEATHER], 'What is the current time?'),
    judge: (answer) => expectCall(answer, 'get_time'),
  },
];

const decodesItself = ({ provider }: Asker): boolean => provider.decodeToolCall !== undefined;

const nativeBasics = BASICS.map(
  ({ id, title, question, judge }): Check => ({
    id: `native_${id}`,
    group: 'tools',
    title,
    run: (asker, findings) =>
      judged(asker, question, (answer) => {
        if (answer.dialect !== undefined) findings.dialect = answer.dialect;
        return judge(answer);
      }),
  }),
);

const textBasics = BASICS.map(
  ({ id, title, question, judge }): Check => ({
    id: `text_${id}`,
    group: 'calls as text',
    title,
    skip: (asker) => (decodesItself(asker) ? 'this engine decodes calls by itself' : undefined),
    run: (asker, findings) =>
      judged(asker, { ...question, injected: dialectOf(asker) }, (answer) => {
        if (answer.dialect !== undefined) findings.dialect ??= answer.dialect;
        return judge(answer);
      }),
  }),
);

export const BASIC_CHECKS: readonly Check[] = [...nativeBasics, ...textBasics];

/** One call with arguments of a kind, in the way of calling that was found to work. */
const argument = (
  id: string,
  title: string,
  name: string,
  properties: JsonObject,
  request: string,
  fits: JsonObject | ((args: JsonObject) => boolean),
  more: Partial<Question> = {},
): Check => ({
  id,
  group: 'arguments',
  title,
  skip: (_, { noCalls }) => (noCalls ? 'it makes no calls' : undefined),
  run: (asker, findings) =>
    judged(
      asker,
      { ...asks([tool(name, `Does it: ${name.replaceAll('_', ' ')}.`, properties)], request, more), ...way(findings) },
      (answer) => expectCall(answer, name, fits),
    ),
});
const way = ({ injected }: Findings): Partial<Question> => (injected === undefined ? {} : { injected });

const includes =
  (name: string, ...parts: string[]) =>
  (args: JsonObject) =>
    parts.every((part) => String(args[name]).includes(part));
const LONG = Array.from({ length: 40 }, (_, index) => `line ${index + 1}`).join('\n');

export const ARGUMENT_CHECKS: readonly Check[] = [
  argument('integer', 'an integer', 'set_volume', { percent: { type: 'integer' } }, 'Set the volume to 35 percent.', {
    percent: 35,
  }),
  argument(
    'number',
    'a number with a fraction',
    'set_temperature',
    { degrees: { type: 'number' } },
    'Set the temperature to 21.5 degrees.',
    { degrees: 21.5 },
  ),
  argument('boolean', 'true or false', 'set_lamp', { on: { type: 'boolean' } }, 'Set the lamp on.', { on: true }),
  argument(
    'enum',
    'one of a few words',
    'set_mode',
    { mode: { type: 'string', enum: ['eco', 'normal', 'boost'] } },
    'Set the mode to eco.',
    { mode: 'eco' },
  ),
  argument(
    'two_integers',
    'two of one kind, in their order',
    'subtract',
    { minuend: { type: 'integer' }, subtrahend: { type: 'integer' } },
    'Subtract: minuend 90, subtrahend 17.',
    { minuend: 90, subtrahend: 17 },
  ),
  argument(
    'list',
    'a list',
    'add_tags',
    { tags: { type: 'array', items: text } },
    'Add the tags "red", "green" and "blue".',
    { tags: ['red', 'green', 'blue'] },
  ),
  argument(
    'nested',
    'an object within an object',
    'create_user',
    { user: { type: 'object', properties: { name: text, age: { type: 'integer' } }, required: ['name', 'age'] } },
    'Create the user Ann, who is 31 years old.',
    (args) => {
      const { user: inner } = args;
      return (
        typeof inner === 'object' &&
        inner !== null &&
        !Array.isArray(inner) &&
        inner['name'] === 'Ann' &&
        inner['age'] === 31
      );
    },
  ),
  argument(
    'optional',
    'leaves out what was not asked for',
    'list_files',
    { path: text, limit: { type: 'integer' } },
    'List the files in the folder src.',
    (args) => args['path'] === 'src',
  ),
  argument(
    'unicode',
    'other scripts',
    'save_note',
    { note: text },
    'Save the note "Grüße aus 東京".',
    includes('note', 'Grüße', '東京'),
  ),
  argument(
    'quotes',
    'quotes and backslashes',
    'save_text',
    { content: text },
    'Save this text exactly: say "hi" to C:\\temp',
    includes('content', '"hi"', 'C:\\temp'),
  ),
  argument('path', 'a path', 'open_file', { path: text }, 'Open the file docs/how-to/start.md.', {
    path: 'docs/how-to/start.md',
  }),
  argument(
    'long',
    'forty lines',
    'save_lines',
    { content: text },
    `Save these lines exactly:\n${LONG}`,
    includes('content', 'line 1\n', 'line 40'),
    { maxTokens: 1_024 },
  ),
];

const call = (name: string, args: JsonObject): ToolCall => ({
  id: 'call_1',
  name,
  arguments: args,
  source: 'native',
  repairs: [],
});
const metadata = { execution_time_ms: 1, data_size_bytes: 0, timestamp: 0 };
const toolMessage = (name: string, told: Omit<ToolResult, 'metadata'>): ModelMessage => ({
  role: 'tool',
  tool_call_id: 'call_1',
  name,
  content: JSON.stringify(told),
  result: { ...told, metadata },
});
const result = (name: string, data: string): ModelMessage =>
  toolMessage(name, { success: true, data, error_message: null, error_type: 'none' });
const failure = (name: string, message: string): ModelMessage =>
  toolMessage(name, { success: false, data: null, error_message: message, error_type: 'not_found' });
const assistant = (made: ToolCall): ModelMessage => ({
  role: 'assistant',
  content: '',
  tool_calls: [made],
  finish: 'tool_calls',
});

const turn = (
  id: string,
  title: string,
  messages: readonly ModelMessage[],
  tools: Question['tools'],
  judge: (answer: Answer) => Verdict,
  more: Partial<Question> = {},
): Check => ({
  id,
  group: 'turns',
  title,
  skip: (_, { noCalls }) => (noCalls ? 'it makes no calls' : undefined),
  run: (asker, findings) => judged(asker, { messages, ...(tools ? { tools } : {}), ...way(findings), ...more }, judge),
});

const both = (answer: Answer, names: readonly string[]): Verdict =>
  names.every((name) => answer.calls.some((made) => made.name === name)) && answer.calls.length >= 2
    ? passed()
    : failed(answer.calls.length === 1 ? 'one call only' : said(answer));

export const TURN_CHECKS: readonly Check[] = [
  turn(
    'parallel',
    'two calls in one answer',
    [ASSISTANT, user('What is the weather in Paris, and what is it in Rome? Call the tool once for each city.')],
    [WEATHER],
    (answer) => both(answer, ['get_weather']),
    { parallel: true },
  ),
  turn(
    'parallel_mixed',
    'two calls of different tools',
    [ASSISTANT, user('Get the weather in Oslo and get the current time.')],
    [WEATHER, CLOCK],
    (answer) => both(answer, ['get_weather', 'get_time']),
    { parallel: true },
  ),
  turn(
    'follow_up',
    'answers from a result',
    [
      ASSISTANT,
      user('What is the weather in Paris?'),
      assistant(call('get_weather', { city: 'Paris' })),
      result('get_weather', '19 degrees and sunny'),
    ],
    [WEATHER],
    (answer) => (/19/.test(answer.text) && answer.calls.length === 0 ? passed() : failed(said(answer))),
  ),
  turn(
    'chain',
    'uses a result in the next call',
    [
      ASSISTANT,
      user('Read the file whose name is in index.txt.'),
      assistant(call('read_file', { path: 'index.txt' })),
      result('read_file', '1: chapter-two.md'),
    ],
    [READ],
    (answer) => expectCall(answer, 'read_file', { path: 'chapter-two.md' }),
  ),
  turn(
    'recovery',
    'corrects a call that failed',
    [
      ASSISTANT,
      user('Read the file helo.txt.'),
      assistant(call('read_file', { path: 'helo.txt' })),
      failure('read_file', 'There is no file helo.txt. Did you mean hello.txt?'),
    ],
    [READ],
    (answer) => expectCall(answer, 'read_file', { path: 'hello.txt' }),
  ),
  turn(
    'second_call',
    'calls again in a later turn',
    [
      ASSISTANT,
      user('What is the weather in Paris?'),
      assistant(call('get_weather', { city: 'Paris' })),
      result('get_weather', '19 degrees and sunny'),
      { role: 'assistant', content: 'It is 19 degrees and sunny.', tool_calls: [], finish: 'stop' },
      user('And what is the weather in Rome?'),
    ],
    [WEATHER],
    (answer) => expectCall(answer, 'get_weather', { city: 'Rome' }),
  ),
  turn(
    'many_tools',
    'finds the tool among many',
    [ASSISTANT, user('Search the web for the height of Mount Everest.')],
    MANY,
    (answer) => expectCall(answer, 'search_web'),
  ),
];

const noCall = (id: string, title: string, request: string, tools: Question['tools']): Check => ({
  id,
  group: 'judgement',
  title,
  run: (asker, findings) =>
    judged(asker, { ...asks(tools, request), ...way(findings) }, (answer) =>
      answer.calls.length === 0 && answer.text.trim() !== '' ? passed() : failed(said(answer)),
    ),
});

export const JUDGEMENT_CHECKS: readonly Check[] = [
  noCall('greeting', 'calls nothing for a greeting', 'Good morning!', FEW),
  noCall('knowledge', 'calls nothing for what it knows', 'What colour is grass?', [READ, MAIL]),
  noCall('irrelevant', 'calls nothing where no tool fits', 'Write a short poem about autumn.', [SUM, CLOCK]),
];
