/**
 * Led steps on a server that holds a whole answer to a JSON Schema and takes no grammar: Ollama's `format`, and
 * `response_format` of vLLM, LM Studio, SGLang and others. A call is asked for member by member. What stands already is in
 * the schema as the one value that there is, so the model writes it again and goes on behind it.
 */
import type { JsonObject, JsonSchema, JsonValue } from '../../core/json.ts';
import { LedError, type LedPort, type LedTurn, type WriteRequest, type Written } from '../../core/led-port.ts';
import type { ModelMessage } from '../../core/message.ts';
import type { ModelPart, ModelProvider, ModelRequest } from '../../core/model-port.ts';
import { asSchema, spacedJson } from './grammar.ts';

export const createSchemaPort = (provider: ModelProvider, model: string): LedPort => ({
  takes: 'schema',
  begin: async (turns) => ({ write: (asked) => writeMember(provider, model, turns, asked) }),
  answer: async ({ request, turns, maxTokens, repeatPenalty, stop, onText, emit, signal }) => {
    const penalty = repeatPenalty !== 1 && provider.passes?.includes('repeat_penalty');
    const asked: ModelRequest = {
      ...request,
      messages: toMessages(turns),
      tools: [],
      stop,
      // As in the engine itself: a small model says the likeliest unless a person wants something else.
      sampling: { temperature: 0, ...request.sampling, max_tokens: maxTokens },
      ...(penalty ? { passthrough: { ...request.passthrough, repeat_penalty: repeatPenalty } } : {}),
    };
    return complete(provider, asked, signal, (part) => (part.type === 'text_delta' ? onText(part.delta) : emit(part)));
  },
});

const toMessages = (turns: readonly LedTurn[]): ModelMessage[] =>
  turns.map(
    ({ role, content }): ModelMessage =>
      role === 'assistant' ? { role, content, tool_calls: [], finish: 'stop', usage: undefined } : { role, content },
  );

const complete = async (
  provider: ModelProvider,
  request: ModelRequest,
  signal: AbortSignal,
  emit: (part: ModelPart) => void,
): Promise<Written> => {
  let text = '';
  const outcome = await provider.stream(
    request,
    (part) => {
      if (part.type === 'text_delta') text += part.delta;
      emit(part);
    },
    signal,
  );
  if (!outcome.ok) {
    if (!signal.aborted) throw new LedError(outcome.error);
    return { text, promptTokens: 0, cachedTokens: 0, completionTokens: 0, finish: 'cancelled' };
  }
  const { usage, finish } = outcome.answer;
  return {
    text,
    promptTokens: usage?.prompt_tokens ?? 0,
    cachedTokens: usage?.cached_tokens ?? 0,
    completionTokens: usage?.completion_tokens ?? 0,
    ...(usage?.prompt_seconds === undefined ? {} : { promptSeconds: usage.prompt_seconds }),
    finish: finish === 'length' ? 'length' : 'stop',
  };
};

const writeMember = async (
  provider: ModelProvider,
  model: string,
  turns: readonly LedTurn[],
  { constraint, member, maxTokens, signal }: WriteRequest,
): Promise<Written> => {
  const { schema } = constraint;
  if (schema === undefined || member === undefined) throw new TypeError('This engine takes members of an object only.');
  const request: ModelRequest = {
    model,
    messages: toMessages(turns),
    tools: [],
    sampling: { temperature: 0, max_tokens: maxTokens },
    response_schema: objectSchema(member.before, member.name, schema),
    must_constrain: true,
    own_sampling: true,
    whole: true,
  };
  const written = await complete(provider, request, signal, () => undefined);
  const value = memberOf(written.text, member.name);
  // A server that does not keep to the schema has written no value that could be used.
  return value === undefined ? { ...written, finish: 'length' } : { ...written, text: ` ${spacedJson(value)}` };
};

/** `before` as it stands, then the new member. Definitions that the member refers to belong to the whole. */
const objectSchema = (before: JsonObject, name: string, { $defs, definitions, ...schema }: JsonSchema): JsonSchema => ({
  type: 'object',
  ...($defs === undefined ? {} : { $defs }),
  ...(definitions === undefined ? {} : { definitions }),
  properties: {
    ...Object.fromEntries(Object.entries(before).map(([key, value]) => [key, { enum: [value] }])),
    [name]: schema,
  },
  required: [...Object.keys(before), name],
  additionalProperties: false,
});

const memberOf = (text: string, name: string): JsonValue | undefined => {
  try {
    return asSchema(JSON.parse(text) as JsonValue)[name];
  } catch {
    return undefined;
  }
};
