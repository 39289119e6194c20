/**
 * An answer that is a value: the model is told the shape, an engine that can is held to it, and what comes is read with
 * the same care as the arguments of a call. Only an answer that does not fit costs another request.
 */
import { isObject, type JsonObject, type JsonSchema, type JsonValue } from '../core/json.ts';
import { validateArguments } from '../core/validate-arguments.ts';
import { parseJsonLeniently } from '../dialects/repair-json.ts';
import { type ParametersInput, schemaFaults, schemaIssues, standardValidator, toJsonSchema } from '../schema/index.ts';
import { readPartialJson } from './partial-json.ts';

export type OutputFormat = {
  schema: JsonSchema;
  /** What the model is told beside the message. */
  note: string;
  /** The value in a whole answer, or what is wrong with it in words for the model. */
  read(answer: string): Promise<{ ok: true; value: unknown } | { ok: false; problem: string }>;
  /** What can be told of the value while the answer still comes; undefined where nothing can. */
  readPart(text: string): JsonValue | undefined;
  /** Asks again, with the validator's words. */
  askAgain(problem: string): string;
};

/** Throws `TypeError` for what is no schema, and for one that cannot be said in JSON Schema. */
export const outputFormat = (given: ParametersInput): OutputFormat => {
  const schema = toJsonSchema(given) as JsonSchema;
  const [issue] = [...schemaIssues(schema), ...schemaFaults(schema)];
  if (issue) throw new TypeError(`The schema of chat(): ${issue.path || 'it'} ${issue.message}.`);
  const refine = standardValidator(given);
  const text = JSON.stringify(schema);
  return {
    schema,
    note: `Answer with JSON that fits this schema, and with nothing else: ${text}`,
    async read(answer) {
      const found = jsonIn(answer);
      if (!found.ok) return found;
      const fitting = fitted(schema, found.value);
      if (!fitting.ok) return fitting;
      return refine === undefined ? fitting : refined(refine, fitting.value);
    },
    readPart: readPartialJson,
    askAgain: (problem) =>
      `That answer cannot be used: ${problem}. Answer again with JSON alone that fits this schema: ${text}`,
  };
};

type Read = { ok: true; value: JsonValue } | { ok: false; problem: string };

/** The whole answer, what stands in a fence in it, or what lies between its outermost brackets. */
const jsonIn = (answer: string): Read => {
  const whole = parseJsonLeniently(answer.trim());
  if (whole.ok) return whole;
  const [, fenced] = /```(?:json)?\s*\n([\s\S]*?)\n?```/.exec(answer) ?? [];
  const inFence = fenced === undefined ? undefined : parseJsonLeniently(fenced);
  if (inFence?.ok) return inFence;
  const start = answer.search(/[{[]/);
  if (start === -1) return { ok: false, problem: 'there is no JSON in it' };
  const end = Math.max(answer.lastIndexOf('}'), answer.lastIndexOf(']')) + 1;
  const between = parseJsonLeniently(answer.slice(start, end > start ? end : undefined));
  return between.ok ? between : { ok: false, problem: whole.problem };
};

/** As with the arguments of a call: what can be converted without losing anything is. */
const fitted = (schema: JsonSchema, value: JsonValue): Read => {
  const isWhole = schema['type'] === 'object' || 'properties' in schema;
  const wrapped: JsonSchema = isWhole
    ? schema
    : { type: 'object', properties: { answer: moved(schema) as JsonSchema }, required: ['answer'] };
  const read = validateArguments(wrapped, isWhole ? value : { answer: value }, 'model');
  if (!read.ok) return { ok: false, problem: read.issues.join('; ') };
  return { ok: true, value: isWhole ? read.arguments : (read.arguments['answer'] as JsonValue) };
};

/** References start at the root, which is elsewhere now. */
const moved = (part: JsonValue | undefined): JsonValue | undefined => {
  if (Array.isArray(part)) return part.map((entry) => moved(entry) ?? null);
  if (!isObject(part)) return part;
  const entries = Object.entries(part).map(([key, entry]) =>
    key === '$ref' && typeof entry === 'string' && entry.startsWith('#')
      ? [key, `#/properties/answer${entry.slice(1)}`]
      : [key, moved(entry)],
  );
  return Object.fromEntries(entries) as JsonObject;
};

type Refinement = {
  value?: unknown;
  issues?: readonly { message: string; path?: readonly (PropertyKey | { key: PropertyKey })[] }[];
};

const refined = async (
  validate: (value: unknown) => unknown,
  value: JsonValue,
): Promise<{ ok: true; value: unknown } | { ok: false; problem: string }> => {
  const result = (await validate(value)) as Refinement;
  if (result.issues === undefined) return { ok: true, value: result.value };
  const words = result.issues.map(({ message, path = [] }) => {
    const place = path.map((part) => String(typeof part === 'object' ? part.key : part)).join('.');
    return place === '' ? message : `${place}: ${message}`;
  });
  return { ok: false, problem: words.join('; ') };
};
