/** The library: one harness is one agent with its tools; several live side by side and share nothing. */
import { join } from 'node:path';
import { ErrorCode, HalterError } from '../core/errors.ts';
import type { Rule, SessionFace } from '../core/events.ts';
import type { JsonObject } from '../core/json.ts';
import { DEFAULT_LIMITS, type Limits } from '../core/limits.ts';
import type { ContentPart } from '../core/message.ts';
import type { ModelProvider, Sampling } from '../core/model-port.ts';
import { NO_RULES, type PolicyRules, parseRule, type SourcedRule } from '../core/policy.ts';
import { systemPrompt } from '../core/system-prompt.ts';
import type { Tool } from '../core/tool.ts';
import type { ToolResult } from '../core/tool-result.ts';
import { halterPaths } from '../storage/paths.ts';
import { type Chat, createChat, type OnPermission, toReply } from './chat.ts';
import { systemClock } from './clock.ts';
import { openCommandDecider } from './command-decider.ts';
import { openConversation } from './conversation.ts';
import { createToolRunner } from './execute-tool.ts';
import { createNetwork } from './network.ts';
import { openProvider } from './open-provider.ts';
import { createProcesses } from './processes.ts';
import { createResultCache } from './result-cache.ts';
import type { ToolPorts } from './tool-ports.ts';
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
  onPermission?: OnPermission;
  limits?: Partial<Limits>;
  systemPrompt?: string;
  sampling?: Sampling;
};

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
      return createChat(session, message, options.onPermission, signal);
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
  const { config, data, cache } = halterPaths(process.env, process.platform);
  const workspace = await createWorkspace({
    root: options.workspace ?? process.cwd(),
    protectedPaths: [config, data, cache],
  });
  if (!workspace.ok) throw new Error(workspace.error.message);
  const processes = createProcesses({ root: workspace.value.root, environment: process.env });
  return {
    registry,
    rules,
    decideCommand: openCommandDecider(workspace.value.root),
    limits,
    network,
    processes,
    workspace: workspace.value,
    clock: systemClock,
    config: {},
    cache: createResultCache(),
    closeAll: async () => processes.close(),
  };
};
