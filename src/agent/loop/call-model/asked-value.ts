/** An answer that was asked for as a value of a schema, and that has the form of a call. */
import type { JsonSchema } from '../../../core/json.ts';
import { type JudgedAnswer, parseJsonLeniently } from '../../../dialects/index.ts';
import { checkValue, fitsPart, heldParts, isSchema, type Schema, type SchemaValue } from '../../../schema/index.ts';

/**
 * The text is the value that was asked for, whole. One that names a tool that there is counts only where the schema itself
 * asks for every member that it has: an open object may be a call as well.
 */
export const isAskedValue = (
  schema: JsonSchema,
  text: string,
  { written, held, warning }: Pick<JudgedAnswer, 'written' | 'held' | 'warning'>,
  isTool: (name: string) => boolean,
): boolean => {
  const named = [
    ...written.parts.map(nameOf),
    ...[...(held?.calls ?? []), ...(warning?.calls ?? [])].map(({ name }) => name),
  ];
  if (named.length === 0) return false;
  const value = wholeJson(text);
  if (value === undefined || checkValue(schema, value).length > 0) return false;
  return named.every((name) => name === undefined || !isTool(name)) || asksForAll(schema, value);
};

/** Whether a part of the shape says of every member that it may be there: then the whole is no call beside it. */
const asksForAll = (root: JsonSchema, value: unknown, parts: readonly Schema[] = [root]): boolean => {
  const judge = { root, fits: (part: SchemaValue): boolean => fitsPart(root, part, value) };
  const fitting = [...new Set(parts.flatMap((part) => heldParts(part, value, judge)))];
  const isFixed = fitting.some((part) => part['const'] !== undefined || Array.isArray(part['enum']));
  if (isFixed) return true;
  if (Array.isArray(value)) {
    const elements = fitting.flatMap((part) => schemasIn(part, 'items'));
    return elements.length > 0 && value.every((entry) => asksForAll(root, entry, elements));
  }
  if (typeof value !== 'object' || value === null) return false;
  return Object.keys(value).every((key) => fitting.some((part) => asksFor(part, key)));
};

const asksFor = ({ properties, additionalProperties }: Schema, key: string): boolean =>
  (isSchema(properties) && Object.hasOwn(properties, key)) ||
  (isSchema(additionalProperties) && Object.keys(additionalProperties).length > 0);

const schemasIn = (part: Schema, word: string): Schema[] => [part[word]].flat().filter(isSchema);

type Part = JudgedAnswer['written']['parts'][number];
const nameOf = (part: Part): string | undefined => {
  if (part.kind === 'call') return part.call.name;
  return part.kind === 'broken' ? part.broken.name : part.unread.name;
};

/** The whole text, or a fence around it. */
const wholeJson = (text: string): unknown => {
  const [, inFence] = /^```(?:json)?\s*\n([\s\S]*?)\n?```$/.exec(text.trim()) ?? [];
  const read = parseJsonLeniently((inFence ?? text).trim());
  return read.ok ? read.value : undefined;
};
