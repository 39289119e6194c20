/** A server's schema whose words contradict each other: they are left out here, since by them no call would ever be made. */
import { copyOf, isObject, type JsonObject, type JsonSchema, type JsonValue } from '../../core/json.ts';
import { schemaContradictions } from '../../core/schema-contradictions.ts';
import { fitsPart } from '../../schema/index.ts';
import { cleanDescription } from '../clean-text.ts';
import { MCP_LIMITS } from '../limits.ts';

export type Settled = {
  schema: JsonSchema;
  /** What was left out, in words; the server decides about it. */
  problems: string[];
};

export const withoutContradictions = (given: JsonSchema): Settled => {
  const problems: string[] = [];
  let schema = given;
  for (let pass = 0; pass < MCP_LIMITS.mcpSchemaPasses; pass += 1) {
    const issues = schemaContradictions(schema as never);
    if (issues.length === 0) break;
    schema = copyOf(schema);
    for (const { path, message } of issues) {
      const [word = '', ...around] = path.split('/').slice(1).reverse();
      const part = partAt(schema, around.reverse());
      if (part === undefined) continue;
      settle(part, word);
      problems.push(cleanDescription(`${path} ${message}`, MCP_LIMITS.mcpArgumentDescriptionCharacters));
    }
  }
  return { schema, problems };
};

/** A name may have a slash in it, which the path does not tell from the one between two names. */
const partAt = (schema: JsonValue, steps: readonly string[]): JsonObject | undefined => {
  let at: JsonValue | undefined = schema;
  let name = '';
  for (const step of steps) {
    name = name === '' ? step : `${name}/${step}`;
    const has: boolean = typeof at === 'object' && at !== null && Object.hasOwn(at, name);
    if (!has) continue;
    at = (at as Readonly<Record<string, JsonValue>>)[name];
    name = '';
  }
  return name === '' && isObject(at) ? at : undefined;
};

/**
 * Of a pair of limits both go, and so do `const` and `enum` where they name different values. Else the choices stay, and what
 * stands beside them goes: they are what the server takes.
 */
const settle = (part: JsonObject, word: string): void => {
  const { required, properties, enum: choices, const: only } = part;
  if (word === 'required' && Array.isArray(required) && isObject(properties)) {
    // It is asked for, so anything may be given for it.
    for (const name of required)
      if (typeof name === 'string' && name !== '__proto__' && !Object.hasOwn(properties, name)) properties[name] = {};
    part['required'] = required.filter((name) => name !== '__proto__');
    return;
  }
  const hasChoices = word === 'const' || (word === 'enum' && Array.isArray(choices) && choices.length > 0);
  const isAgainst = word === 'const' && Array.isArray(choices) && !fitsPart({}, { enum: choices }, only ?? null);
  if (isAgainst) for (const one of ['const', 'enum']) delete part[one];
  else if (hasChoices) for (const one of Object.keys(part).filter((key) => !KEPT.has(key))) delete part[one];
  else for (const one of [word, ...(PARTNERS[word] ?? [])]) delete part[one];
};

/** What says which values there are, or checks nothing. */
const KEPT: ReadonlySet<string> = new Set([
  ...['const', 'enum', 'title', 'description', 'default', 'examples', '$defs', 'definitions'],
]);

const PARTNERS: Readonly<Record<string, readonly string[]>> = {
  minimum: ['maximum', 'exclusiveMaximum'],
  exclusiveMinimum: ['maximum', 'exclusiveMaximum'],
  minLength: ['maxLength'],
  minItems: ['maxItems'],
  minProperties: ['maxProperties'],
  minContains: ['maxContains'],
};
