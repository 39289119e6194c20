/** What stays of the notes of a model, of a conversation that is written down turn by turn. */
import { describe, expect, it } from 'vitest';
import type { Event, EventBody } from '../../src/core/events.ts';
import { checkedNotes } from '../../src/core/window/checked-notes.ts';
import { noteSources } from '../../src/core/window/note-sources.ts';
import type { ConversationNotes } from '../../src/core/window/notes.ts';
import { verifies } from '../requirements.ts';
import { answered, calledTool, said } from './event-bodies.ts';

export type Part = 'goal' | 'decisions' | 'facts' | 'open';
export type Turn =
  | string
  | readonly [said: string, answer: string]
  | { file: string; holds: string }
  | { ran: string; failed?: { told: string; why: string } };
export type Notes = Partial<Record<Part, readonly string[]>>;

const finished = (id: string, data: string, why?: string): EventBody => ({
  type: 'tool_finished',
  tool_call_id: id,
  result: {
    success: why === undefined,
    data,
    error_message: why ?? null,
    error_type: why === undefined ? 'none' : 'internal_error',
    metadata: { execution_time_ms: 1, data_size_bytes: 1, timestamp: 1 },
  },
});
const bodiesOf = (turn: Turn, at: number): EventBody[] => {
  if (typeof turn === 'string') return [said(turn), answered('Noted.')];
  if ('file' in turn)
    return [
      said(`${turn.file} please`),
      calledTool(`c${at}`, 'read_file', { path: turn.file }),
      finished(`c${at}`, turn.holds),
      answered('Read.'),
    ];
  if ('ran' in turn)
    return [
      calledTool(`c${at}`, 'run_command', { command: turn.ran }),
      finished(`c${at}`, turn.failed?.told ?? 'done', turn.failed?.why),
      answered('Done.'),
    ];
  return [said(turn[0]), answered(turn[1])];
};
export const logOf = (turns: readonly Turn[]): Event[] =>
  turns.flatMap(bodiesOf).map((body, at) => ({ seq: at + 1, at: 0, ...body }) as Event);
/** What becomes of one note by itself, since one that goes is not to take others along. */
export const checked = (turns: readonly Turn[], part: Part, note: string): ConversationNotes | undefined =>
  checkedNotes(part === 'goal' ? { goal: note } : { [part]: [note] }, noteSources(logOf(turns)));
/** It stands as the model wrote it. */
export const stands = ({ goal = '', decisions = [], facts = [], open = [] }: ConversationNotes = {}): boolean =>
  [...(goal === '' ? [] : [goal]), ...decisions, ...facts, ...open].length > 0;
/** What the person said of it, word for word. */
const saidOf = (notes: ConversationNotes | undefined): readonly string[] => notes?.said ?? [];
const personsWords = (turns: readonly Turn[]): string =>
  turns
    .flatMap((turn) =>
      typeof turn === 'string' ? [turn] : 'file' in turn ? [`${turn.file} please`] : 'ran' in turn ? [] : [turn[0]],
    )
    .join(' ')
    .replaceAll(/\s+/g, ' ');
const withoutAnswered = (sentence: string): string =>
  sentence.replace(/ \[after you said: .*\]$/u, '').replaceAll(/\s+/g, ' ');

const listed = (notes: Notes): [Part, string][] =>
  (Object.entries(notes) as [Part, readonly string[]][]).flatMap(([part, items]) =>
    items.map((item): [Part, string] => [part, item]),
  );

/** Its name, what was said in it, the notes that are so, and those that are not. */
export type Conversation = readonly [name: string, turns: readonly Turn[], so: Notes, notSo: Notes];

/**
 * Of each conversation: what is so is told, by the note or by the person's own words; what is not so is told by no note,
 * and all that stands for it was said by the person word for word.
 */
export const describeNotes = (conversations: readonly Conversation[]): void => {
  describe.each(conversations)('of %s', (_what, turns, so, notSo) => {
    it.each(listed(so))('what is so is told: %s, %s', (part, note) => {
      verifies('B7');
      const notes = checked(turns, part, note);
      expect(stands(notes) || saidOf(notes).length > 0).toBe(true);
    });

    it.each(listed(notSo))('what is not so is told by no note: %s, %s', (part, note) => {
      verifies('B7');
      const notes = checked(turns, part, note);
      const said = personsWords(turns);
      expect(stands(notes)).toBe(false);
      expect(
        saidOf(notes)
          .map(withoutAnswered)
          .filter((sentence) => !said.includes(sentence)),
      ).toEqual([]);
    });
  });
};
