/**
 * Checks a JSON value against a JSON Schema (2020-12, the part that describes tool arguments) and lists what is wrong
 * in words a model can act on. `format` and unknown keywords are annotations, as the standard says. Whoever needs the
 * whole standard (remote references, dynamic anchors) hands in a checker of their own.
 */
import { dependents, entryParts, expressionOf, itemPart } from './parts.ts';
import {
  deepEqual,
  isSchema,
  matchesType,
  resolveReference,
  type Schema,
  type SchemaValue,
  schemaTypes,
  typeName,
} from './schema-value.ts';

export type Issue = {
  /** JSON Pointer; empty for the whole value. */
  path: string;
  message: string;
};

/** A schema nested deeper than this is a mistake or an attack. */
const DEPTH_MAX = 64;
const ISSUES_MAX = 50;

/** Most keys hold neither of the two, and looking is faster than replacing nothing. */
const pointer = (path: string, key: string | number): string =>
  typeof key === 'string' && (key.includes('~') || key.includes('/'))
    ? `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
    : `${path}/${key}`;

export const checkValue = (schema: Schema, value: unknown): Issue[] => {
  const place: Place = { root: schema, issues: [], path: '', depth: 0 };
  check(place, schema, value);
  return place.issues.slice(0, ISSUES_MAX);
};

/** Whether a value fits a part of a schema, whose references start at the root. */
export const fitsPart = (root: Schema, part: SchemaValue, value: unknown): boolean =>
  valid({ root, issues: [], path: '', depth: 0 }, part, value);

/** Where in the value the check is, and what was found so far. */
type Place = { root: Schema; issues: Issue[]; path: string; depth: number };

const inside = ({ root, issues, path, depth }: Place, key: string | number): Place => ({
  root,
  issues,
  path: pointer(path, key),
  depth: depth + 1,
});
/** The same value under another part of the schema. */
const again = ({ root, issues, path, depth }: Place): Place => ({ root, issues, path, depth: depth + 1 });

const valid = ({ root, depth }: Place, schema: SchemaValue | undefined, value: unknown): boolean => {
  const apart: Place = { root, issues: [], path: '', depth: depth + 1 };
  check(apart, schema, value);
  return apart.issues.length === 0;
};

const check = (place: Place, schema: SchemaValue | undefined, value: unknown): void => {
  const { root, issues, path, depth } = place;
  const say = (message: string): void => {
    issues.push({ path, message });
  };
  if (depth > DEPTH_MAX) say('is nested too deeply');
  if (schema === false) say('is not allowed');
  if (depth > DEPTH_MAX || !isSchema(schema) || issues.length >= ISSUES_MAX) return;
  if (typeof schema.$ref === 'string') {
    const target = resolveReference(root, schema.$ref);
    if (target === undefined) say(`cannot be checked: the schema's reference ${schema.$ref} leads nowhere`);
    else check(again(place), target, value);
  }
  if (!isOfType(schema, value)) {
    say(`must be ${schemaTypes(schema).join(' or ')}, not ${typeName(value)}`);
    return;
  }
  if (Array.isArray(schema.enum) && !schema.enum.some((entry) => deepEqual(entry, value))) {
    say(`must be one of ${schema.enum.map((entry) => JSON.stringify(entry)).join(', ')}`);
  }
  if (schema.const !== undefined && !deepEqual(schema.const, value)) say(`must be ${JSON.stringify(schema.const)}`);
  if (typeof value === 'number') checkNumber(schema, value, say);
  if (typeof value === 'string') checkString(schema, value, say);
  if (Array.isArray(value)) checkArray(place, schema, value, say);
  else if (typeof value === 'object' && value !== null) {
    checkObject(place, schema, value as Record<string, unknown>, say);
  }
  checkCombined(place, schema, value, say);
};

type Say = (message: string) => void;

const isOfType = (schema: Schema, value: unknown): boolean => {
  if (typeof schema.type === 'string') return matchesType(value, schema.type);
  const types = schemaTypes(schema);
  return types.length === 0 || types.some((type) => matchesType(value, type));
};

const checkNumber = (schema: Schema, value: number, say: Say): void => {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  if (!Number.isFinite(value)) say('must be a finite number');
  if (Number.isInteger(value) && !Number.isSafeInteger(value) && schemaTypes(schema).includes('integer')) {
    say('is too large to be exact');
  }
  if (typeof minimum === 'number' && value < minimum) say(`must be at least ${minimum}`);
  if (typeof maximum === 'number' && value > maximum) say(`must be at most ${maximum}`);
  if (typeof exclusiveMinimum === 'number' && value <= exclusiveMinimum) say(`must be more than ${exclusiveMinimum}`);
  if (typeof exclusiveMaximum === 'number' && value >= exclusiveMaximum) say(`must be less than ${exclusiveMaximum}`);
  if (typeof multipleOf === 'number' && multipleOf > 0) {
    const quotient = value / multipleOf;
    if (Math.abs(quotient - Math.round(quotient)) > 1e-9) say(`must be a multiple of ${multipleOf}`);
  }
};

