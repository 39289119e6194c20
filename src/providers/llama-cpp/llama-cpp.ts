/** llama.cpp's server: OpenAI's protocol, with progress of the prompt, its cache and its grammars besides. */

import type { ModelPart, ModelProvider } from '../../core/model-port.ts';
import { createOpenAIProvider } from '../openai/openai.ts';
import type { ProviderOptions } from '../provider-options.ts';
import { serverThinking } from '../thinking.ts';
import { readOnly } from '../warm-up.ts';
import { adapterFields } from './adapters.ts';
import { lowerSchema } from './lower-schema.ts';
import { createSlots } from './slots.ts';

export const LLAMA_CPP_URL = 'http://127.0.0.1:8080/v1';

export const createLlamaCppProvider = (options: ProviderOptions): ModelProvider => {
  const { adapters = [] } = options;
  const provider = createOpenAIProvider(options, {
    name: 'llama-cpp',
    usualUrl: LLAMA_CPP_URL,
    startHint: 'Start it with "llama-server -m MODEL.gguf --jinja", or name its address with --base-url.',
    sendReasoning: true,
    extra: { cache_prompt: true, return_progress: true },
    bound: serverThinking,
    constrain: (schema) => ({ json_schema: lowerSchema(schema) }),
    toolParameters: lowerSchema,
    warms: true,
    readyPath: '/health',
    ...(adapters.length === 0 ? {} : { further: adapterFields(options.network, adapters) }),
  });
  return options.statesFolder ? inSlots(provider, { ...options, statesFolder: options.statesFolder }) : provider;
};

/** Parts that come only when the server is at work on the prompt. */
const READS: ReadonlySet<ModelPart['type']> = new Set(['prefill', 'text_delta', 'reasoning_delta', 'tool_call_delta']);

/** Every request goes to its conversation's slot, where the server saves slots. */
const inSlots = (provider: ModelProvider, options: ProviderOptions & { statesFolder: string }): ModelProvider => {
  const slots = createSlots({
    network: options.network,
    root: provider.endpoint.replace(/\/v1$/, ''),
    headers: options.apiKey === undefined ? {} : { authorization: `Bearer ${options.apiKey}` },
    folder: options.statesFolder,
    adapters: options.adapters ?? [],
    now: options.clock.now,
  });
  const stream: ModelProvider['stream'] = async (request, emit, signal) => {
    const slot = await slots.hold(request, emit, signal);
    const passthrough = slot.id === undefined ? request.passthrough : { ...request.passthrough, id_slot: slot.id };
    let read = false;
    const watched: typeof emit = (part) => {
      read ||= READS.has(part.type);
      emit(part);
    };
    const outcome = await provider.stream({ ...request, ...(passthrough ? { passthrough } : {}) }, watched, signal);
    await slot.done({ usage: outcome.ok ? outcome.answer.usage : undefined, read: read || outcome.ok });
    return outcome;
  };
  return {
    ...provider,
    stream,
    warmUp: { read: readOnly(stream) },
    async close() {
      await slots.close();
      await provider.close();
    },
  };
};
