/** What in a schema would silently check nothing: a pattern that is no regular expression, a reference that leads nowhere. */
import type { Issue } from './check.ts';
import { expressionOf } from './parts.ts';
import { isSchema, resolveReference, type Schema, type SchemaValue } from './schema-value.ts';

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
const NAMED = ['properties', '$defs', 'definitions', 'patternProperties', 'dependentSchemas'];

/** A schema nested deeper than this is a mistake or an attack. */
const DEPTH_MAX = 64;

export const schemaFaults = (root: Schema): Issue[] => {
  const issues: Issue[] = [];
  const look = (schema: SchemaValue | undefined, path: string, depth: number): void => {
    if (!isSchema(schema) || depth > DEPTH_MAX) return;
    const { pattern, $ref } = schema;
    if (typeof pattern === 'string' && expressionOf(pattern) === undefined)
      issues.push({ path: `${path}/pattern`, message: `is no regular expression: ${pattern}` });
    if (typeof $ref === 'string' && resolveReference(root, $ref) === undefined)
      issues.push({ path: `${path}/$ref`, message: `leads nowhere: ${$ref}` });
    for (const key of ONE) look(schema[key], `${path}/${key}`, depth + 1);
    for (const key of LISTS) {
      const list = schema[key];
      if (Array.isArray(list)) list.forEach((one, index) => void look(one, `${path}/${key}/${index}`, depth + 1));
    }
    for (const key of NAMED) {
      const named = schema[key];
      if (!isSchema(named)) continue;
      for (const [name, one] of Object.entries(named)) {
        if (key === 'patternProperties' && expressionOf(name) === undefined)
          issues.push({ path: `${path}/${key}`, message: `has a name that is no regular expression: ${name}` });
        look(one, `${path}/${key}/${name}`, depth + 1);
      }
    }
  };
  look(root, '', 0);
  return issues;
};
