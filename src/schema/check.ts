/**
 * Checks a JSON value against a JSON Schema (2020-12, the part that describes tool arguments) and lists what is wrong
 * in words a model can act on. Unknown keywords are annotations, as the standard says, and
 * `format` is one unless it is asked for. Whoever needs the
 * whole standard (remote references, dynamic anchors) hands in a checker of their own.
 */
import { meantChoice } from './choices.ts';
import { expressionOf, type Steps, steps } from './expression.ts';
import { unlike } from './formats.ts';
import { dependents, entryParts, heldParts, itemPart } from './parts.ts';
import { REFERENCES, resolveReference } from './reference.ts';
import { deepEqual, isOfType, isSchema, type Schema, type SchemaValue, schemaTypes, typeName } from './schema-value.ts';

export type Issue = {
  /** JSON Pointer; empty for the whole value. */
  path: string;
  message: string;
};

/** A schema nested deeper than this is a mistake or an attack. */
const DEPTH_MAX = 64;
const ISSUES_MAX = 50;

/**
 * `formats`: those that are known are checked too, which the standard leaves open. `largeIntegers`: a whole number may be
 * larger than one that is surely exact, since somebody knows its digits.
 */
export const checkValue = (
  schema: Schema,
  value: unknown,
  { formats = false, largeIntegers = false } = {},
): Issue[] => {
  const walk = walkOf({ root: schema, formats, largeIntegers, found: new Map(), spent: fresh() }, true, placeOf(value));
  check(walk, 0, schema, value);
  const { unknown } = walk.spent;
  // What could not be told may have been asked for the opposite (`not`), and is then no issue there.
  if (unknown !== undefined && walk.issues.length === 0) walk.issues.push(unknown);
  return walk.issues.slice(0, ISSUES_MAX);
};

/** Whether a value fits a part of a schema, whose references start at the root. */
export const fitsPart = (root: Schema, part: SchemaValue, value: unknown): boolean =>
  valid({ root, formats: false, largeIntegers: false, found: new Map(), spent: fresh() }, 0, part, value);

/**
 * What was found so far, and by which keys the walk came to the value. There is one for all of a value: whoever opens a
 * long session checks a million places, and where nothing is wrong none of them needs a path.
 */
type Walk = Rules & {
  readonly issues: Issue[];
  readonly keys: (string | number)[];
  /** Somebody reads the issues: else only whether there are any counts. */
  readonly isTold: boolean;
  /** What stands for the place in the value, for `found`. */
  place: object;
};
/** Where references start, whether formats count, what was found where references led, and what it all may still cost. */
type Rules = {
  readonly root: Schema;
  readonly formats: boolean;
  readonly largeIntegers: boolean;
  readonly found: Map<object, Map<Schema, Found>>;
  readonly spent: Spent;
};
/** `unknown`: what nobody can say, since it would take too long. It is an issue of the whole value. */
type Spent = { readonly steps: Steps; unknown: Issue | undefined };
const fresh = (): Spent => ({ steps: steps(), unknown: undefined });
/** Of the target of a reference at one place. Parts may be reached by many ways, whose number doubles with each step. */
type Found = 'open' | 'fits' | 'fails' | 'told';

const walkOf = (rules: Rules, isTold: boolean, place: object): Walk => ({
  ...rules,
  issues: [],
  keys: [],
  isTold,
  place,
});
/** An object is its own place. Equal texts and numbers stand at many. */
const placeOf = (value: unknown): object => (typeof value === 'object' && value !== null ? value : {});

const say = (walk: Walk, message: string): void => {
  walk.issues.push({ path: pathOf(walk.keys), message });
};
const sayUnknown = (walk: Walk, message: string): void => {
  say(walk, message);
  walk.spent.unknown ??= walk.issues.at(-1);
};
const sayOf = (walk: Walk, key: string, message: string): void => {
  walk.issues.push({ path: pathOf([...walk.keys, key]), message });
};
const pathOf = (keys: readonly (string | number)[]): string =>
  keys.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

