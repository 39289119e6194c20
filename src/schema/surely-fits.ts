/**
 * Whether a value fits a schema, told fast for a schema that is asked of many values: it is read once into one function.
 * `checkValue` decides: what is not known here, and whatever does not fit, is left to it.
 */
import { isSchema, matchesType, type Schema, type SchemaValue, schemaTypes } from './schema-value.ts';

type Fits = (value: unknown) => boolean;

/** Well below what `checkValue` takes for too deep. */
const DEPTH_MAX = 24;
const NEVER: Fits = () => false;
const ANNOTATIONS: ReadonlySet<string> = new Set(['title', 'description', 'default', 'examples', '$comment']);

const known = new WeakMap<Schema, Fits>();

/** True where `checkValue` would find nothing. The schema is read at its first value and must not change after it. */
export const surelyFits = (schema: Schema, value: unknown): boolean => {
  let fits = known.get(schema);
  if (fits === undefined) {
    fits = reading(schema, 0);
    known.set(schema, fits);
  }
  return fits(value);
};

const reading = (schema: SchemaValue | undefined, depth: number): Fits => {
  if (!isSchema(schema) || depth > DEPTH_MAX) return NEVER;
  const parts: Fits[] = [typeFits(schema)];
  for (const [word, said] of Object.entries(schema)) {
    if (word === 'type' || ANNOTATIONS.has(word)) continue;
    const read = Object.hasOwn(WORDS, word) ? WORDS[word] : undefined;
    const part = read?.(said, depth, schema);
    if (part === undefined) return NEVER;
    if (part !== NOTHING) parts.push(part);
  }
  const [first = NEVER, second, ...rest] = parts;
  if (second === undefined) return first;
  if (rest.length === 0) return (value) => first(value) && second(value);
  return (value) => first(value) && second(value) && rest.every((part) => part(value));
};

/** The type, and what every number has to be. */
const typeFits = (schema: Schema): Fits => {
  const types = schemaTypes(schema);
  const [only = ''] = types;
  if (schema['type'] !== undefined && types.length === 0) return NEVER;
  const isExact = (value: unknown): boolean =>
    typeof value !== 'number' ||
    (Number.isInteger(value) && types.includes('integer') ? Number.isSafeInteger(value) : Number.isFinite(value));
  if (types.length === 1) {
    if (only === 'string' || only === 'boolean') return (value) => typeof value === only;
    return (value) => matchesType(value, only) && isExact(value);
  }
  return (value) => (types.length === 0 || types.some((type) => matchesType(value, type))) && isExact(value);
};

/** For a word whose sense is told by another one. */
const NOTHING: Fits = () => true;

/** What a word asks of a value; undefined where what it says is not understood. */
type Word = (said: SchemaValue, depth: number, schema: Schema) => Fits | undefined;

const ofNumber = (fits: (value: number, limit: number) => boolean): Word => {
  return (limit) =>
    typeof limit === 'number' ? (value) => typeof value !== 'number' || fits(value, limit) : undefined;
};
/** By code units, of which a character takes one or two. */
const ofText = (fits: (length: number, limit: number) => boolean): Word => {
  return (limit) =>
    typeof limit === 'number' ? (value) => typeof value !== 'string' || fits(value.length, limit) : undefined;
};
const ofList = (fits: (length: number, limit: number) => boolean): Word => {
  return (limit) =>
    typeof limit === 'number' ? (value) => !Array.isArray(value) || fits(value.length, limit) : undefined;
};

const propertiesFit: Word = (properties, depth, schema) => {
  if (!isSchema(properties)) return undefined;
  const others = schema['additionalProperties'];
  const read = new Map(Object.entries(properties).map(([name, part]) => [name, reading(part, depth + 1)]));
  const other = others === undefined ? NOTHING : reading(others, depth + 1);
  return (value) => {
    if (!isSchema(value)) return true;
    for (const key of Object.keys(value)) if (!(read.get(key) ?? other)(value[key])) return false;
    return true;
  };
};

const WORDS: Readonly<Record<string, Word>> = {
  properties: propertiesFit,
  additionalProperties: (_others, depth, schema) =>
    schema['properties'] === undefined ? propertiesFit({}, depth, schema) : NOTHING,
  required: (names) => {
    if (!Array.isArray(names)) return undefined;
    const keys = names.filter((name) => typeof name === 'string');
    return (value) => !isSchema(value) || keys.every((key) => Object.hasOwn(value, key));
  },
  items: (part, depth) => {
    if (!isSchema(part)) return undefined;
    const fits = reading(part, depth + 1);
    return (value) => !Array.isArray(value) || value.every(fits);
  },
  anyOf: (choices, depth) => {
    if (!Array.isArray(choices)) return undefined;
    const read = choices.map((choice) => reading(choice, depth + 1));
    return (value) => read.some((fits) => fits(value));
  },
  enum: (values) => (Array.isArray(values) ? (value) => values.includes(value as SchemaValue) : undefined),
  const: (only) => (value) => value === only,
  minimum: ofNumber((value, limit) => value >= limit),
  maximum: ofNumber((value, limit) => value <= limit),
  minLength: ofText((length, limit) => length >= 2 * Math.ceil(limit) - 1),
  maxLength: ofText((length, limit) => length <= limit),
  minItems: ofList((length, limit) => length >= limit),
  maxItems: ofList((length, limit) => length <= limit),
};
