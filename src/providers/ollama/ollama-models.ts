/** What Ollama says of its models, and which window to ask it for. */

import type { ModelInfo } from '../../core/model-port.ts';
import { countOf, type Fields, listOf, objectOf, textOf, windowOf } from '../json-values.ts';
import { PROVIDER_LIMITS } from '../limits.ts';

/** `qwen3` and `qwen3:latest` are one model. */
const sameModel = (one: string, other: string): boolean => {
  const full = (name: string): string =>
    name.slice(name.lastIndexOf('/') + 1).includes(':') ? name : `${name}:latest`;
  return full(one) === full(other);
};

const nameOf = (entry: Fields): string => textOf(entry['name']) ?? textOf(entry['model']) ?? '';

export const findRunning = (running: Fields, model: string): Fields | undefined =>
  listOf(running['models'])
    .map(objectOf)
    .find((entry) => sameModel(nameOf(entry), model));

export const listModels = (tags: Fields, running: Fields): ModelInfo[] =>
  listOf(tags['models'])
    .map(objectOf)
    .filter((entry) => nameOf(entry) !== '')
    .map((entry) => {
      const id = nameOf(entry);
      const size = countOf(entry['size']);
      const loaded = findRunning(running, id);
      const window = windowOf(loaded?.['context_length']);
      return {
        id,
        ...(size === undefined ? {} : { size_bytes: size }),
        ...(window === undefined ? {} : { context_length: window }),
        ...digestOf(entry),
        loaded: loaded !== undefined,
      };
    });

const digestOf = (entry: Fields | undefined): Pick<ModelInfo, 'digest'> => {
  const digest = textOf(entry?.['digest']);
  return digest === undefined || digest === '' ? {} : { digest };
};
/** The entry of a model in the list of all that are there. */
export const sizeIn = (tags: Fields, model: string): Pick<ModelInfo, 'size_bytes'> => {
  const size = countOf(findRunning(tags, model)?.['size']);
  return size === undefined ? {} : { size_bytes: size };
};
export const digestIn = (tags: Fields, model: string): Pick<ModelInfo, 'digest'> => digestOf(findRunning(tags, model));

/** `<architecture>.context_length`: what the model was made for. */
const trainedWindow = (show: Fields): number | undefined => {
  const information = objectOf(show['model_info']);
  const architecture = textOf(information['general.architecture']);
  return (
    windowOf(information[`${architecture}.context_length`]) ??
    windowOf(Object.entries(information).find(([key]) => key.endsWith('.context_length'))?.[1])
  );
};

/** A line `num_ctx 16384` of the model file. */
const modelFileWindow = (show: Fields): number | undefined => {
  const line = /^num_ctx\s+(\d+)\s*$/m.exec(textOf(show['parameters']) ?? '');
  return line ? windowOf(Number(line[1])) : undefined;
};

/**
 * The window for the whole session: what the person asked for, else what the model runs with already (another one
 * would load it anew), else the model file's, else ours; never more than the model was made for.
 */
export const chooseWindow = (facts: {
  asked: number | undefined;
  show: Fields;
  running: Fields | undefined;
}): number => {
  const running = windowOf(facts.running?.['context_length']);
  const chosen =
    facts.asked ??
    (running !== undefined && running >= PROVIDER_LIMITS.ollamaContextTokens ? running : undefined) ??
    modelFileWindow(facts.show) ??
    PROVIDER_LIMITS.ollamaContextTokens;
  return Math.min(chosen, trainedWindow(facts.show) ?? chosen);
};

export const describeModel = (id: string, show: Fields, running: Fields | undefined, window: number): ModelInfo => {
  const capabilities = listOf(show['capabilities']);
  return {
    id,
    context_length: window,
    // Servers from before the list say nothing about tools.
    ...(capabilities.length === 0
      ? {}
      : { tools: capabilities.includes('tools'), vision: capabilities.includes('vision') }),
    loaded: running !== undefined,
  };
};
