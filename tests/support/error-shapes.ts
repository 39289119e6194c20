/** The errors of each API as its clients read them. */
import { isObject, type JsonObject } from '../../src/core/json.ts';

export type Shape = 'openai' | 'anthropic' | 'ollama' | 'halter';

const READERS: Readonly<Record<Shape, (body: JsonObject) => unknown>> = {
  openai: ({ error }) => (isObject(error) && typeof error['type'] === 'string' ? error['message'] : undefined),
  anthropic: ({ type, error }) => (type === 'error' && isObject(error) ? error['message'] : undefined),
  ollama: ({ error }) => error,
  halter: ({ error }) =>
    isObject(error) && Object.keys(error).toString() === 'code,message' ? error['message'] : undefined,
};

/** What it says; undefined where the body is no error of that API. */
export const errorIn = (shape: Shape, body: JsonObject): string | undefined => {
  const said = READERS[shape](body);
  return typeof said === 'string' && /\w+ .*\w+/.test(said) ? said : undefined;
};

export const shapeOfPath = (path: string): Shape => {
  if (path.startsWith('/v1/messages')) return 'anthropic';
  return path.startsWith('/v1/') ? 'openai' : 'ollama';
};
