/** Schemas as llama.cpp can turn them into a grammar. */
import type { JsonObject, JsonSchema, JsonValue } from '../../core/json.ts';

/**
 * Keywords whose grammar llama.cpp refuses, or makes so large that the request fails; the arguments are checked
 * against the full schema afterwards.
 */
const LEFT_OUT: ReadonlySet<string> = new Set(['pattern', 'format', '$schema', '$id', '$comment', 'examples']);
/** Below these, keys are names that people chose, not keywords. */
const NAMES: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions', 'patternProperties']);
/** Below these stand values, not schemas. */
const VALUES: ReadonlySet<string> = new Set(['default', 'const', 'enum', 'required']);

const lower = (value: JsonValue): JsonValue => {
  if (Array.isArray(value)) return value.map(lower);
  if (typeof value !== 'object' || value === null) return value;
  const result: JsonObject = {};
  for (const [key, inner] of Object.entries(value)) {
    if (LEFT_OUT.has(key)) continue;
    if (VALUES.has(key)) result[key] = inner;
    else if (NAMES.has(key) && typeof inner === 'object' && inner !== null && !Array.isArray(inner)) {
      result[key] = Object.fromEntries(Object.entries(inner).map(([name, schema]) => [name, lower(schema)]));
    } else result[key] = lower(inner);
  }
  return result;
};

export const lowerSchema = (schema: JsonSchema): JsonSchema => lower(schema) as JsonSchema;
