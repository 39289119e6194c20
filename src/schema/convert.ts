/**
 * Whatever an author describes arguments with becomes plain JSON Schema. Zod is recognised by its own marker and
 * converted by the function it carries, so that this module needs no import of it; other Standard Schema makers are
 * asked for JSON Schema in the standard's own way.
 */

import { describedSchema, isZod3 } from './described.ts';
import { schemasIn } from './faults.ts';
import type { ArgumentsInput, FromJsonSchema, JsonSchemaInput } from './infer.ts';
import { CONVERT_LIMITS } from './limits.ts';
import type { Schema } from './schema-value.ts';

type StandardSchema<Output = unknown> = {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => unknown;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
    readonly jsonSchema?: { input(options: { target: string }): Record<string, unknown> };
  };
};
type WithToJsonSchema = { toJSONSchema(options?: { io: 'input' }): Record<string, unknown> };

export type ParametersInput = JsonSchemaInput | StandardSchema;

/** What `run` gets: validated, with defaults, and as the author's own schema made of it. */
export type InferArguments<P> = P extends { readonly '~standard': { readonly types?: infer T } }
  ? NonNullable<T> extends { readonly output: infer Output }
    ? Output
    : Record<string, unknown>
  : P extends { readonly properties: object }
    ? FromJsonSchema<P>
    : Record<string, unknown>;

/** The value of an answer under a schema, which need be no object. One that only the running program knows says nothing. */
export type InferOutput<P> = P extends { readonly '~standard': unknown }
  ? InferArguments<P>
  : unknown extends FromJsonSchema<P>
    ? Record<string, unknown>
    : FromJsonSchema<P>;

/** What a caller hands in. */
export type InferInput<P> = P extends { readonly '~standard': { readonly types?: infer T } }
  ? NonNullable<T> extends { readonly input: infer Input }
    ? Input
    : Record<string, unknown>
  : ArgumentsInput<P>;

/** What a schema's own check came to. `place`: the names that lead to it, with points between. */
export type StandardChecked =
  | { ok: true; value: unknown }
  | { ok: false; problems: { place: string; message: string }[] };

/**
 * The schema's own check, which may say more than JSON Schema can. Rejects with `TypeError` where it gives no answer.
 * `call` runs it, and may tell what it throws in words of its own.
 */
export const standardValidator = (
  parameters: ParametersInput,
  call: (check: () => unknown) => unknown = (check) => check(),
): ((value: unknown) => Promise<StandardChecked>) | undefined => {
  if (!isStandardSchema(parameters)) return undefined;
  const { validate } = parameters['~standard'];
  return async (value) => checkedOf(await call(() => validate(value)));
};

type Issue = { message?: unknown; path?: readonly (PropertyKey | { key: PropertyKey })[] };

const checkedOf = (given: unknown): StandardChecked => {
  const { value, issues } = (given ?? {}) as { value?: unknown; issues?: unknown };
  if (Array.isArray(issues)) return { ok: false, problems: issues.map(problemOf) };
  if (typeof given === 'object' && given !== null && issues === undefined && 'value' in given)
    return { ok: true, value };
  throw new TypeError('validate() of the schema must return { value } or { issues }, and returned neither');
};

/** Some libraries give the steps of a path as they are, some as objects with a key. */
const problemOf = ({ message, path = [] }: Issue): { place: string; message: string } => ({
  place: path.map((step) => String(typeof step === 'object' ? step.key : step)).join('.'),
  message: String(message),
});

const isStandardSchema = (value: ParametersInput): value is StandardSchema => '~standard' in value;

/** Throws a TypeError with the reason when the input cannot be described as JSON Schema: an author's mistake. */
export const toJsonSchema = (parameters: ParametersInput): Schema => {
  refuseNone(parameters);
  if (isZod3(parameters)) throw new TypeError(ZOD_3);
  if (!isStandardSchema(parameters)) return plain(parameters);
  const standard = parameters['~standard'];
  const own = parameters as StandardSchema & Partial<WithToJsonSchema>;
  const { jsonSchema } = standard;
  if (jsonSchema)
    return inWords(standard.vendor, () => plain(saidSchema(jsonSchema.input({ target: 'draft-2020-12' }))));
  if (typeof own.toJSONSchema === 'function')
    return inWords(standard.vendor, () => plain(saidSchema((own as WithToJsonSchema).toJSONSchema({ io: 'input' }))));
  const described = describedSchema(parameters);
  if (described !== undefined) return plain(described);
  throw new TypeError(
    `The ${standard.vendor} schema cannot be turned into JSON Schema here. Pass its JSON Schema as "parameters".`,
  );
};

