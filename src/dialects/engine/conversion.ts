/** Types of values that a model wrote as text, by the tool's schema. What cannot be converted stays text. */
import { isObject, type JsonSchema, type JsonValue } from '../../core/json.ts';
import { keepWritten, writtenJson, writtenNumber } from '../../core/written-numbers.ts';
import { certainParts, entryParts, itemPart, possibleParts } from '../../schema/parts.ts';
import { readLeniently } from './lenient.ts';

type TypeName = 'string' | 'integer' | 'number' | 'boolean' | 'object' | 'array' | 'null';

/** The types a schema allows; empty where it does not say. */
export const typesOf = (schema: JsonSchema | undefined): ReadonlySet<TypeName> => {
  const types = new Set<TypeName>();
  if (schema !== undefined) collectTypes(schema, schema, types, 0);
  return types;
};

const SCHEMA_DEPTH = 8;
const TYPE_NAMES = new Set(['string', 'integer', 'number', 'boolean', 'object', 'array', 'null']);
/** Spellings that tool authors and older models use. */
const TYPE_ALIASES: Record<string, TypeName> = {
  str: 'string',
  text: 'string',
  int: 'integer',
  float: 'number',
  double: 'number',
  bool: 'boolean',
  dict: 'object',
  list: 'array',
  tuple: 'array',
};

const collectTypes = (root: JsonSchema, schema: JsonSchema, types: Set<TypeName>, depth: number): void => {
  if (depth > SCHEMA_DEPTH) return;
  const { type } = schema;
  for (const name of Array.isArray(type) ? type : [type]) {
    if (typeof name !== 'string') continue;
    if (TYPE_NAMES.has(name)) types.add(name as TypeName);
    else if (Object.hasOwn(TYPE_ALIASES, name)) types.add(TYPE_ALIASES[name] as TypeName);
  }
  if (schema['nullable'] === true) types.add('null');
  const choices = [schema['anyOf'], schema['oneOf']].flatMap((list) => (Array.isArray(list) ? list : []));
  for (const part of [...choices, ...certainParts(root, schema)])
    if (isObject(part)) collectTypes(root, part, types, depth + 1);
  if (types.size > 0) return;
  if (Array.isArray(schema['enum'])) for (const value of schema['enum']) types.add(typeOf(value));
  if (schema['const'] !== undefined) types.add(typeOf(schema['const']));
  if (isObject(schema['properties'])) types.add('object');
  if (schema['items'] !== undefined) types.add('array');
};

const typeOf = (value: JsonValue): TypeName => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value as 'string' | 'boolean' | 'object';
};

/** Only a string will do, or nothing is known: the raw text is the value, and may be passed on as it comes. */
export const isPlainString = (schema: JsonSchema | undefined): boolean => {
  const types = typesOf(schema);
  return types.size === 0 || (types.size === 1 && types.has('string'));
};

/** A string will do, or nothing is known. */
export const mayBeString = (schema: JsonSchema | undefined): boolean => {
  const types = typesOf(schema);
  return types.size === 0 || types.has('string');
};

const fits = (value: JsonValue, types: ReadonlySet<TypeName>): boolean => {
  const type = typeOf(value);
  return types.has(type) || (type === 'integer' && types.has('number'));
};

/**
 * Raw text as JSON text of the type that the schema wants. Strings stay as they are; what may be something else is
 * read as JSON or as a Python literal first.
 */
export const convertRaw = (raw: string, schema: JsonSchema | undefined): string => {
  const types = typesOf(schema);
  const string = JSON.stringify(raw);
  if (isPlainString(schema)) return string;
  const read = readLeniently(raw.trim());
  if (read === undefined) return string;
  const value = coerce(read.value, schema);
  if (!fits(value, types)) return string;
  // A text that may be a string is something else only where that is plain to see.
  if (types.has('string') && typeof value === 'string') return string;
  return value === read.value ? read.json : writtenJson(value);
};

/**
 * A JSON value with its strings converted where the schema wants something else and nothing is lost ("5" to 5), and its
 * numbers where it wants a text: to the `digits` that were written. The same object comes back where nothing had to be
 * done.
 */
export const coerce = (value: JsonValue, schema: JsonSchema | undefined, digits?: string): JsonValue => {
  if (schema === undefined) return value;
  if (typeof value === 'number') return coerceNumber(value, schema, digits);
  if (typeof value === 'string') return coerceString(value, schema);
  if (Array.isArray(value)) return coerceArray(value, schema);
  if (isObject(value)) return coerceObject(value, schema);
  return value;
};

const coerceString = (value: string, schema: JsonSchema): JsonValue => {
  const types = typesOf(schema);
  if (mayBeString(schema)) return value;
  const read = readLeniently(value.trim());
  if (read === undefined || typeof read.value === 'string') return value;
  const inner = coerce(read.value, schema);
  return fits(inner, types) ? inner : value;
};

const coerceNumber = (value: number, schema: JsonSchema, digits: string | undefined): JsonValue => {
  const types = typesOf(schema);
  return types.has('string') && !fits(value, types) ? (digits ?? value) : value;
};

const coerceArray = (value: JsonValue[], schema: JsonSchema): JsonValue => {
  const parts = possibleParts(schema, schema);
  const converted = value.map((element, index) => {
    const inner = joined(
      schema,
      parts.map((part) => itemPart(part, index)),
    );
    return coerce(element, inner, writtenNumber(value, index));
  });
  return converted.every((element, i) => element === value[i]) ? value : keepWritten(value, converted);
};

const coerceObject = (value: { [key: string]: JsonValue }, schema: JsonSchema): JsonValue => {
  const parts = possibleParts(schema, schema);
  let changed = false;
  const entries = Object.entries(value).map(([key, inner]): [string, JsonValue] => {
    const converted = coerce(inner, entryOf(schema, parts, key), writtenNumber(value, key));
    if (converted !== inner) changed = true;
    return [key, converted];
  });
  return changed ? keepWritten(value, Object.fromEntries(entries)) : value;
};

/** What a schema says of an entry, by whichever of its parts; undefined where it says nothing. */
export const entrySchema = (schema: JsonSchema | undefined, key: string): JsonSchema | undefined =>
  schema && entryOf(schema, possibleParts(schema, schema), key);

/** The names that a schema has for entries, in whichever of its parts. */
export const entryNames = (schema: JsonSchema): string[] => [
  ...new Set(
    possibleParts(schema, schema).flatMap(({ properties }) => (isObject(properties) ? Object.keys(properties) : [])),
  ),
];

/** The same for an item of a list. */
export const itemSchema = (schema: JsonSchema | undefined, index: number): JsonSchema | undefined =>
  schema &&
  joined(
    schema,
    possibleParts(schema, schema).map((part) => itemPart(part, index)),
  );

const entryOf = (root: JsonSchema, parts: readonly JsonSchema[], key: string): JsonSchema | undefined =>
  joined(
    root,
    parts.flatMap((part) => entryParts(part, key)),
  );

/** Parts about one value: where they differ in its type it stays as it is. References are looked up beside them. */
const joined = (root: JsonSchema, parts: readonly (JsonValue | undefined)[]): JsonSchema | undefined => {
  const [first, ...more] = parts.filter(isObject);
  if (first === undefined) return undefined;
  const schema = more.length === 0 ? first : { anyOf: [first, ...more] };
  const { $defs, definitions } = root;
  if ($defs === undefined && definitions === undefined) return schema;
  return {
    ...schema,
    ...($defs === undefined ? {} : { $defs }),
    ...(definitions === undefined ? {} : { definitions }),
  };
};
