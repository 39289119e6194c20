/** Results that are too long for the window are kept whole, and read again under these names. */
import type { JsonObject, JsonValue } from '../json.ts';

export const RESULTS_FOLDER = '@results/';
const ID_CHARACTERS = 70;

/** The file of a call's result; ids come from models and servers. */
export const resultFileName = (id: string): string =>
  `${id.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, ID_CHARACTERS) || 'result'}.txt`;

/** Whether a call is about results that were put aside, and the names of those that it names. */
export const resultsNamed = (args: JsonObject): readonly string[] | undefined => {
  const texts = textsIn(args).filter((text) => text.includes(RESULTS_FOLDER.slice(0, -1)));
  if (texts.length === 0) return undefined;
  return texts.flatMap((text) => [...text.matchAll(/@results\/([A-Za-z0-9_-]+\.txt)/g)].map(([, name = '']) => name));
};

const textsIn = (value: JsonValue): string[] => {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsIn);
};
