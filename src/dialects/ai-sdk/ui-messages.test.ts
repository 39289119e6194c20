/** What a page is told of errors, whatever the program's `onError` does: a stream ends as the AI SDK reads it. */
import { expect, it, onTestFinished } from 'vitest';
import { type RunEvent, toUIMessageResponse, toUIMessageStream } from './ui-messages.ts';

const failing = new Error('The file /home/ada/keys is missing.');
async function* run(ending: 'call' | 'chat'): AsyncGenerator<{ type: string }> {
  yield { type: 'model_start' };
  const call = { type: 'tool_call', id: 'c1', name: 'look', arguments: {} };
  yield call;
  const result = { success: ending !== 'call', data: 'a sea', error_message: failing.message };
  yield { type: 'tool_result', id: 'c1', result } as { type: string };
  if (ending === 'chat') throw failing;
}
const raise = (thrown: unknown): never => {
  throw thrown;
};

const UNTOLD = 'An error occurred.';
const ROWS: readonly (readonly [string, (() => unknown) | undefined, string])[] = [
  ['is not given', undefined, UNTOLD],
  ['gives text', () => 'Later.', 'Later.'],
  ['gives empty text', () => '', ''],
  ['throws', () => raise(new Error('logger down')), UNTOLD],
  ['throws nothing', () => raise(undefined), UNTOLD],
  ['gives nothing', () => undefined, UNTOLD],
  ['gives null', () => null, UNTOLD],
  ['gives the error itself', () => failing, UNTOLD],
  ['gives a number', () => 5, UNTOLD],
  ['gives a promise', async () => 'Later.', UNTOLD],
  ['rejects', () => Promise.reject(new Error('logger down')), UNTOLD],
  ['never settles', () => new Promise(() => {}), UNTOLD],
];

it.each(ROWS.flatMap((row) => (['call', 'chat'] as const).map((ending) => [ending, ...row] as const)))(
  'a %s that fails, with an onError that %s',
  async (ending, _what, onError, said) => {
    const escaped: unknown[] = [];
    const note = (error: unknown): void => void escaped.push(error);
    process.on('unhandledRejection', note);
    onTestFinished(() => void process.off('unhandledRejection', note));
    const response = toUIMessageResponse(run(ending), onError ? { onError: onError as () => string } : {});
    const lines = (await response.text()).trim().split('\n\n');
    expect(lines.at(-1)).toBe('data: [DONE]');
    const chunks = lines.slice(0, -1).map((line) => JSON.parse(line.slice('data: '.length)) as Record<string, unknown>);
    const told = chunks.filter((chunk) => 'errorText' in chunk);
    expect(told).toMatchObject([{ errorText: said }]);
    expect(chunks.at(-1)).toEqual({ type: 'finish', ...(ending === 'chat' ? { finishReason: 'error' } : {}) });
    await new Promise(setImmediate);
    expect(escaped).toEqual([]);
  },
);

const PROBLEM = { code: null, name: 'UnreadCall', message: 'Nobody can run it.' };
/** The fields of a run's last event, how the page is told that it ended, and the error that the program is asked about. */
type End = { exit_reason?: string; finish_reason?: string; error?: object };
const ENDS: readonly (readonly [string, End | undefined, string | undefined, string | undefined])[] = [
  ['an answer', { exit_reason: 'answered' }, 'stop', undefined],
  ['an answer that was cut', { exit_reason: 'answered', finish_reason: 'length' }, 'length', undefined],
  [
    'an answer that ended in a word nobody knows',
    { exit_reason: 'answered', finish_reason: 'banana' },
    'other',
    undefined,
  ],
  ['an error that its last event alone tells', { exit_reason: 'error', error: PROBLEM }, 'error', PROBLEM.message],
  ['an error without words', { exit_reason: 'error' }, 'error', 'The run ended: error.'],
  ['a limit', { exit_reason: 'limit' }, 'error', 'The run ended: limit.'],
  [
    'a question nobody answered',
    { exit_reason: 'permission_required' },
    'error',
    'The run ended: permission_required.',
  ],
  ['a reason nobody knows', { exit_reason: 'banana' }, 'error', 'The run ended: banana.'],
  ['no reason', {}, 'error', 'The run ended: undefined.'],
  ['no last event', undefined, undefined, undefined],
];
it.each(ENDS)('a run that ends with %s', async (_what, end, finishReason, problem) => {
  async function* run(): AsyncGenerator<RunEvent> {
    yield { type: 'model_start' };
    yield { type: 'text_delta', delta: 'So far.' };
    if (end) yield { type: 'turn_end', ...end };
  }
  const chunks: Record<string, unknown>[] = [];
  const onError = (error: unknown): string => (error as Error).message;
  for await (const chunk of toUIMessageStream(run(), { onError })) chunks.push(chunk);
  expect(chunks.find(({ type }) => type === 'error')?.['errorText']).toBe(problem);
  expect(chunks.at(-1)).toEqual({ type: 'finish', ...(finishReason === undefined ? {} : { finishReason }) });
});
