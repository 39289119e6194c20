/** Does it go on from what a tool answered: several calls, a chain of them, a failure? */
import type { JsonObject } from '../../../../core/json.ts';
import type { ModelMessage, ToolCall } from '../../../../core/message.ts';
import type { ToolSchema } from '../../../../core/tool.ts';
import type { ToolResult } from '../../../../core/tool-result.ts';
import type { Answer } from '../ask.ts';
import { ASSISTANT, type Check, expectCall, failed, judged, passed, said, user, type Verdict } from '../check.ts';
import { CLOCK, MANY, READ, WEATHER, way } from './questions.ts';

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

/** A conversation so far, and what has to come next. */
type TurnCase = {
  id: string;
  title: string;
  messages: readonly ModelMessage[];
  tools: readonly ToolSchema[];
  parallel?: true;
  judge(answer: Answer): Verdict;
};

const both = (answer: Answer, names: readonly string[]): Verdict =>
  names.every((name) => answer.calls.some((made) => made.name === name)) && answer.calls.length >= 2
    ? passed()
    : failed(answer.calls.length === 1 ? 'one call only' : said(answer));

const CASES: readonly TurnCase[] = [
  {
    id: 'parallel',
    title: 'two calls in one answer',
    messages: [
      ASSISTANT,
      user('What is the weather in Paris, and what is it in Rome? Call the tool once for each city.'),
    ],
    tools: [WEATHER],
    parallel: true,
    judge: (answer) => both(answer, ['get_weather']),
  },
  {
    id: 'parallel_mixed',
    title: 'two calls of different tools',
    messages: [ASSISTANT, user('Get the weather in Oslo and get the current time.')],
    tools: [WEATHER, CLOCK],
    parallel: true,
    judge: (answer) => both(answer, ['get_weather', 'get_time']),
  },
  {
    id: 'follow_up',
    title: 'answers from a result',
    messages: [
      ASSISTANT,
      user('What is the weather in Paris?'),
      assistant(call('get_weather', { city: 'Paris' })),
      result('get_weather', '19 degrees and sunny'),
    ],
    tools: [WEATHER],
    judge: (answer) => (/19/.test(answer.text) && answer.calls.length === 0 ? passed() : failed(said(answer))),
  },
  {
    id: 'chain',
    title: 'uses a result in the next call',
    messages: [
      ASSISTANT,
      user('Read the file whose name is in index.txt.'),
      assistant(call('read_file', { path: 'index.txt' })),
      result('read_file', '1: chapter-two.md'),
    ],
    tools: [READ],
    judge: (answer) => expectCall(answer, 'read_file', { path: 'chapter-two.md' }),
  },
  {
    id: 'recovery',
    title: 'corrects a call that failed',
    messages: [
      ASSISTANT,
      user('Read the file helo.txt.'),
      assistant(call('read_file', { path: 'helo.txt' })),
      failure('read_file', 'There is no file helo.txt. Did you mean hello.txt?'),
    ],
    tools: [READ],
    judge: (answer) => expectCall(answer, 'read_file', { path: 'hello.txt' }),
  },
  {
    id: 'second_call',
    title: 'calls again in a later turn',
    messages: [
      ASSISTANT,
      user('What is the weather in Paris?'),
      assistant(call('get_weather', { city: 'Paris' })),
      result('get_weather', '19 degrees and sunny'),
      { role: 'assistant', content: 'It is 19 degrees and sunny.', tool_calls: [], finish: 'stop' },
      user('And what is the weather in Rome?'),
    ],
    tools: [WEATHER],
    judge: (answer) => expectCall(answer, 'get_weather', { city: 'Rome' }),
  },
  {
    id: 'many_tools',
    title: 'finds the tool among many',
    messages: [ASSISTANT, user('Search the web for the height of Mount Everest.')],
    tools: MANY,
    judge: (answer) => expectCall(answer, 'search_web'),
  },
];

export const TURN_CHECKS: readonly Check[] = CASES.map(
  ({ id, title, judge, ...question }): Check => ({
    id,
    group: 'turns',
    title,
    skip: (_, { noCalls }) => (noCalls ? 'it makes no calls' : undefined),
    run: (asker, findings) => judged(asker, { ...question, ...way(findings) }, judge),
  }),
);