const checkString = (schema: Schema, value: string, say: Say): void => {
  const { minLength, maxLength, pattern } = schema;
  if (typeof minLength === 'number' && value.length < minLength)
    say(`must have at least ${counted(minLength, 'character')}`);
  if (typeof maxLength === 'number' && value.length > maxLength)
    say(`must have at most ${counted(maxLength, 'character')}`);
  if (typeof pattern === 'string') {
    // One that does not compile constrains nothing: the schema's author made the mistake, not the caller.
    const expression = expressionOf(pattern);
    if (expression !== undefined && !expression.test(value)) say(`must match ${pattern}`);
  }
};

const checkArray = (place: Place, schema: Schema, value: readonly unknown[], say: Say): void => {
  const { minItems, maxItems, uniqueItems } = schema;
  if (typeof minItems === 'number' && value.length < minItems) say(`must have at least ${counted(minItems, 'item')}`);
  if (typeof maxItems === 'number' && value.length > maxItems) say(`must have at most ${counted(maxItems, 'item')}`);
  if (
    uniqueItems === true &&
    value.some((entry, index) => value.slice(0, index).some((other) => deepEqual(other, entry)))
  ) {
    say('must not repeat an item');
  }
  checkContained(place, schema, value, say);
  value.forEach((entry, index) => {
    check(inside(place, index), itemPart(schema, index), entry);
  });
};

const checkContained = (place: Place, schema: Schema, value: readonly unknown[], say: Say): void => {
  const { contains, minContains = 1, maxContains } = schema;
  if (contains === undefined) return;
  const count = value.filter((entry) => valid(place, contains, entry)).length;
  const wanted = `that ${isSchema(contains) ? `fits ${JSON.stringify(contains)}` : 'may be there'}`;
  if (typeof minContains === 'number' && count < minContains)
    say(`must have at least ${counted(minContains, 'item')} ${wanted}`);
  if (typeof maxContains === 'number' && count > maxContains)
    say(`must have at most ${counted(maxContains, 'item')} ${wanted}`);
};

const checkObject = (place: Place, schema: Schema, value: Record<string, unknown>, say: Say): void => {
  const properties = isSchema(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required : [];
  for (const key of required) {
    if (typeof key === 'string' && !Object.hasOwn(value, key)) {
      const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
      const types = isSchema(property) ? schemaTypes(property).join(' or ') : '';
      place.issues.push({ path: pointer(place.path, key), message: `is required${types ? ` (${types})` : ''}` });
    }
  }
  const { minProperties, maxProperties, propertyNames } = schema;
  const keys = Object.keys(value);
  if (typeof minProperties === 'number' && keys.length < minProperties)
    say(`must have at least ${counted(minProperties, 'entry', 'entries')}`);
  if (typeof maxProperties === 'number' && keys.length > maxProperties)
    say(`must have at most ${counted(maxProperties, 'entry', 'entries')}`);
  for (const key of keys) {
    const parts = entryParts(schema, key);
    for (const part of parts) check(inside(place, key), part, value[key]);
    // What nothing is said of needs no place, but for one that is too deep.
    if (parts.length === 0 && place.depth >= DEPTH_MAX) check(inside(place, key), undefined, value[key]);
    if (propertyNames !== undefined && !valid(place, propertyNames, key))
      place.issues.push({ path: pointer(place.path, key), message: 'has a name that is not allowed' });
    const { names, parts: others } = dependents(schema, key);
    for (const name of names)
      if (!Object.hasOwn(value, name))
        place.issues.push({ path: pointer(place.path, name), message: `is required beside ${key}` });
    for (const part of others) check(again(place), part, value);
  }
};

const checkCombined = (place: Place, schema: Schema, value: unknown, say: Say): void => {
  const { allOf, anyOf, oneOf, not } = schema;
  if (Array.isArray(allOf)) for (const part of allOf) check(again(place), part, value);
  if (Array.isArray(anyOf) && !anyOf.some((part) => valid(place, part, value))) {
    say(`must fit one of ${describeChoices(anyOf)}`);
  }
  if (Array.isArray(oneOf) && oneOf.filter((part) => valid(place, part, value)).length !== 1) {
    say(`must fit exactly one of ${describeChoices(oneOf)}`);
  }
  if (not !== undefined && valid(place, not, value)) say('has a form that is not allowed');
  if (schema.if !== undefined) {
    const branch = valid(place, schema.if, value) ? schema.then : schema.else;
    check(again(place), branch, value);
  }
};

const describeChoices = (choices: readonly SchemaValue[]): string =>
  choices
    .map((choice) => (isSchema(choice) ? schemaTypes(choice).join(' or ') || 'a schema of its own' : String(choice)))
    .join(', ');

/** `1 item`, `2 items`. */
const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;
