/**
 * What stands for the first rounds of calls of a long turn, when they are left out to save room. It stands behind the
 * message that the turn answers, so that the model knows what is done already.
 */
import type { Event } from '../events.ts';
import { LIMITS } from '../limits.ts';
import type { ToolCall } from '../message.ts';
import { counted } from '../number-text.ts';
import { PERMISSION_REQUIRED, type ToolResult } from '../tool-result.ts';
import { fitting, section } from './sections.ts';
import { briefCallText, firstWords } from './text.ts';

/** Events from `from` on and before `before`. */
export type LeftRounds = { from: number; before: number };

/** Texts over one log. The lines of a turn are made once for all places in it. */
export const createLeftRounds = (log: readonly Event[]): ((left: LeftRounds, maxCharacters: number) => string) => {
  const linesFrom = new Map<number, readonly Line[]>();
  return ({ from, before }, maxCharacters) => {
    const known = linesFrom.get(from) ?? linesIn(log.filter(({ seq }) => seq >= from));
    linesFrom.set(from, known);
    const texts = known.filter(({ seq }) => seq < before).map(({ text }) => text);
    return texts.length === 0 ? '' : leftRoundsText(texts, maxCharacters);
  };
};

/** The latest have room first; all are told in the order in which they were done. */
const leftRoundsText = (lines: readonly string[], maxCharacters: number): string => {
  const shown = fitting(lines.toReversed(), maxCharacters).toReversed();
  const earlier = lines.length - shown.length;
  return section('Done so far for this message, and left out here to save room; do not do it again', [
    ...(earlier > 0 ? [counted(earlier, 'earlier step')] : []),
    ...shown,
  ]).join('\n');
};

type Line = { seq: number; text: string };

const linesIn = (events: readonly Event[]): Line[] => {
  const results = resultsIn(events);
  return events.flatMap((event) => {
    if (event.type !== 'assistant_message_added') return [];
    const { content, tool_calls: calls } = event.message;
    const words = content.trim() === '' ? [] : [`You said: ${firstWords(content, WORDS)}`];
    const done = calls.map((call) => callLine(call, results.get(call.id)));
    return [...words, ...done].map((text) => ({ seq: event.seq, text }));
  });
};

/** Calls in these events. */
export const callsIn = (log: readonly Event[], { from, before }: LeftRounds): number =>
  log.reduce(
    (sum, event) =>
      event.type === 'assistant_message_added' && event.seq >= from && event.seq < before
        ? sum + event.message.tool_calls.length
        : sum,
    0,
  );

const resultsIn = (log: readonly Event[]): Map<string, ToolResult> =>
  new Map(
    log.flatMap((event) =>
      event.type === 'tool_finished' || event.type === 'arguments_rejected'
        ? [[event.tool_call_id, event.result] as const]
        : [],
    ),
  );

const callLine = (call: ToolCall, result: ToolResult | undefined): string => {
  if (result === undefined) return briefCallText(call);
  const said = firstWords(wordsOf(result), LIMITS.compactionItemCharacters);
  return `${briefCallText(call)}: ${result.success ? 'it succeeded' : 'it failed'}${said === '' ? '' : `, ${said}`}`;
};

/** The words of a refusal that nobody gave are for a person. */
const wordsOf = ({ success, data, error_message: message, metadata }: ToolResult): string =>
  (success ? data : metadata.reason === PERMISSION_REQUIRED ? '' : message) ?? '';

/** Of what the model said beside its calls. */
const WORDS = 240;