/** What has no words for its schema would be a schema that everything fits. */
const refuseNone = (given: unknown): void => {
  const isObject = typeof given === 'object' && given !== null && !Array.isArray(given);
  if (isObject || typeof given === 'function') {
    if ('~standard' in given || isZod3(given) || isPlain(given)) return;
  }
  throw new TypeError(
    `This is ${described(given)}, and no schema. Pass JSON Schema, or a schema of Zod 4, Valibot or ArkType.`,
  );
};

const isPlain = (given: unknown): given is Record<string, unknown> => {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return false;
  const prototype: unknown = Object.getPrototypeOf(given);
  // One of another realm is no less plain.
  const isOfObjects = prototype === null || Object.getPrototypeOf(prototype) === null;
  return isOfObjects && !Object.values(given).some((entry) => typeof entry === 'function');
};

const described = (given: unknown): string => {
  if (given === null || given === undefined) return String(given);
  if (Array.isArray(given)) return 'a list';
  if (typeof given === 'function') return /^class\b/.test(String(given)) ? `the class ${given.name}` : 'a function';
  if (typeof given !== 'object') return `a ${typeof given}`;
  const { name } = given.constructor ?? {};
  return name === undefined || name === 'Object' ? 'an object with functions' : `an instance of ${name || 'a class'}`;
};

/** A date, a map, a big integer: a model writes JSON, and the schema makes of it what the tool wants. */
const inWords = (vendor: string, convert: () => Schema): Schema => {
  try {
    return convert();
  } catch (error) {
    const why = error instanceof Error ? error.message : `It threw ${described(error)}`;
    throw new TypeError(
      `${why}. A model writes JSON: describe what it is to write, such as a text, and convert it (a date in Zod: z.iso.datetime().transform((text) => new Date(text))). This schema is of ${vendor}.`,
    );
  }
};

/** A promise, a list, a number would be taken for a schema that everything fits. */
const saidSchema = (given: unknown): Record<string, unknown> => {
  if (isPlain(given)) return withoutBytes(given);
  Promise.resolve(given).catch(() => {});
  throw new TypeError(`What it gives as its JSON Schema is ${described(given)}, and no schema`);
};

/** A file of a program is no text, whatever its schema calls itself in JSON: nothing that a model writes would fit. */
const withoutBytes = (schema: Record<string, unknown>): Record<string, unknown> => {
  if (schemasIn(schema as Schema).some(([, part]) => part.contentEncoding === 'binary'))
    throw new TypeError('A file cannot be represented in JSON Schema');
  return schema;
};

const ZOD_3 =
  'This is a schema of Zod 3, which cannot say its JSON Schema. Use Zod 4 (npm install zod@4; with zod 3.25, import from "zod/v4"), or pass JSON Schema.';

const plain = (schema: Readonly<Record<string, unknown>>): Schema => {
  const { $schema: _dialect, '~standard': _marker, ...rest } = schema;
  let written: Schema;
  try {
    written = JSON.parse(JSON.stringify(rest)) as Schema;
  } catch (error) {
    throw new TypeError(`The schema cannot be written as JSON: ${unwritable(rest, []) ?? firstLine(error)}`);
  }
  const problem = unwritable(written, []);
  if (problem !== undefined) throw new TypeError(`The schema cannot be used: ${problem}`);
  return written;
};

const firstLine = (error: unknown): string =>
  (error instanceof Error ? error.message : described(error)).split('\n', 1)[0] ?? '';

/** Why JSON has no words for it. */
const unwritable = (value: unknown, around: readonly unknown[]): string | undefined => {
  if (typeof value === 'bigint') return `${value}n is a big integer`;
  if (typeof value !== 'object' || value === null) return undefined;
  if (around.includes(value)) return 'a part of it holds itself';
  if (around.length > CONVERT_LIMITS.depth) return `it is deeper than ${CONVERT_LIMITS.depth} levels`;
  for (const one of Object.values(value)) {
    const found = unwritable(one, [...around, value]);
    if (found !== undefined) return found;
  }
  return undefined;
};
