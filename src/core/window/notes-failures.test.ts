import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import type { Event, EventBody } from '../events.ts';
import { asksForNotes } from './notes-failures.ts';

const NOTES = { goal: 'the report' };
/** f: asked in vain, n: notes were written, s: not asked, c: not asked, and the notes before go on, m: another model. */
const BODIES: Record<string, EventBody> = {
  f: {
    type: 'context_compacted',
    kept_from_seq: 2,
    summary: '',
    report: { before_tokens: 2, after_tokens: 1, turns: 1, results: 0, notes_failed: true },
  },
  n: { type: 'context_compacted', kept_from_seq: 2, summary: '', notes: NOTES },
  s: { type: 'context_compacted', kept_from_seq: 2, summary: '' },
  c: { type: 'context_compacted', kept_from_seq: 2, summary: '', notes: NOTES },
  m: { type: 'model_changed', model: 'other' },
};
const logOf = (letters: string): Event[] =>
  [...letters].map((letter, index) => ({ seq: index + 1, at: 0, ...BODIES[letter] }) as Event);

describe('notes', () => {
  it.each([
    ['', true],
    ['n', true],
    ['f', true],
    ['ff', false],
    ['ffs', false],
    ['ffss', true],
    ['ffssf', false],
    ['ffssfsss', false],
    ['ffssfssss', true],
    ['ffn', true],
    ['nff', false],
    ['nffc', false],
    ['ffm', true],
  ])('are asked for by what came of them before: %j, %s', (letters, isAsked) => {
    verifies('B7');
    expect(asksForNotes(logOf(letters))).toBe(isAsked);
  });

  it('that never are of use are asked for ten times at most where room is made a hundred times', () => {
    let letters = '';
    for (let at = 0; at < 100; at += 1) letters += asksForNotes(logOf(letters)) ? 'f' : 's';
    expect(letters.replaceAll('s', '').length).toBeLessThanOrEqual(10);
  });
});
