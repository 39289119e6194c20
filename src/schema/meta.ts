/** Whether a schema is one: a type that there is not would fit nothing, and a limit that is text would check nothing. */
import { checkValue, fitsPart, type Issue } from './check.ts';
import type { Schema, SchemaValue } from './schema-value.ts';

export const TYPE_NAMES: readonly string[] = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'];
const TYPES: Schema = { enum: [...TYPE_NAMES] };
const SELF: Schema = { $ref: '#' };
const EACH: Schema = { type: 'object', additionalProperties: SELF };
const LIST: Schema = { type: 'array', items: SELF };
const NAMES: Schema = { type: 'array', items: { type: 'string' } };
const TEXT: Schema = { type: 'string' };
const NUMBER: Schema = { type: 'number' };
const COUNT: Schema = { type: 'integer', minimum: 0 };
/** As draft 4 has it: whether the limit beside it fits. */
const EXCLUSIVE: Schema = { type: ['number', 'boolean'] };

// biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema
const either = (list: Schema, other: Schema): Schema => ({ if: { type: 'array' }, then: list, else: other });

const PROPERTIES: Readonly<Record<string, Schema>> = {
  ...Object.fromEntries(['$ref', '$dynamicRef', '$recursiveRef', 'pattern', 'format'].map((word) => [word, TEXT])),
  type: either({ type: 'array', items: TYPES }, TYPES),
  enum: { type: 'array' },
  const: {},
  ...Object.fromEntries(['minimum', 'maximum', 'multipleOf'].map((word) => [word, NUMBER])),
  exclusiveMinimum: EXCLUSIVE,
  exclusiveMaximum: EXCLUSIVE,
  ...Object.fromEntries(
    ['Length', 'Items', 'Properties', 'Contains'].flatMap((what) => [
      [`min${what}`, COUNT],
      [`max${what}`, COUNT],
    ]),
  ),
  uniqueItems: { type: 'boolean' },
  required: NAMES,
  dependentRequired: { type: 'object', additionalProperties: NAMES },
  dependencies: { type: 'object', additionalProperties: either(NAMES, SELF) },
  ...Object.fromEntries(
    ['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions'].map((word) => [word, EACH]),
  ),
  ...Object.fromEntries(['anyOf', 'oneOf', 'allOf', 'prefixItems'].map((word) => [word, LIST])),
  items: either(LIST, SELF),
  ...Object.fromEntries(
    [
      'additionalItems',
      'unevaluatedItems',
      'contains',
      'additionalProperties',
      'unevaluatedProperties',
      'propertyNames',
      'not',
      'if',
      'then',
      'else',
    ].map((word) => [word, SELF]),
  ),
};
const META: Schema = { type: ['object', 'boolean'], properties: PROPERTIES };

/** The words of JSON Schema that say what fits. */
export const KEYWORDS: readonly string[] = Object.keys(PROPERTIES);

/** Whether it could be the value of such a word. */
export const isValueOf = (keyword: string, value: SchemaValue): boolean =>
  fitsPart(META, PROPERTIES[keyword] ?? false, value);

/** What in a schema can be no schema. */
export const schemaIssues = (schema: Schema): Issue[] => checkValue(META, schema);
