/** What the person decided in turns that are left out: denials with their reasons, answers to questions, lasting permissions. */

import type { Event, EventOf, Rule } from '../events.ts';
import type { ToolCall } from '../message.ts';
import { counted } from '../number-text.ts';
import { allowsCall } from '../permission-decision.ts';
import { isFolderRead } from '../policy/folder-read.ts';
import { reasonOfDenial } from '../policy/refusal-words.ts';
import { shownRule } from '../policy/rules.ts';
import { ITEM_CHARACTERS } from './sections.ts';
import { callText, firstWords } from './text.ts';

/** `refused`: a denial with a reason, which is a rule from then on. */
export type Decision = { kind: 'refused' | 'denied' | 'answered' | 'allowed'; text: string };

/** A denial that nobody knows of any more is tried again, so there is room for some, however small the window is. */
const DENIED_CHARACTERS_MIN = 500;
const LINE_OVERHEAD = 3;

/** As many as there is room for: denials first, since what was allowed passes without the model knowing of it. */
export const decisionLines = (decisions: readonly Decision[], characters: number): string[] => {
  const of = (wanted: Decision['kind']): string[] =>
    decisions.filter(({ kind }) => kind === wanted).map(({ text }) => text);
  const all = [...of('refused'), ...of('denied')];
  const denied = linesWithin(all, Math.max(characters, DENIED_CHARACTERS_MIN));
  const used = denied.reduce((sum, line) => sum + line.length + LINE_OVERHEAD, 0);
  const left = all.length - denied.length;
  return [
    ...denied,
    ...(left > 0 ? [`[${counted(left, 'more denial')} left out]`] : []),
    ...linesWithin([...of('answered'), ...of('allowed')], characters - used),
  ];
};

/** One that has no room does not keep out those behind it; where none has, the first is cut. */
const linesWithin = (texts: readonly string[], characters: number): string[] => {
  let left = characters;
  const kept = texts.filter((text) => {
    if (text.length + LINE_OVERHEAD > left) return false;
    left -= text.length + LINE_OVERHEAD;
    return true;
  });
  const [first] = texts;
  const isCut = kept.length === 0 && first !== undefined && characters >= DENIED_CHARACTERS_MIN;
  return isCut ? [firstWords(first, characters - LINE_OVERHEAD)] : kept;
};

/** The latest first. What was denied because nobody was there to answer is no decision of a person. */
export const decisionsIn = (left: readonly Event[]): Decision[] => {
  const calls = new Map<string, ToolCall>();
  const questions = new Map<string, string>();
  const resolved = new Set<string>();
  const decisions: Decision[] = [];
  for (const event of left) {
    if (event.type === 'assistant_message_added') for (const call of event.message.tool_calls) calls.set(call.id, call);
    else if (event.type === 'server_asked') questions.set(event.question.question_id, event.question.message);
    else if (event.type === 'server_answered') {
      const asked = firstWords(questions.get(event.question_id) ?? '', ITEM_CHARACTERS);
      decisions.push({ kind: 'answered', text: `${event.action === 'accept' ? 'answered' : 'declined'}: ${asked}` });
    } else if (event.type === 'permission_resolved') {
      resolved.add(event.tool_call_id);
      decisions.push(...resolvedAs(event, textOf(calls.get(event.tool_call_id))));
    } else if (event.type === 'tool_finished' && !resolved.has(event.tool_call_id)) {
      decisions.push(...deniedBefore(event, textOf(calls.get(event.tool_call_id))));
    }
  }
  const seen = new Set<string>();
  return decisions.reverse().filter(({ text }) => !seen.has(text) && seen.add(text));
};

/** The calls that the person denied, with their places in the log. */
export const deniedCalls = (left: readonly Event[]): { seq: number; call: ToolCall }[] => {
  const calls = new Map<string, ToolCall>();
  return left.flatMap((event) => {
    if (event.type === 'assistant_message_added') for (const call of event.message.tool_calls) calls.set(call.id, call);
    if (event.type !== 'permission_resolved' || allowsCall(event.decision) || event.unanswered) return [];
    const call = calls.get(event.tool_call_id);
    return call === undefined ? [] : [{ seq: event.seq, call }];
  });
};

const resolvedAs = (
  { decision, reason, unanswered, rule }: EventOf<'permission_resolved'>,
  what: string,
): readonly Decision[] => {
  if (!allowsCall(decision)) return unanswered ? [] : [denied(what, reason)];
  return decision === 'allow_once'
    ? []
    : [{ kind: 'allowed', text: `allowed ${allowedBy(rule) ?? what} from then on` }];
};

/** All that the rule lets pass, which is mostly more than the call that it was asked about. */
const allowedBy = (rule: Rule | undefined): string | undefined => {
  if (rule === undefined) return undefined;
  return isFolderRead(rule) ? 'everything that only reads in the folder' : firstWords(shownRule(rule), ITEM_CHARACTERS);
};

/** In a conversation that was given as messages, the result alone says that the person denied the call. */
const deniedBefore = ({ result }: EventOf<'tool_finished'>, what: string): readonly Decision[] =>
  result.error_type === 'permission_denied' && result.metadata.reason === 'person'
    ? [denied(what, reasonOfDenial(result.error_message ?? ''))]
    : [];

const denied = (what: string, reason: string | undefined): Decision => ({
  kind: reason ? 'refused' : 'denied',
  text: `denied ${what}${reason ? `: ${reason}` : ''}`,
});

const textOf = (call: ToolCall | undefined): string => (call === undefined ? 'a call' : callText(call));
