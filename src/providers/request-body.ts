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
/** `left`: the names of the fields that were left out, as one text. */
type Head<Settings> = { asked: Asked; settings: Settings; left: string; bytes: Buffer };

const SMALLEST = 4_096;
const END = Buffer.from(']}');
const NONE: ReadonlySet<string> = new Set();

export type BodyFormat<Settings> = {
  toWire(message: ModelMessage): JsonObject;
  /** Everything of the request but its messages, which come last: then a body begins with the one before. */
  toFields(asked: Asked, settings: Settings): JsonObject;
};

/** `settings`: what else the fields are made of; a value that is compared by itself. `without`: fields that are left out. */
export const createBodyWriter = <Settings>({
  toWire,
  toFields,
}: BodyFormat<Settings>): ((
  request: ModelRequest,
  settings: Settings,
  without?: ReadonlySet<string>,
) => Uint8Array) => {
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
  const headOf = (
    { messages: _, ...asked }: ModelRequest,
    settings: Settings,
    without: ReadonlySet<string>,
  ): Buffer => {
    const left = [...without].join(' ');
    const before = heads.get(asked.tools);
    const isKnown = before !== undefined && before.settings === settings && before.left === left;
    if (isKnown && isSame(before.asked, asked)) return before.bytes;
    const fields = withoutFields(toFields(asked, settings), without);
    const bytes = Buffer.from(`${JSON.stringify(fields).slice(0, -1)},"messages":[`);
    heads.set(asked.tools, { asked, settings, left, bytes });
    return bytes;
  };

  return (request, settings, without = NONE) =>
    Buffer.concat([headOf(request, settings, without), messagesOf(request.messages), END]);
};

const withoutFields = (fields: JsonObject, without: ReadonlySet<string>): JsonObject =>
  without.size === 0 ? fields : Object.fromEntries(Object.entries(fields).filter(([name]) => !without.has(name)));

const isSame = (one: Asked, other: Asked): boolean => {
  const keys = Object.keys(other) as (keyof Asked)[];
  return keys.length === Object.keys(one).length && keys.every((key) => one[key] === other[key]);
};
