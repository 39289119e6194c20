/**
 * Notes of a model hold what it was told and what it made up, and both read alike. So no note speaks for the person: what it
 * tells of what they said, wanted, allowed, chose or refused is told by their own sentences, word for word, with what these
 * were said to. A note stands by itself only for what the model found or did: where one line of a result has all that it
 * says, or one sentence of the model about something of which the person did not speak. In doubt it does not stand.
 */
import { actsIn } from './checked-notes/acts.ts';
import { createFound, type Result } from './checked-notes/found.ts';
import { createQuoted, type Quoted } from './checked-notes/quoted.ts';
import { createToldByModel } from './checked-notes/told-by-model.ts';
import type { Exchange } from './exchanges.ts';
import type { ConversationNotes } from './notes.ts';

export type NoteSources = {
  /** What the person said, with what stood before each. */
  exchanges: readonly Exchange[];
  byModel: readonly string[];
  /** What calls returned, those that failed too. */
  results: readonly Result[];
};

/** Undefined where nothing of use is left. */
export const checkedNotes = (notes: ConversationNotes, sources: NoteSources): ConversationNotes | undefined => {
  const { goal = '', decisions = [], facts = [], open = [], said = [] } = notes;
  const quoted = createQuoted(sources.exchanges);
  const isFound = createFound(sources.results);
  const isToldByModel = createToldByModel(sources.byModel);
  const isOwnWork = (note: string): boolean => {
    const { isOfPerson, isForbidden } = quoted(note);
    return !isOfPerson && isToldByModel(note) && !(actsIn(note).has('change') && isForbidden());
  };
  const isFinding = (note: string): boolean => isFound(note) || isOwnWork(note);
  const all = [goal, ...decisions, ...facts, ...open, ...said].filter((note) => note !== '');
  const checked = {
    // What is to be reached is the person's to say, and so is what is decided; what the model decided is a finding.
    goal: '',
    decisions: [],
    facts: [...decisions, ...facts].filter(isFinding),
    open: open.filter(isOwnWork),
  };
  const sentences = inRoom(all.map(quoted));
  const isEmpty = sentences.length + checked.facts.length + checked.open.length === 0;
  return isEmpty ? undefined : { ...checked, ...(sentences.length > 0 ? { said: sentences } : {}) };
};

/** The sentences of the notes that come first, as many as have room, in the order in which they were said. */
const inRoom = (notes: readonly Quoted[]): string[] => {
  const chosen = new Map<string, number>();
  let room = SAID_CHARACTERS;
  for (const { sentences } of notes) {
    const more = sentences.filter(({ text }) => !chosen.has(text));
    const length = more.reduce((sum, { text }) => sum + text.length, 0);
    // An older sentence does not stand without the newer one.
    if (length > room) continue;
    room -= length;
    for (const { text, place } of more) chosen.set(text, place);
  }
  return [...chosen].sort(([, one], [, other]) => one - other).map(([text]) => text);
};
const SAID_CHARACTERS = 1_600;
