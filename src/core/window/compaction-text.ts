/** What a person reads of a compaction, on every surface. */
import type { EventOf } from '../events.ts';
import type { WindowEvidence } from '../learned-window.ts';
import { counted, grouped } from '../number-text.ts';
import { type ConversationNotes, NOTES_HEADING, notesLines } from './notes.ts';
import { firstWords } from './text.ts';

/** A sentence or two: how much room there is now, what was left out, and what was kept of it. */
export const compactionSentence = ({ report, notes, focus }: EventOf<'context_compacted'>): string => {
  if (report === undefined) return 'Room was made in the window: what came before is shorter for the model.';
  const left = [
    countedIfAny(report.turns, 'turn'),
    countedIfAny(report.results, 'result'),
    countedIfAny(report.calls ?? 0, 'call'),
  ].filter((part) => part !== '');
  const shortened = report.shortened ? ` (${grouped(report.shortened)} shortened)` : '';
  const dropped = report.messages === undefined ? 0 : report.turns - report.messages;
  const kept = [
    report.messages ? `${countedIfAny(report.messages, 'message')} of yours${shortened}` : '',
    countedIfAny(report.decisions ?? 0, 'decision'),
  ].filter((part) => part !== '');
  const now = `about ${counted(report.before_tokens, 'token')} became ${grouped(report.after_tokens)}.`;
  return [
    headlineOf(report, now, { hasFocus: focus !== undefined, isLeftOut: left.length > 0 }),
    ...(left.length > 0 ? [`Left out so far: ${inWords(left)}; the full text stays in the session.`] : []),
    ...(kept.length > 0 ? [`Kept of it: ${inWords(kept)}.`] : []),
    ...(dropped > 0 ? [droppedText(dropped, report.dropped_messages ?? [])] : []),
    ...(focus === undefined ? [] : [`The model is told to keep in mind: ${focus}${/[.!?…]$/.test(focus) ? '' : '.'}`]),
    ...(notes === undefined || report.notes_kept ? [] : [`The model wrote notes of it${briefNotes(notes)}.`]),
    ...(report.notes_failed ? [failedText(notes !== undefined)] : []),
  ].join(' ');
};

const failedText = (hasOlder: boolean): string =>
  `The model's notes could not be used, so ${hasOlder ? 'its older notes stand, and rules chose what else is kept' : 'rules alone chose what is kept'}.`;

/** In a few words; `compactionLines` has all of them. */
const briefNotes = (notes: ConversationNotes): string => {
  const [, ...lines] = notesLines(notes);
  const { said = [] } = notes;
  const ofYours = said.length > 0 ? [`what you said of it, word for word: ${said.join(' ')}`] : [];
  const text = [...lines.map((line) => line.replace(/^- /, '')), ...ofYours].join('; ');
  return text === '' ? '' : `: ${firstWords(text, NOTES_SHOWN_CHARACTERS).replace(/[.!?]$/, '')}`;
};
const NOTES_SHOWN_CHARACTERS = 240;

const droppedText = (count: number, named: readonly string[]): string => {
  const shown = named.slice(0, DROPPED_SHOWN).map((words) => JSON.stringify(words));
  const more = count - shown.length;
  const which = shown.length === 0 ? '' : `: ${shown.join(', ')}${more > 0 ? ` and ${grouped(more)} more` : ''}`;
  return `Nothing was kept of ${counted(count, 'older message')} of yours${which}.`;
};
const DROPPED_SHOWN = 3;

const headlineOf = (
  { before_tokens: before, after_tokens: after }: { before_tokens: number; after_tokens: number },
  now: string,
  { hasFocus, isLeftOut }: { hasFocus: boolean; isLeftOut: boolean },
): string => {
  if (after * NEARLY_ALL > before && !hasFocus) return `What was left out came back, as far as there is room: ${now}`;
  if (after >= before) return isLeftOut ? 'There was nothing more to drop.' : 'There was nothing to drop.';
  if (after > before * NEARLY_ALL) return `There was little to drop: ${now}`;
  return `Room was made in the window: ${now}`;
};
/** Less than this is no room. */
const NEARLY_ALL = 0.98;

/** The same with which messages were shortened or not kept, and the notes of the model, for a reader who wants the whole. */
export const compactionLines = (event: EventOf<'context_compacted'>): string[] => [
  compactionSentence({ ...event, notes: undefined }),
  ...windowLine(event.report),
  ...(event.report?.shortened_messages ?? []).map((words) => `Shortened: ${words}`),
  ...(event.report?.dropped_messages ?? []).map((words) => `Not kept: ${words}`),
  ...notesLines(event.notes ?? {}).map((line) => (line === NOTES_HEADING ? 'Notes of the model:' : line)),
  ...(event.notes?.said ?? []).map((words) => `What you said of what it noted: ${words}`),
];

const windowLine = (report: EventOf<'context_compacted'>['report']): string[] => {
  if (report?.window_tokens === undefined || report.window_learned === undefined) return [];
  return [`${LEARNED[report.window_learned]} ${counted(report.window_tokens, 'token')}.`];
};
const LEARNED: Record<WindowEvidence, string> = {
  cut: 'The server cut a prompt and did not say so; its window is taken to be',
  shown: "The window was learned from the server's answers:",
  guessed: 'The server refused a prompt and did not say how much it holds; its window is taken to be',
};

const inWords = (parts: readonly string[]): string =>
  parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;

const countedIfAny = (count: number, noun: string): string => (count === 0 ? '' : counted(count, noun));
