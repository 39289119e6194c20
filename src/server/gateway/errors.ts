/** Errors in the shape that the clients of each wire read, whichever part of the server they come from. */
import type { JsonObject } from '../../core/json.ts';
import type { WireFailure } from '../../gateway/error.ts';
import { openAiError } from '../../gateway/wires/chat-completions/wire.ts';
import { anthropicError } from '../../gateway/wires/messages/wire.ts';
import { ollamaError } from '../../gateway/wires/ollama/wire.ts';
import type { ErrorShape } from '../route.ts';
import { isOfAnthropic } from './listed-models.ts';

const BODIES: Readonly<Record<ErrorShape, (error: WireFailure) => JsonObject>> = {
  openai: openAiError,
  anthropic: anthropicError,
  ollama: ollamaError,
};

export const errorBody = (shape: ErrorShape, error: WireFailure): JsonObject => BODIES[shape](error);

/** Paths of Ollama's API that are nothing else here: those that are served, and those that are not. */
const OLLAMA_PATH =
  /^\/api\/(?:generate|tags|show|ps|embed|version|embeddings|pull|push|create|copy|delete|blobs\/[^/]*)$/;

/** Halter's own conversation has the same path: before its body is read, only the client's name tells whose it is. */
const SHARED_PATH = '/api/chat';
const OLLAMA_CLIENT = /^ollama\b/i;

/** The shape of what is refused before a route answers, and of an unknown path. */
export const shapeOf = (request: Request): ErrorShape | undefined => {
  const path = new URL(request.url).pathname;
  if (path.startsWith('/v1/messages')) return 'anthropic';
  if (path.startsWith('/v1/') && isOfAnthropic(request)) return 'anthropic';
  if (OLLAMA_PATH.test(path)) return 'ollama';
  if (path === SHARED_PATH && OLLAMA_CLIENT.test(request.headers.get('user-agent') ?? '')) return 'ollama';
  return path === '/v1' || path.startsWith('/v1/') ? 'openai' : undefined;
};
