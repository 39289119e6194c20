/** Whether a schema is one: a type that there is not would fit nothing, and nobody would know why. */
import { checkValue, type Issue } from './check.ts';
import type { Schema } from './schema-value.ts';

const TYPES: Schema = { enum: ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'] };
const SELF: Schema = { $ref: '#' };
const EACH: Schema = { type: 'object', additionalProperties: SELF };
const LIST: Schema = { type: 'array', items: SELF };

const META: Schema = {
  type: ['object', 'boolean'],
  properties: {
    type: {
      if: { type: 'array' },
      // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema
      then: { items: TYPES },
      else: TYPES,
    },
    properties: EACH,
    required: { type: 'array', items: { type: 'string' } },
    enum: { type: 'array' },
    items: SELF,
    anyOf: LIST,
    oneOf: LIST,
    allOf: LIST,
    $defs: EACH,
  },
};

/** What in a schema can be no schema. */
export const schemaIssues = (schema: Schema): Issue[] => checkValue(META, schema);
