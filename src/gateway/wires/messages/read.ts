/** A body of `POST /v1/messages` → what is to be completed. */
import { isObject, type JsonObject, type JsonValue } from '../../../core/json.ts';
import type { ContentPart, ModelMessage, ToolCall } from '../../../core/message.ts';
import type { ToolSchema } from '../../../core/tool.ts';
import { invalidRequest } from '../../error.ts';
import { addResult, readCalledArguments, toolMessage } from '../../message-parts.ts';
import {
  checkTools,
  chooseTools,
  droppedIn,
  droppedOf,
  type GatewayRequest,
  passthroughOf,
  pictureOf,
  readFormat,
  readStop,
  type ToolChoice,
  withoutAbsent,
} from '../../request.ts';

const KNOWN = [
  'model',
  'messages',
  'system',
  'max_tokens',
  'tools',
  'tool_choice',
  'stop_sequences',
  'stream',
  'temperature',
  'top_p',
  'thinking',
  'output_format',
  'output_config',
];

export const readMessagesRequest = (body: JsonObject): GatewayRequest => {
  const { tools, left } = readTools(body['tools']);
  const { choice, parallel } = readChoice(body['tool_choice']);
  const system = textOf(body['system'], 'system');
  const messages: ModelMessage[] = system === '' ? [] : [{ role: 'system', content: system }];
  for (const [index, entry] of (body['messages'] as unknown[]).entries()) readMessage(entry, index, messages);
  const config = isObject(body['output_config']) ? body['output_config'] : {};
  return {
    model: String(body['model']),
    messages,
    ...chooseTools({ choice }, tools),
    parallel,
    sampling: withoutAbsent({
      temperature: body['temperature'] as number | undefined,
      top_p: body['top_p'] as number | undefined,
      max_tokens: body['max_tokens'] as number | undefined,
      think: readThinking(body['thinking']),
    }),
    passthrough: passthroughOf(body),
    stop: readStop(body['stop_sequences']),
    responseSchema: readFormat(body['output_format'] ?? config['format'], 'output_format'),
    stream: body['stream'] === true,
    dropped: [
      ...droppedOf(body, KNOWN),
      ...droppedIn('thinking', body['thinking'], ['type']),
      ...droppedIn('output_config', config, ['format']),
      ...left,
    ],
  };
};

/** Tools that run at a hosted service have no schema and cannot be offered here. */
const readTools = (given: unknown): { tools: ToolSchema[]; left: string[] } => {
  const list = (Array.isArray(given) ? given : []) as JsonObject[];
  const isOwn = (tool: JsonObject): boolean => Object.hasOwn(tool, 'input_schema');
  const left = list.filter((tool) => !isOwn(tool)).map((tool) => `tools.${String(tool['name'])}`);
  const tools = checkTools(
    list
      .filter(isOwn)
      .map(({ name, description, input_schema: parameters }) => ({ name, description, parameters: parameters ?? 0 })),
  );
  return { tools, left };
};

const readChoice = (choice: unknown): { choice: ToolChoice; parallel: boolean } => {
  if (!isObject(choice)) return { choice: 'auto', parallel: true };
  const parallel = choice['disable_parallel_tool_use'] !== true;
  switch (choice['type']) {
    case 'auto':
      return { choice: 'auto', parallel };
    case 'none':
      return { choice: 'none', parallel };
    case 'any':
      return { choice: 'required', parallel };
    case 'tool':
      if (typeof choice['name'] !== 'string') throw invalidRequest('tool_choice needs the name of a tool.');
      return { choice: { name: choice['name'] }, parallel };
    default:
      throw invalidRequest('tool_choice.type must be auto, any, tool or none.');
  }
};

const readThinking = (thinking: unknown): boolean | undefined => {
  if (!isObject(thinking)) return undefined;
  if (thinking['type'] === 'disabled') return false;
  return thinking['type'] === 'enabled' ? true : undefined;
};

const readMessage = (entry: unknown, index: number, messages: ModelMessage[]): void => {
  const where = `messages.${index}`;
  if (!isObject(entry)) throw invalidRequest(`${where} is no object.`);
  const { role, content } = entry;
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  if (!Array.isArray(blocks)) throw invalidRequest(`${where}.content must be text or a list of blocks.`);
  if (role === 'assistant') messages.push(readAssistant(blocks, where));
  else if (role === 'system') messages.push({ role: 'system', content: textOf(content, where) });
  else if (role === 'user') readUser(blocks, where, messages);
  else throw invalidRequest(`${where}.role must be user or assistant.`);
};

