/**
 * The body of a model request as bytes. The messages of a conversation only grow, and each request holds all of them: what
 * was written of them once stays written, so that the hundredth request costs what the first did. The tools stay as they
 * are, so what stands before the messages is kept as well.
 */
import type { JsonObject } from '../core/json.ts';
import type { ModelMessage } from '../core/message.ts';
import type { ModelRequest } from '../core/model-port.ts';

type Asked = Omit<ModelRequest, 'messages'>;
type Written = { bytes: Buffer; length: number; count: number; last: ModelMessage | undefined };
type Head<Settings> = { asked: Asked; settings: Settings; bytes: Buffer };

const SMALLEST = 4_096;
const END = Buffer.from(']}');

export type BodyFormat<Settings> = {
  toWire(message: ModelMessage): JsonObject;
  /** Everything of the request but its messages, which come last: then a body begins with the one before. */
  toFields(asked: Asked, settings: Settings): JsonObject;
};

/** `settings`: what else the fields are made of; a value that is compared by itself. */
export const createBodyWriter = <Settings>({
  toWire,
  toFields,
}: BodyFormat<Settings>): ((request: ModelRequest, settings: Settings) => Uint8Array) => {
  const known = new WeakMap<readonly ModelMessage[], Written>();
  const heads = new WeakMap<ModelRequest['tools'], Head<Settings>>();

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
  const headOf = ({ messages: _, ...asked }: ModelRequest, settings: Settings): Buffer => {
    const before = heads.get(asked.tools);
    if (before !== undefined && before.settings === settings && isSame(before.asked, asked)) return before.bytes;
    const bytes = Buffer.from(`${JSON.stringify(toFields(asked, settings)).slice(0, -1)},"messages":[`);
    heads.set(asked.tools, { asked, settings, bytes });
    return bytes;
  };

  return (request, settings) => Buffer.concat([headOf(request, settings), messagesOf(request.messages), END]);
};

/** `left`: names with a space between each two, so that they are compared as one text. */
export const withoutFields = (fields: JsonObject, left: string): JsonObject => {
  if (left === '') return fields;
  const names = new Set(left.split(' '));
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.has(name)));
};

const isSame = (one: Asked, other: Asked): boolean => {
  const keys = Object.keys(other) as (keyof Asked)[];
  return keys.length === Object.keys(one).length && keys.every((key) => one[key] === other[key]);
};