const checkInside = (
  walk: Walk,
  depth: number,
  key: string | number,
  schema: SchemaValue | undefined,
  value: unknown,
): void => {
  const { place } = walk;
  walk.keys.push(key);
  walk.place = placeOf(value);
  check(walk, depth + 1, schema, value);
  walk.place = place;
  walk.keys.pop();
};

const valid = (
  rules: Rules,
  depth: number,
  schema: SchemaValue | undefined,
  value: unknown,
  place = placeOf(value),
): boolean => {
  const apart = walkOf(rules, false, place);
  check(apart, depth + 1, schema, value);
  return apart.issues.length === 0;
};

const check = (walk: Walk, depth: number, schema: SchemaValue | undefined, value: unknown): void => {
  const before = walk.issues.length;
  if (depth > DEPTH_MAX) say(walk, 'is nested too deeply');
  if (schema === false) say(walk, 'is not allowed');
  if (depth > DEPTH_MAX || !isSchema(schema) || walk.issues.length >= ISSUES_MAX) return;
  for (const word of REFERENCES) {
    const reference = schema[word];
    if (typeof reference !== 'string') continue;
    const target = resolveReference(walk.root, reference);
    if (target === undefined) say(walk, `cannot be checked: the schema's reference ${reference} leads nowhere`);
    else checkTarget(walk, depth, target, value);
  }
  if (!isOfType(schema, value)) {
    // JSON text may hold one, such as 1e999.
    if (value === Infinity || value === -Infinity) say(walk, 'is too large for a number');
    else say(walk, `must be ${schemaTypes(schema).join(' or ')}, not ${typeName(value)}`);
    return;
  }
  if (Array.isArray(schema.enum) && !schema.enum.some((entry) => deepEqual(entry, value))) {
    say(walk, `must be one of ${listed(schema.enum)}`);
  }
  if (schema.const !== undefined && !deepEqual(schema.const, value))
    say(walk, `must be ${JSON.stringify(schema.const)}`);
  if (typeof value === 'number') checkNumber(walk, schema, value);
  if (typeof value === 'string') checkString(walk, schema, value);
  if (Array.isArray(value)) checkArray(walk, depth, schema, value);
  else if (typeof value === 'object' && value !== null)
    checkObject(walk, depth, schema, value as Record<string, unknown>);
  checkCombined(walk, depth, schema, value);
  // What a part that does not fit says of entries counts for nothing, so they would all be told again.
  if (walk.issues.length === before && typeof value === 'object' && value !== null)
    checkOthers(walk, depth, schema, value);
};

/** Each target is looked at once a place, and once more where what is wrong with it has to be told. */
const checkTarget = (walk: Walk, depth: number, target: Schema, value: unknown): void => {
  const here = walk.found.get(walk.place) ?? new Map<Schema, Found>();
  walk.found.set(walk.place, here);
  const known = here.get(target);
  if (known === 'fits' || known === 'told') return;
  if (known === 'open' || (known === 'fails' && !walk.isTold)) {
    say(walk, known === 'open' ? 'cannot be checked: the schema leads back to itself' : 'does not fit');
    return;
  }
  here.set(target, 'open');
  const before = walk.issues.length;
  check(walk, depth + 1, target, value);
  if (walk.issues.length > before) here.set(target, walk.isTold ? 'told' : 'fails');
  // Where enough was found, nothing more was looked at.
  else if (before >= ISSUES_MAX) here.delete(target);
  else here.set(target, 'fits');
};

const checkNumber = (walk: Walk, schema: Schema, value: number): void => {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  if (!Number.isFinite(value)) say(walk, 'is too large for a number');
  const isSure = walk.largeIntegers || !Number.isInteger(value) || Number.isSafeInteger(value);
  if (!isSure && schemaTypes(schema).includes('integer')) say(walk, 'is too large to be exact');
  // Until draft 4, whether the limit itself fits was said beside it.
  if (exclusiveMinimum === true && value === minimum) say(walk, `must be more than ${minimum}`);
  if (exclusiveMaximum === true && value === maximum) say(walk, `must be less than ${maximum}`);
  if (typeof minimum === 'number' && value < minimum) say(walk, `must be at least ${minimum}`);
  if (typeof maximum === 'number' && value > maximum) say(walk, `must be at most ${maximum}`);
  if (typeof exclusiveMinimum === 'number' && value <= exclusiveMinimum)
    say(walk, `must be more than ${exclusiveMinimum}`);
  if (typeof exclusiveMaximum === 'number' && value >= exclusiveMaximum)
    say(walk, `must be less than ${exclusiveMaximum}`);
  if (typeof multipleOf === 'number' && multipleOf > 0) {
    const quotient = value / multipleOf;
    if (Math.abs(quotient - Math.round(quotient)) > 1e-9) say(walk, `must be a multiple of ${multipleOf}`);
  }
};

