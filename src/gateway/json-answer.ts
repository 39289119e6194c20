/** An answer that has to be JSON of a schema: taken as it is, or repaired where nothing is lost. */
import type { JsonSchema, JsonValue } from '../core/json.ts';
import { isNestedDeeper, parseNested, TOO_DEEP } from '../core/nested-json.ts';
import { failure, type Outcome, succeed } from '../core/outcome.ts';
import { validateAnswer } from '../core/validate-arguments.ts';
import { writtenJson } from '../core/written-numbers.ts';
import { jsonInAnswer } from '../dialects/json-in-answer.ts';
import { checkValue } from '../schema/index.ts';

/** Servers that cannot constrain the answer often get it in a fence, with words round it. */
const FENCE = /```(?:json)?[ \t]*\n([\s\S]*?)\n[ \t]*```/g;

/**
 * The JSON text alone, or what is wrong with the answer. A value that the text does not close is none, since it may be a
 * part of what was meant. `isCut`: something ended the answer from outside, so a word or a number is none either.
 */
export const jsonAnswer = (answer: string, schema: JsonSchema, isCut: boolean): Outcome<string> => {
  const text = jsonPartOf(answer);
  const exact = isCut && !/[}\]]$/.test(text) ? undefined : parseExactly(text);
  if (exact !== undefined && checkValue(schema, exact, { largeIntegers: true }).length === 0) return succeed(text);
  const read = jsonInAnswer(answer, isCut);
  if (!read.ok) return failure('parse_error', unreadText(text, isCut));
  const fitting = validateAnswer(schema, read.value, { asText: true });
  if (fitting.ok) return succeed(writtenJson(fitting.value));
  return failure('validation_failed', `The answer does not fit the schema: ${fitting.issues.join('; ')}.`);
};

const unreadText = (text: string, isCut: boolean): string => {
  if (isNestedDeeper(text)) return `The answer cannot be read: ${TOO_DEEP}.`;
  return isCut ? 'The answer was cut before its JSON was complete.' : 'The answer is not JSON, which is asked for.';
};

/** The one fence of an answer; else the answer. */
const jsonPartOf = (answer: string): string => {
  const fences = [...answer.matchAll(FENCE)];
  const [only] = fences;
  return (only !== undefined && fences.length === 1 ? (only[1] ?? '') : answer).trim();
};

const parseExactly = (text: string): JsonValue | undefined => {
  try {
    return parseNested(text);
  } catch {
    return undefined;
  }
};
