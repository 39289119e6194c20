/** GBNF for the decimal integers of a range, without leading zeros. */

/** Digits of equal length, `low` to `high` inclusive. */
const sameLength = (low: string, high: string): string => {
  if (low.length === 0) return '';
  if (low === high) return `"${low}"`;
  const first = low[0] ?? '0';
  const last = high[0] ?? '9';
  if (low.length === 1) return `[${first}-${last}]`;
  if (first === last) return `"${first}" (${sameLength(low.slice(1), high.slice(1))})`;
  const rest = low.length - 1;
  const parts: string[] = [];
  const lowOpen = /^0*$/.test(low.slice(1));
  const highOpen = /^9*$/.test(high.slice(1));
  if (!lowOpen) parts.push(`"${first}" (${sameLength(low.slice(1), '9'.repeat(rest))})`);
  const from = Number(first) + (lowOpen ? 0 : 1);
  const to = Number(last) - (highOpen ? 0 : 1);
  if (from <= to) parts.push(`[${from}-${to}] [0-9]{${rest}}`);
  if (!highOpen) parts.push(`"${last}" (${sameLength('0'.repeat(rest), high.slice(1))})`);
  return parts.join(' | ');
};

const natural = (low: number, high: number): string => {
  const parts: string[] = [];
  for (let length = String(low).length; length <= String(high).length; length += 1) {
    const from = Math.max(low, length === 1 ? 0 : 10 ** (length - 1));
    const to = Math.min(high, 10 ** length - 1);
    if (from <= to) parts.push(sameLength(String(from), String(to)));
  }
  return parts.join(' | ');
};

/** Open ends reach to fifteen digits, which a double still holds exactly. */
const OPEN_END = 999_999_999_999_999;

export const integerRange = (least: number | undefined, most: number | undefined): string => {
  const low = Math.max(least ?? -OPEN_END, -OPEN_END);
  const high = Math.min(most ?? OPEN_END, OPEN_END);
  if (low > high) return `"${low}"`;
  const parts: string[] = [];
  if (low < 0) parts.push(`"-" (${natural(Math.max(1, -high), -low)})`);
  if (high >= 0) parts.push(natural(Math.max(0, low), high));
  return parts.join(' | ');
};
