/**
 * Notes that the model writes before older turns are left out. They are asked for at the end of the very prompt that the
 * server has read, so that only this question is read anew, and they are taken under a schema.
 */

import { checkValue, type Schema } from '../../schema/index.ts';
import { firstWords } from './text.ts';

export type ConversationNotes = {
  goal?: string;
  decisions?: string[];
  facts?: string[];
  open?: string[];
  /** Not of the model: sentences of the person that its notes tell of, word for word. */
  said?: string[];
};

const LIST: Schema = { type: 'array', items: { type: 'string' } };
/** What notes look like in an answer of the model. */
const NOTES_SCHEMA: Schema = {
  type: 'object',
  properties: { goal: { type: 'string' }, decisions: LIST, facts: LIST, open: LIST },
};
/** The same in an event. */
export const KEPT_NOTES_SCHEMA: Schema = {
  type: 'object',
  properties: { goal: { type: 'string' }, decisions: LIST, facts: LIST, open: LIST, said: LIST },
};

/** The most that the model may write, in tokens. */
export const NOTES_TOKENS = 400;
const ITEMS = 8;
const ITEM_CHARACTERS = 200;

/** What is asked of the model. `focus`: what the person wants kept. */
export const notesRequest = (focus: string | undefined): string =>
  [
    'Older parts of this conversation will be left out to save room. Write notes for yourself, so that the work can go on without them. Do not call a tool. Answer with this JSON object alone, short sentences, at most 8 in a list:',
    '{"goal": "what the user wants in the end", "decisions": ["what was decided, and why"], "facts": ["names, numbers and findings that will be needed, with their file"], "open": ["what is still to be done"]}',
    ...(focus ? [`What matters most: ${focus}`] : []),
  ].join('\n');

/** The notes in an answer; undefined where there are none of use in it. All parts as they were asked for, each empty, say that there is nothing to note. */
export const parseNotes = (answer: string): ConversationNotes | undefined => {
  const start = answer.indexOf('{');
  const end = answer.lastIndexOf('}');
  if (start < 0 || end < start) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(answer.slice(start, end + 1));
  } catch {
    return undefined;
  }
  if (checkValue(NOTES_SCHEMA, value as never).length > 0) return undefined;
  const { goal = '', decisions = [], facts = [], open = [] } = value as ConversationNotes;
  const short = (items: readonly string[]): string[] =>
    items
      .map((item) => firstWords(item, ITEM_CHARACTERS))
      .filter((item) => item !== '')
      .slice(0, ITEMS);
  const notes = {
    goal: firstWords(goal, ITEM_CHARACTERS),
    decisions: short(decisions),
    facts: short(facts),
    open: short(open),
  };
  const isAsAsked = Object.keys(notes).every((part) => Object.hasOwn(value as object, part));
  return isAsAsked || Object.values(notes).some((part) => part.length > 0) ? notes : undefined;
};

/** The model is not to take its own words for those of the person. */
export const NOTES_HEADING = 'Your own notes, which may be wrong; what the user said holds where they differ:';

export const notesLines = ({ goal = '', decisions = [], facts = [], open = [] }: ConversationNotes): string[] => {
  const list = (label: string, items: readonly string[]): string[] =>
    items.length === 0 ? [] : [`- ${label}: ${items.join('; ')}`];
  const lines = [
    ...list('goal', goal === '' ? [] : [goal]),
    ...list('decided', decisions),
    ...list('noted', facts),
    ...list('still to do', open),
  ];
  return lines.length === 0 ? [] : [NOTES_HEADING, ...lines];
};
