/** Structured results keep the digits of their numbers: the protocol's own reader would round them. */
import type { JsonObject } from '../core/json.ts';
import { markInexact, withoutMarks } from '../core/written-numbers.ts';

/** No server needs this word at the beginning of a text; one that writes it gets the number that follows. */
const MARK = 'halter-number:';
const IS_RESULT = '"structuredContent"';
/** A number that is surely exact has fewer digits. */
const MANY_DIGITS = /[\d.]{16}|[eE]\+?\d{3}/;

/** A message as text, before it is read. */
export const markDigits = (message: string): string =>
  message.includes(IS_RESULT) && MANY_DIGITS.test(message) ? markInexact(message, MARK) : message;

/** A result that was read, with its numbers back. */
export const restoreDigits = (result: JsonObject): JsonObject => {
  const { structuredContent: structured } = result;
  return structured === undefined ? result : { ...result, structuredContent: withoutMarks(structured, MARK) };
};

/** A body of HTTP: JSON, or a stream of events whose data are messages. */
export const markedBody = (isStream: boolean): TransformStream<string, string> => {
  let held: string[] = [];
  const marked = (line: string): string => (line.startsWith('data:') ? `data:${markDigits(line.slice(5))}` : line);
  return new TransformStream<string, string>({
    transform(text, controller) {
      const end = isStream ? text.lastIndexOf('\n') + 1 : 0;
      if (end > 0) controller.enqueue([...held, text.slice(0, end)].join('').split('\n').map(marked).join('\n'));
      if (end > 0) held = [];
      held.push(text.slice(end));
    },
    flush(controller) {
      const rest = held.join('');
      controller.enqueue(isStream ? marked(rest) : markDigits(rest));
    },
  });
};