const checkString = (walk: Walk, schema: Schema, value: string): void => {
  const { minLength, maxLength, pattern, format } = schema;
  if (walk.formats && typeof format === 'string') {
    const example = unlike(format, value);
    if (example !== undefined) say(walk, `must be a ${format}, such as ${example}`);
  }
  if (typeof minLength === 'number' && value.length < 2 * minLength && characters(value) < minLength)
    say(walk, `must have at least ${counted(minLength, 'character')}`);
  if (typeof maxLength === 'number' && value.length > maxLength && characters(value) > maxLength)
    say(walk, `must have at most ${counted(maxLength, 'character')}`);
  if (typeof pattern === 'string') checkPattern(walk, pattern, value);
};

const checkPattern = (walk: Walk, pattern: string, value: string): void => {
  const expression = expressionOf(pattern);
  // One that does not compile constrains nothing: the schema's author made the mistake, not the caller.
  if (expression === undefined) return;
  if (expression.kind === 'refused') {
    sayUnknown(walk, `cannot be held against ${pattern}: ${expression.because}`);
    return;
  }
  const fits = expression.fits(value, walk.spent.steps);
  if (fits === undefined) sayUnknown(walk, `is too long to be held against ${pattern}`);
  if (fits === false) say(walk, `must match ${pattern}`);
};

const checkArray = (walk: Walk, depth: number, schema: Schema, value: readonly unknown[]): void => {
  const { minItems, maxItems, uniqueItems } = schema;
  if (typeof minItems === 'number' && value.length < minItems)
    say(walk, `must have at least ${counted(minItems, 'item')}`);
  if (typeof maxItems === 'number' && value.length > maxItems)
    say(walk, `must have at most ${counted(maxItems, 'item')}`);
  if (
    uniqueItems === true &&
    value.some((entry, index) => value.slice(0, index).some((other) => deepEqual(other, entry)))
  ) {
    say(walk, 'must not repeat an item');
  }
  checkContained(walk, depth, schema, value);
  value.forEach((entry, index) => {
    checkInside(walk, depth, index, itemPart(schema, index), entry);
  });
};

const checkContained = (walk: Walk, depth: number, schema: Schema, value: readonly unknown[]): void => {
  const { contains, minContains = 1, maxContains } = schema;
  if (contains === undefined) return;
  const count = value.filter((entry) => valid(walk, depth, contains, entry)).length;
  const wanted = `that ${isSchema(contains) ? `fits ${JSON.stringify(contains)}` : 'may be there'}`;
  if (typeof minContains === 'number' && count < minContains)
    say(walk, `must have at least ${counted(minContains, 'item')} ${wanted}`);
  if (typeof maxContains === 'number' && count > maxContains)
    say(walk, `must have at most ${counted(maxContains, 'item')} ${wanted}`);
};

