/**
 * What goes to a model takes turns: many templates refuse two messages of the person in a row, and a message that was
 * never answered would close the conversation for good. The log stays as it is; the same log always gives the same turns.
 */
import { lastWhere } from './last-where.ts';
import type { AssistantMessage, ContentPart, ModelMessage, UserMessage } from './message.ts';

/** Stands between a message of the person that was not answered and their next one. */
export const UNANSWERED = '[This was not answered. The user went on:]';
/** Stands where an answer to results is missing, before the person goes on. */
export const INTERRUPTED = '[interrupted]';
/** The same where the person said something while the run went on. */
export const STEERED = '[going on]';
/** Stands before an answer that nothing of the person stands before. */
export const BEGINNING = '[The conversation begins here.]';

/** The same list where nothing has to change. `between`: what stands between two messages that become one. */
export const alternating = (messages: readonly ModelMessage[], between = UNANSWERED): readonly ModelMessage[] => {
  if (lastOutOfTurn(messages) === undefined) return messages;
  const turns: ModelMessage[] = [];
  for (const message of messages) {
    const last = turns.at(-1);
    if (!isOutOfTurn(last, message)) turns.push(message);
    else if (message.role === 'system') turns.push({ role: 'user', content: message.content });
    else if (message.role === 'user' && last?.role === 'user' && last.of_results === message.of_results)
      turns[turns.length - 1] = joined(last, message, between);
    else if (message.role === 'user') turns.push(saying(message.steers ? STEERED : INTERRUPTED), message);
    else if (message.role === 'assistant' && last?.role === 'assistant')
      turns[turns.length - 1] = { ...message, content: [last.content, message.content].filter(isSaid).join('\n\n') };
    else turns.push({ role: 'user', content: BEGINNING }, message);
  }
  // A system message in the middle became one of the person.
  return messages.some(({ role }, index) => index > 0 && role === 'system') ? alternating(turns, '') : turns;
};

const isSaid = (text: string): boolean => text !== '';

const isOutOfTurn = (last: ModelMessage | undefined, message: ModelMessage): boolean => {
  if (message.role === 'system') return last !== undefined;
  if (message.role === 'user') return last?.role === 'user' || (last?.role === 'tool' && !message.of_results);
  if (message.role !== 'assistant') return false;
  if (last === undefined || last.role === 'system') return true;
  return last.role === 'assistant' && last.tool_calls.length === 0;
};

const lastOutOfTurn = lastWhere<ModelMessage>((message, before) => isOutOfTurn(before, message));

const saying = (content: string): AssistantMessage => ({
  role: 'assistant',
  content,
  tool_calls: [],
  finish: 'stop',
});

const joined = (one: UserMessage, other: UserMessage, between: string): UserMessage => {
  // Pictures of results are nobody's words, so nobody waited for an answer to them.
  const words = between === '' || one.of_results ? '' : `${between}\n\n`;
  const content =
    typeof one.content === 'string' && typeof other.content === 'string'
      ? `${one.content}\n\n${words}${other.content}`
      : [...partsOf(one), ...(words === '' ? [] : [text(words.trimEnd())]), ...partsOf(other)];
  return { ...one, content };
};

const text = (words: string): ContentPart => ({ type: 'text', text: words });
const partsOf = ({ content }: UserMessage): ContentPart[] => (typeof content === 'string' ? [text(content)] : content);
