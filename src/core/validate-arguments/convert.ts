/** Values of another type than the schema's, converted where nothing is lost. */
import { matchesType, type Schema, schemaTypes } from '../../schema/index.ts';
import type { JsonValue } from '../json.ts';
import { parseWritten } from '../written-numbers.ts';
import type { Work } from './work.ts';

/** A whole number that more than one text may stand for. */
export const isAmbiguous = (value: JsonValue): boolean => Number.isInteger(value) && !Number.isSafeInteger(value);

/** Conversions that lose nothing. What does not convert stays as it is, and the check says what is wrong with it. */
export const convert = (
  work: Work,
  schema: Schema,
  value: JsonValue,
  { path, digits }: { path: string; digits?: string | undefined },
): JsonValue => {
  const types = schemaTypes(schema);
  const fits = types.length === 0 || types.some((type) => matchesType(value, type));
  if (fits && !(isAmbiguous(value) && types.includes('string')))
    return Array.isArray(schema.enum) ? convertEnum(work, schema.enum, value, path) : value;
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
