/** Errors in the shape that the clients of each wire read, whichever part of the server they come from. */
import type { JsonObject } from '../../core/json.ts';
import { openAiError } from '../../gateway/wires/chat-completions/wire.ts';
import { anthropicError } from '../../gateway/wires/messages/wire.ts';
import { ollamaError } from '../../gateway/wires/ollama/wire.ts';
import type { ErrorShape } from '../route.ts';

const BODIES: Readonly<Record<ErrorShape, (error: { status: number; code: string; message: string }) => JsonObject>> = {
  openai: openAiError,
  anthropic: anthropicError,
  ollama: ollamaError,
};

export const errorBody = (shape: ErrorShape, error: { status: number; code: string; message: string }): JsonObject =>
  BODIES[shape](error);

/** Paths of Ollama's API that are nothing else here: those that are served, and those that are not. */
const OLLAMA_PATH =
  /^\/api\/(?:generate|tags|show|ps|embed|version|embeddings|pull|push|create|copy|delete|blobs\/[^/]*)$/;

/** The shape of what is refused before a route answers, and of an unknown path. */
export const shapeOfPath = (path: string): ErrorShape | undefined => {
  if (path.startsWith('/v1/messages')) return 'anthropic';
  if (OLLAMA_PATH.test(path)) return 'ollama';
  return path === '/v1' || path.startsWith('/v1/') ? 'openai' : undefined;
};
