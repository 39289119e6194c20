import type { JsonObject } from './json.ts';

/**
 * The arguments that a question shows: those that the model sent, with what will really run in place of a reference or of
 * what was repaired. Defaults are nobody's words, and what is left out of the call does not run.
 */
export const shownArguments = (sent: JsonObject, runs: JsonObject): JsonObject => {
  const shown: JsonObject = {};
  for (const key of Object.keys(sent)) {
    const value = runs[key];
    if (Object.hasOwn(runs, key) && value !== undefined) shown[key] = value;
  }
  return shown;
};
