/** A body of `POST /v1/chat/completions` → what is to be completed. What halter cannot do is refused, never ignored. */
import type { JsonSchema } from '../../core/json.ts';
import type { ModelMessage } from '../../core/message.ts';
import type { Sampling } from '../../core/model-port.ts';
import type { ToolSchema } from '../../core/tool.ts';
import type { ToolChoice } from '../../gateway/complete.ts';
import { toModelMessages } from '../../gateway/openai-messages.ts';
import type { FromJsonSchema } from '../../schema/infer.ts';
import { ApiError } from '../api-error.ts';

const NAME = { type: 'string', pattern: '^[a-zA-Z0-9_.-]{1,128}$' } as const;

export const COMPLETION_BODY = {
  type: 'object',
  required: ['model', 'messages'],
  properties: {
    model: { type: 'string', description: 'One of `/v1/models`, or `default`.' },
    messages: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        required: ['role'],
        properties: { role: { enum: ['system', 'developer', 'user', 'assistant', 'tool'] } },
        additionalProperties: true,
      },
    },
    tools: {
      type: ['array', 'null'],
      maxItems: 512,
      items: {
        type: 'object',
        required: ['type', 'function'],
        properties: {
          type: { const: 'function' },
          function: {
            type: 'object',
            required: ['name'],
            properties: {
              name: NAME,
              description: { type: 'string' },
              parameters: { type: 'object' },
              strict: { type: ['boolean', 'null'] },
            },
          },
        },
      },
    },
    tool_choice: {
      description: '`auto`, `none`, `required`, or `{type: "function", function: {name}}`.',
    },
    parallel_tool_calls: { type: ['boolean', 'null'] },
    response_format: {
      type: ['object', 'null'],
      required: ['type'],
      properties: { type: { enum: ['text', 'json_object', 'json_schema'] }, json_schema: { type: 'object' } },
    },
    stream: { type: ['boolean', 'null'] },
    stream_options: { type: ['object', 'null'], properties: { include_usage: { type: 'boolean' } } },
    n: { type: ['integer', 'null'], description: 'Only 1.' },
    stop: { description: 'A text, or up to 16 of them.' },
    temperature: { type: ['number', 'null'], minimum: 0, maximum: 2 },
    top_p: { type: ['number', 'null'], minimum: 0, maximum: 1 },
    seed: { type: ['integer', 'null'] },
    max_tokens: { type: ['integer', 'null'], minimum: 1 },
    max_completion_tokens: { type: ['integer', 'null'], minimum: 1 },
    reasoning_effort: { type: ['string', 'null'] },
    logprobs: { type: ['boolean', 'null'], description: 'Only false.' },
  },
} as const;

export type CompletionBody = FromJsonSchema<typeof COMPLETION_BODY>;

export type ReadRequest = {
  messages: ModelMessage[];
  tools: ToolSchema[];
  toolChoice: ToolChoice;
  parallel: boolean;
  sampling: Sampling;
  stop: string[];
  responseSchema?: JsonSchema;
};

const STOPS_MAX = 16;
const invalid = (message: string): ApiError => new ApiError(400, 'invalid_request', message);

export const readRequest = (body: CompletionBody): ReadRequest => {
  if ((body.n ?? 1) !== 1) throw invalid('n must be 1: one answer is made at a time.');
  if (body.logprobs === true) throw invalid('logprobs are not there.');
  const messages = toModelMessages(body.messages);
  if (!messages.ok) throw invalid(messages.error.message);
  const tools = readTools(body);
  const schema = readSchema(body.response_format);
  return {
    messages: messages.value,
    tools,
    toolChoice: readChoice(body.tool_choice, tools),
    parallel: body.parallel_tool_calls !== false,
    sampling: readSampling(body),
    stop: readStop(body.stop),
    ...(schema ? { responseSchema: schema } : {}),
  };
};

const readTools = (body: CompletionBody): ToolSchema[] => {
  const given = (body.tools ?? []) as { function: { name: string; description?: string; parameters?: JsonSchema } }[];
  const names = new Set<string>();
  return given.map(({ function: { name, description = '', parameters } }) => {
    if (names.has(name)) throw invalid(`Two tools are named ${name}.`);
    names.add(name);
    const described: JsonSchema =
      parameters && Object.keys(parameters).length > 0 ? parameters : { type: 'object', properties: {} };
    return { type: 'function', function: { name, description, parameters: described } };
  });
};

const readChoice = (choice: unknown, tools: readonly ToolSchema[]): ToolChoice => {
  if (choice === undefined || choice === null || choice === 'auto') return 'auto';
  if (choice === 'none') return 'none';
  if (tools.length === 0) throw invalid('tool_choice needs tools.');
  if (choice === 'required' || choice === 'any') return 'required';
  const name = (choice as { function?: { name?: unknown } }).function?.name;
  if (typeof name !== 'string') throw invalid('tool_choice must be auto, none, required or name a function.');
  if (!tools.some((tool) => tool.function.name === name))
    throw invalid(`tool_choice names ${name}, which is no tool here.`);
  return { name };
};

const readSchema = (format: unknown): JsonSchema | undefined => {
  const { type, json_schema } = (format ?? {}) as { type?: string; json_schema?: { schema?: JsonSchema } };
  if (type === 'json_object') return { type: 'object' };
  if (type !== 'json_schema') return undefined;
  if (typeof json_schema?.schema !== 'object') throw invalid('response_format.json_schema.schema is missing.');
  return json_schema.schema;
};

const readSampling = (body: CompletionBody): Sampling => {
  const tokens = body.max_completion_tokens ?? body.max_tokens;
  const sampling = {
    temperature: body.temperature,
    top_p: body.top_p,
    seed: body.seed,
    max_tokens: tokens,
    think: body.reasoning_effort === 'none' ? false : undefined,
  };
  return Object.fromEntries(Object.entries(sampling).filter(([, value]) => value !== undefined && value !== null));
};

const readStop = (stop: unknown): string[] => {
  if (stop === undefined || stop === null) return [];
  const list = Array.isArray(stop) ? stop : [stop];
  if (list.length > STOPS_MAX || !list.every((entry) => typeof entry === 'string')) {
    throw invalid(`stop must be a text or at most ${STOPS_MAX} of them.`);
  }
  return list as string[];
};