const checkObject = (walk: Walk, depth: number, schema: Schema, value: Record<string, unknown>): void => {
  const properties = isSchema(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required : [];
  for (const key of required) {
    if (typeof key === 'string' && !Object.hasOwn(value, key)) {
      const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
      const types = isSchema(property) ? schemaTypes(property).join(' or ') : '';
      sayOf(walk, key, `is required${types ? ` (${types})` : ''}`);
    }
  }
  const { minProperties, maxProperties, propertyNames } = schema;
  const keys = Object.keys(value);
  if (typeof minProperties === 'number' && keys.length < minProperties)
    say(walk, `must have at least ${counted(minProperties, 'entry', 'entries')}`);
  if (typeof maxProperties === 'number' && keys.length > maxProperties)
    say(walk, `must have at most ${counted(maxProperties, 'entry', 'entries')}`);
  for (const key of keys) {
    const parts = entryParts(schema, key);
    for (const part of parts) checkInside(walk, depth, key, part, value[key]);
    // What nothing is said of needs no look, but for one that is too deep.
    if (parts.length === 0 && depth >= DEPTH_MAX) checkInside(walk, depth, key, undefined, value[key]);
    if (propertyNames !== undefined && !valid(walk, depth, propertyNames, key))
      sayOf(walk, key, 'has a name that is not allowed');
    const { names, parts: others } = dependents(schema, key);
    for (const name of names) if (!Object.hasOwn(value, name)) sayOf(walk, name, `is required beside ${key}`);
    for (const part of others) check(walk, depth + 1, part, value);
  }
};

const checkCombined = (walk: Walk, depth: number, schema: Schema, value: unknown): void => {
  const { allOf, anyOf, oneOf, not } = schema;
  const fits = (part: SchemaValue): boolean => valid(walk, depth, part, value, walk.place);
  if (Array.isArray(allOf)) for (const part of allOf) check(walk, depth + 1, part, value);
  if (Array.isArray(anyOf) && !anyOf.some(fits)) sayOfChoices(walk, depth, anyOf, value);
  if (Array.isArray(oneOf)) {
    const fitting = oneOf.filter(fits).length;
    if (fitting === 0) sayOfChoices(walk, depth, oneOf, value);
    if (fitting > 1) say(walk, `must fit exactly one of ${describeChoices(oneOf)}, and fits ${fitting}`);
  }
  if (not !== undefined && fits(not)) say(walk, 'has a form that is not allowed');
  if (schema.if !== undefined) {
    const branch = fits(schema.if) ? schema.then : schema.else;
    check(walk, depth + 1, branch, value);
  }
};

/** `unevaluatedProperties` and `unevaluatedItems`: for what no part that holds says anything of. */
const checkOthers = (walk: Walk, depth: number, schema: Schema, value: object): void => {
  const { unevaluatedProperties, unevaluatedItems } = schema;
  const others = Array.isArray(value) ? unevaluatedItems : unevaluatedProperties;
  if (others === undefined || others === true) return;
  const { root } = walk;
  const held = heldParts(schema, value, { root, fits: (part) => valid(walk, depth, part, value, walk.place) });
  const isSpokenOf = (part: Schema, key: string, entry: unknown): boolean => {
    if (!Array.isArray(value))
      return entryParts(part, key).length > 0 || (part !== schema && part.unevaluatedProperties !== undefined);
    const { contains } = part;
    if (itemPart(part, Number(key)) !== undefined) return true;
    if (contains !== undefined && valid(walk, depth, contains, entry)) return true;
    return part !== schema && part.unevaluatedItems !== undefined;
  };
  for (const [key, entry] of Object.entries(value))
    if (!held.some((part) => isSpokenOf(part, key, entry))) checkInside(walk, depth, key, others, entry);
};

/** The value fits none of them: in the words of the one that it was meant for, where that can be told. */
const sayOfChoices = (walk: Walk, depth: number, choices: readonly SchemaValue[], value: unknown): void => {
  const before = walk.issues.length;
  if (walk.isTold) {
    const { choice, discriminator } = meantChoice(walk.root, choices, value);
    if (discriminator) sayOf(walk, discriminator.key, `must be one of ${listed(discriminator.values)}`);
    else if (choice !== undefined) check(walk, depth + 1, choice, value);
  }
  // What reaches the most issues says nothing more, and what leads back to itself was told elsewhere.
  if (walk.issues.length === before) say(walk, `must fit one of ${describeChoices(choices)}`);
};

const listed = (values: readonly unknown[]): string => values.map((entry) => JSON.stringify(entry)).join(', ');

const describeChoices = (choices: readonly SchemaValue[]): string =>
  choices
    .map((choice) => (isSchema(choice) ? schemaTypes(choice).join(' or ') || 'a schema of its own' : String(choice)))
    .join(', ');

/** As people count them: one that takes two code units is one. */
const characters = (text: string): number => [...text].length;

/** `1 item`, `2 items`. */
const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;
