/**
 * From the arguments a caller sent to the arguments that run (E5, K4): unknown ones dropped and named, defaults in,
 * types checked. `strict` is for payloads of programs: nothing is converted. `model` is for a model's own calls: what
 * can be repaired without losing anything is repaired, and each repair is named. A boolean is never a number, either way.
 */
import {
  checkValue,
  entryParts,
  isSchema,
  itemPart,
  matchesType,
  resolveReference,
  type Schema,
  schemaTypes,
} from '../schema/index.ts';
import type { JsonObject, JsonSchema, JsonValue } from './json.ts';
import { LIMITS } from './limits.ts';
import type { Repair } from './message.ts';
import { nearest } from './tool/nearest-names.ts';
import { parseWritten, writtenNumber } from './written-numbers.ts';

export type ValidArguments = { ok: true; arguments: JsonObject; dropped: string[]; repairs: Repair[] };
export type InvalidArguments = { ok: false; issues: string[] };

const DEPTH_MAX = 64;

export const validateArguments = (
  parameters: JsonSchema,
  args: unknown,
  mode: 'strict' | 'model',
): ValidArguments | InvalidArguments => {
  if (!matchesType(args, 'object')) return { ok: false, issues: ['the arguments must be a JSON object'] };
  const work: Work = { root: parameters, mode, repairs: [], dropped: [], unquoted: new Set() };
  const prepared = wellFormed(
    work,
    prepare(work, parameters, args as JsonObject, { path: '', depth: 0 }),
  ) as JsonObject;
  const issues = checkValue(parameters, prepared);
  if (issues.length > 0) {
    return {
      ok: false,
      issues: [
        ...issues.slice(0, LIMITS.argumentErrors).map(({ path, message }) => {
          const place = path.slice(1).replaceAll('/', '.') || 'the arguments';
          return `${place} ${work.unquoted.has(place) ? UNQUOTED : message}`;
        }),
        ...otherNames(parameters, args as JsonObject, work.dropped),
      ],
    };
  }
  return { ok: true, arguments: prepared, dropped: work.dropped, repairs: work.repairs };
};

/** Half a character becomes U+FFFD: servers, files and databases refuse it, or each makes something else of it. */
const wellFormed = (work: Work, value: JsonValue, depth = 0): JsonValue => {
  if (typeof value === 'string') {
    if (value.isWellFormed()) return value;
    work.repairs.push({ kind: 'half_character', detail: 'half a character in the arguments became U+FFFD' });
    return value.toWellFormed();
  }
  if (typeof value !== 'object' || value === null || depth > DEPTH_MAX) return value;
  if (Array.isArray(value)) return value.map((entry) => wellFormed(work, entry, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [key.toWellFormed(), wellFormed(work, entry, depth + 1)]),
  );
};

/** Arguments that do not exist, beside required ones that are not there: one is probably meant by the other. */
const otherNames = (parameters: JsonSchema, args: JsonObject, dropped: readonly string[]): string[] => {
  const { required } = parameters;
  const missing = (Array.isArray(required) ? required : []).filter(
    (name): name is string => typeof name === 'string' && !Object.hasOwn(args, name),
  );
  if (missing.length === 0) return [];
  return dropped.slice(0, LIMITS.nearestNames).flatMap((name) => {
    const near = nearest(name, missing)[0] ?? (dropped.length === 1 && missing.length === 1 ? missing[0] : undefined);
    return near === undefined
      ? []
      : [`there is no argument ${name.slice(0, LIMITS.comparedCharacters)}, did you mean ${near}?`];
  });
};

/** What the model reads after a call it has to correct: what was wrong, and the schema to fit. */
export const repairText = (name: string, parameters: JsonSchema, issues: readonly string[]): string =>
  `Invalid arguments for ${name}: ${issues.join('; ')}. Call ${name} again with arguments that fit this schema: ${JSON.stringify(parameters)}`;

type Work = {
  root: Schema;
  mode: 'strict' | 'model';
  repairs: Repair[];
  dropped: string[];
  /** Where a number stands in place of a text, and nobody knows any more how it was written. */
  unquoted: Set<string>;
};
const UNQUOTED = 'must be text: write it in quotes';

/** Where a value stands. `digits`: those of a number, as they were written. */
type Spot = { path: string; depth: number; digits?: string | undefined };

const below = ({ path, depth }: Spot, container: object, key: string | number): Spot => ({
  path: path === '' ? String(key) : `${path}.${key}`,
  depth: depth + 1,
  digits: writtenNumber(container, key),
});

