/** What a harness opens at its first message: the same agent as the program's, with the library's short options put in place. */
import type { AgentOptions, PromptOptions, StorageOptions, ToolOptions } from '../agent/create-agent/options.ts';
import { type Agent, createAgent } from '../agent/create-agent.ts';
import type { PrepareStep } from '../agent/loop/step-overrides.ts';
import type { McpOptions } from '../agent/mcp/mcp-options.ts';
import { OpenFailure } from '../core/errors.ts';
import type { JsonObject, JsonSchema } from '../core/json.ts';
import { inOptions } from '../core/option-words.ts';
import { callOwn } from '../core/own-callback.ts';
import { thrownText } from '../core/thrown-text.ts';
import type { Tool } from '../core/tool.ts';
import { unlessAborted } from '../core/unless-aborted.ts';
import { MCP_LIMITS } from '../mcp/limits.ts';
import { readServers } from '../mcp/server-definition.ts';
import { type RuleTexts, readRulesFile } from '../storage/rules-file.ts';
import { checkOverrides, checkStop } from './check-options.ts';
import { insideChat } from './inside-chat.ts';
import type { HarnessOptions } from './options.ts';

/** The first message loads both with one file. */
export { runChat } from './run-chat.ts';

/** Throws `OpenFailure` where the workspace or the storage cannot be used, `TypeError` for an option that cannot be. */
export const openHarness = async (options: HarnessOptions, given: GivenByHarness): Promise<Agent> => {
  const file = options.rulesFile === undefined ? undefined : await readRulesFile(options.rulesFile);
  if (file && !file.ok) throw new TypeError(file.error.message);
  const opened = await createAgent(agentOptionsOf(options, given, file?.value));
  if (opened.ok) return opened.value;
  const { error } = opened;
  // An option with a value that cannot be: what is wrong is the program's own.
  throw error.error_type === 'validation_failed' ? new TypeError(inOptions(error.message)) : new OpenFailure(error);
};

/** What the harness says anew while it runs. */
export type GivenByHarness = {
  tools: readonly Tool[];
  onWarning(code: string, message: string): void;
  onServerQuestion: HarnessOptions['onServerQuestion'];
  /** Aborts when the harness closes: what is being opened then is not waited for. */
  closing: AbortSignal;
  /** `usual`: what holds for messages that name no shape of their own. */
  responseSchema(usual: PromptOptions['responseSchema']): JsonSchema | undefined;
  stopsAfterStep(): Promise<boolean>;
  prepareStep: PrepareStep;
};

const agentOptionsOf = (options: HarnessOptions, given: GivenByHarness, rules?: RuleTexts): AgentOptions => {
  const { model, permissions, onConnection: tell = options.io?.onConnection } = options;
  const named = typeof model === 'string' ? { name: model } : model;
  return {
    workspace: options.workspace,
    model: {
      // A model that its server does not describe can be used all the same; then no prompt is refused beforehand.
      describe: false,
      ...named,
      provider: options.provider ?? named.provider,
      baseUrl: options.baseUrl ?? named.baseUrl,
      apiKey: options.apiKey ?? named.apiKey,
      sampling: options.sampling ?? named.sampling,
      roles: options.roles ?? named.roles,
      dialect: options.dialect ?? named.dialect,
      contextLength: options.contextLength ?? named.contextLength,
      silenceTimeoutMs: options.silenceTimeoutMs ?? named.silenceTimeoutMs,
      warmUp: options.warmUp ?? named.warmUp,
      onLoading: named.onLoading && besideTheWork('model.onLoading', named.onLoading, given.onWarning),
    },
    prompt: {
      size: 'small',
      ...options.prompt,
      // That of a message counts before the one of all messages.
      responseSchema: () => given.responseSchema(options.prompt?.responseSchema),
      system: options.systemPrompt ?? options.prompt?.system ?? promptWithoutFiles(given.tools),
    },
    tools: {
      ...(Array.isArray(options.tools) ? { describeAll: 'where_they_fit' as const } : options.tools),
      available: given.tools,
      results: options.results ?? (Array.isArray(options.tools) ? undefined : (options.tools as ToolOptions)?.results),
      ...stepCallbacks(options.tools, given),
    },
    permissions: {
      ...permissions,
      allow: [...(permissions?.allow ?? []), ...(rules?.allow ?? [])],
      deny: [...(permissions?.deny ?? []), ...(rules?.deny ?? [])],
      sandbox: options.sandbox ?? permissions?.sandbox,
      allowNetwork: options.allowNetwork ?? permissions?.allowNetwork,
      onAsk: options.approvalSecret !== undefined ? 'postpone' : options.onPermission ? 'wait' : 'deny',
    },
    storage: sharedStorage(options.storage),
    search: options.search,
    mcp: mcpOptionsOf({ ...options, onServerQuestion: given.onServerQuestion }, given.closing),
    limits: options.limits,
    io: {
      ...options.io,
      onWarning: given.onWarning,
      signal: options.io?.signal ? AbortSignal.any([options.io.signal, given.closing]) : given.closing,
      offline: options.offline ?? options.io?.offline,
      allowPrivate: options.allowPrivate ?? options.io?.allowPrivate,
      onConnection: tell && besideTheWork('onConnection', tell, given.onWarning),
    },
    telemetry: { ...options.telemetry, trace: options.trace ?? options.telemetry?.trace },
  };
};

