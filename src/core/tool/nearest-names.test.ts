import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { didYouMean, editDistance, nearest } from './nearest-names.ts';

describe('the nearest names', () => {
  it('counts what has to be changed to come from one word to another', () => {
    expect(editDistance('rnu', 'run')).toBe(1);
    expect(editDistance('sesions', 'sessions')).toBe(1);
    expect(editDistance('', 'abc')).toBe(3);
  });

  it('is the same distance both ways, and none to itself', () => {
    const word = fc.string({ maxLength: 8 });
    fc.assert(fc.property(word, word, (one, other) => editDistance(one, other) === editDistance(other, one)));
    fc.assert(fc.property(word, (one) => editDistance(one, one) === 0));
  });

  it('names what may have been meant, and nothing for a word that is far from all', () => {
    expect(nearest('modle', ['model', 'provider', 'mode'])).toEqual(['model', 'mode']);
    expect(nearest('sess', ['sessions', 'run'])).toEqual(['sessions']);
    expect(didYouMean('zebra', ['run', 'tools'])).toBe('');
    expect(didYouMean('tool', ['run', 'tools'])).toBe(' Did you mean tools?');
  });
});
