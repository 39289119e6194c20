/**
 * The body of a model request as bytes. The messages of a conversation only grow, and each request holds all of them: what
 * was written of them once stays written, so that the hundredth request costs what the first did.
 */
import type { JsonObject } from '../core/json.ts';
import type { ModelMessage } from '../core/message.ts';

type Written = { bytes: Buffer; length: number; count: number; last: ModelMessage | undefined };

const SMALLEST = 4_096;

/** `fields` is everything of the request but its messages, which come last: then a body begins with the one before. */
export const createBodyWriter = (
  toWire: (message: ModelMessage) => JsonObject,
): ((fields: JsonObject, messages: readonly ModelMessage[]) => Uint8Array) => {
  const known = new WeakMap<readonly ModelMessage[], Written>();

  const append = (written: Written, message: ModelMessage): void => {
    const text = `${written.count === 0 ? '' : ','}${JSON.stringify(toWire(message))}`;
    const needed = written.length + Buffer.byteLength(text);
    if (needed > written.bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(SMALLEST, needed * 2));
      written.bytes.copy(larger, 0, 0, written.length);
      written.bytes = larger;
    }
    written.length += written.bytes.write(text, written.length);
    written.count += 1;
    written.last = message;
  };
  const messagesOf = (messages: readonly ModelMessage[]): Buffer => {
    let written = known.get(messages);
    if (written === undefined || written.count > messages.length || written.last !== messages[written.count - 1]) {
      written = { bytes: Buffer.alloc(0), length: 0, count: 0, last: undefined };
      known.set(messages, written);
    }
    while (written.count < messages.length) append(written, messages[written.count] as ModelMessage);
    return written.bytes.subarray(0, written.length);
  };

  return (fields, messages) =>
    Buffer.concat([
      Buffer.from(`${JSON.stringify(fields).slice(0, -1)},"messages":[`),
      messagesOf(messages),
      Buffer.from(']}'),
    ]);
};
