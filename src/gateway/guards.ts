/**
 * What goes wrong in other programs' loops, seen from what passes through: the conversation that a client sends is enough.
 * Each guard can be switched off by the request header `x-halter-guards-off`.
 */
import { ROUNDS_STOPPED, ROUNDS_TOLD, type Round, roundOf, timesRepeated, withRound } from '../core/loop-guard.ts';
import type { ModelMessage, ToolCall } from '../core/message.ts';
import type { ToolResult } from '../core/tool-result.ts';

export const GUARDS = [
  'half_call',
  'loop',
  'announcement',
  'empty_answer',
  'prompt_cut',
  'tools_unseen',
  'side_request',
] as const;
export type Guard = (typeof GUARDS)[number];

/** What a guard did. */
export type GuardNote =
  | 'half_call_asked_again'
  | 'half_call_refused'
  | 'loop_told'
  | 'loop_ended'
  | 'announcement_nudged'
  | 'call_in_text_noticed'
  | 'empty_answer_asked_again'
  | 'prompt_cut_noticed'
  | 'tools_unseen_described'
  | 'tools_unseen_noticed'
  | 'misfit_call_handed_on'
  | 'filtered_noticed'
  | 'unknown_end_noticed'
  | 'broken_answer_asked_again';

/** `a, b` → the guards that are on. Unknown words are returned, so that they can be refused. */
export const readGuards = (header: string | null): { on: ReadonlySet<Guard>; unknown: string[] } => {
  const words = (header ?? '')
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
  const unknown = words.filter((word) => word !== 'all' && !GUARDS.includes(word as Guard));
  return { on: new Set(GUARDS.filter((guard) => !words.includes(guard) && !words.includes('all'))), unknown };
};

/**
 * The rounds of calls and results since the person's last message. A message that follows a tool's result directly is no
 * person's: some clients hand reminders over that way.
 */
const roundsOf = (messages: readonly ModelMessage[]): readonly Round[] => {
  let history: readonly Round[] = [];
  const results = new Map(
    messages.flatMap((one) => (one.role === 'tool' ? [[one.tool_call_id, one.result] as const] : [])),
  );
  const begin = messages.findLastIndex(
    (message, index) => message.role === 'user' && messages[index - 1]?.role !== 'tool',
  );
  for (const message of messages.slice(begin + 1)) {
    if (message.role !== 'assistant' || message.tool_calls.length === 0) continue;
    const calls = message.tool_calls.flatMap((call) => {
      const result = results.get(call.id);
      return result === undefined ? [] : [{ call, result, polling: false }];
    });
    history = withRound(history, roundOf(calls));
  }
  return history;
};

/**
 * Some clients write how long a call took, when it ran, or an id of their own into each result. These make no two results
 * equal, so they are left out where more repetitions are asked for: a command that is polled may change in nothing else.
 */
const withoutMeasurements = (result: ToolResult): ToolResult => ({
  ...result,
  data: result.data === null ? null : withoutFigures(result.data),
  error_message: result.error_message === null ? null : withoutFigures(result.error_message),
});
const MEASUREMENTS: readonly RegExp[] = [
  /\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?/g,
  /\b\d{1,2}:\d\d(?::\d\d)?(?:\.\d+)?\b/g,
  /\b\d+(?:\.\d+)?\s?(?:ns|µs|us|ms|s|secs?|seconds?|mins?|minutes?)\b/g,
  /\bid\b["']?\s*[:=]\s*["']?[\w-]+/gi,
  /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi,
  /\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{6,}\b/gi,
];
const withoutFigures = (text: string): string =>
  MEASUREMENTS.reduce((rest, pattern) => rest.replace(pattern, '#'), text);

const withResults = (rounds: readonly Round[], read: (result: ToolResult) => ToolResult): Round[] =>
  rounds.map((round) => round?.map(({ call, result }) => ({ call, result: read(result) })) ?? null);

/** Results are read without their measurements only where the calls alone say that it may be a loop. */
const isStopped = (rounds: readonly Round[]): boolean =>
  timesRepeated(withResults(rounds, withoutResult)) >= ROUNDS_STOPPED &&
  timesRepeated(withResults(rounds, withoutMeasurements)) >= ROUNDS_STOPPED;
const withoutResult = (result: ToolResult): ToolResult => ({ ...result, data: null, error_message: null });

/** A loop is of so many different rounds at most. */
const LAST_ROUNDS = 3;

export type LoopState = {
  /** The same rounds came so often that the model has to be told. */
  isLoop: boolean;
  /** Whether these calls go on with it. */
  continues(calls: readonly ToolCall[]): boolean;
};

export const loopState = (messages: readonly ModelMessage[]): LoopState => {
  const rounds = roundsOf(messages);
  const isLoop = timesRepeated(rounds) >= ROUNDS_TOLD || isStopped(rounds);
  return {
    isLoop,
    continues(calls) {
      if (!isLoop || calls.length === 0) return false;
      // Only the calls can be compared: their results are not there yet.
      const named = (list: readonly ToolCall[]) =>
        JSON.stringify(list.map(({ name, arguments: args }) => [name, args]));
      const asked = named(calls);
      return rounds
        .slice(-LAST_ROUNDS)
        .some((round) => round !== null && named(round.map(({ call }) => call)) === asked);
    },
  };
};

export const LOOP_NOTE =
  'You have made the same tool calls with the same results before. Do not make them again. Do something else, or answer now with what you know.';

/** The end of a turn in which a loop went on. */
export const loopEnding = (calls: readonly ToolCall[]): string =>
  `I stopped here: ${calls.map(({ name }) => name).join(', ')} was called again and again with the same arguments and the same result.`;

/** What cut a call: the limit of the answer, the server's filter, the server for a reason that nobody knows, or the model. */
export type CallCut = 'limit' | 'filter' | 'server' | 'model';

const CUT_NOTES: Readonly<Record<CallCut, string>> = {
  limit:
    'Your tool call was cut off by the limit of the answer and was not run. Send it again in a shorter form. If the arguments are long, make several smaller calls.',
  filter: "Your tool call was cut off by the server's filter and was not run. Send it again, whole and in other words.",
  server: 'Your tool call was cut off by the server and was not run. Send it again, whole.',
  model: 'Your tool call broke off before its end and was not run. Send it again, whole.',
};
export const halfCallNote = (cut: CallCut): string => CUT_NOTES[cut];

const CUT_ENDINGS: Readonly<Record<CallCut, (names: string) => string>> = {
  limit: (names) =>
    `The call of ${names} was cut off by the limit of the answer, so it was not made. It has to be shorter, or the limit (max_tokens) larger.`,
  filter: (names) => `The call of ${names} was cut off by the filter of the model server, so it was not made.`,
  server: (names) => `The model server ended the answer within its call of ${names}, so it was not made.`,
  model: (names) => `The model broke off its call of ${names} before its end, so it was not made.`,
};
export const halfCallEnding = (names: readonly string[], cut: CallCut): string => CUT_ENDINGS[cut](names.join(', '));

export const unknownEnding = (word: string): string =>
  `[The model server ended this answer with "${word}", which is no known reason. It may not be whole.]`;

export const promptCutEnding = (read: number, expected: number): string =>
  `[The model server read about ${read} of some ${expected} tokens of this conversation. The beginning was cut off by its context window.]`;
