/** Which parts of a schema are about an entry of an object or an item of an array. */
import { isSchema, type Schema, type SchemaValue } from './schema-value.ts';

/** With and without the rules for Unicode: schemas are written for both. Undefined where it compiles under neither. */
export const expressionOf = (pattern: string): RegExp | undefined => compiled(pattern, 'u') ?? compiled(pattern, '');

const compiled = (pattern: string, flags: string): RegExp | undefined => {
  try {
    return new RegExp(pattern, flags);
  } catch {
    return undefined;
  }
};

/** `properties` and each of `patternProperties` that fits; `additionalProperties` where none does. */
export const entryParts = (schema: Schema, key: string): SchemaValue[] => {
  const { properties, patternProperties, additionalProperties } = schema;
  const parts: SchemaValue[] = [];
  if (isSchema(properties) && Object.hasOwn(properties, key)) parts.push(properties[key] as SchemaValue);
  if (isSchema(patternProperties))
    for (const [pattern, part] of Object.entries(patternProperties))
      if (expressionOf(pattern)?.test(key)) parts.push(part);
  return parts.length > 0 || additionalProperties === undefined ? parts : [additionalProperties];
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
