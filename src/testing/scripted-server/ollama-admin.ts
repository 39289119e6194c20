/** Ollama's routes that get and remove models. */
import type { ServerResponse } from 'node:http';
import type { JsonObject } from '../../core/json.ts';
import type { ScriptedModel } from './models.ts';

/** What the server says while it gets this model, a line each; absent: three lines and the model is there. */
export type ScriptedPulls = (model: string) => AsyncIterable<JsonObject> | Iterable<JsonObject>;

const USUAL: readonly JsonObject[] = [
  { status: 'pulling manifest' },
  { status: 'pulling layer', total: 100, completed: 50 },
  { status: 'success' },
];

export const playPull = async (
  response: ServerResponse,
  models: ScriptedModel[],
  model: string,
  pulls: ScriptedPulls = () => USUAL,
): Promise<void> => {
  response.writeHead(200, { 'content-type': 'application/x-ndjson' });
  for await (const line of pulls(model)) {
    response.write(`${JSON.stringify(line)}\n`);
    if (line['status'] === 'success' && !models.some(({ id }) => id === model)) models.push({ id: model });
  }
  response.end();
};

/** Whether it was there. */
export const removeModel = (models: ScriptedModel[], model: string): boolean => {
  const at = models.findIndex(({ id }) => id === model);
  if (at !== -1) models.splice(at, 1);
  return at !== -1;
};
