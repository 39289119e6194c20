/** Which parts of a schema are about a value, an entry of an object or an item of an array. */
import { expressionOf } from './expression.ts';
import { REFERENCES, resolveReference } from './reference.ts';
import { isSchema, type Schema, type SchemaValue } from './schema-value.ts';

/**
 * `properties` and each of `patternProperties` that fits; `additionalProperties` where none does. Whether one fits that cannot
 * be tried is not known, and then its part holds: more is checked and nothing less.
 */
export const entryParts = (schema: Schema, key: string): SchemaValue[] => {
  const { properties, patternProperties, additionalProperties } = schema;
  const parts: SchemaValue[] = [];
  if (isSchema(properties) && Object.hasOwn(properties, key)) parts.push(properties[key] as SchemaValue);
  if (isSchema(patternProperties))
    for (const [pattern, part] of Object.entries(patternProperties)) if (mayFit(pattern, key)) parts.push(part);
  return parts.length > 0 || additionalProperties === undefined ? parts : [additionalProperties];
};

const mayFit = (pattern: string, key: string): boolean => {
  const expression = expressionOf(pattern);
  return expression !== undefined && (expression.kind === 'refused' || expression.fits(key) !== false);
};

/** `prefixItems`, or `items` as a list in older schemas, and what holds for those behind them. */
export const itemPart = (schema: Schema, index: number): SchemaValue | undefined => {
  const { prefixItems, items, additionalItems } = schema;
  if (Array.isArray(items)) return index < items.length ? items[index] : additionalItems;
  return Array.isArray(prefixItems) && index < prefixItems.length ? prefixItems[index] : items;
};

type Dependents = { names: readonly string[]; parts: readonly SchemaValue[] };
const NOTHING: Dependents = { names: [], parts: [] };

/** What holds because an entry is there: names that are required beside it, and parts for the whole object. */
export const dependents = (schema: Schema, key: string): Dependents => {
  const { dependentRequired, dependentSchemas, dependencies } = schema;
  // Nearly no schema has them, and this is asked of every entry.
  if (dependentRequired === undefined && dependentSchemas === undefined && dependencies === undefined) return NOTHING;
  const found = [dependentRequired, dependentSchemas, dependencies].flatMap((each) =>
    isSchema(each) && Object.hasOwn(each, key) ? [each[key] as SchemaValue] : [],
  );
  return {
    names: found
      .filter(Array.isArray)
      .flat()
      .filter((name) => typeof name === 'string'),
    parts: found.filter((each) => !Array.isArray(each)),
  };
};

/** What decides which parts hold: where references start, and whether a part fits the value. */
export type Judge = { root: Schema; fits(part: SchemaValue): boolean };

/** The parts that hold for the same value whatever it is: where a reference leads, and all of `allOf`. */
export const certainParts = (root: Schema, schema: Schema): SchemaValue[] => [
  ...REFERENCES.flatMap((word) => {
    const reference = schema[word];
    return (typeof reference === 'string' && resolveReference(root, reference)) || [];
  }),
  ...listed(schema, 'allOf'),
];

/** The parts that hold because of what the value is: a branch of `if`, and what belongs to an entry that is there. */
export const dependingParts = (schema: Schema, value: unknown, judge: Judge): SchemaValue[] => {
  const branch = schema.if === undefined ? undefined : judge.fits(schema.if) ? schema.then : schema.else;
  const beside = isSchema(value) ? Object.keys(value).flatMap((key) => dependents(schema, key).parts) : [];
  return [...(branch === undefined ? [] : [branch]), ...beside];
};

/** A schema and each part of it that is about the same value and fits it. */
export const heldParts = (schema: Schema, value: unknown, judge: Judge): Schema[] =>
  closed(schema, (part) => [
    ...certainParts(judge.root, part),
    ...[...listed(part, 'anyOf'), ...listed(part, 'oneOf'), ...(part.if === undefined ? [] : [part.if])].filter(
      judge.fits,
    ),
    ...dependingParts(part, value, judge),
  ]);

/** A schema and each part of it that holds for the same value, whatever that is. */
export const certainClosure = (root: Schema, schema: Schema): Schema[] =>
  closed(schema, (part) => certainParts(root, part));

/** A schema and each part of it that may be about the same value, whatever that is. */
export const possibleParts = (root: Schema, schema: Schema): Schema[] =>
  closed(schema, (part) => [
    ...certainParts(root, part),
    ...['anyOf', 'oneOf', 'if', 'then', 'else'].flatMap((word) => listed(part, word)),
    ...[part.dependentSchemas, part.dependencies].flatMap((each) => (isSchema(each) ? Object.values(each) : [])),
  ]);

const listed = (schema: Schema, word: string): SchemaValue[] => {
  const value = schema[word];
  return value === undefined ? [] : [value].flat();
};

/** References may lead back, so each part is visited once. */
const closed = (schema: Schema, next: (part: Schema) => readonly SchemaValue[]): Schema[] => {
  const found = new Set<Schema>([schema]);
  for (const part of found) for (const other of next(part)) if (isSchema(other)) found.add(other);
  return [...found];
};
