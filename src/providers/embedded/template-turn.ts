/**
 * A turn of a model that was trained to call tools: its own template offers them, it writes freely, and its text is read
 * for calls by the dialect parser further up.
 */

import type { ModelAnswer } from '../../core/model-port.ts';
import { EMBEDDED_LIMITS } from './limits.ts';
import { type Turn, writeAnswer } from './steps.ts';

export const runTemplateTurn = async (turn: Turn): Promise<ModelAnswer> => {
  const { request, chat, emit } = turn;
  return writeAnswer(turn, {
    prompt: await chat.promptWithTools(request.messages, request.tools, request.sampling.think),
    maxTokens: request.sampling.max_tokens ?? EMBEDDED_LIMITS.embeddedTemplateTokens,
    keepSpecial: true,
    onText: (delta) => emit({ type: 'text_delta', delta }),
  });
};
