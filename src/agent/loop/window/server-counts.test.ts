import { expect, it } from 'vitest';
import { verifies } from '../../../../tests/requirements.ts';
import { createPromptMeter, type PromptMeter } from '../../../core/window.ts';
import type { SessionHandle } from '../../session/session-handle.ts';
import { DoubtedRefusals } from './doubted-refusals.ts';
import { KnownWindows } from './known-windows.ts';
import { ServerCounts } from './server-counts.ts';

/** Every count looks like that of a cut prompt of so many tokens. */
const doubtful = (tokens: number): PromptMeter => ({
  ...createPromptMeter([]),
  isStalled: false,
  isImpossible: false,
  size: () => ({ tokens, calibrated: true }),
  counted: () => true,
});

it.each([
  ['once, in a window that holds the prompt', 8_192, [3_350], 8_192],
  ['with counts that grow', 8_192, [3_350, 3_420, 3_600], 8_192],
  ['at the same place again', 8_192, [3_350, 3_352], 3_352],
  ['at the same place again, in a window that nobody told', undefined, [3_350], 3_350],
])('takes a prompt for cut only beyond doubt: %s', (_name, told, counts, window) => {
  verifies('B7');
  const provider = { describe: async () => ({ ok: false as const, error: { code: 'unknown' as const, message: '' } }) };
  const windows = new KnownWindows({ provider: provider as never, model: 'm', contextTokens: told });
  const doubted = new DoubtedRefusals(windows);
  const seen = new ServerCounts({ meter: doubtful(4_575), windows, doubted, schemas: [], isOff: false });
  const session = { state: () => ({ model: 'm' }), progress: () => {} } as unknown as SessionHandle;
  for (const prompt_tokens of counts) seen.counted(session, [], { prompt_tokens, completion_tokens: 1, seconds: 0 });
  expect(windows.get('m')).toBe(window);
});

/** Prompts whose counts grow far less than their text; of what is summed up a tokenizer may make fewer tokens. */
it.each([
  ['where it goes on from those before', false, true],
  ['but not where room was made in between', true, false],
])('takes a prompt for cut whose count hardly grows with it, %s', (_name, isMade, isCut) => {
  verifies('B7');
  const provider = { describe: async () => ({ ok: false as const, error: { code: 'unknown' as const, message: '' } }) };
  const windows = new KnownWindows({ provider: provider as never, model: 'm', contextTokens: 4_096 });
  const doubted = new DoubtedRefusals(windows);
  const seen = new ServerCounts({ meter: createPromptMeter([]), windows, doubted, schemas: [], isOff: false });
  const session = { state: () => ({ model: 'm' }), progress: () => {} } as unknown as SessionHandle;
  const prompts: readonly (readonly [words: number, prompt_tokens: number])[] = [
    [2_000, 2_200],
    [2_300, 2_210],
    [2_600, 2_215],
    [2_900, 2_240],
  ];
  const cut = prompts.map(([words, prompt_tokens]) => {
    if (isMade) seen.forgetLast();
    const messages = [{ role: 'user' as const, content: 'heron '.repeat(words) }];
    return seen.counted(session, messages, { prompt_tokens, completion_tokens: 1, seconds: 0 });
  });
  expect(cut.includes(true)).toBe(isCut);
  expect(windows.get('m') === 4_096).toBe(!isCut);
});
