/** The call that had to come, where a model wrote its arguments and nothing else. */
import { isObject, type JsonObject, type JsonSchema } from '../core/json.ts';
import { validateArguments } from '../core/validate-arguments.ts';
import { readJsonText } from './unclosed-json.ts';

/** `auto`: the model may call or not. A name: a call of this tool has to come; `required`: of any. */
export type ToolChoice = 'auto' | 'none' | 'required' | { name: string };

export type ForcedTool = { name: string; schema: JsonSchema | undefined };
export type ForcedCall = { name: string; arguments: JsonObject };

export const isForced = (choice: ToolChoice): boolean => choice === 'required' || typeof choice === 'object';

/** The tools that an answer may call. */
export const chosenTools = <T extends { name: string }>(tools: readonly T[], choice: ToolChoice): readonly T[] => {
  if (choice === 'none') return [];
  return typeof choice === 'object' ? tools.filter(({ name }) => name === choice.name) : tools;
};

/** What models put round the arguments, where it is the only key. */
const WRAPPERS: ReadonlySet<string> = new Set(['arguments', 'args', 'input', 'parameters']);

/**
 * The call of the one tool of `tools` that the object fits, which is the whole answer, or the fence in it, behind nothing but
 * words that end in a colon. Undefined where there is none, or where several tools could be meant. `tools`: one of them has to
 * be called.
 */
export const forcedCall = (answer: string, tools: readonly ForcedTool[]): ForcedCall | undefined => {
  const read = readJsonText(objectText(answer), 'refuse');
  if (!read.ok || !isObject(read.value)) return undefined;
  const { value } = read;
  const calls = tools.flatMap((tool) => {
    const args = unwrapped(value, tool);
    return isMeant(args, tool, tools.length === 1) ? [{ name: tool.name, arguments: args }] : [];
  });
  return calls.length === 1 ? calls[0] : undefined;
};

const FENCE = '```';

const objectText = (answer: string): string => {
  const text = answer.trim();
  const at = text.indexOf(FENCE);
  const start = text.indexOf('{');
  const isFenced = at >= 0 && at < start;
  const before = text.slice(0, isFenced ? at : Math.max(start, 0)).trimEnd();
  if (start < 0 || (before !== '' && !/[:：]$/.test(before))) return '';
  if (!isFenced) return text.slice(start);
  const isAlone = text.endsWith(FENCE) && /^\w*\s*$/.test(text.slice(at + FENCE.length, start));
  return isAlone ? text.slice(start, -FENCE.length) : '';
};

const namesOf = (schema: JsonSchema | undefined): JsonObject | undefined =>
  isObject(schema?.properties) ? schema.properties : undefined;

const unwrapped = (value: JsonObject, { name, schema }: ForcedTool): JsonObject => {
  const [[key, inner] = [], ...others] = Object.entries(value);
  const isWrapper =
    key !== undefined && (key === name || WRAPPERS.has(key)) && !Object.hasOwn(namesOf(schema) ?? {}, key);
  return isWrapper && others.length === 0 && isObject(inner) ? inner : value;
};

/** Some key is the tool's, and the whole fits it. Where no other tool could be meant, all keys need only be its own. */
const isMeant = (args: JsonObject, { schema }: ForcedTool, isOnly: boolean): boolean => {
  const keys = Object.keys(args);
  const names = namesOf(schema);
  const isOwn = (key: string): boolean => Object.hasOwn(names ?? {}, key);
  if (isOnly && keys.length > 0 && keys.every(isOwn)) return true;
  const fits = schema === undefined || validateArguments(schema, args, 'model', { asText: true }).ok;
  if (!fits) return false;
  return keys.length === 0 || (names === undefined ? isOnly : keys.some(isOwn));
};
