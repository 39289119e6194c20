/** A body of `POST /v1/responses` → what is to be completed. */
import { isObject, type JsonObject, type JsonSchema, type JsonValue } from '../../../core/json.ts';
import type { ContentPart, ModelMessage, ToolCall } from '../../../core/message.ts';
import type { ToolSchema } from '../../../core/tool.ts';
import { GatewayError, invalidRequest } from '../../error.ts';
import type { EarlierAnswers } from '../../kept-responses.ts';
import { GATEWAY_LIMITS } from '../../limits.ts';
import {
  addResult,
  isPicture,
  PICTURE_PROBLEM,
  pictureProblem,
  readCalledArguments,
  toolMessage,
} from '../../message-parts.ts';
import {
  checkTools,
  chooseTools,
  droppedIn,
  droppedOf,
  type GivenChoice,
  passthroughOf,
  pictureOf,
  readAllowed,
  readFormat,
  withoutAbsent,
} from '../../request.ts';
import type { Wire } from '../../wire.ts';

/** What would change the answer, or where it can be had, and cannot be done here. */
const REFUSED: Readonly<Record<string, string>> = {
  background: 'an answer is made while the client waits. Send the request without background.',
  conversation: 'no conversations are kept. Send the whole one as input, or go on with previous_response_id.',
  prompt: 'no prompts are stored. Send its text as instructions and input.',
};
const KNOWN = [
  'model',
  'input',
  'instructions',
  'previous_response_id',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'reasoning',
  'text',
  'max_output_tokens',
  'temperature',
  'top_p',
  'stream',
  'store',
  // It comes back with the answer.
  'metadata',
];

export const readResponsesRequest: Wire['read'] = (body, earlier) => {
  for (const [field, why] of Object.entries(REFUSED)) {
    const value = body[field] ?? false;
    if (value !== false) throw invalidRequest(`${field} cannot be carried out: ${why}`);
  }
  const { tools, left } = readTools(body['tools']);
  const messages = [...earlierMessages(body['previous_response_id'], earlier)];
  if (hasInstructions(body)) {
    messages.unshift({ role: 'system', content: String(body['instructions']) });
  }
  readInput(body['input'], messages, earlier);
  if (messages.length === 0) throw invalidRequest('input is empty.');
  const text = isObject(body['text']) ? body['text'] : {};
  const reasoning = isObject(body['reasoning']) ? body['reasoning'] : {};
  const { effort } = reasoning;
  return {
    model: String(body['model']),
    messages,
    ...chooseTools(readChoice(body['tool_choice']), tools),
    parallel: body['parallel_tool_calls'] !== false,
    sampling: withoutAbsent({
      temperature: body['temperature'] as number | undefined,
      top_p: body['top_p'] as number | undefined,
      max_tokens: body['max_output_tokens'] as number | undefined,
      think: effort === 'none' ? false : undefined,
    }),
    passthrough: {
      ...passthroughOf(body),
      ...(typeof effort === 'string' && effort !== 'none' ? { reasoning_effort: effort } : {}),
    },
    stop: [],
    responseSchema: readFormat(text['format'], 'text.format'),
    stream: body['stream'] === true,
    dropped: [
      ...droppedOf(body, [...KNOWN, ...Object.keys(REFUSED)]),
      ...droppedIn('text', text, ['format']),
      // What a model thinks comes as its summary, whichever one was asked for.
      ...droppedIn('reasoning', reasoning, ['effort', 'summary', 'generate_summary']),
      ...left,
    ],
  };
};

/** They stand before the conversation, and are of one request: the next one has its own, or none. */
export const hasInstructions = ({ instructions }: JsonObject): boolean =>
  typeof instructions === 'string' && instructions !== '';

const earlierMessages = (id: unknown, earlier: EarlierAnswers): readonly ModelMessage[] => {
  if (id === undefined || id === null) return [];
  const found = typeof id === 'string' ? earlier.messages(id) : undefined;
  if (found === undefined) {
    throw new GatewayError(
      400,
      'previous_response_not_found',
      `previous_response_id: the response ${JSON.stringify(id)} is not kept here. Send the whole conversation as input.`,
    );
  }
  return found;
};

