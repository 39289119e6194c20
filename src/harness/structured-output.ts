/**
 * An answer that is a value: the model is told the shape, an engine that can is held to it, and what comes is read with
 * the same care as the arguments of a call. Only an answer that does not fit costs another request.
 */
import type { JsonSchema, JsonValue } from '../core/json.ts';
import { parseNested } from '../core/nested-json.ts';
import { letThrow } from '../core/own-callback.ts';
import { ownSchemaProblem } from '../core/schema-problems.ts';
import { validateAnswer } from '../core/validate-arguments.ts';
import { jsonInAnswer } from '../dialects/json-in-answer.ts';
import { checkValue, type ParametersInput, standardValidator, toJsonSchema } from '../schema/index.ts';
import { readPartialJson } from './partial-json.ts';

export type OutputFormat = {
  schema: JsonSchema;
  /** What the model is told beside the message. */
  note: string;
  /**
   * The value in an answer that is over, or what is wrong with it in words for the model. `isCut`: the token limit or a
   * filter ended the answer.
   */
  read(answer: string, isCut?: boolean): Promise<{ ok: true; value: unknown } | { ok: false; problem: string }>;
  /** What can be told of the value while the answer still comes; undefined where nothing can. */
  readPart(text: string): JsonValue | undefined;
  /** The value in an answer that is over, unchecked; undefined where there is none. */
  readWhole(answer: string): JsonValue | undefined;
  /** Asks again, with the validator's words. */
  askAgain(problem: string): string;
};

/** Throws `TypeError` for what is no schema, and for one that cannot be said in JSON Schema. */
export const outputFormat = (given: ParametersInput): OutputFormat => {
  const schema = toJsonSchema(given) as JsonSchema;
  const problem = ownSchemaProblem(schema);
  if (problem !== undefined) throw new TypeError(`The schema of chat(): ${problem}`);
  const refine = standardValidator(given, (check) => letThrow('validate() of the schema', check));
  const text = JSON.stringify(schema);
  return {
    schema,
    note: `Answer with JSON that fits this schema, and with nothing else: ${text}`,
    async read(answer, isCut = false) {
      const found = jsonIn(answer, schema, isCut);
      if (!found.ok) return found;
      const fitting = validateAnswer(schema, found.value);
      if (!fitting.ok) return { ok: false, problem: fitting.issues.join('; ') };
      // Nothing closes words and numbers.
      if (isCut && typeof fitting.value !== 'object') return { ok: false, problem: 'it was cut' };
      const refined = await refine?.(fitting.value);
      if (refined) return refined.ok ? refined : { ok: false, problem: refined.problems.map(inWords).join('; ') };
      const [wrong] = checkValue(schema, fitting.value, { formats: true });
      return wrong === undefined ? fitting : { ok: false, problem: `${wrong.path || 'the value'} ${wrong.message}` };
    },
    readPart: readPartialJson,
    readWhole(answer) {
      const found = jsonIn(answer, schema, false);
      return found.ok ? found.value : undefined;
    },
    askAgain: (problem) =>
      `That answer cannot be used: ${problem}. Answer again with JSON alone that fits this schema: ${text}`,
  };
};

const inWords = ({ place, message }: { place: string; message: string }): string =>
  place === '' ? message : `${place}: ${message}`;

type Read = { ok: true; value: JsonValue } | { ok: false; problem: string };

const jsonIn = (answer: string, schema: JsonSchema, isCut: boolean): Read => {
  // A text that holds JSON is a text where one is asked for.
  const exact = isCut ? undefined : exactly(answer);
  if (exact !== undefined && checkValue(schema, exact).length === 0) return { ok: true, value: exact };
  const read = jsonInAnswer(answer, isCut);
  return read.ok || isCut || /[{[]/.test(answer) ? read : textIn(answer, schema);
};

/** Where texts alone are asked for, words without quotes are one. */
const textIn = (answer: string, schema: JsonSchema): Read => {
  const value = answer.trim();
  if (isOpenQuote(value)) return { ok: false, problem: 'it ends inside a text' };
  const texts = schema['enum'] as JsonValue[] | undefined;
  const longer = texts?.find((text) => isString(text) && text.startsWith(value));
  if (longer !== undefined && texts?.includes(value) === false)
    return { ok: false, problem: `it may be the beginning of ${JSON.stringify(longer)}` };
  const isText = schema['type'] === 'string' || texts?.every(isString) === true;
  const fits = isText && value !== '' && checkValue(schema, value, { formats: true }).length === 0;
  return fits ? { ok: true, value } : { ok: false, problem: 'there is no JSON in it' };
};
/** A text in quotes whose last quote did not come. */
const isOpenQuote = (text: string): boolean => text.startsWith('"') && !/(?<!\\)"/.test(text.slice(1));
const isString = (value: JsonValue): value is string => typeof value === 'string';

const exactly = (answer: string): JsonValue | undefined => {
  try {
    return parseNested(answer);
  } catch {
    return undefined;
  }
};
