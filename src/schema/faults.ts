/** What in a schema would silently check nothing: a pattern that is no regular expression, a reference that leads nowhere. */
import type { Issue } from './check.ts';
import { expressionOf } from './expression.ts';
import { REFERENCES, resolverOf } from './reference.ts';
import { isSchema, type Schema, type SchemaValue } from './schema-value.ts';

/** Keywords that hold a schema, a list of schemas, or schemas by name. Values of others, such as `default`, are data. */
const ONE = [
  'items',
  'additionalProperties',
  'not',
  'if',
  'then',
  'else',
  'contains',
  'propertyNames',
  'additionalItems',
  'unevaluatedProperties',
  'unevaluatedItems',
];
const LISTS = ['anyOf', 'oneOf', 'allOf', 'prefixItems', 'items'];
const NAMED = ['properties', '$defs', 'definitions', 'patternProperties', 'dependentSchemas', 'dependencies'];

/** A schema nested deeper than this is a mistake or an attack. */
const DEPTH_MAX = 64;

/** A schema and every schema in it, with the JSON Pointer of each. */
export const schemasIn = (root: Schema): [path: string, schema: Schema][] => {
  const found: [string, Schema][] = [];
  const look = (schema: SchemaValue | undefined, path: string, depth: number): void => {
    if (!isSchema(schema) || depth > DEPTH_MAX) return;
    found.push([path, schema]);
    for (const key of ONE) look(schema[key], `${path}/${key}`, depth + 1);
    for (const key of LISTS) {
      const list = schema[key];
      if (Array.isArray(list)) list.forEach((one, index) => void look(one, `${path}/${key}/${index}`, depth + 1));
    }
    for (const key of NAMED) {
      const named = schema[key];
      if (isSchema(named))
        for (const [name, one] of Object.entries(named)) look(one, `${path}/${key}/${name}`, depth + 1);
    }
  };
  look(root, '', 0);
  return found;
};

/** Words of drafts before the fourth, and what says the same now. */
const OLD: Readonly<Record<string, string>> = { divisibleBy: 'multipleOf', disallow: 'not', extends: 'allOf' };
export const OLD_WORDS: readonly string[] = Object.keys(OLD);

export const schemaFaults = (root: Schema): Issue[] => {
  const resolve = resolverOf(root);
  return schemasIn(root).flatMap(([path, schema]) => [
    ...faultsOf(resolve, schema).map(([key, message]) => ({ path: `${path}/${key}`, message })),
    ...(path === '' ? [] : ownReferences(path, schema)),
  ]);
};

const faultsOf = (
  resolve: (reference: string) => Schema | undefined,
  schema: Schema,
): [key: string, message: string][] => {
  const faults: [string, string][] = [];
  const { pattern, patternProperties } = schema;
  const inPattern = typeof pattern === 'string' ? expressionFault(pattern) : undefined;
  if (inPattern !== undefined) faults.push(['pattern', inPattern]);
  for (const name of isSchema(patternProperties) ? Object.keys(patternProperties) : []) {
    const inName = expressionFault(name);
    if (inName !== undefined) faults.push(['patternProperties', `has a name that ${inName}`]);
  }
  for (const word of REFERENCES) {
    const reference = schema[word];
    if (typeof reference === 'string' && resolve(reference) === undefined)
      faults.push([word, `leads nowhere: ${reference}`]);
  }
  for (const [exclusive, limit] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const)
    if (schema[exclusive] === true && typeof schema[limit] !== 'number')
      faults.push([exclusive, `is true without a ${limit}; give it the number itself`]);
  for (const [word, now] of Object.entries(OLD))
    if (schema[word] !== undefined)
      faults.push([word, `is a word of an older JSON Schema and checks nothing: use ${now}`]);
  return faults;
};

const expressionFault = (pattern: string): string | undefined => {
  const expression = expressionOf(pattern);
  if (expression === undefined) return `is no regular expression: ${pattern}`;
  return expression.kind === 'refused'
    ? `cannot be tried in bounded time, ${expression.because}: ${pattern}`
    : undefined;
};

/** References in a part with an `$id` of its own start there and not at the root, which is not followed here. */
const ownReferences = (path: string, schema: Schema): Issue[] => {
  if (typeof schema.$id !== 'string') return [];
  return schemasIn(schema).flatMap(([inner, { $ref }]) =>
    typeof $ref === 'string' && $ref.startsWith('#')
      ? [{ path: `${path}${inner}/$ref`, message: `stands under an $id of its own: begin ${$ref} with that` }]
      : [],
  );
};