/** Tools that run at a hosted service cannot be offered here; free-form ones take their text as one argument. */
const readTools = (given: unknown): { tools: ToolSchema[]; left: string[] } => {
  const list = ((Array.isArray(given) ? given : []) as JsonObject[]).flatMap((tool) =>
    tool['type'] === 'namespace' && Array.isArray(tool['tools']) ? (tool['tools'] as JsonObject[]) : [tool],
  );
  const own = list.filter(isOwn);
  const left = [
    ...list.filter((tool) => !isOwn(tool)).map(({ type }) => `tools.${String(type)}`),
    ...own.filter(hasGrammar).map(({ name }) => `tools.${String(name)}.format`),
  ];
  const tools = checkTools(
    own.map(({ type, name, description, parameters }) => ({
      name,
      description,
      parameters: type === 'custom' ? FREE_FORM : parameters,
    })),
  );
  return { tools, left };
};

/** Its text may be anything here. */
const hasGrammar = ({ type, format }: JsonObject): boolean =>
  type === 'custom' && isObject(format) && format['type'] === 'grammar';

/** The argument of a free-form tool. */
export const FREE_FORM_ARGUMENT = 'input';
const FREE_FORM: JsonSchema = {
  type: 'object',
  properties: { [FREE_FORM_ARGUMENT]: { type: 'string' } },
  required: [FREE_FORM_ARGUMENT],
  additionalProperties: false,
};

/** The names of the free-form tools of a body: their calls are written otherwise. */
export const freeFormNames = (body: JsonObject): ReadonlySet<string> =>
  new Set(
    ((Array.isArray(body['tools']) ? body['tools'] : []) as JsonObject[])
      .filter((tool) => isObject(tool) && tool['type'] === 'custom')
      .map((tool) => String(tool['name'])),
  );

const isOwn = ({ type }: JsonObject): boolean => type === 'function' || type === 'custom';

const readChoice = (given: unknown): GivenChoice => {
  if (given === undefined || given === null || given === 'auto') return { choice: 'auto' };
  if (given === 'none') return { choice: 'none' };
  if (given === 'required') return { choice: 'required' };
  if (isObject(given) && given['type'] === 'allowed_tools')
    return readAllowed(given, (tool) => (isOwn(tool) ? tool['name'] : undefined));
  if (isObject(given) && isOwn(given) && typeof given['name'] === 'string') return { choice: { name: given['name'] } };
  throw invalidRequest('tool_choice must be auto, none, required or name a function.');
};

const readInput = (input: unknown, messages: ModelMessage[], earlier: EarlierAnswers): void => {
  if (typeof input === 'string') {
    messages.push({ role: 'user', content: input });
    return;
  }
  if (!Array.isArray(input)) throw invalidRequest('input must be text or a list of items.');
  let reasoning: string | undefined;
  const references = new References(earlier);
  for (const [index, given] of input.entries()) {
    const where = `input.${index}`;
    if (!isObject(given)) throw invalidRequest(`${where} is no object.`);
    const item = isReference(given) ? references.item(given['id'], where) : given;
    const type = item['type'] ?? 'message';
    if (type === 'reasoning') reasoning = reasoningText(item);
    else if (type === 'message') readMessage(item, where, messages, reasoning);
    else if (type === 'function_call' || type === 'custom_tool_call')
      addCall(readCall(item, where), messages, reasoning);
    else if (type === 'function_call_output' || type === 'custom_tool_call_output') readOutput(item, where, messages);
    else throw invalidRequest(`${where}: items of the type ${JSON.stringify(type)} cannot be handed to a local model.`);
    if (type !== 'reasoning') reasoning = undefined;
  }
};

/** Clients leave the type of a reference out, which has nothing but its id. */
export const isReference = ({ type = null, id, ...rest }: JsonObject): boolean =>
  type === 'item_reference' || (type === null && id !== undefined && Object.keys(rest).length === 0);

/** A reference is short and what it stands for may be long, so all of one request together have a limit. */
class References {
  readonly #earlier: EarlierAnswers;
  #count = 0;
  #characters = 0;

  constructor(earlier: EarlierAnswers) {
    this.#earlier = earlier;
  }

