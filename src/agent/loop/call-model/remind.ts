/**
 * Reminders: of a step that the model announced and did not make, and of calls that stand among words. A reminder belongs to
 * one request and is not kept; what the model then does is its answer.
 */
import type { SessionUpdate } from '../../../core/events.ts';
import { isObject } from '../../../core/json.ts';
import type { ModelMessage } from '../../../core/message.ts';
import { NUDGE } from '../../../core/nudge.ts';
import { counted } from '../../../core/number-text.ts';
import { calledBy, type Dialect, type HeldCalls, renderCall, withoutFence } from '../../../dialects/index.ts';
import type { SessionHandle } from '../../session/session-handle.ts';
import { DIALECT_FOR_AUTO } from './inject-tools.ts';
import type { Sender } from './send.ts';
import { hasWrittenCalls, type Turn, warn } from './turn.ts';

/** Calls that one reminder shows. */
const SHOWN_CALLS = 5;
const SHOWN_CHARACTERS = 2_000;

/** The model said what it would do, and did nothing. */
export const remindOfAnnounced = async (
  session: SessionHandle,
  sender: Sender,
  messages: readonly ModelMessage[],
  before: Turn,
): Promise<Turn> => {
  warn(session, 'call_announced', 'The model announced a step and called no tool. Reminding it once.');
  const after = await again(session, sender, messages, before, NUDGE);
  if (!after.outcome.ok) return after.outcome.error.code === 'cancelled' ? after : before;
  const text = [before.text, after.text].filter((one) => one.trim() !== '').join('\n\n');
  return { ...after, text, announced: true };
};

/** Its answer held calls. If it makes none after the reminder either, that answer stays as it was. */
export const remindOfHeld = async (
  session: SessionHandle,
  { sender, dialect }: { sender: Sender; dialect: Dialect },
  messages: readonly ModelMessage[],
  before: Turn & { held: HeldCalls },
): Promise<Turn> => {
  const { held } = before;
  const what = namesOf(held);
  const where = held.isThought ? 'thoughts' : 'answer';
  warn(session, 'call_announced', `The ${where} may hold ${what}. It was not run; asking the model once.`);
  const { quiet, deltas } = withheld(session);
  const after = await again(quiet, sender, messages, before, heldReminder(held, dialect));
  const show = (delta: string): void => {
    if (delta !== '') session.progress({ type: 'text_delta', delta });
  };
  const isNothing = after.outcome.ok && after.text.trim() === '' && !hasCalls(after);
  if (!after.outcome.ok && after.outcome.error.code === 'cancelled') return after;
  if (!after.outcome.ok || isNothing) {
    show(before.unshown ?? '');
    warn(session, held.code, held.message);
    return before;
  }
  if (after.held !== undefined) warn(session, after.held.code, after.held.message);
  else if (!hasCalls(after))
    warn(
      session,
      'call_in_text',
      `The ${where} may hold ${what}, and the model did not make it when it was asked. It was not run.`,
    );
  if (hasCalls(after)) {
    for (const update of deltas) session.progress(update);
    return { ...after, announced: true };
  }
  // What the person asked for may be the call itself, as text.
  const more = furtherWords(before.text, after.text);
  if (held.isMeant && more !== '') {
    for (const update of deltas) session.progress(update);
    return { ...after, announced: true };
  }
  const behind = more === '' || before.text === '' ? more : `\n\n${more}`;
  show(`${before.unshown ?? ''}${behind}`);
  const text = before.text + behind;
  return { ...after, text, whole: text, announced: true };
};

/** What is said to the reminder is for the person only where it becomes a part of the answer. */
const withheld = (session: SessionHandle): { quiet: SessionHandle; deltas: SessionUpdate[] } => {
  const deltas: SessionUpdate[] = [];
  const isSaid = ({ type }: SessionUpdate): boolean => type === 'text_delta' || type === 'tool_call_delta';
  const progress: SessionHandle['progress'] = (update) =>
    isSaid(update) ? void deltas.push(update) : session.progress(update);
  return { quiet: { ...session, progress }, deltas };
};

