/** Errors in the shape that the clients of each wire read, whichever part of the server they come from. */
import type { JsonObject } from '../../core/json.ts';
import type { WireFailure } from '../../gateway/error.ts';
import { openAiError } from '../../gateway/wires/chat-completions/wire.ts';
import { anthropicError } from '../../gateway/wires/messages/wire.ts';
import { ollamaError } from '../../gateway/wires/ollama/wire.ts';
import { respond } from '../respond.ts';
import type { ErrorShape } from '../route.ts';
import { isOfAnthropic, isOfOllama, type Target } from './target.ts';

const ownError = ({ code, message }: WireFailure): JsonObject => ({ error: { code, message } });

const BODIES: Readonly<Record<ErrorShape, (error: WireFailure) => JsonObject>> = {
  halter: ownError,
  shared: ownError,
  openai: openAiError,
  anthropic: anthropicError,
  ollama: ollamaError,
};

/** Ollama's clients look for a text in `error` of `application/json` alone, and show any other body as it is. */
const TYPE_SHOWN_AS_IT_IS = 'application/problem+json';

/** For where there is no `Response` yet. */
export const errorText = (shape: ErrorShape, error: WireFailure): { contentType: string; body: string } => ({
  contentType: shape === 'shared' ? TYPE_SHOWN_AS_IT_IS : 'application/json',
  body: JSON.stringify(BODIES[shape](error)),
});

export const errorResponse = (shape: ErrorShape, error: WireFailure): Response => {
  const { contentType, body } = errorText(shape, error);
  return respond(body, { 'content-type': contentType, ...error.headers }, error.status);
};

type Owned = { shape: ErrorShape; path: RegExp; isFrom?(target: Target): boolean };

/** Whose a path is, served or not; the first that fits. */
const OWNERS: readonly Owned[] = [
  { shape: 'anthropic', path: /^\/v1\/(?:messages|complete)(?:\/|$)/ },
  { shape: 'openai', path: /^\/v1\/(?:chat|responses|completions|embeddings)(?:\/|$)/ },
  { shape: 'anthropic', path: /^\/v1(?:\/|$)/, isFrom: isOfAnthropic },
  { shape: 'ollama', path: /^\/v1\/api(?:\/|$)/ },
  // Without /v1: as clients ask that were given a wrong address.
  { shape: 'openai', path: /^\/(?:v1(?:\/.*)?|chat\/completions|completions|responses|embeddings|models)$/ },
  {
    shape: 'ollama',
    path: /^\/api\/(?:generate|tags|show|ps|embed|version|embeddings|pull|push|create|copy|delete|blobs)(?:\/|$)/,
  },
  { shape: 'ollama', path: /^\/api\/chat$/, isFrom: isOfOllama },
  { shape: 'shared', path: /^\/api\/chat$/ },
];

/** The shape of what is refused before a route answers. */
export const shapeAt = (target: Target): ErrorShape =>
  OWNERS.find(({ path, isFrom }) => path.test(target.path) && (isFrom?.(target) ?? true))?.shape ?? 'halter';

/** Of a path below `/api` that is nobody's. */
export const shapeOfUnknown = (target: Target): ErrorShape => {
  const shape = shapeAt(target);
  if (shape !== 'halter' || !/^\/api(?:\/|$)/.test(target.path)) return shape;
  return isOfOllama(target) ? 'ollama' : 'shared';
};
