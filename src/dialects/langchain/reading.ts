/** From what LangChain's models give to the parts that are read, and back into its fields. */
import { isObject, type JsonSchema, type JsonValue } from '../../core/json.ts';
import { AnswerReader, type FunctionTool, type Part } from '../answer-reader.ts';
import { isCutWord } from '../end-words.ts';
import type { ToolChoice } from '../forced-call.ts';
import type { Call, CallOptions, ContentBlock, Generation, Message } from './shapes.ts';

const schemaIn = (value: unknown): JsonSchema | undefined =>
  isObject(value as JsonValue) && Object.keys(value as object).some((key) => key === 'type' || key === 'properties')
    ? (value as JsonSchema)
    : undefined;

/** Tools as OpenAI's API takes them, or Anthropic's, or LangChain's own. */
const functionTool = (given: object): FunctionTool[] => {
  const { name, parameters, input_schema, schema } = ('function' in given ? given.function : given) as Record<
    string,
    unknown
  >;
  const inputSchema = schemaIn(parameters) ?? schemaIn(input_schema) ?? schemaIn(schema);
  return typeof name === 'string' ? [{ name, ...(inputSchema ? { inputSchema } : {}) }] : [];
};

/** As OpenAI, Anthropic, Mistral, Google and Bedrock write it, and LangChain over all of them. */
const choiceOf = (given: unknown, tools: readonly FunctionTool[]): ToolChoice => {
  if (typeof given === 'string') {
    if (given === 'none') return 'none';
    if (given === 'required' || given === 'any') return 'required';
    return tools.some(({ name }) => name === given) ? { name: given } : 'auto';
  }
  if (!isObject(given)) return 'auto';
  const { type, name, function: named, tool } = given as Record<string, unknown>;
  const inner = [named, tool].find((one) => isObject(one)) as { name?: unknown } | undefined;
  const wanted = name ?? inner?.name;
  if (typeof wanted === 'string') return { name: wanted };
  return choiceOf(type ?? Object.keys(given)[0], []);
};

const jsonOf = ({ response_format: asked, format, ls_structured_output_format: named }: CallOptions) => {
  const schema = schemaIn(named?.schema) ?? schemaIn(asked?.json_schema?.schema) ?? schemaIn(format);
  const isAsked = asked?.type?.startsWith('json') || format === 'json' || schemaIn(format);
  return isAsked ? { schema } : undefined;
};

export const readerFor = (
  messages: readonly Message[],
  options: CallOptions,
  { dialect, thoughtsFirst }: { dialect: string; thoughtsFirst: boolean | 'as written' },
): AnswerReader => {
  const tools = (options.tools ?? []).flatMap(functionTool);
  return new AnswerReader({
    dialect,
    thoughtsFirst,
    tools,
    choice: choiceOf(options.tool_choice, tools),
    usedIds: messages.flatMap(({ tool_calls = [], tool_call_id }) => [tool_call_id, ...tool_calls.map(({ id }) => id)]),
    json: jsonOf(options),
  });
};

const isText = ({ type, text }: ContentBlock): boolean => type === 'text' && typeof text === 'string';

/** The text and the reasoning of a message; the latter as OpenAI-compatible servers give it, in a field of its own. */
export const readText = ({ content, additional_kwargs: more }: Message, reader: AnswerReader): Part[] => {
  const thought = more?.['reasoning_content'];
  const blocks = typeof content === 'string' ? [{ text: content }] : content.filter(isText);
  return [
    ...(thought ? reader.take({ type: 'reasoning-delta', delta: thought }) : []),
    ...blocks.flatMap(({ text = '' }) => reader.text(text)),
  ];
};

/** Why the server ended the answer, where it says so in OpenAI's field; undefined while it goes on. */
export const reasonOf = ({ message, generationInfo }: Pick<Generation, 'message' | 'generationInfo'>): unknown =>
  generationInfo?.['finish_reason'] ?? message.response_metadata?.['finish_reason'];

/** The same word, wherever LangChain's clients keep it. */
const REASON_FIELDS = ['finish_reason', 'done_reason', 'stop_reason', 'finishReason', 'stopReason'];
export const endWordOf = ({ message, generationInfo }: Generation): string | undefined => {
  const places = [generationInfo, message.response_metadata, message.additional_kwargs];
  const words = places.flatMap((place) => [
    ...REASON_FIELDS.map((field) => place?.[field]),
    (place?.['incomplete_details'] as { reason?: unknown } | null | undefined)?.reason,
  ]);
  return words.find((word) => typeof word === 'string' && word !== '') as string | undefined;
};

/** Calls that the server read, with the end of the answer. `word`: why the server ended it. */
export const readEnd = (calls: readonly Call[], reader: AnswerReader, word: string | undefined): Part[] => [
  ...calls.flatMap(({ name = '', args, id }) => {
    // A value that LangChain read tells no more how its numbers were written.
    return reader.take({ type: 'tool-call', toolCallId: id, toolName: name, input: args ?? {} });
  }),
  ...reader.end({ isCut: isCutWord(word) }),
];

const joined = (parts: readonly Part[], type: string): string =>
  parts.flatMap((part) => (part.type === type ? [String(part['delta'])] : [])).join('');

/** `stop`, where the server saw no call. */
const reasonIn = (info: Record<string, unknown> | undefined, calls: number) =>
  calls > 0 && info?.['finish_reason'] === 'stop' ? { ...info, finish_reason: 'tool_calls' } : info;

/**
 * The same with what was read in it: calls as `fieldsOf` says them. What is not read stays: pictures, citations, usage.
 */
export const written = <G extends Generation>(
  from: G,
  parts: readonly Part[],
  fieldsOf: (calls: Call[]) => object,
  before = 0,
): G => {
  const { message, generationInfo } = from;
  // The server's own view of the calls would contradict what was read.
  const { reasoning_content: _told, tool_calls: _calls, ...more } = message.additional_kwargs ?? {};
  const reasoning = joined(parts, 'reasoning-delta');
  const text = joined(parts, 'text-delta');
  const others = typeof message.content === 'string' ? [] : message.content.filter((block) => !isText(block));
  const calls = parts
    .filter(({ type }) => type === 'tool-call')
    .map(({ toolName: name, toolCallId: id, input: args, problem }) => {
      return { name, id, args, ...(problem === undefined ? {} : { error: problem }) } as Call;
    });
  const count = before + calls.length;
  const fields = {
    ...message,
    content: others.length === 0 ? text : [...others, ...(text === '' ? [] : [{ type: 'text', text }])],
    additional_kwargs: reasoning === '' ? more : { ...more, reasoning_content: reasoning },
    response_metadata: reasonIn(message.response_metadata, count),
    ...fieldsOf(calls),
  };
  const read = { ...from, text, message: alike(message, fields), generationInfo: reasonIn(generationInfo, count) };
  return 'concat' in from ? alike(from, read) : read;
};

/** Another of the same class: LangChain's own are never imported. */
export const alike = <T extends object>(model: T, fields: object): T =>
  new (model.constructor as new (fields: object) => T)(
    Object.fromEntries(Object.entries(fields).filter(([name]) => !name.startsWith('lc_'))),
  );