/** A run ends where the harness or its message says so. What a message says of a step counts before. */
const stepCallbacks = (
  tools: HarnessOptions['tools'],
  given: GivenByHarness,
): Required<Pick<ToolOptions, 'stopsAfterStep' | 'prepareStep'>> => {
  const { stopsAfterStep, prepareStep } = Array.isArray(tools) ? ({} as ToolOptions) : ((tools ?? {}) as ToolOptions);
  return {
    stopsAfterStep: stopsAfterStep
      ? async () => {
          const stops = checkStop(STOPS, await callOwn(STOPS, () => stopsAfterStep()));
          return stops || (await given.stopsAfterStep());
        }
      : given.stopsAfterStep,
    prepareStep: prepareStep
      ? async () => {
          const usual = checkOverrides(PREPARES, await callOwn(PREPARES, () => prepareStep()));
          return { ...usual, ...(await given.prepareStep()) };
        }
      : given.prepareStep,
  };
};
const STOPS = 'tools.stopsAfterStep';
const PREPARES = 'tools.prepareStep';

/** Several harnesses of a program are one guest of a database. */
const sharedStorage = (storage: StorageOptions | undefined): StorageOptions | undefined =>
  typeof storage === 'object' && storage.kind === 'postgres' ? { shared: true, ...storage } : storage;

/** Undefined where a tool reaches files or commands: then halter's own instructions fit. */
const promptWithoutFiles = (tools: readonly Tool[]): string | undefined => {
  const reachesFiles = tools.some(
    ({ effects, main_argument, path_arguments = [] }) =>
      effects === 'process' || main_argument === 'path' || path_arguments.length > 0,
  );
  if (reachesFiles) return undefined;
  return tools.length === 0 ? PLAIN_PROMPT : TOOLS_PROMPT;
};

const PLAIN_PROMPT = "You are an assistant. Answer short, in the user's language.";
const TOOLS_PROMPT = `You are an assistant with tools.
- When the answer depends on something that a tool can tell or do, call it first. Never guess its result.
- When no tool is needed, just answer.
- After a tool result: answer from it, or call the next tool. A result with "success": false says what to change.
- Answer short, in the user's language.`;

/** A callback that throws or rejects breaks no connection and ends no process: the program is warned of it once. */
const besideTheWork = <Told extends readonly unknown[]>(
  name: string,
  tell: (...told: Told) => void,
  warn: (code: string, message: string) => void,
): ((...told: Told) => void) => {
  let isTold = false;
  const failed = (error: unknown): void => {
    if (isTold) return;
    isTold = true;
    warn('callback_failed', `${name} failed: ${thrownText(error)}`);
  };
  const toldLater = async (told: Told): Promise<void> => tell(...told);
  return (...told) => insideChat(undefined, () => queueMicrotask(() => void toldLater(told).catch(failed)));
};

const mcpOptionsOf = (
  { mcp: own, mcpServers, onServerQuestion }: HarnessOptions,
  closing: AbortSignal,
): McpOptions | undefined => {
  const { consent } = own ?? {};
  // A question whose harness closes is not waited for, and was not answered with yes.
  const asked =
    consent && (async (question: ConsentQuestion) => (await unlessAborted(consent(question), closing)) === true);
  const mcp = own && { ...own, ...(asked ? { consent: asked } : {}) };
  if (mcpServers === undefined) return mcp && { ask: onServerQuestion, ...mcp };
  const servers = { mcpServers: mcpServers as JsonObject };
  const [problem] = readServers(servers).problems;
  if (problem !== undefined) throw new TypeError(`mcpServers: ${problem}`);
  return { servers, required: true, patienceMs: MCP_LIMITS.mcpConnectTimeoutMs, ask: onServerQuestion, ...mcp };
};
type ConsentQuestion = Parameters<NonNullable<McpOptions['consent']>>[0];
