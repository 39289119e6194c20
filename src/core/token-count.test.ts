import { describe, expect, it } from 'vitest';
import { readTokenCount } from './token-count.ts';

describe('the size of a window, as people write it', () => {
  it.each([
    ['8192', 8_192],
    [' 8192 ', 8_192],
    ['8k', 8_192],
    ['8K', 8_192],
    ['8 k', 8_192],
    ['32k', 32_768],
    ['0.5k', 512],
    ['1.5m', 1_572_864],
    ['1M', 1_048_576],
    ['32,768', 32_768],
    ['131_072', 131_072],
    [4_096, 4_096],
  ])('%j is %d tokens', (text, tokens) => {
    expect(readTokenCount(text)).toEqual({ ok: true, tokens });
  });

  it.each([
    '',
    ' ',
    'k',
    'eight',
    '8kk',
    '8kb',
    '8.192',
    '8.3',
    '-8k',
    '+8k',
    '8e3',
    '0x2000',
    '1,2',
    '8k tokens',
    'NaN',
  ])('%j is refused with an example', (text) => {
    expect(readTokenCount(text)).toEqual({
      ok: false,
      problem: 'must be a whole number of tokens, such as 8192 or 8k',
    });
  });

  it.each([Number.NaN, 8.5, -1, Number.POSITIVE_INFINITY])('the number %d is refused', (value) => {
    expect(readTokenCount(value).ok).toBe(false);
  });

  it('names what may be meant by a window that is too small', () => {
    expect(readTokenCount('8')).toEqual({
      ok: false,
      problem: 'must be at least 512 tokens; 8k is 8,192 tokens',
    });
    expect(readTokenCount('0')).toEqual({ ok: false, problem: 'must be at least 512 tokens' });
    expect(readTokenCount('0.1m')).toMatchObject({ ok: false });
  });
});
