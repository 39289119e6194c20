/**
 * An answer in somebody else's conversation, with somebody else's tools: nothing of halter's own runs here. What the model
 * wrote as a call is given back as one that fits its tool's schema, or is asked for again, or decoded under the schema.
 */

import { constrainedCall, constrainedRequest } from '../agent/loop/call-model/repair-constrained.ts';
import { createToolRegistry, type ToolRegistry } from '../agent/loop/run-tool/tool-registry.ts';
import type { ChosenModel } from '../agent/models/choose-model.ts';
import type { JsonSchema, JsonValue } from '../core/json.ts';
import { LIMITS } from '../core/limits.ts';
import type { AssistantMessage, FinishReason, ModelMessage, ToolCall, Usage } from '../core/message.ts';
import type { ModelError, ProviderCall, Sampling } from '../core/model-port.ts';
import { type Tool, type ToolSchema, toolSchema } from '../core/tool.ts';
import { estimateTokens, messageTokens } from '../core/window/tokens.ts';
import { type Asking, askModel, type CompletionPart, type Said } from './ask-model.ts';
import { type CheckedCall, checkCall } from './check-calls.ts';
import { jsonAnswer } from './json-answer.ts';

export type ToolChoice = 'auto' | 'none' | 'required' | { name: string };

export type CompletionRequest = {
  chosen: ChosenModel;
  messages: readonly ModelMessage[];
  tools: readonly ToolSchema[];
  toolChoice: ToolChoice;
  parallel: boolean;
  sampling: Sampling;
  stop: readonly string[];
  responseSchema?: JsonSchema;
  /** The caller waits for the whole answer. */
  whole?: boolean;
  signal: AbortSignal;
};

export type Completion = {
  text: string;
  reasoning: string;
  calls: ToolCall[];
  finish: FinishReason;
  usage: Usage;
};
export type CompletionOutcome = { ok: true; value: Completion } | { ok: false; error: ModelError };

export const complete = async (
  request: CompletionRequest,
  emit: (part: CompletionPart) => void,
): Promise<CompletionOutcome> => {
  const registry = registryFor(request);
  const asking: Asking = { ...request, registry };
  // An answer that has to fit a schema is handed on when it is known to.
  const hear = request.responseSchema ? () => {} : emit;
  let said = await askModel(asking, request.messages, hear);
  for (let attempt = 0; attempt < LIMITS.emptyReplyRetries && isEmpty(said); attempt += 1) {
    said = await askModel(asking, request.messages, hear);
  }
  if (!said.outcome.ok && (said.text === '' || said.outcome.error.code === 'cancelled')) {
    return { ok: false, error: said.outcome.error };
  }
  const calls = await sureCalls(request, asking, said);
  let { text } = said;
  if (request.responseSchema && calls.length === 0) {
    text = await fittingAnswer(request.responseSchema, asking, request.messages, said);
    emit({ type: 'text', delta: text });
  }
  const finish = said.outcome.ok ? said.outcome.answer.finish : 'disconnected';
  return {
    ok: true,
    value: {
      text,
      reasoning: said.reasoning,
      calls,
      finish: calls.length > 0 ? 'tool_calls' : finish === 'tool_calls' ? 'stop' : finish,
      usage: usageOf(request, said),
    },
  };
};

const isEmpty = ({ outcome, text, calls, reasoning }: Said): boolean =>
  outcome.ok && text.trim() === '' && calls.length === 0 && reasoning.trim() === '' && outcome.answer.finish === 'stop';

const registryFor = ({ tools, toolChoice }: CompletionRequest): ToolRegistry => {
  const offered =
    toolChoice === 'none'
      ? []
      : typeof toolChoice === 'object'
        ? tools.filter((tool) => tool.function.name === toolChoice.name)
        : tools;
  return createToolRegistry(
    offered.map(({ function: { name, description, parameters } }) => ({
      name,
      description,
      parameters,
      risk: 'high',
      effects: 'process',
      run: () => {
        throw new Error(`${name} is the caller's tool and does not run here`);
      },
    })),
  );
};

/** The calls to give back: those that fit, and the others mended in the way that costs least. */
const sureCalls = async (request: CompletionRequest, asking: Asking, said: Said): Promise<ToolCall[]> => {
  const { registry } = asking;
  let checked = said.calls.map((call) => checkCall(registry, call));
  const wants = request.toolChoice === 'required' || typeof request.toolChoice === 'object';
  if (wants && checked.length === 0) checked = await requiredCall(asking, request.messages, said);
  let last = said;
  for (let attempt = 0; attempt < LIMITS.repairs && checked.some(isBad); attempt += 1) {
    checked = await decodeBad(asking, request.messages, checked);
    if (!checked.some(isBad) || asking.signal.aborted) break;
    last = await askAgain(asking, request.messages, last, checked);
    if (last.calls.length === 0) break;
    checked = last.calls.map((call) => checkCall(registry, call));
  }
  // A call of a tool that does not exist is of no use to anybody; one with odd arguments may be.
  const calls = checked.filter(({ tool }) => tool !== undefined).map(({ call }) => call);
  return request.parallel ? calls : calls.slice(0, 1);
};