  item(id: JsonValue | undefined, where: string): JsonObject {
    this.#count += 1;
    if (this.#count > GATEWAY_LIMITS.references)
      throw invalidRequest(`${where}: more than ${GATEWAY_LIMITS.references} references stand in one request. ${SEND}`);
    const found = typeof id === 'string' ? this.#earlier.item(id) : undefined;
    if (found === undefined) {
      const why = 'answers are kept for an hour, and not with store: false';
      const message = `${where}: the item ${JSON.stringify(id)} is not kept here: ${why}. Send the item itself.`;
      throw new GatewayError(400, 'item_not_found', message);
    }
    this.#characters += JSON.stringify(found).length;
    if (this.#characters > GATEWAY_LIMITS.referredCharacters)
      throw invalidRequest(
        `${where}: the references up to here stand for more than ${GATEWAY_LIMITS.referredCharacters} characters. ${SEND}`,
      );
    return found;
  }
}
const SEND = 'Send the items themselves, or go on with previous_response_id.';

const reasoningText = (item: JsonObject): string =>
  [item['content'], item['summary']]
    .flatMap((list) => (Array.isArray(list) ? list : []))
    .map((part) => (isObject(part) && typeof part['text'] === 'string' ? part['text'] : ''))
    .join('\n');

const readMessage = (
  item: JsonObject,
  where: string,
  messages: ModelMessage[],
  reasoning: string | undefined,
): void => {
  const parts = readParts(item['content'], where);
  const { role } = item;
  if (role !== 'user' && parts.some(isPicture)) throw invalidRequest(`${where}: ${pictureProblem(String(role))}.`);
  const text = textIn(parts);
  switch (role) {
    case 'system':
    case 'developer':
      messages.push({ role: 'system', content: text });
      return;
    case 'user':
      messages.push({ role: 'user', content: parts.every(({ type }) => type === 'text') ? text : parts });
      return;
    case 'assistant':
      messages.push({
        role: 'assistant',
        content: text,
        ...(reasoning ? { reasoning } : {}),
        tool_calls: [],
        finish: 'stop',
      });
      return;
    default:
      throw invalidRequest(`${where}.role must be system, developer, user or assistant.`);
  }
};

const readParts = (content: JsonValue | undefined, where: string): ContentPart[] => {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (!Array.isArray(content)) throw invalidRequest(`${where}.content must be text or a list of parts.`);
  return content.map((part): ContentPart => {
    if (!isObject(part)) throw invalidRequest(`${where} has a part that is no object.`);
    if (typeof part['text'] === 'string') return { type: 'text', text: part['text'] };
    if (part['type'] === 'refusal') return { type: 'text', text: String(part['refusal'] ?? '') };
    if (part['type'] === 'input_image') return pictureOf(part['image_url'], `${where}: ${PICTURE_PROBLEM}.`);
    throw invalidRequest(
      `${where}: parts of the type ${JSON.stringify(part['type'])} cannot be handed to a local model.`,
    );
  });
};

const readCall = (item: JsonObject, where: string): ToolCall => {
  const { name, call_id: id } = item;
  if (typeof name !== 'string' || typeof id !== 'string') throw invalidRequest(`${where} needs name and call_id.`);
  const args =
    item['type'] === 'custom_tool_call'
      ? { [FREE_FORM_ARGUMENT]: String(item['input'] ?? '') }
      : readCalledArguments(item['arguments']);
  return { id, name, arguments: args, source: 'native', repairs: [] };
};

/** Calls of one answer are one message, and words before them belong to it. */
const addCall = (call: ToolCall, messages: ModelMessage[], reasoning: string | undefined): void => {
  const last = messages.at(-1);
  if (last?.role === 'assistant') {
    messages[messages.length - 1] = { ...last, tool_calls: [...last.tool_calls, call], finish: 'tool_calls' };
    return;
  }
  messages.push({
    role: 'assistant',
    content: '',
    ...(reasoning ? { reasoning } : {}),
    tool_calls: [call],
    finish: 'tool_calls',
  });
};

const readOutput = (item: JsonObject, where: string, messages: ModelMessage[]): void => {
  const { call_id: id, output } = item;
  if (typeof id !== 'string') throw invalidRequest(`${where} needs call_id.`);
  const parts =
    typeof output === 'string' || Array.isArray(output)
      ? readParts(output, where)
      : [{ type: 'text' as const, text: JSON.stringify(output) }];
  addResult(messages, toolMessage(id, textIn(parts), messages), parts.filter(isPicture));
};

const textIn = (parts: readonly ContentPart[]): string =>
  parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
