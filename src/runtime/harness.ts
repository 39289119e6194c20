/** The library: one harness is one agent with its tools; several live side by side and share nothing. */
import { join } from 'node:path';
import { ErrorCode, HalterError } from '../core/errors.ts';
import type { PermissionDecision, Rule, SessionFace, SessionUpdate } from '../core/events.ts';
import type { JsonObject } from '../core/json.ts';
import { DEFAULT_LIMITS, type Limits } from '../core/limits.ts';
import type { ContentPart, Usage } from '../core/message.ts';
import type { ModelProvider, Sampling } from '../core/model-port.ts';
import { NO_RULES, type PolicyRules, parseRule, type SourcedRule } from '../core/policy.ts';
import { callHistory, lastAnswer } from '../core/project.ts';
import { systemPrompt } from '../core/system-prompt.ts';
import type { Tool } from '../core/tool.ts';
import type { ToolResult } from '../core/tool-result.ts';
import { halterPaths } from '../storage/paths.ts';
import { systemClock } from './clock.ts';
import { openConversation, type ToolPorts } from './conversation.ts';
import { createToolRunner, type PermissionQuestion, type PermissionReply } from './execute-tool.ts';
import { createNetwork } from './network.ts';
import { openProvider } from './open-provider.ts';
import { createProcesses } from './processes.ts';
import { createToolRegistry } from './tool-registry.ts';
import { createWorkspace } from './workspace.ts';

export type HarnessOptions = {
  /** `provider/model`, or the model alone where `provider` is given. */
  model: string;
  /** A provider's name, or one of your own making. */
  provider?: string | ModelProvider;
  baseUrl?: string;
  apiKey?: string;
  /** The tools the model may call; none by default. `builtinTools` are halter's own. */
  tools?: readonly Tool[];
  /** The folder that file tools work in; the current one by default. */
  workspace?: string;
  /** Rules as on the command line: `read_file`, `bash(git log *)`. */
  permissions?: { allow?: readonly string[]; deny?: readonly string[]; plan?: boolean };
  /** Asked where no rule decides. Without it, what would have to be asked is denied. */
  onPermission?(
    request: PermissionQuestion,
  ): PermissionDecision | PermissionReply | Promise<PermissionDecision | PermissionReply>;
  limits?: Partial<Limits>;
  systemPrompt?: string;
  sampling?: Sampling;
};

export type ToolCallRecord = { id: string; name: string; arguments: JsonObject; result: ToolResult };
export type ChatResult = { answer: string; toolCalls: ToolCallRecord[]; toolsUsed: string[]; usage: Usage };
export type Chat = AsyncIterable<SessionUpdate> & PromiseLike<ChatResult> & { result(): Promise<ChatResult> };

export type Harness = {
  /** Sends a message. Iterate over it to see everything as it happens, or just await it. One at a time. */
  chat(message: string | ContentPart[], options?: { signal?: AbortSignal }): Chat;
  /** Runs one tool under the same rules. Throws HalterError 500 for an unknown tool and 501 for one that threw. */
  executeTool(name: string, args: JsonObject, options?: { signal?: AbortSignal }): Promise<ToolResult>;
  readonly tools: readonly Tool[];
  close(): Promise<void>;
};

