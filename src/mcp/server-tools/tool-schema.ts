/** The schema that a server gives for a tool's arguments, as one that can be checked here: nothing is ever fetched. */
import { isObject, type JsonObject, type JsonSchema, type JsonValue } from '../../core/json.ts';
import { isDeepValue } from '../../core/nested-json.ts';
import { expressionOf } from '../../schema/index.ts';
import { cleanDescription } from '../clean-text.ts';
import { MCP_LIMITS } from '../limits.ts';

/** Names of a schema's own words may be anything; these hold schemas by name. */
const BY_NAME: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
]);
/** Their values are data, and never schemas. */
const DATA: ReadonlySet<string> = new Set(['default', 'const', 'enum', 'examples', 'required']);
const REFERENCES: ReadonlySet<string> = new Set(['$ref', '$dynamicRef', '$recursiveRef']);
const LEFT_OUT: ReadonlySet<string> = new Set(['$schema', '$id', '$comment']);

const cleaned = (value: JsonValue, depth: number): JsonValue => {
  if (depth > MCP_LIMITS.mcpSchemaDepth) return {};
  if (Array.isArray(value)) return value.map((entry) => cleaned(entry, depth + 1));
  if (!isObject(value)) return value;
  const result: JsonObject = {};
  const patterns: string[] = [];
  for (const [key, entry] of Object.entries(value)) {
    if (LEFT_OUT.has(key) || key === '__proto__') continue;
    // What lies elsewhere is not fetched, so it says nothing: anything fits there.
    if (REFERENCES.has(key) && (typeof entry !== 'string' || !entry.startsWith('#'))) continue;
    // What cannot be tried here is told to the model all the same; the server looks at it.
    if (key === 'pattern' && typeof entry === 'string' && expressionOf(entry)?.kind !== 'checked') patterns.push(entry);
    else if (DATA.has(key)) {
      if (!isDeepValue(entry, MCP_LIMITS.mcpSchemaDepth)) result[key] = entry;
    } else if ((key === 'description' || key === 'title') && typeof entry === 'string')
      result[key] = cleanDescription(entry, MCP_LIMITS.mcpArgumentDescriptionCharacters);
    else if (BY_NAME.has(key) && isObject(entry))
      result[key] = Object.fromEntries(
        Object.entries(entry)
          .filter(([name]) => name !== '__proto__')
          .map(([name, schema]) => [name, cleaned(schema, depth + 1)]),
      );
    else result[key] = cleaned(entry, depth + 1);
  }
  if (patterns.length > 0) {
    const words = typeof result['description'] === 'string' ? `${result['description']} ` : '';
    const told = `${words}(must match ${patterns.join(' and ')})`;
    result['description'] = cleanDescription(told, MCP_LIMITS.mcpArgumentDescriptionCharacters);
  }
  return result;
};

export const toolParameters = (inputSchema: unknown): JsonSchema => {
  const schema = cleaned((inputSchema ?? {}) as JsonValue, 0);
  if (!isObject(schema)) return { type: 'object', properties: {}, additionalProperties: true };
  // Without properties nothing would be known to be an argument, and all would be dropped.
  const isOpen = schema['properties'] === undefined && schema['additionalProperties'] === undefined;
  const hasParts = ['$ref', 'allOf', 'anyOf', 'oneOf'].some((word) => schema[word] !== undefined);
  return {
    ...schema,
    type: 'object',
    ...(schema['properties'] === undefined ? { properties: {} } : {}),
    ...(isOpen && (hasParts || inputSchema === undefined) ? { additionalProperties: true } : {}),
  };
};
