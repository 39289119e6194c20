/** Bodies of Ollama's `/api/chat` and `/api/generate` → what is to be completed. */
import { isObject, type JsonObject, type JsonSchema, type JsonValue } from '../../../core/json.ts';
import type { ContentPart, ModelMessage, ToolCall } from '../../../core/message.ts';
import type { Sampling } from '../../../core/model-port.ts';
import { pictureKindOf } from '../../../core/picture-kind.ts';
import type { ToolSchema } from '../../../core/tool.ts';
import { invalidRequest } from '../../error.ts';
import { addResult, pictureProblem, readCalledArguments, toolMessage } from '../../message-parts.ts';
import {
  checkAnswerSchema,
  checkTools,
  droppedIn,
  droppedOf,
  type GatewayRequest,
  type GivenTool,
  passthroughOf,
  pictureOf,
  readStop,
  withoutAbsent,
} from '../../request.ts';

/** What would have the model read something else than a conversation in its own template. */
const REFUSED: Readonly<Record<string, string>> = {
  raw: 'a prompt is completed as a conversation, in the template of the model. Send it without the marks of a template.',
  suffix: 'text is not filled in between a prompt and a suffix. Ask the model server itself for that.',
  template:
    'a prompt is completed as a conversation, in the template of the model. Send its words as system and prompt.',
};

const OPTIONS_READ = ['temperature', 'top_p', 'seed', 'num_predict', 'stop'];

export const readChatRequest = (body: JsonObject): GatewayRequest => {
  const messages: ModelMessage[] = [];
  for (const [index, entry] of ((body['messages'] ?? []) as unknown[]).entries()) addMessage(entry, index, messages);
  return { ...common(body, ['messages', 'tools']), messages, tools: readTools(body['tools']) };
};

export const readGenerateRequest = (body: JsonObject): GatewayRequest => {
  for (const [field, why] of Object.entries(REFUSED)) {
    const value = body[field] ?? '';
    if (value !== '' && value !== false) throw invalidRequest(`${field} cannot be carried out: ${why}`);
  }
  const messages: ModelMessage[] = [];
  if (typeof body['system'] === 'string' && body['system'] !== '')
    messages.push({ role: 'system', content: body['system'] });
  messages.push({ role: 'user', content: withPictures(String(body['prompt'] ?? ''), readPictures(body['images'])) });
  return { ...common(body, ['prompt', 'system', 'images', ...Object.keys(REFUSED)]), messages, tools: [] };
};

const common = (body: JsonObject, known: readonly string[]): Omit<GatewayRequest, 'messages' | 'tools'> => {
  const options = isObject(body['options']) ? body['options'] : {};
  return {
    model: String(body['model']),
    toolChoice: 'auto',
    parallel: true,
    sampling: readSampling(options, body['think']),
    passthrough: {
      ...passthroughOf(options),
      ...(typeof body['think'] === 'string' ? { reasoning_effort: body['think'] } : {}),
    },
    stop: readStop(options['stop']),
    responseSchema: readOllamaFormat(body['format']),
    // Ollama streams unless it is told not to.
    stream: body['stream'] !== false,
    dropped: [
      ...droppedOf(body, ['model', 'format', 'options', 'stream', 'think', ...known]),
      ...droppedIn('options', options, OPTIONS_READ),
    ],
  };
};

const readSampling = (options: JsonObject, think: JsonValue | undefined): Sampling =>
  withoutAbsent({
    temperature: options['temperature'] as number | undefined,
    top_p: options['top_p'] as number | undefined,
    seed: options['seed'] as number | undefined,
    max_tokens:
      typeof options['num_predict'] === 'number' && options['num_predict'] > 0 ? options['num_predict'] : undefined,
    think: readThink(think),
  });

const readThink = (think: JsonValue | undefined): boolean | undefined => {
  if (think === undefined || think === null || typeof think === 'string') return undefined;
  if (typeof think === 'boolean') return think;
  throw invalidRequest('think must be true, false, or a level such as "low", "medium" or "high".');
};

const readOllamaFormat = (format: JsonValue | undefined): JsonSchema | undefined => {
  if (format === undefined || format === null || format === '') return undefined;
  if (format === 'json') return { type: 'object' };
  if (isObject(format)) return checkAnswerSchema(format as JsonSchema, 'format');
  throw invalidRequest('format must be "json" or a JSON schema.');
};