export const createHarness = (options: HarnessOptions): Harness => {
  const limits: Limits = { ...DEFAULT_LIMITS, ...options.limits };
  const registry = createToolRegistry(options.tools ?? []);
  const granted: SourcedRule[] = [];
  const rules = rulesOf(options);
  const network = createNetwork();
  let ports: Promise<ToolPorts & { closeAll(): Promise<void> }> | undefined;
  let session: Promise<SessionFace> | undefined;

  const open = () => {
    ports ??= openPorts(options, limits, registry, () => ({ ...rules, allow: [...rules.allow, ...granted] }), network);
    return ports;
  };
  const remember = async (rule: Rule): Promise<{ ok: true }> => {
    granted.push({ ...rule, source: 'program' });
    return { ok: true };
  };
  const openSession = async (): Promise<SessionFace> => {
    const opened = await open();
    const chosen = await openProvider({
      model: options.model,
      network,
      processes: opened.processes,
      clock: systemClock,
      environment: process.env,
      modelsFolder: join(halterPaths(process.env, process.platform).data, 'models'),
      ...(options.provider === undefined ? {} : { provider: options.provider }),
      ...(options.baseUrl === undefined ? {} : { baseUrl: options.baseUrl }),
      ...(options.apiKey === undefined ? {} : { apiKey: options.apiKey }),
    });
    if (!chosen.ok) throw new Error(`${chosen.error.message}${chosen.error.hint ? ` ${chosen.error.hint}` : ''}`);
    return openConversation({
      ...opened,
      id: crypto.randomUUID(),
      provider: chosen.value.provider,
      model: chosen.value.model,
      system: options.systemPrompt ?? systemPrompt('small'),
      results: 'full',
      sampling: options.sampling ?? {},
      dialect: 'auto',
      toolMode: 'native',
      onAsk: options.onPermission ? 'wait' : 'deny',
      remember,
      onClose: () => chosen.value.provider.close(),
    });
  };

  return {
    tools: registry.tools,
    chat(message, { signal } = {}) {
      session ??= openSession();
      return createChat(session, message, options, signal);
    },
    async executeTool(name, args, { signal } = {}) {
      const run = createToolRunner(await open());
      const { onPermission } = options;
      const result = await run(name, args, {
        ...(signal ? { signal } : {}),
        ...(onPermission ? { ask: async (question) => toReply(await onPermission(question)) } : {}),
      });
      const { code } = result.metadata;
      if (code === ErrorCode.ToolNotFound) throw new HalterError('ToolNotFound', result.error_message ?? name);
      if (code === ErrorCode.ToolExecutionFailed)
        throw new HalterError('ToolExecutionFailed', result.error_message ?? name);
      return result;
    },
    async close() {
      await (await session)?.close();
      if (ports) await (await ports).closeAll();
      network.close();
    },
  };
};

const toReply = (answer: PermissionDecision | PermissionReply): PermissionReply =>
  typeof answer === 'string' ? { decision: answer } : answer;

const rulesOf = (options: HarnessOptions): PolicyRules => {
  const parse = (texts: readonly string[] = []): SourcedRule[] =>
    texts.map((text) => {
      const rule = parseRule(text);
      if (!rule.ok) throw new TypeError(rule.error.message);
      return { ...rule.value, source: 'program' };
    });
  return {
    ...NO_RULES,
    allow: parse(options.permissions?.allow),
    deny: parse(options.permissions?.deny),
    plan: options.permissions?.plan ?? false,
  };
};

const openPorts = async (
  options: HarnessOptions,
  limits: Limits,
  registry: ToolPorts['registry'],
  rules: () => PolicyRules,
  network: ToolPorts['network'],
): Promise<ToolPorts & { closeAll(): Promise<void> }> => {
  const workspace = await createWorkspace({ root: options.workspace ?? process.cwd() });
  if (!workspace.ok) throw new Error(workspace.error.message);
  const processes = createProcesses({ root: workspace.value.root, environment: process.env });
  return {
    registry,
    rules,
    limits,
    network,
    processes,
    workspace: workspace.value,
    clock: systemClock,
    config: {},
    closeAll: async () => processes.close(),
  };
};

/** One message's life, as an iterable that can be awaited instead. Updates are kept until someone reads them. */
const createChat = (
  opening: Promise<SessionFace>,
  message: string | ContentPart[],
  options: HarnessOptions,
  signal: AbortSignal | undefined,
): Chat => {
  let updates: SessionUpdate[] = [];
  let wake: (() => void) | undefined;
  let over = false;
  const notify = (): void => {
    wake?.();
    wake = undefined;
  };
  const work = run(opening, message, options, signal, (update) => {
    updates.push(update);
    notify();
  }).finally(() => {
    over = true;
    notify();
  });
  // Whoever only iterates still sees a failure: the iterator awaits the same work at its end.
  work.catch(() => {});

  return {
    result: () => work,
    // biome-ignore lint/suspicious/noThenProperty: a chat can be awaited, as the interface promises
    then: (onFulfilled, onRejected) => work.then(onFulfilled, onRejected),
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const batch = updates;
        updates = [];
        yield* batch;
        if (updates.length > 0) continue;
        if (over) break;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      await work;
    },
  };
};

