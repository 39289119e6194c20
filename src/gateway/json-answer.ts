/** An answer that has to be JSON of a schema counts when it is. */
import type { JsonSchema, JsonValue } from '../core/json.ts';
import { LIMITS } from '../core/limits.ts';
import { failure, type Outcome, succeed } from '../core/outcome.ts';
import { checkValue } from '../schema/index.ts';

/** Servers that cannot constrain the answer often get it in a fence. */
const FENCED = /^\s*```(?:json)?[ \t]*\n([\s\S]*)\n[ \t]*```\s*$/;

/** The JSON text alone, or what is wrong with the answer. */
export const jsonAnswer = (answer: string, schema: JsonSchema): Outcome<string> => {
  const text = (FENCED.exec(answer)?.[1] ?? answer).trim();
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch {
    return failure('parse_error', 'The answer is not JSON, which is asked for.');
  }
  const issues = checkValue(schema, value).slice(0, LIMITS.argumentErrors);
  if (issues.length === 0) return succeed(text);
  const list = issues.map(({ path, message }) => `${path === '' ? 'the value' : path} ${message}`).join('; ');
  return failure('validation_failed', `The answer does not fit the schema: ${list}.`);
};