const readTools = (given: unknown): ToolSchema[] =>
  checkTools(
    ((given ?? []) as JsonObject[]).map(({ function: described }) =>
      isObject(described) ? (described as GivenTool) : { name: undefined },
    ),
  );

const addMessage = (entry: unknown, index: number, messages: ModelMessage[]): void => {
  if (!isObject(entry)) throw invalidRequest(`messages.${index} is no object.`);
  const content = textOf(entry['content'], `messages.${index}.content`);
  const { role } = entry;
  const pictures = readPictures(entry['images']);
  if (pictures.length > 0 && role !== 'user' && role !== 'tool')
    throw invalidRequest(`messages.${index}: ${pictureProblem(String(role))}.`);
  switch (role) {
    case 'system':
      messages.push({ role, content });
      return;
    case 'user':
      messages.push({ role, content: withPictures(content, pictures) });
      return;
    case 'assistant': {
      const given = entry['tool_calls'] ?? [];
      if (!Array.isArray(given)) throw invalidRequest(`messages.${index}.tool_calls must be a list.`);
      const calls = given.map((call, at) => readCall(call, index, at));
      const thinking =
        typeof entry['thinking'] === 'string' && entry['thinking'] !== '' ? { reasoning: entry['thinking'] } : {};
      const finish = calls.length > 0 ? 'tool_calls' : 'stop';
      messages.push({ role, content, ...thinking, tool_calls: calls, finish });
      return;
    }
    case 'tool': {
      const named = typeof entry['tool_name'] === 'string' ? entry['tool_name'] : undefined;
      addResult(messages, toolMessage(resultId(entry, messages), content, messages, named), pictures);
      return;
    }
    default:
      throw invalidRequest(`messages.${index}.role must be system, user, assistant or tool.`);
  }
};

/** Ollama's results name their tool, or nothing at all: they answer the calls in their order. */
const resultId = (entry: JsonObject, before: readonly ModelMessage[]): string => {
  if (typeof entry['tool_call_id'] === 'string') return entry['tool_call_id'];
  const answered = new Set(before.flatMap((message) => (message.role === 'tool' ? [message.tool_call_id] : [])));
  const open = before
    .flatMap((message) => (message.role === 'assistant' ? message.tool_calls : []))
    .filter(({ id }) => !answered.has(id));
  return (open.find(({ name }) => name === entry['tool_name']) ?? open[0])?.id ?? '';
};

const textOf = (content: JsonValue | undefined, where: string): string => {
  if (content !== undefined && content !== null && typeof content !== 'string')
    throw invalidRequest(`${where} must be text.`);
  return content ?? '';
};

const readCall = (call: JsonValue, index: number, at: number): ToolCall => {
  const inner = isObject(call) ? call['function'] : undefined;
  if (!isObject(call) || !isObject(inner) || typeof inner['name'] !== 'string')
    throw invalidRequest(`messages.${index}.tool_calls.${at} has no function with a name.`);
  const { id } = call;
  return {
    id: typeof id === 'string' ? id : `call_${index}_${at}`,
    name: inner['name'],
    arguments: readCalledArguments(inner['arguments']),
    source: 'native',
    repairs: [],
  };
};

const withPictures = (text: string, pictures: readonly ContentPart[]): string | ContentPart[] =>
  pictures.length === 0 ? text : [{ type: 'text', text }, ...pictures];

const IMAGES_PROBLEM =
  'images must be base64, as they are or behind data:image/png;base64, – nothing is fetched for a caller.';

const readPictures = (images: JsonValue | undefined): ContentPart[] => {
  if (images === undefined || images === null) return [];
  if (!Array.isArray(images)) throw invalidRequest('images must be a list of pictures in base64.');
  return images.map((given) => {
    if (typeof given !== 'string') throw invalidRequest(IMAGES_PROBLEM);
    // They come without their kind.
    const url = given.startsWith('data:') ? given : `data:${pictureKindOf(given) ?? 'image/png'};base64,${given}`;
    return pictureOf(url, IMAGES_PROBLEM);
  });
};
