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

/** The shape that an unknown path is answered in. */
export const shapeOfPath = (path: string): ErrorShape | undefined => {
  if (path.startsWith('/v1/messages')) return 'anthropic';
  return path === '/v1' || path.startsWith('/v1/') ? 'openai' : undefined;
};
