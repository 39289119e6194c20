/** A message whose tools are off: a call of the model is not run, and it is asked once for an answer in words. */
import type { ModelMessage } from '../../../core/message.ts';
import type { SessionHandle } from '../../session/session-handle.ts';
import { type Turn, warn } from './turn.ts';

const NO_TOOLS = 'No tool can be called for this message, so a call is not run. Answer in words.';

export type SendAgain = (messages: readonly ModelMessage[]) => Promise<Turn>;

/** What the model said beside its call is its answer; where it said nothing, it is told once that nothing was run. */
export const answeredInWords = async (
  session: SessionHandle,
  messages: readonly ModelMessage[],
  turn: Turn,
  send: SendAgain,
): Promise<Turn> => {
  const [call] = turn.outcome.ok ? turn.outcome.answer.calls : [];
  if (call === undefined) return turn;
  warn(session, 'call_without_tools', `The model called ${call.name}, and no tools are on offer. Nothing was run.`);
  return turn.text.trim() === '' ? withoutCalls(await send(withNote(messages))) : turn;
};

/** Many templates refuse two messages of the user in a row. */
const withNote = (messages: readonly ModelMessage[]): readonly ModelMessage[] => {
  const last = messages.at(-1);
  if (last?.role !== 'user') return [...messages, { role: 'user', content: NO_TOOLS }];
  const { content } = last;
  const noted =
    typeof content === 'string' ? `${content}\n\n${NO_TOOLS}` : [...content, { type: 'text' as const, text: NO_TOOLS }];
  return [...messages.slice(0, -1), { ...last, content: noted }];
};

/** What is left may be nothing, which is told as an empty answer. */
const withoutCalls = (turn: Turn): Turn =>
  turn.outcome.ok ? { ...turn, outcome: { ok: true, answer: { ...turn.outcome.answer, calls: [] } } } : turn;
