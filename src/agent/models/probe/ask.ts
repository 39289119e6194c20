/** One question to the model that is probed: what it said, which calls it made and how long each part took. */
import type { JsonObject, JsonSchema } from '../../../core/json.ts';
import type { FinishReason, ModelMessage, Usage } from '../../../core/message.ts';
import type { ModelError, ModelInfo, ModelPart, ModelProvider, ModelRequest } from '../../../core/model-port.ts';
import type { Clock } from '../../../core/ports.ts';
import type { ToolSchema } from '../../../core/tool.ts';
import { createParser } from '../../../dialects/index.ts';
import { AGENT_LIMITS } from '../../limits.ts';
import { injectTools } from '../../loop/call-model/inject-tools.ts';

export type Question = {
  messages: readonly ModelMessage[];
  tools?: readonly ToolSchema[];
  /** Tools stand in the prompt, in this format, and calls are text. */
  injected?: string;
  schema?: JsonSchema;
  maxTokens?: number;
  think?: boolean;
  parallel?: boolean;
};

export type AskedCall = { name: string; arguments: JsonObject; malformed: boolean; from: 'field' | 'text' };

export type Answer = {
  text: string;
  reasoning: string;
  calls: AskedCall[];
  /** Calls that broke off or could not be read. */
  broken: number;
  /** The format in which calls stood in the text. */
  dialect: string | undefined;
  finish: FinishReason;
  /** Pieces of text, thought or arguments in which it came. */
  pieces: number;
  usage: Usage | undefined;
  seconds: number;
  /** Until the first piece. */
  firstSeconds: number;
};
export type Asked = { ok: true; answer: Answer } | { ok: false; error: ModelError };

export type Asker = {
  readonly info: ModelInfo;
  readonly provider: ModelProvider;
  readonly signal: AbortSignal;
  ask(question: Question): Promise<Asked>;
};

export type AskerOptions = {
  provider: ModelProvider;
  model: string;
  info: ModelInfo;
  clock: Clock;
  signal: AbortSignal;
  /** Between asks: what the server says while it loads the model or reads. */
  onPart?(part: ModelPart): void;
};

/** Always the same sampling, so that a probe of the same model finds the same. */
const SAMPLING = { temperature: 0, seed: 7 } as const;

export const createAsker = (options: AskerOptions): Asker => {
  const { provider, model, info, clock, signal } = options;
  return {
    info,
    provider,
    signal,
    async ask(question) {
      const tools = question.tools ?? [];
      const injected = question.injected !== undefined;
      const request: ModelRequest = {
        model,
        messages: injected ? injectTools(question.messages, tools, question.injected ?? 'auto') : question.messages,
        tools: injected ? [] : tools,
        ...(injected ? { tools_in_text: true as const } : {}),
        sampling: {
          ...SAMPLING,
          max_tokens: question.maxTokens ?? AGENT_LIMITS.probeAnswerTokens,
          ...(question.think === undefined ? {} : { think: question.think }),
        },
        own_sampling: true,
        ...(question.schema ? { response_schema: question.schema, must_constrain: true as const } : {}),
        ...(question.parallel === undefined ? {} : { parallel_calls: question.parallel }),
      };
      const parser = tools.length > 0 ? createParser({ dialect: 'auto', tools }) : undefined;
      const started = clock.monotonic();
      let first: number | undefined;
      let pieces = 0;
      let text = '';
      let reasoning = '';
      const emit = (part: ModelPart): void => {
        options.onPart?.(part);
        if (part.type === 'text_delta') text += part.delta;
        else if (part.type === 'reasoning_delta') reasoning += part.delta;
        else if (part.type !== 'tool_call_delta') return;
        first ??= clock.monotonic();
        pieces += 1;
      };
      const limit = AbortSignal.any([signal, AbortSignal.timeout(AGENT_LIMITS.probeCheckMs)]);
      const outcome = await provider.stream(request, emit, limit);
      if (!outcome.ok) {
        const slow = limit.aborted && !signal.aborted;
        const message = `no whole answer within ${AGENT_LIMITS.probeCheckMs / 1_000} s`;
        return { ok: false, error: slow ? { code: 'timeout', message } : outcome.error };
      }
      const ended = clock.monotonic();
      parser?.push(text);
      const parsed = parser?.end().result;
      const { answer } = outcome;
      return {
        ok: true,
        answer: {
          text: parsed?.content ?? text,
          reasoning: [reasoning, parsed?.reasoning ?? ''].join('').trim(),
          calls: [
            ...answer.calls.map((call) => ({
              name: call.name,
              arguments: call.arguments,
              malformed: call.malformed !== undefined,
              from: 'field' as const,
            })),
            ...(parsed?.calls ?? []).map((call) => ({
              name: call.name,
              arguments: call.arguments,
              malformed: false,
              from: 'text' as const,
            })),
          ],
          broken: parsed?.broken.length ?? 0,
          dialect: (parsed?.calls.length ?? 0) > 0 ? parsed?.dialect : undefined,
          finish: answer.finish,
          pieces,
          usage: answer.usage,
          seconds: (ended - started) / 1_000,
          firstSeconds: ((first ?? ended) - started) / 1_000,
        },
      };
    },
  };
};
