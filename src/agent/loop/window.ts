/**
 * Keeps a session inside its model's window: every prompt is measured before it goes out, room is made where it gets
 * tight, and what cannot fit is refused in words instead of being cut by a server that says nothing.
 */

import type { Event } from '../../core/events.ts';
import { LIMITS } from '../../core/limits.ts';
import type { ModelMessage, ToolCall, Usage } from '../../core/message.ts';
import type { ModelError, ModelProvider } from '../../core/model-port.ts';
import { grouped } from '../../core/number-text.ts';
import type { ProjectionOptions } from '../../core/project.ts';
import { type Compacted, type CompactionPlan, freesEnough, planCompaction } from '../../core/window/compaction.ts';
import { answerReserve, createPromptMeter, type PromptSize } from '../../core/window.ts';
import type { SessionHandle } from '../session/session-handle.ts';
import type { ToolRegistry } from './run-tool/tool-registry.ts';

export type WindowOptions = {
  provider: ModelProvider;
  registry: ToolRegistry;
  projection: ProjectionOptions;
  /** The model that the session begins with, and its window, where the server says it. */
  model: string;
  contextTokens?: ContextTokens;
};
/** `ask`: nobody has asked the server yet, and it is asked as soon as something might not fit. */
export type ContextTokens = number | 'ask';

export type Window = {
  /** Of the model that the session began with: as small as a window can be where nobody has asked yet. */
  contextTokens(): number | undefined;
  /** The same, asked for. */
  askContextTokens(signal: AbortSignal): Promise<number | undefined>;
  /** Makes room where the prompt needs it. False: it was refused, with the reason. */
  fit(session: SessionHandle, messages: readonly ModelMessage[]): Promise<Fit>;
  /** Tokens of a prompt that goes out now, and how many of them the server has read in the one before. */
  expect(model: string, messages: readonly ModelMessage[]): { tokens: number; known: number };
  /** Notes what the server counted, and says so when it must have cut the prompt. */
  counted(session: SessionHandle, messages: readonly ModelMessage[], usage: Usage): void;
  /** The same for a count that the log of an earlier run holds. */
  remember(model: string, messages: readonly ModelMessage[], usage: Usage): void;
  /** Makes room because the person asks for it. */
  compact(session: SessionHandle): Promise<{ ok: true } | { ok: false; message: string }>;
};
export type Fit = { ok: true } | { ok: false; error: ModelError };

