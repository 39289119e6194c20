import { afterEach, describe, expect, it, vi } from 'vitest';
import { colouredLines } from './coloured-lines.ts';

afterEach(() => vi.restoreAllMocks());

/** Each look at the clock finds that this much went by. */
const slowMachine = (stepMs: number): void => {
  let now = 0;
  vi.spyOn(Date, 'now').mockImplementation(() => {
    now += stepMs;
    return now;
  });
};

const CODE: Readonly<Record<string, readonly string[]>> = {
  typescript: ['export const minutes = (text: string): number => {', '  // A comment.', '  return Number(text);', '};'],
  python: ['def minutes(text: str) -> int:', '    """Words."""', '    return int(text)  # a comment'],
  json: ['{ "one": [1, true, null], "two": "three" }'],
};

describe('lines of code', () => {
  for (const [language, lines] of Object.entries(CODE))
    it(`have the same colours on a slow machine: ${language}`, async () => {
      const expected = await colouredLines({ block: `${language} fast`, language, lines });
      expect(new Set(expected.flat().map(([, className]) => className)).size).toBeGreaterThan(2);
      slowMachine(1_000);
      expect(await colouredLines({ block: `${language} slow`, language, lines })).toEqual(expected);
    });
});
