/**
 * Notes of a model hold what it was told and what it made up, and both read alike. A note that names a number, a date, a
 * path, an address or a name that stands nowhere in what it was written of is not kept.
 */
import type { ConversationNotes } from './notes.ts';

/** Undefined where nothing of use is left. `read`: the texts that the notes were written of. */
export const checkedNotes = (notes: ConversationNotes, read: readonly string[]): ConversationNotes | undefined => {
  const source = normalized(read.join('\n'));
  const known = new Set(source.match(WORDS) ?? []);
  const isKnown = (note: string): boolean =>
    claimsIn(note).every((claim) => known.has(claim) || (NOT_ONE_WORD.test(claim) && source.includes(claim)));
  const kept = (items: readonly string[] = []): string[] => items.filter(isKnown);
  const checked = {
    goal: notes.goal !== undefined && isKnown(notes.goal) ? notes.goal : '',
    decisions: kept(notes.decisions),
    facts: kept(notes.facts),
    open: kept(notes.open),
  };
  return Object.values(checked).some((part) => part.length > 0) ? checked : undefined;
};

const WORDS = /[\p{L}\p{M}\p{N}]+/gu;
const NOT_ONE_WORD = /[^\p{L}\p{M}\p{N}]/u;

/** Letters of one form, and numbers without the signs that part their thousands. */
const normalized = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/(?<=\p{N})[,.'’_\u00a0\u202f ](?=\p{N}{3}(?!\p{N}))/gu, '');

/** Each by itself: every word with a number in it, what names a place, and what is written as a name. */
const claimsIn = (note: string): string[] => [
  ...(normalized(note).match(NUMBERED) ?? []),
  ...(note.match(PLACE) ?? []).map((place) => normalized(place.replace(/[.,:;]+$/u, ''))),
  ...namesIn(note).map(normalized),
];
const NUMBERED = /[\p{L}\p{M}\p{N}]*\p{N}[\p{L}\p{M}\p{N}]*/gu;
const PLACE = /[\p{L}\p{N}_.:~@-]*(?:\/|@)[\p{L}\p{N}_./:@?=&%#-]+|[\p{L}\p{N}_-]+\.\p{Ll}[\p{L}\p{N}]*/gu;

/** A capital in the middle of a sentence, or within a word; the first word of a note has one anyway. */
const namesIn = (note: string): string[] => note.match(NAME) ?? [];
const NAME = /(?<=[\p{L}\p{N},;)"'“”„«»] ["'“„«(]?)\p{Lu}[\p{L}\p{M}]+|\p{Ll}+\p{Lu}[\p{L}]*/gu;
