/** The conversation in the words of Ollama's `/api/chat`. */
import { callArguments } from '../../core/call-arguments.ts';
import type { JsonObject, JsonValue } from '../../core/json.ts';
import type { ContentPart, ModelMessage } from '../../core/message.ts';
import type { ModelRequest } from '../../core/model-port.ts';
import { forJson } from '../../core/written-numbers.ts';
import { ollamaThinking } from '../thinking.ts';

const userMessage = (content: string | ContentPart[]): JsonObject => {
  if (typeof content === 'string') return { role: 'user', content };
  const texts: string[] = [];
  const images: string[] = [];
  for (const part of content) {
    if (part.type === 'text') texts.push(part.text);
    else images.push(part.data_base64);
  }
  return { role: 'user', content: texts.join('\n'), ...(images.length === 0 ? {} : { images }) };
};

export const toOllamaMessage = (message: ModelMessage): JsonObject => {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: message.content };
    case 'user':
      return userMessage(message.content);
    case 'assistant':
      return {
        role: 'assistant',
        content: message.content,
        // Always sent, so that a request stays a prefix of the next; the model's template decides what it shows.
        ...(message.reasoning ? { thinking: message.reasoning } : {}),
        ...(message.tool_calls.length === 0
          ? {}
          : {
              tool_calls: message.tool_calls.map((call, index) => ({
                id: call.id,
                type: 'function',
                function: { index, name: call.name, arguments: forJson(callArguments(call)) },
              })),
            }),
      };
    case 'tool':
      return { role: 'tool', content: message.content, tool_name: message.name, tool_call_id: message.tool_call_id };
  }
};

/** Sampling fields that Ollama takes among its options, under the same names. */
export const OLLAMA_PASSES: readonly string[] = [
  'top_k',
  'min_p',
  'typical_p',
  'presence_penalty',
  'frequency_penalty',
  'repeat_penalty',
];

/** Everything but the messages. */
export const toOllamaFields = (
  request: Omit<ModelRequest, 'messages'>,
  settings: { contextTokens: number; keepAlive: string },
): JsonObject => {
  const { temperature, top_p, seed, max_tokens } = request.sampling;
  const options: Record<string, JsonValue> = { ...request.passthrough, num_ctx: settings.contextTokens };
  if (temperature !== undefined) options['temperature'] = temperature;
  if (top_p !== undefined) options['top_p'] = top_p;
  if (seed !== undefined) options['seed'] = seed;
  if (max_tokens !== undefined) options['num_predict'] = max_tokens;
  return {
    model: request.model,
    ...(request.tools.length === 0 ? {} : { tools: [...request.tools] as JsonValue[] }),
    stream: true,
    keep_alive: settings.keepAlive,
    options,
    ...ollamaThinking(request.model, request.sampling),
    ...(request.response_schema === undefined ? {} : { format: request.response_schema }),
  };
};
