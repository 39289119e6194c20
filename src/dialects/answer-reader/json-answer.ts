/** The JSON in an answer that is to be nothing else, repaired and in the types of its schema. */
import type { JsonSchema, JsonValue } from '../../core/json.ts';
import { validateAnswer } from '../../core/validate-arguments.ts';
import { writtenJson } from '../../core/written-numbers.ts';
import { parseJsonLeniently } from '../repair-json.ts';

const readIn = (answer: string): JsonValue | undefined => {
  const [, fenced] = /```(?:json)?\s*\n([\s\S]*?)\n?```/.exec(answer) ?? [];
  const start = answer.search(/[{[]/);
  const end = Math.max(answer.lastIndexOf('}'), answer.lastIndexOf(']')) + 1;
  const between = start === -1 ? undefined : answer.slice(start, end > start ? end : undefined);
  for (const text of [answer.trim(), fenced, between]) {
    const read = text === undefined ? undefined : parseJsonLeniently(text);
    if (read?.ok) return read.value;
  }
  return undefined;
};

/** The answer as it is, where no JSON can be read out of it: whoever asked for JSON then says what is wrong. */
export const jsonAnswer = (answer: string, schema: JsonSchema | undefined): string => {
  const value = readIn(answer);
  if (value === undefined) return answer;
  const fitting = schema && validateAnswer(schema, value, { asText: true });
  return writtenJson(fitting?.ok ? fitting.value : value);
};