const isBad = ({ problem }: CheckedCall): boolean => problem !== undefined;

/** What was cut off by the token limit would be cut again. */
const decodeBad = async (
  asking: Asking,
  messages: readonly ModelMessage[],
  checked: readonly CheckedCall[],
): Promise<CheckedCall[]> => {
  const mended: CheckedCall[] = [];
  for (const entry of checked) {
    const call =
      entry.problem !== undefined && entry.tool && !entry.call.malformed?.cut
        ? await decode(asking, messages, entry.tool)
        : undefined;
    mended.push(call ? { tool: entry.tool as Tool, call: { ...call, id: entry.call.id } } : entry);
  }
  return mended;
};

/** The arguments of one tool, decoded under its schema where the engine can. */
const decode = async (
  asking: Asking,
  messages: readonly ModelMessage[],
  tool: Tool,
): Promise<ProviderCall | undefined> => {
  const { provider, model, profile } = asking.chosen;
  if (provider.decodeToolCall) {
    const decoded = await provider.decodeToolCall({ model, messages, tool: toolSchema(tool) }, asking.signal);
    return decoded.ok ? decoded.call : undefined;
  }
  if (!provider.constrains || profile?.constrained === 'never') return undefined;
  const parts: string[] = [];
  const request = constrainedRequest({ model, messages, tools: [], sampling: asking.sampling }, tool);
  const outcome = await provider.stream(
    request,
    (part) => {
      if (part.type === 'text_delta') parts.push(part.delta);
    },
    asking.signal,
  );
  return outcome.ok ? constrainedCall(tool, parts.join('')) : undefined;
};

/** The caller wants a call and there is none: decoded where one tool is meant, else asked for in words. */
const requiredCall = async (asking: Asking, messages: readonly ModelMessage[], said: Said): Promise<CheckedCall[]> => {
  const { registry } = asking;
  const [only, ...others] = registry.tools;
  if (only === undefined) return [];
  if (others.length === 0) {
    const call = await decode(asking, messages, only);
    if (call) return [{ tool: only, call: { ...call, id: 'call_1' } }];
  }
  const names = registry.tools.map(({ name }) => name).join(', ');
  const wish: ModelMessage = { role: 'user', content: `Answer with a call of one of these tools: ${names}.` };
  const again = await askModel(asking, [...messages, ...saidMessages(said), wish], () => {});
  return again.calls.map((call) => checkCall(registry, call));
};

/** Shows the model what was wrong. */
const askAgain = (
  asking: Asking,
  messages: readonly ModelMessage[],
  said: Said,
  checked: readonly CheckedCall[],
): Promise<Said> => {
  const problems = checked.flatMap(({ problem }) => problem ?? []).join('\n');
  const wish: ModelMessage = { role: 'user', content: `${problems}\nSend all calls again.` };
  return askModel(asking, [...messages, ...saidMessages(said), wish], () => {});
};

/** Without its calls: they were never answered, and servers refuse such a conversation. */
const saidMessages = ({ text, calls }: Said): AssistantMessage[] => {
  const written = calls.map(
    ({ name, arguments: args, malformed }) => `${name} ${malformed?.text ?? JSON.stringify(args)}`,
  );
  const content = [text, ...written].filter((part) => part.trim() !== '').join('\n');
  return content === '' ? [] : [{ role: 'assistant', content, tool_calls: [], finish: 'stop' }];
};

/** Out of a fence, or asked for once more; else as it is, since the caller may make more of it than we can. */
const fittingAnswer = async (
  schema: JsonSchema,
  asking: Asking,
  messages: readonly ModelMessage[],
  said: Said,
): Promise<string> => {
  const first = jsonAnswer(said.text, schema);
  if (first.ok) return first.value;
  const wish: ModelMessage = {
    role: 'user',
    content: `${first.error.message} Answer with nothing but JSON that fits this schema: ${JSON.stringify(schema as JsonValue)}`,
  };
  const again = await askModel(asking, [...messages, ...saidMessages(said), wish], () => {});
  const second = jsonAnswer(again.text, schema);
  return second.ok ? second.value : said.text;
};

/** As the server counted; estimated where it does not say. */
const usageOf = ({ messages }: CompletionRequest, said: Said): Usage => {
  const counted = said.outcome.ok ? said.outcome.answer.usage : undefined;
  if (counted) return counted;
  const written = `${said.reasoning}${said.text}${said.calls.map((call) => JSON.stringify(call.arguments)).join('')}`;
  return {
    prompt_tokens: messages.reduce((sum, message) => sum + messageTokens(message), 0),
    completion_tokens: estimateTokens(written),
    seconds: 0,
  };
};
