/** The JSON in an answer that is to be nothing else, repaired and in the types of its schema. */
import type { JsonSchema } from '../../core/json.ts';
import { validateAnswer } from '../../core/validate-arguments.ts';
import { writtenJson } from '../../core/written-numbers.ts';
import { jsonInAnswer } from '../json-in-answer.ts';

/** The answer as it is, where no JSON can be read out of it: whoever asked for JSON then says what is wrong. */
export const jsonAnswer = (answer: string, schema: JsonSchema | undefined, isCut: boolean): string => {
  const read = jsonInAnswer(answer, isCut);
  if (!read.ok) return answer;
  const fitting = schema && validateAnswer(schema, read.value, { asText: true });
  return writtenJson(fitting?.ok ? fitting.value : read.value);
};
