/**
 * A turn of a model that was trained to call tools: its own template offers them, it writes freely, and its text is read
 * for calls by the dialect parser further up.
 */

import type { ModelAnswer, ModelPart, ModelRequest } from '../../core/model-port.ts';
import { endMarkersOf } from '../led/end-markers.ts';
import type { Meter } from '../led/meter.ts';
import type { Chat } from './chat.ts';
import type { Engine } from './engine.ts';
import { writeAnswer } from './led-engine.ts';
import { EMBEDDED_LIMITS } from './limits.ts';

export type TemplateTurn = {
  engine: Engine;
  chat: Chat;
  request: ModelRequest;
  emit(part: ModelPart): void;
  signal: AbortSignal;
  meter: Meter;
};

export const runTemplateTurn = async (turn: TemplateTurn): Promise<ModelAnswer> => {
  const { engine, request, chat, emit, meter } = turn;
  const onText = (delta: string): void => emit({ type: 'text_delta', delta });
  const written = await writeAnswer(
    engine,
    { ...turn, onText },
    {
      prompt: await chat.promptWithTools(request),
      maxTokens: request.sampling.max_tokens ?? EMBEDDED_LIMITS.embeddedTemplateTokens,
      repeatPenalty: 1,
      keepSpecial: true,
      stop: endMarkersOf(engine.chatTemplate),
    },
  );
  meter.add(written);
  return { calls: [], finish: written.finish, usage: meter.usage() };
};
