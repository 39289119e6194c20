/** Calls in the text of an answer beside those in the server's own field for calls. */
import { isObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import type { AnswerContext, JudgedAnswer, Judging } from './judged.ts';
import type { AnswerPart } from './reading.ts';

/** The server may hand over in its field what it left in the text as well; other calls of the text are answered. */
export const besideNative = (
  { answer, reading }: Judging,
  native: NonNullable<AnswerContext['native']>,
): JudgedAnswer => {
  const { result, text } = answer;
  const { parts, held, dialect } = reading;
  const isEcho = echoesOf(native);
  const found = parts.flatMap((part): AnswerPart[] => {
    if (part.kind === 'broken') return [part];
    const call = part.kind === 'call' ? part.call : part.unread;
    if (isEcho(call)) return [];
    if (part.kind !== 'call' || result.calls.includes(part.call)) return [part];
    const { name, arguments: args } = part.call;
    return [
      {
        kind: 'unread',
        unread: { name, arguments: args, problem: TWICE, text: JSON.stringify({ name, arguments: args }) },
      },
    ];
  });
  const others = held.filter((unread) => !isEcho(unread));
  const written = [...found, ...others.map((unread): AnswerPart => ({ kind: 'unread', unread }))];
  return { text, written: { dialect, parts: written } };
};

type NamedCall = { name: string; arguments: JsonObject };

/** Each call of the field has one copy in the text. A copy more is a call of its own. */
const echoesOf = (native: readonly NamedCall[]): ((call: NamedCall) => boolean) => {
  const left = native.map(keyOf);
  return (call) => {
    const at = left.indexOf(keyOf(call));
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  };
};

/** The order of keys means nothing, and a text may hold a number as a word. */
const keyOf = ({ name, arguments: args }: NamedCall): string => JSON.stringify([name.trim(), canonical(args)]);

const canonical = (value: JsonValue): JsonValue => {
  if (Array.isArray(value)) return value.map(canonical);
  if (!isObject(value)) return String(value);
  const keys = Object.keys(value).sort();
  return keys.map((key) => [key, canonical(value[key] as JsonValue)]);
};

const TWICE = 'it stands in the text, beside calls in the field for calls: send it in that field';
