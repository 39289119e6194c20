/** All formats at once, for text of which nobody knows how its calls are written. */
import type { Format } from './engine/format.ts';

/** Markers that several formats share go to the first of them; what it opens is told by what follows. */
export const autoOf = (formats: readonly Format[]): Format => ({
  name: 'auto',
  reasoning: formats.flatMap((format) => format.reasoning ?? []),
  calls: formats.flatMap((format) => format.calls),
  frame: formats.flatMap((format) => format.frame ?? []),
  endTokens: formats.flatMap((format) => format.endTokens ?? []),
  bare: [{ kind: 'json' }, { kind: 'python' }],
});