/**
 * What an answer to the reminder says that the first answer did not: nothing where it declines, or gives that answer again.
 * Nor behind JSON alone, bare or in a fence, which its reader could not parse any more.
 */
export const furtherWords = (first: string, second: string): string => {
  const text = second.trim();
  if (isJson(first)) return '';
  if (DECLINED.test(text) && text.length <= DECLINED_CHARACTERS) return '';
  const words = text.match(/\p{L}{2,}|\p{N}+/gu) ?? [];
  const known = new Set(first.match(/\p{L}{2,}|\p{N}+/gu));
  const repeated = words.filter((word) => known.has(word)).length;
  return repeated >= words.length * REPEATED_SHARE ? '' : text;
};
const isJson = (answer: string): boolean => {
  const text = withoutFence(answer);
  try {
    return text.startsWith('{') && isObject(JSON.parse(text));
  } catch {
    return false;
  }
};
const DECLINED =
  /^\W*(?:(?:no|none|nothing|nein|kein\w*|non|aucun\w*|ning\w*|nessun\w*|nenhum\w*|geen)\b|нет|没有|無|无|不|なし|いいえ|아니|없)/iu;
const DECLINED_CHARACTERS = 120;
/** Of the words of an answer that is given again. */
const REPEATED_SHARE = 0.7;

const hasCalls = (turn: Turn): boolean =>
  (turn.outcome.ok && turn.outcome.answer.calls.length > 0) || turn.thought !== undefined || hasWrittenCalls(turn);

const again = (
  session: SessionHandle,
  sender: Sender,
  messages: readonly ModelMessage[],
  before: Turn,
  reminder: string,
): Promise<Turn> => {
  const content = before.held?.isThought ? draftsOf(before.held) : before.text;
  const said: ModelMessage = { role: 'assistant', content, tool_calls: [], finish: 'stop' };
  if (before.text.trim() !== '') session.progress({ type: 'text_delta', delta: '\n\n' });
  return sender.send(session, [...messages, said, { role: 'user', content: reminder }], false);
};

/** Of thoughts that led to nothing the model is shown what it is asked about. */
export const draftsOf = ({ calls }: Pick<HeldCalls, 'calls'>): string =>
  calls
    .slice(0, SHOWN_CALLS)
    .map(({ text }) => text)
    .join('\n')
    .slice(0, SHOWN_CHARACTERS);

const namesOf = ({ calls }: Pick<HeldCalls, 'calls'>): string =>
  calls.length === 1 ? calledBy(calls[0]?.name) : counted(calls.length, 'call');

/** What the model is asked about calls that stand among words, in the notation that it writes them in. */
export const heldReminder = ({ calls, isThought }: HeldCalls, dialect: Dialect): string => {
  const [where, decline] = isThought ? ['thoughts hold', ANSWER] : ['answer holds', DECLINE];
  if (calls.some(({ isUnclear }) => isUnclear))
    return `Your ${where} what may be ${namesOf({ calls })}, in a form that is not read here, so it was not run. If you mean to call, answer with the call alone, in the form that you were told. ${decline}`;
  const named = typeof dialect !== 'string' || dialect === 'auto' || dialect === 'native' ? DIALECT_FOR_AUTO : dialect;
  const shown = calls
    .slice(0, SHOWN_CALLS)
    .map((call) => renderCall(named, { ...call, id: '' }))
    .join('\n')
    .slice(0, SHOWN_CHARACTERS);
  const [it, was] = calls.length === 1 ? ['the call', 'was'] : ['the calls', 'were'];
  return `Your ${where} what may be ${namesOf({ calls })} and ${was} not run. To make ${it}, answer with nothing but:\n${shown}\n${decline}`;
};
const ANSWER = 'If nothing is to be run, answer in words.';
const DECLINE = 'If nothing is to be run, answer with nothing but: No call. Your answer stands then as it is.';
