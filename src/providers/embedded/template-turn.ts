/**
 * A turn of a model that was trained to call tools: its own template offers them, it writes freely, and its text is read
 * for calls by the dialect parser further up.
 */
import { LIMITS } from '../../core/limits.ts';
import type { ModelAnswer } from '../../core/model-port.ts';
import { schemaGrammar } from './grammar.ts';
import type { Turn } from './steps.ts';

export const runTemplateTurn = async (turn: Turn): Promise<ModelAnswer> => {
  const { request, engine, chat, emit, signal, meter } = turn;
  const generated = await engine.generate({
    lane: 'conversation',
    prompt: await chat.promptWithTools(request.messages, request.tools, request.sampling.think),
    maxTokens: request.sampling.max_tokens ?? LIMITS.embeddedTemplateTokens,
    keepSpecial: true,
    ...(request.response_schema ? { grammar: schemaGrammar(request.response_schema) } : {}),
    ...(request.sampling.temperature === undefined ? {} : { temperature: request.sampling.temperature }),
    ...(request.sampling.top_p === undefined ? {} : { topP: request.sampling.top_p }),
    ...(request.sampling.seed === undefined ? {} : { seed: request.sampling.seed }),
    signal,
    onPrefill: (processed, total, cached) => emit({ type: 'prefill', processed, total, cached }),
    onText: (delta) => emit({ type: 'text_delta', delta }),
  });
  meter.add(generated);
  return { calls: [], finish: generated.finish, usage: meter.usage() };
};
