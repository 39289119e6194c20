/** An answer that was asked for as a value of a schema, and that has the form of a call. */
import type { JsonSchema } from '../../../core/json.ts';
import type { JudgedAnswer } from '../../../dialects/index.ts';
import { checkValue } from '../../../schema/index.ts';

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

const asksForAll = (schema: JsonSchema, value: unknown): boolean => {
  const { properties } = schema;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return typeof properties === 'object' && Object.keys(value).every((key) => Object.hasOwn(properties as object, key));
};

type Part = JudgedAnswer['written']['parts'][number];
const nameOf = (part: Part): string | undefined => {
  if (part.kind === 'call') return part.call.name;
  return part.kind === 'broken' ? part.broken.name : part.unread.name;
};

/** The whole text, or a fence around it. */
const wholeJson = (text: string): unknown => {
  const [, inFence] = /^```(?:json)?\s*\n([\s\S]*?)\n?```$/.exec(text.trim()) ?? [];
  try {
    return JSON.parse(inFence ?? text) as unknown;
  } catch {
    return undefined;
  }
};
