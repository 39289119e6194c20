import { describe, expect, test } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { stemsOf } from './stems.ts';
import { createWordVectors, nearness, wordVectors } from './word-vectors.ts';

const none = { own: [], outer: [], path: [], head: [], comment: [], body: [] };
const file = (head: object, words: number, dimensions: number): Uint8Array =>
  Buffer.concat([
    Buffer.from(`${JSON.stringify(head)}\n`),
    Buffer.from(new Float32Array(words).fill(1 / 127).buffer),
    Buffer.from(
      Int8Array.from({ length: words * dimensions }, (_none, at) => (at % (dimensions + 1) === 0 ? 127 : 0)).buffer,
    ),
  ]);

describe('the words that the program brings', () => {
  const vectors = wordVectors();
  const near = (said: string, name: string): number => {
    const asked = vectors?.ofQuestion(stemsOf(said));
    const part = vectors?.ofPart({ ...none, own: stemsOf(name) });
    return asked === undefined || part === undefined ? Number.NaN : nearness(asked, part.name);
  };

  test.each([
    ['retrieves the first entry', 'getHead', 'deleteAll'],
    ['whether a key is present', 'has', 'write'],
    ['checks that two are the same', 'isEqual', 'append'],
    ['shut down the server', 'close', 'parse'],
    ['turns it into text', 'toString', 'listen'],
  ])('"%s" is nearer to %s than to %s', (said, right, wrong) => {
    verifies('Z20');
    expect(near(said, right)).toBeGreaterThan(near(said, wrong) + 0.1);
  });

  test('a question of words that nobody uses points nowhere', () => {
    expect(vectors?.ofQuestion(['zzyzx'])).toBeUndefined();
  });
});

describe('a file of words', () => {
  const vectors = createWordVectors(
    file({ version: 1, dimensions: 3, shares: [1, 1, 1, 1, 1], words: 'one two three' }, 3, 3),
  );

  test('gives each word its direction, and a part the sum of its words', () => {
    const one = vectors.ofQuestion(['one']);
    expect(Array.from(one ?? [])).toEqual([1, 0, 0]);
    const { all, name, head } = vectors.ofPart({ ...none, own: ['one'], head: ['two'], body: ['three'] });
    expect(nearness(name, one as Float32Array)).toBeCloseTo(1);
    expect(nearness(head, one as Float32Array)).toBeCloseTo(Math.SQRT1_2);
    expect(nearness(all, one as Float32Array)).toBeCloseTo(1 / Math.sqrt(3));
  });

  test('does as if unknown words were not there', () => {
    const { name } = vectors.ofPart({ ...none, own: ['one', 'zzyzx'] });
    expect(Array.from(name)).toEqual([1, 0, 0]);
  });

  test('a part without a known word is near to nothing', () => {
    const { all } = vectors.ofPart({ ...none, own: ['zzyzx'] });
    expect(nearness(all, vectors.ofQuestion(['one']) as Float32Array)).toBe(0);
  });
});