const run = async (
  opening: Promise<SessionFace>,
  message: string | ContentPart[],
  options: HarnessOptions,
  signal: AbortSignal | undefined,
  hear: (update: SessionUpdate) => void,
): Promise<ChatResult> => {
  const session = await opening;
  const from = session.log().length;
  const cancel = (): void => void session.send({ type: 'cancel' });
  const unsubscribe = session.subscribe((update) => {
    hear(update);
    if (update.seq !== undefined && update.type === 'permission_requested')
      void answerPermission(session, update, options);
  });
  signal?.addEventListener('abort', cancel, { once: true });
  try {
    const sent = await session.send({ type: 'send_message', content: message });
    if (!sent.ok) throw new TypeError(sent.message);
    if (signal?.aborted) cancel();
    await session.idle();
  } finally {
    unsubscribe();
    signal?.removeEventListener('abort', cancel);
  }
  return resultOf(session, from);
};

const answerPermission = async (
  session: SessionFace,
  asked: Extract<SessionUpdate, { type: 'permission_requested' }>,
  options: HarnessOptions,
): Promise<void> => {
  if (options.onPermission === undefined) return;
  const evaluated = session
    .log()
    .findLast((event) => event.type === 'policy_evaluated' && event.tool_call_id === asked.tool_call_id);
  const call = callById(session, asked.tool_call_id);
  if (evaluated?.type !== 'policy_evaluated' || call === undefined) return;
  let reply: PermissionReply;
  try {
    reply = toReply(
      await options.onPermission({
        name: call.name,
        arguments: evaluated.arguments,
        risk: asked.risk,
        rule: asked.rule,
        because: evaluated.because,
        ...(asked.preview ? { preview: asked.preview } : {}),
      }),
    );
  } catch (error) {
    // A callback that breaks is not a yes.
    reply = {
      decision: 'deny',
      reason: `the permission callback failed: ${error instanceof Error ? error.message : String(error)}`,
    };
  }
  await session.send({ type: 'resolve_permission', tool_call_id: asked.tool_call_id, ...reply });
};

const callById = (session: SessionFace, id: string) => {
  for (const event of session.log().toReversed()) {
    if (event.type !== 'assistant_message_added') continue;
    const found = event.message.tool_calls.find((call) => call.id === id);
    if (found) return found;
  }
  return undefined;
};

const resultOf = (session: SessionFace, from: number): ChatResult => {
  const events = session.log().slice(from);
  const last = events.findLast(
    (event) => event.type === 'run_completed' || event.type === 'run_stopped' || event.type === 'run_cancelled',
  );
  if (last?.type === 'run_stopped') {
    if (last.code === ErrorCode.ToolRetriesExhausted) throw new HalterError('ToolRetriesExhausted', last.message);
    if (last.code === ErrorCode.ToolLoopLimitReached) throw new HalterError('ToolLoopLimitReached', last.message);
    throw new Error(last.message);
  }
  if (last?.type === 'run_cancelled') throw new DOMException('The chat was cancelled.', 'AbortError');
  const usage: Usage = { prompt_tokens: 0, completion_tokens: 0, seconds: 0 };
  for (const event of events) {
    if (event.type !== 'assistant_message_added' || event.message.usage === undefined) continue;
    usage.prompt_tokens += event.message.usage.prompt_tokens;
    usage.completion_tokens += event.message.usage.completion_tokens;
    usage.seconds += event.message.usage.seconds;
  }
  return {
    answer: lastAnswer(events)?.content ?? '',
    toolCalls: callHistory(events).map(({ call, result }) => ({
      id: call.id,
      name: call.name,
      arguments: call.arguments,
      result,
    })),
    toolsUsed: last?.type === 'run_completed' ? last.sources : [],
    usage,
  };
};
