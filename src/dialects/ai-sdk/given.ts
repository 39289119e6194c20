/** What a program gave, looked at where it is given: otherwise it is an error of the first call, or of none. */
import { dialectNames } from '../all-dialects.ts';

const READING = ['dialect', 'tools', 'startInReasoning'];

/** Throws where `value` lacks one of these methods; `who` takes `wanted`. */
export const checkMethods = (who: string, wanted: string, value: unknown, ...names: readonly PropertyKey[]): void => {
  const isObject = (typeof value === 'object' && value !== null) || typeof value === 'function';
  if (!isObject || names.some((name) => typeof Reflect.get(value, name) !== 'function'))
    throw new TypeError(`${who} takes ${wanted}.`);
};

/** Throws for an option that nothing reads, or that is none of the words there are. */
export const checkReading = (who: string, options: object, more: readonly string[] = []): void => {
  const known = [...READING, ...more];
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new TypeError(`${who} has no option "${unknown}". The options are: ${known.join(', ')}.`);
  const { dialect = 'auto', tools = 'native', startInReasoning = false } = options as Record<string, unknown>;
  const names = dialectNames();
  if (!names.includes(dialect as string)) throw new TypeError(`dialect of ${who} must be one of: ${names.join(', ')}.`);
  if (tools !== 'native' && tools !== 'prompt') throw new TypeError(`tools of ${who} must be native or prompt.`);
  if (typeof startInReasoning !== 'boolean') throw new TypeError(`startInReasoning of ${who} must be true or false.`);
};
