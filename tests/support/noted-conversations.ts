/** What stays of the notes of a model, of a conversation that is written down turn by turn. */
import { describe, expect, it } from 'vitest';
import type { Event, EventBody } from '../../src/core/events.ts';
import type { ModelMessage } from '../../src/core/message.ts';
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
export const messagesOf = (log: readonly Event[]): ModelMessage[] =>
  log.flatMap((event): ModelMessage[] => {
    if (event.type === 'user_message_added') return [{ role: 'user', content: event.content }];
    if (event.type === 'assistant_message_added') return [event.message];
    if (event.type !== 'tool_finished') return [];
    const { tool_call_id, result } = event;
    return [
      {
        role: 'tool',
        tool_call_id,
        name: 'read_file',
        content: `${result.data ?? ''}\n${result.error_message ?? ''}`,
        result,
      },
    ];
  });

/** One note by itself, since one that goes is not to take others along. */
export const isKept = (turns: readonly Turn[], part: Part, note: string): boolean => {
  const log = logOf(turns);
  const notes: ConversationNotes = part === 'goal' ? { goal: note } : { [part]: [note] };
  return checkedNotes(notes, noteSources(log, messagesOf(log), undefined)) !== undefined;
};
const listed = (notes: Notes): [Part, string][] =>
  (Object.entries(notes) as [Part, readonly string[]][]).flatMap(([part, items]) =>
    items.map((item): [Part, string] => [part, item]),
  );

/** Its name, what was said in it, the notes that are so, and those that are not. */
export type Conversation = readonly [name: string, turns: readonly Turn[], kept: Notes, dropped: Notes];

/** Of each conversation: the notes that are so stay, and the others go. */
export const describeNotes = (conversations: readonly Conversation[]): void => {
  describe.each(conversations)('of %s', (_what, turns, kept, dropped) => {
    it.each(listed(kept))('an honest note stays: %s, %s', (part, note) => {
      verifies('B7');
      expect(isKept(turns, part, note)).toBe(true);
    });

    it.each(listed(dropped))('a note that is not so goes: %s, %s', (part, note) => {
      verifies('B7');
      expect(isKept(turns, part, note)).toBe(false);
    });
  });
};
