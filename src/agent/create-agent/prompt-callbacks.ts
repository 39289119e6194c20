/** What a program's own functions say for the prompt. What they say wrongly is told with the option's name. */
import type { JsonSchema } from '../../core/json.ts';
import { fits, isAbsent, jsonRecord, type Kind, listOf, objectOf, text } from '../../core/option-kinds.ts';
import { callOwn, failedCallback, ignoreLater } from '../../core/own-callback.ts';
import type { Instructions } from '../../core/project-instructions.ts';
import { shown } from '../../core/shown-value.ts';
import { unlessAborted } from '../../core/unless-aborted.ts';
import type { PromptOptions } from './options.ts';

const INSTRUCTIONS = 'prompt.projectInstructions';
const LIST: Kind = listOf(
  objectOf({ from: text, text }, { required: ['from', 'text'], others: 'taken' }),
  'a list of { from, text }',
);

/** Rejects with `TypeError` where the function fails or gives anything else. Nobody waits for it once `signal` aborts. */
export const ownInstructions = async (
  ask: () => unknown,
  signal: AbortSignal = new AbortController().signal,
): Promise<Instructions[]> => {
  const given = await callOwn(INSTRUCTIONS, () => unlessAborted(ask(), signal));
  if (signal.aborted) return [];
  if (await callOwn(INSTRUCTIONS, () => fits(LIST, given))) return given as Instructions[];
  throw new TypeError(`What ${INSTRUCTIONS} returned must be ${LIST.words}, not ${shown(given)}.`);
};

/** What answers have to look like now. Throws `TypeError` where the function fails or gives what is no schema. */
export const schemaOf = (given: PromptOptions['responseSchema']): (() => JsonSchema | undefined) => {
  if (typeof given !== 'function') return () => given;
  // Asked several times for each request.
  let last: JsonSchema | undefined;
  return () => {
    const schema = schemaFrom(given);
    if (schema === last || isAbsent(schema)) return schema ?? undefined;
    if (!fits(jsonRecord, schema)) {
      ignoreLater(schema);
      throw new TypeError(`What ${SCHEMA} returned must be a JSON Schema, or nothing, not ${shown(schema)}.`);
    }
    last = schema;
    return schema;
  };
};
const SCHEMA = 'prompt.responseSchema';

const schemaFrom = (ask: () => JsonSchema | undefined): JsonSchema | undefined => {
  try {
    return ask();
  } catch (error) {
    throw failedCallback(SCHEMA, error);
  }
};
