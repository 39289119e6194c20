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