/** A copy with defaults in, unknown top-level keys out, and (for models) lossless conversions made. */
const prepare = (work: Work, schema: Schema, value: JsonValue, spot: Spot): JsonValue => {
  const target = typeof schema.$ref === 'string' ? resolveReference(work.root, schema.$ref) : schema;
  if (target === undefined || spot.depth > DEPTH_MAX) return value;
  const converted = work.mode === 'model' ? convert(work, target, value, spot) : value;
  if (Array.isArray(converted)) {
    return converted.map((entry, index) => {
      const part = itemPart(target, index);
      return isSchema(part) ? prepare(work, part, entry, below(spot, converted, index)) : entry;
    });
  }
  if (typeof converted !== 'object' || converted === null) return converted;
  return prepareObject(work, target, converted, spot);
};

const prepareObject = (work: Work, schema: Schema, value: JsonObject, spot: Spot): JsonObject => {
  const properties = isSchema(schema.properties) ? schema.properties : {};
  const result: JsonObject = {};
  for (const [key, entry] of Object.entries(value)) {
    const isNamed = Object.hasOwn(properties, key);
    const parts = entryParts(schema, key);
    const property = parts.find(isSchema);
    const isKnown = isNamed || parts.some((part) => part !== false);
    const inner = below(spot, value, key);
    // A key of this name would set the prototype instead of an entry.
    if (key === '__proto__' || (!isKnown && spot.path === '')) work.dropped.push(inner.path);
    else if (entry === null && work.mode === 'model' && isNamed && isOptional(schema, key) && !allowsNull(property)) {
      work.repairs.push({
        kind: 'null_argument',
        detail: `${inner.path} was null and is optional, so it was left out`,
      });
    } else result[key] = property === undefined ? entry : prepare(work, property, entry, inner);
  }
  for (const [key, property] of Object.entries(properties)) {
    if (isSchema(property) && property.default !== undefined && !Object.hasOwn(result, key)) {
      result[key] = structuredClone(property.default);
    }
  }
  return result;
};

const isOptional = (schema: Schema, key: string): boolean =>
  !(Array.isArray(schema.required) && schema.required.includes(key));

const allowsNull = (schema: JsonValue | undefined): boolean =>
  !isSchema(schema) || schemaTypes(schema).length === 0 || schemaTypes(schema).includes('null');

/** Conversions that lose nothing. What does not convert stays as it is, and the check says what is wrong with it. */
const convert = (work: Work, schema: Schema, value: JsonValue, { path, digits }: Spot): JsonValue => {
  const types = schemaTypes(schema);
  const fits = types.length === 0 || types.some((type) => matchesType(value, type));
  const isInexact = Number.isInteger(value) && !Number.isSafeInteger(value) && types.includes('string');
  if (fits && !isInexact) return Array.isArray(schema.enum) ? convertEnum(work, schema.enum, value, path) : value;
  for (const type of types) {
    const converted = convertTo(type, value, digits);
    if (converted === undefined) continue;
    work.repairs.push({
      kind: 'type_coercion',
      detail: `${path} was sent as ${(digits ?? JSON.stringify(value)).slice(0, 80)} and taken as the ${type} it stands for`,
    });
    return converted;
  }
  if (typeof value === 'number' && types.includes('string')) work.unquoted.add(path);
  return value;
};

const convertTo = (type: string, value: JsonValue, digits: string | undefined): JsonValue | undefined => {
  if (typeof value === 'number' && type === 'string') return digits;
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  if (type === 'integer') return /^[+-]?\d{1,15}(?:\.0+)?$/.test(text) ? Number(text) : undefined;
  if (type === 'number')
    return /^[+-]?\d{1,15}(?:\.\d{1,15})?(?:e[+-]?\d{1,2})?$/i.test(text) ? Number(text) : undefined;
  if (type === 'boolean') return /^true$/i.test(text) ? true : /^false$/i.test(text) ? false : undefined;
  if (type === 'null') return /^(?:null|none)$/i.test(text) ? null : undefined;
  if (type !== 'array' && type !== 'object') return undefined;
  try {
    const parsed = parseWritten(text);
    return matchesType(parsed, type) ? parsed : undefined;
  } catch {
    return undefined;
  }
};

const convertEnum = (work: Work, choices: readonly JsonValue[], value: JsonValue, path: string): JsonValue => {
  if (typeof value !== 'string' || choices.includes(value)) return value;
  const plain = (text: string): string =>
    text
      .trim()
      .toLowerCase()
      .replaceAll(/[\s_-]+/g, '_');
  const near = choices.filter(
    (choice): choice is string => typeof choice === 'string' && plain(choice) === plain(value),
  );
  const [only] = near;
  if (only === undefined || near.length > 1) return value;
  work.repairs.push({ kind: 'enum_spelling', detail: `${path} was "${value}" and taken as "${only}"` });
  return only;
};