export const createWindow = (options: WindowOptions): Window => {
  const meter = createPromptMeter(options.registry.schemas);
  const { contextTokens: given } = options;
  const windows = new Map<string, number | undefined>(given === 'ask' ? [] : [[options.model, given]]);
  const asked = new Map<string, Promise<number | undefined>>();
  /** Prompts of this size could not be made smaller, so it is not tried again before there is more to drop. */
  let hopelessBelow = 0;
  let warned = false;
  let lastRead: { model: string; tokens: number } | undefined;

  /** What is not known is asked for once: of the first model where nobody has yet, and of one that was changed to. */
  const windowOf = async (model: string, signal: AbortSignal): Promise<number | undefined> => {
    if (given === undefined || windows.has(model)) return windows.get(model);
    const asking = asked.get(model) ?? describedWindow(model, signal);
    asked.set(model, asking);
    return asking.finally(() => asked.delete(model));
  };
  const describedWindow = async (model: string, signal: AbortSignal): Promise<number | undefined> => {
    const described = await options.provider.describe(model, signal);
    const tokens = described.ok ? described.model.context_length : undefined;
    if (!signal.aborted) windows.set(model, tokens);
    return tokens;
  };

  const compactTo = async (session: SessionHandle, targetTokens: number): Promise<CompactionPlan | undefined> => {
    const { model, tasks } = session.state();
    const plan = planCompaction(session.path(), {
      projection: options.projection,
      size: (messages) => meter.size(model, messages).tokens,
      targetTokens,
      trace: traceOf(options.registry),
      tasks,
    });
    if (plan === undefined || !freesEnough(plan)) return undefined;
    await session.dispatch(plan.event);
    lastRead = undefined;
    session.progress({
      type: 'warning',
      code: 'context_compacted',
      message: `Room was made in the window: about ${count(plan.before)} tokens became ${count(plan.after)}. The server reads again from ${placeOf(session.path(), plan.event)} on.`,
    });
    return plan;
  };

  /** Where the estimate alone would decide, the server's own tokenizer is asked, if it has one. */
  const nearly = async (
    session: SessionHandle,
    messages: readonly ModelMessage[],
    contextTokens: number,
  ): Promise<PromptSize> => {
    const { model } = session.state();
    const size = meter.size(model, messages);
    const roomy = contextTokens - answerReserve(contextTokens);
    const doubt = size.calibrated ? ESTIMATE_DOUBT : ESTIMATE_DOUBT_AT_FIRST;
    if (options.provider.countTokens === undefined || size.tokens * doubt <= roomy) return size;
    const tools = options.registry.schemas;
    const count = await options.provider.countTokens({ model, messages, tools }, session.signal());
    if (count === undefined || count === 0) return size;
    meter.measured(model, messages, count);
    return { tokens: count, calibrated: true };
  };

  const refuse = (model: string, size: PromptSize, contextTokens: number): Fit => ({
    ok: false,
    error: {
      code: 'context_overflow',
      message: `The prompt is about ${count(size.tokens)} tokens, and the window of ${model} holds ${count(contextTokens)}. Nothing was sent, because the server would cut it.`,
      hint: 'Send less at a time, begin a new session, or run the model with a larger window (with Ollama by --context-length here; with llama.cpp by its --ctx-size).',
    },
  });

  return {
    contextTokens: () =>
      given === 'ask' && !windows.has(options.model) ? LIMITS.windowSmallestTokens : windows.get(options.model),
    askContextTokens: (signal) => windowOf(options.model, signal),
    async fit(session, messages) {
      const { model } = session.state();
      if (given === 'ask' && meter.size(model, messages).tokens <= LIMITS.windowUnaskedTokens) return { ok: true };
      const contextTokens = await windowOf(model, session.signal());
      if (contextTokens === undefined) return { ok: true };
      let size = await nearly(session, messages, contextTokens);
      const roomy = contextTokens - answerReserve(contextTokens);
      if (size.tokens <= roomy) return { ok: true };
      if (size.tokens > hopelessBelow) {
        const done = await compactTo(session, contextTokens * LIMITS.compactionTargetShare);
        if (done === undefined) hopelessBelow = size.tokens * (1 + LIMITS.compactionFreedShareMin);
        else {
          size = { ...size, tokens: done.after };
          if (size.tokens <= roomy) return { ok: true };
        }
      }
      // An estimate alone refuses only what is far too long.
      const surely = size.calibrated ? size.tokens + LIMITS.answerTokensMin : size.tokens * 0.85;
      if (surely > contextTokens) return refuse(model, size, contextTokens);
      if (!warned) {
        warned = true;
        session.progress({
          type: 'warning',
          code: 'window_nearly_full',
          message: `The window is nearly full: about ${count(size.tokens)} of ${count(contextTokens)} tokens, and there is too little to drop. A new session gives room.`,
        });
      }
      return { ok: true };
    },
    expect: (model, messages) => ({
      tokens: meter.size(model, messages).tokens,
      known: lastRead?.model === model ? lastRead.tokens : 0,
    }),
    counted(session, messages, usage) {
      const { model } = session.state();
      lastRead = { model, tokens: usage.prompt_tokens };
      const { tokens } = meter.size(model, messages);
      if (!meter.counted(model, messages, usage)) return;
      session.progress({
        type: 'warning',
        code: 'prompt_truncated',
        message: `The server read only ${count(usage.prompt_tokens)} tokens of a prompt of about ${count(tokens)}: it cut off the rest, and instructions or tools may be gone. Run the model with a larger window (with Ollama by --context-length here; with llama.cpp by its --ctx-size), or begin a new session.`,
      });
    },
    remember: (model, messages, usage) => void meter.counted(model, messages, usage),
    async compact(session) {
      const { model } = session.state();
      const contextTokens = await windowOf(model, session.signal());
      const done = await compactTo(session, (contextTokens ?? 0) * LIMITS.compactionTargetShare);
      return done
        ? { ok: true }
        : { ok: false, message: 'There is too little to drop: what is left is the last turn and its newest results.' };
    },
  };
};

/** How far an estimate may be off: after the server counted a prompt of this model, and before. */
const ESTIMATE_DOUBT = 1.1;
const ESTIMATE_DOUBT_AT_FIRST = 1.6;

const count = (tokens: number): string => grouped(Math.round(tokens));

/** What a call leaves behind that a summary should name. */
const traceOf =
  (registry: ToolRegistry) =>
  (call: ToolCall): { kind: 'read' | 'changed' | 'ran'; what: string } | undefined => {
    const tool = registry.get(call.name);
    const what = tool?.main_argument === undefined ? undefined : call.arguments[tool.main_argument];
    if (tool === undefined || typeof what !== 'string') return undefined;
    if (tool.effects === 'process') return { kind: 'ran', what };
    if (tool.main_argument !== 'path') return undefined;
    return { kind: tool.effects === 'write' ? 'changed' : 'read', what };
  };

/** The first thing that the model reads otherwise than before. */
const placeOf = (log: readonly Event[], event: Compacted): string => {
  if (event.kept_from_seq > 0) return 'the first message';
  const first = log.find((entry) => entry.type === 'assistant_message_added' && entry.message.tool_calls.length > 0);
  return first?.type === 'assistant_message_added'
    ? `the first result of ${first.message.tool_calls[0]?.name}`
    : 'the first message';
};
