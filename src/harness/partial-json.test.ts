import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../core/json.ts';
import { readPartialJson } from './partial-json.ts';

describe('JSON that still comes', () => {
  it.each<[string, JsonValue | undefined]>([
    ['', undefined],
    ['Here: ', undefined],
    ['{"title": "An', { title: 'An' }],
    ['{"title": "Ann", "ta', { title: 'Ann' }],
    ['{"title": "Ann", "tags": ["a", "b', { title: 'Ann', tags: ['a', 'b'] }],
    ['{"text": "say \\"h', { text: 'say "h' }],
    ['{"text": "line\\', { text: 'line' }],
    ['{"text": "\\u00e', { text: '' }],
    ['{"text": "a\\ud83c', { text: 'a' }],
    ['["one", "tw', ['one', 'tw']],
    ['[{"a": {"b": "c', [{ a: { b: 'c' } }]],
    ['```json\n{"a": "b"}\n```', { a: 'b' }],
  ])('%s', (text, expected) => {
    expect(readPartialJson(text)).toEqual(expected);
  });

  /** A text of the part is a beginning of the whole one, and nothing is there that the whole has not. */
  const isBeginning = (part: JsonValue | undefined, whole: JsonValue): boolean => {
    if (part === undefined) return true;
    if (typeof part === 'string') return typeof whole === 'string' && whole.startsWith(part);
    if (typeof part !== 'object' || part === null || typeof whole !== 'object' || whole === null) return true;
    return Object.entries(part).every(
      ([key, value]) => key in whole && isBeginning(value, (whole as Record<string, JsonValue>)[key] as JsonValue),
    );
  };

  it('shows beginnings of what it becomes, wherever it is cut', () => {
    const texts = fc.string({ unit: 'grapheme', maxLength: 12 });
    const value = fc.dictionary(
      fc.stringMatching(/^[a-z]{1,6}$/),
      fc.oneof(texts, fc.array(texts, { maxLength: 3 }), fc.dictionary(fc.stringMatching(/^[a-z]{1,4}$/), texts)),
      { minKeys: 1, maxKeys: 4 },
    );
    fc.assert(
      fc.property(value, (whole) => {
        const json = JSON.stringify(whole);
        for (let end = 1; end <= json.length; end += 1) {
          const part = readPartialJson(json.slice(0, end));
          expect(isBeginning(part, whole as JsonValue), json.slice(0, end)).toBe(true);
        }
        expect(readPartialJson(json)).toEqual(JSON.parse(json));
      }),
    );
  });
});
