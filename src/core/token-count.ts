/** How large a window is, as people write it. */
import { LIMITS } from './limits.ts';
import { grouped } from './number-text.ts';

const PATTERN = /^(\d+(?:[,_ ]\d{3})*)(\.\d+)?\s*([km]?)$/i;
const THOUSAND = 1_024;

/** `8192`, `8k`, `32K`, `1.5m`, `32,768` → tokens; a `k` is 1,024 of them, as windows are counted. Else what is wrong. */
export const readTokenCount = (
  value: string | number,
): { ok: true; tokens: number } | { ok: false; problem: string } => {
  const [, whole = '', fraction = '', unit = ''] = PATTERN.exec(String(value).trim()) ?? [];
  const factor = unit === '' ? 1 : unit.toLowerCase() === 'k' ? THOUSAND : THOUSAND * THOUSAND;
  const tokens = Number(`${whole.replaceAll(/\D/g, '')}${fraction}`) * factor;
  if (whole === '' || !Number.isSafeInteger(tokens)) {
    return { ok: false, problem: 'must be a whole number of tokens, such as 8192 or 8k' };
  }
  if (tokens < LIMITS.windowSmallestTokens) {
    const meant = unit === '' && tokens > 0 ? `; ${tokens}k is ${grouped(tokens * THOUSAND)} tokens` : '';
    return { ok: false, problem: `must be at least ${LIMITS.windowSmallestTokens} tokens${meant}` };
  }
  return { ok: true, tokens };
};
