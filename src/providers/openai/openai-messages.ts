/** The conversation in the words of OpenAI's chat completions. */
import { argumentsText } from '../../core/call-arguments.ts';
import { isObject, type JsonObject, type JsonSchema, type JsonValue } from '../../core/json.ts';
import { type ContentPart, type ModelMessage, messageText } from '../../core/message.ts';
import type { ModelRequest, Sampling } from '../../core/model-port.ts';
import { listOf } from '../json-values.ts';
import { templateThinking } from '../thinking.ts';

const userPart = (part: ContentPart): JsonObject =>
  part.type === 'text'
    ? { type: 'text', text: part.text }
    : { type: 'image_url', image_url: { url: `data:${part.mime_type};base64,${part.data_base64}` } };

const userContent = (content: string | ContentPart[]): JsonValue =>
  // Many local servers' templates know text alone, so text alone is sent as that.
  typeof content === 'string' || content.every(({ type }) => type === 'text')
    ? messageText(content)
    : content.map(userPart);

/** Sampling fields of OpenAI's API and of the local servers that speak it. */
export const OPENAI_PASSES: readonly string[] = [
  'top_k',
  'min_p',
  'typical_p',
  'presence_penalty',
  'frequency_penalty',
  'repetition_penalty',
  'repeat_penalty',
  'logit_bias',
  'reasoning_effort',
  'chat_template_kwargs',
];

export const toOpenAIMessage = (message: ModelMessage, sendReasoning: boolean): JsonObject => {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: message.content };
    case 'user':
      return { role: 'user', content: userContent(message.content) };
    case 'assistant':
      return {
        role: 'assistant',
        content: message.content,
        ...(sendReasoning && message.reasoning ? { reasoning_content: message.reasoning } : {}),
        ...(message.tool_calls.length === 0
          ? {}
          : {
              tool_calls: message.tool_calls.map((call) => ({
                id: call.id,
                type: 'function',
                // Arguments that could not be read are sent as none: servers parse this text, and fail on broken JSON.
                function: { name: call.name, arguments: argumentsText(call) },
              })),
            }),
      };
    case 'tool':
      return { role: 'tool', tool_call_id: message.tool_call_id, name: message.name, content: message.content };
  }
};

/** OpenAI's own servers refuse a strict schema in which not every object closes its list of properties. */
const isStrict = (schema: JsonValue | undefined): boolean => {
  if (Array.isArray(schema)) return schema.every(isStrict);
  if (!isObject(schema)) return true;
  const properties = schema['properties'];
  if (isObject(properties)) {
    const required = new Set(listOf(schema['required']));
    if (schema['additionalProperties'] !== false) return false;
    if (!Object.keys(properties).every((name) => required.has(name))) return false;
  }
  return Object.values(schema).every((value) => isStrict(value as JsonValue));
};

export const jsonSchemaFormat = (schema: JsonSchema): JsonObject => ({
  response_format: { type: 'json_schema', json_schema: { name: 'answer', schema, strict: isStrict(schema) } },
});

export type RequestFlavour = {
  /** The thoughts of earlier turns go back to the server, whose template decides what the model sees. */
  sendReasoning: boolean;
  /** How an answer is held to a schema. */
  constrain(schema: JsonSchema): JsonObject;
  toolParameters(schema: JsonSchema): JsonSchema;
  /** Fields that only this server knows. */
  extra: JsonObject;
  /** The same of one request. */
  bound?(sampling: Sampling): JsonObject;
};

/** Everything but the messages. */
export const toOpenAIFields = (request: Omit<ModelRequest, 'messages'>, flavour: RequestFlavour): JsonObject => {
  const { temperature, top_p, seed, max_tokens } = request.sampling;
  const { chat_template_kwargs: templateFields, ...passed } = request.passthrough ?? {};
  const template = {
    ...(isObject(templateFields) ? (templateFields as JsonObject) : {}),
    ...templateThinking(request.model, request.sampling),
  };
  const tools = request.tools.map(({ type, function: { name, description, parameters } }) => ({
    type,
    function: { name, description, parameters: flavour.toolParameters(parameters) },
  }));
  return {
    model: request.model,
    ...(tools.length === 0 ? {} : { tools }),
    ...(tools.length === 0 || request.parallel_calls === undefined
      ? {}
      : { parallel_tool_calls: request.parallel_calls }),
    ...(request.whole ? { stream: false } : { stream: true, stream_options: { include_usage: true } }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(top_p === undefined ? {} : { top_p }),
    ...(seed === undefined ? {} : { seed }),
    ...(max_tokens === undefined ? {} : { max_tokens }),
    ...(request.stop?.length ? { stop: [...request.stop] } : {}),
    // What llama.cpp, vLLM and SGLang hand to the model's template.
    ...(Object.keys(template).length === 0 ? {} : { chat_template_kwargs: template }),
    ...flavour.bound?.(request.sampling),
    ...passed,
    ...(request.response_schema === undefined ? {} : flavour.constrain(request.response_schema)),
    ...flavour.extra,
  };
};