const readAssistant = (blocks: readonly JsonValue[], where: string): ModelMessage => {
  const texts: string[] = [];
  const thoughts: string[] = [];
  const calls: ToolCall[] = [];
  for (const block of blocks) {
    if (!isObject(block)) throw invalidRequest(`${where} has a block that is no object.`);
    if (block['type'] === 'text') texts.push(textIn(block, where));
    else if (block['type'] === 'thinking') thoughts.push(String(block['thinking'] ?? ''));
    else if (block['type'] === 'tool_use') {
      const { id, name, input } = block;
      if (typeof id !== 'string' || typeof name !== 'string')
        throw invalidRequest(`${where}: a tool_use needs id and name.`);
      calls.push({ id, name, arguments: readCalledArguments(input), source: 'native', repairs: [] });
    } else if (block['type'] !== 'redacted_thinking') throw unknownBlock(block, where);
  }
  return {
    role: 'assistant',
    content: texts.join('\n'),
    ...(thoughts.length > 0 ? { reasoning: thoughts.join('\n') } : {}),
    tool_calls: calls,
    finish: calls.length > 0 ? 'tool_calls' : 'stop',
  };
};

/**
 * Results come before what the person says, whatever their order in the list: servers want them behind their call. Their
 * pictures stay among the person's own words where there are any.
 */
const readUser = (blocks: readonly JsonValue[], where: string, messages: ModelMessage[]): void => {
  const parts: ContentPart[] = [];
  const results: ModelMessage[] = [];
  let isOwn = false;
  for (const block of blocks) {
    if (!isObject(block)) throw invalidRequest(`${where} has a block that is no object.`);
    isOwn ||= block['type'] !== 'tool_result';
    if (block['type'] === 'text') parts.push({ type: 'text', text: textIn(block, where) });
    else if (block['type'] === 'image') parts.push(pictureIn(block));
    else if (block['type'] === 'tool_result') {
      const { text, pictures } = readResult(block['content'], where);
      const content = block['is_error'] === true && !/error/i.test(text.slice(0, 200)) ? `Error: ${text}` : text;
      results.push(toolMessage(String(block['tool_use_id'] ?? ''), content, messages));
      parts.push(...pictures);
    } else throw unknownBlock(block, where);
  }
  for (const result of results) addResult(messages, result, isOwn || result !== results.at(-1) ? [] : parts);
  // An empty list is a message as an empty text is; results alone are none.
  if (!isOwn && blocks.length > 0) return;
  const isText = parts.every((part) => part.type === 'text');
  const content = isText ? parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n') : parts;
  messages.push({ role: 'user', content });
};

const readResult = (content: JsonValue | undefined, where: string): { text: string; pictures: ContentPart[] } => {
  if (content === undefined || content === null) return { text: '', pictures: [] };
  if (typeof content === 'string') return { text: content, pictures: [] };
  if (!Array.isArray(content)) throw invalidRequest(`${where}: the content of a tool_result must be text or blocks.`);
  const pictures = content
    .filter((block) => isObject(block) && block['type'] === 'image')
    .map((block) => pictureIn(block as JsonObject));
  const texts = content.filter((block) => !isObject(block) || block['type'] !== 'image');
  return { text: textOf(texts, where, fileInWords), pictures };
};

const hasBytes = ({ source }: JsonObject): boolean => isObject(source) && source['type'] === 'base64';

/** A program's result comes again with every request, so the model is told, and the conversation goes on. */
const fileInWords = (block: JsonObject): string => {
  if (!hasBytes(block)) return JSON.stringify(block);
  const kind = isObject(block['source']) ? block['source']['media_type'] : undefined;
  return `[A file (${String(kind)}) that cannot be handed to a local model]`;
};

const pictureIn = (block: JsonObject): ContentPart => {
  const { media_type, data } = isObject(block['source']) ? block['source'] : {};
  return pictureOf(
    hasBytes(block) ? `data:${String(media_type)};base64,${String(data)}` : undefined,
    'A picture needs source.type base64, with media_type and data: nothing is fetched for a caller.',
  );
};

const textIn = (block: JsonObject, where: string): string => {
  if (typeof block['text'] !== 'string') throw invalidRequest(`${where}: a block of text has no text.`);
  return block['text'];
};

/** Text, or blocks of which each holds some. */
const textOf = (
  content: JsonValue | undefined,
  where: string,
  otherwise: (block: JsonObject) => string = (block) => {
    if (hasBytes(block)) throw unknownBlock(block, where);
    return JSON.stringify(block);
  },
): string => {
  if (content === undefined || content === null) return '';
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) throw invalidRequest(`${where} must be text or a list of blocks.`);
  return content
    .map((block) => {
      if (isObject(block) && typeof block['text'] === 'string') return block['text'];
      if (!isObject(block)) throw invalidRequest(`${where} has a block that is no object.`);
      return otherwise(block);
    })
    .join('\n');
};

const unknownBlock = (block: JsonObject, where: string): Error =>
  invalidRequest(`${where}: blocks of the type ${JSON.stringify(block['type'])} cannot be handed to a local model.`);
