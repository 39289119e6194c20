/** The library: one harness is one agent with its tools; several live side by side and share nothing. */

import { checkLimits, parseRules } from '../agent/create-agent/check-values.ts';
import { checkOptionNames } from '../agent/create-agent/known-options.ts';
import type { AgentOptions, ToolOptions } from '../agent/create-agent/options.ts';
import type { Agent } from '../agent/create-agent.ts';
import type { PermissionQuestion } from '../agent/loop/run-tool/execute-tool.ts';
import { createToolRegistry } from '../agent/loop/run-tool/tool-registry.ts';
import { ErrorCode, HalterError, ModelFailure } from '../core/errors.ts';
import type { SessionFace } from '../core/events.ts';
import type { JsonObject } from '../core/json.ts';
import type { ContentPart } from '../core/message.ts';
import { openedOnce } from '../core/opened-once.ts';
import type { Tool, ToolArguments } from '../core/tool.ts';
import type { ToolResult } from '../core/tool-result.ts';
import { type Chat, createChat } from './chat.ts';
import type { HarnessOptions } from './options.ts';

/** One agent with its tools and its conversation. */
export type Harness<T extends Tool = Tool> = {
  /** Sends a message. Iterate over it to see everything as it happens, or just await it. One waits for the one before. */
  chat(message: string | ContentPart[], options?: { signal?: AbortSignal }): Chat<T>;
  /** Runs one tool under the same rules. Throws HalterError 500 for an unknown tool and 501 for one that threw. */
  executeTool<const N extends T['name'] | (string & {})>(
    name: N,
    args: ArgumentsByName<T, N>,
    options?: { signal?: AbortSignal },
  ): Promise<ToolResult>;
  readonly tools: readonly Tool[];
  close(): Promise<void>;
};

/** Where the harness knows the tool by its name, the compiler knows its arguments. */
type ArgumentsByName<T extends Tool, N> = [Extract<T, { name: N }>] extends [never]
  ? JsonObject
  : ToolArguments<Extract<T, { name: N }>>;

/** The agent comes with the first message, so that importing the library costs next to nothing. */
const openAgent = async (options: HarnessOptions): Promise<Agent> => {
  const { openHarness } = await import('./open-harness.ts');
  return openHarness(options);
};

/** Opens nothing yet: the model and the folder are looked at with the first message. Throws `TypeError` for a wrong option. */
export const createHarness = <const T extends Tool = Tool>(options: HarnessOptions<T>): Harness<T> => {
  checkValues(options);
  const own = createToolRegistry(availableTools(options)).tools;
  let known: Agent | undefined;
  const agent = openedOnce(async () => {
    known = await openAgent(options);
    return known;
  });
  const session = openedOnce(async () => openSession(await agent.open()));
  let before: Promise<unknown> | undefined;

  return {
    get tools() {
      return known?.tools ?? own;
    },
    chat(message, { signal } = {}) {
      const turn = before ? before.then(session.open) : session.open();
      const chat = createChat(turn, message, options.onPermission, signal);
      before = chat.result().catch(() => undefined);
      return chat;
    },
    async executeTool(name, args, { signal } = {}) {
      const { onPermission } = options;
      const ask = onPermission && (async (question: PermissionQuestion) => onPermission(question));
      const result = await (await agent.open()).executeTool(name, args, { signal, ask });
      const { code } = result.metadata;
      if (code === ErrorCode.ToolNotFound) throw new HalterError('ToolNotFound', result.error_message ?? name);
      if (code === ErrorCode.ToolExecutionFailed)
        throw new HalterError('ToolExecutionFailed', result.error_message ?? name);
      return result;
    },
    async close() {
      // What could not be opened was told by whoever waited for it.
      await session.opened();
      await (await agent.opened())?.close();
    },
  };
};

const openSession = async (agent: Agent): Promise<SessionFace> => {
  const opened = await agent.openSession({ keep: false });
  if (!opened.ok) throw new ModelFailure(opened.error);
  return opened.value;
};

/** What is wrong with the program is said where it is written, before anything is opened. */
const checkValues = (options: HarnessOptions): void => {
  const { limits, permissions = {} } = options;
  for (const checked of [checkOptionNames(options, SHORT_NAMES), checkLimits(limits), parseRules(permissions)]) {
    if (!checked.ok) throw new TypeError(checked.error.message);
  }
};

/** Options that a harness has besides those of an agent. */
const SHORT_NAMES: Readonly<Record<Exclude<keyof HarnessOptions, keyof AgentOptions>, true>> = {
  provider: true,
  baseUrl: true,
  apiKey: true,
  sampling: true,
  systemPrompt: true,
  sandbox: true,
  allowNetwork: true,
  allowPrivate: true,
  onPermission: true,
  mcpServers: true,
  onServerQuestion: true,
  onConnection: true,
};

const availableTools = ({ tools = [] }: HarnessOptions): readonly Tool[] =>
  Array.isArray(tools) ? tools : ((tools as ToolOptions).available ?? []);
