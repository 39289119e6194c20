/** The library: one harness is one agent with its tools; several live side by side and share nothing. */

import { closeAll } from '../agent/close-all.ts';
import { createToolRegistry } from '../agent/loop/run-tool/tool-registry.ts';
import { ErrorCode, HalterError } from '../core/errors.ts';
import type { Rule, SessionFace } from '../core/events.ts';
import type { JsonObject } from '../core/json.ts';
import { DEFAULT_LIMITS, type Limits } from '../core/limits.ts';
import type { ContentPart } from '../core/message.ts';
import { NO_RULES, type PolicyRules, parseRule, type SourcedRule } from '../core/policy.ts';
import type { Tool, ToolArguments } from '../core/tool.ts';
import type { ToolResult } from '../core/tool-result.ts';
import { type Chat, createChat } from './chat.ts';
import type { HarnessPorts } from './open-harness.ts';
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

/** Everything that a conversation needs comes with the first one, so that importing the library costs next to nothing. */
const inside = () => import('./open-harness.ts');

/** Opens nothing yet: the model and the folder are looked at with the first message. */
export const createHarness = <const T extends Tool = Tool>(options: HarnessOptions<T>): Harness<T> => {
  const limits = limitsOf(options);
  /** Tools of servers join when the servers are there. */
  let registry = createToolRegistry(options.tools ?? []);
  const granted: SourcedRule[] = [];
  const rules = rulesOf(options);
  let ports: Promise<HarnessPorts> | undefined;
  let session: Promise<SessionFace> | undefined;
  let before: Promise<unknown> | undefined;

  const open = () => {
    ports ??= inside()
      .then(({ openPorts }) =>
        openPorts(options, limits, registry, () => ({ ...rules, allow: [...rules.allow, ...granted] })),
      )
      .then((opened) => {
        registry = opened.registry;
        return opened;
      });
    return ports;
  };
  const remember = async (rule: Rule): Promise<{ ok: true }> => {
    granted.push({ ...rule, source: 'program' });
    return { ok: true };
  };
  const openSession = async (): Promise<SessionFace> => {
    const { openHarnessSession } = await inside();
    return openHarnessSession(options, await open(), remember);
  };

  return {
    get tools() {
      return registry.tools;
    },
    chat(message, { signal } = {}) {
      session ??= openSession();
      const opened = session;
      const turn = before ? before.then(() => opened) : opened;
      const chat = createChat(turn, message, options.onPermission, signal);
      before = chat.result().catch(() => undefined);
      return chat;
    },
    async executeTool(name, args, { signal } = {}) {
      const { createToolRunner } = await inside();
      const run = createToolRunner(await open());
      const { onPermission } = options;
      const result = await run(name, args, {
        ...(signal ? { signal } : {}),
        ...(onPermission ? { ask: async (question) => onPermission(question) } : {}),
      });
      const { code } = result.metadata;
      if (code === ErrorCode.ToolNotFound) throw new HalterError('ToolNotFound', result.error_message ?? name);
      if (code === ErrorCode.ToolExecutionFailed)
        throw new HalterError('ToolExecutionFailed', result.error_message ?? name);
      return result;
    },
    async close() {
      // What could not be opened was told by whoever waited for it.
      const problems = await closeAll([
        ['the session', async () => (await session?.catch(() => undefined))?.close()],
        ['the harness', async () => (await ports?.catch(() => undefined))?.close()],
      ]);
      for (const problem of problems) process.emitWarning(problem, { code: 'close_failed' });
    },
  };
};

/** A limit that is misspelt would not hold. */
const limitsOf = ({ limits = {} }: HarnessOptions): Limits => {
  for (const [name, value] of Object.entries(limits)) {
    if (!Object.hasOwn(DEFAULT_LIMITS, name)) {
      throw new TypeError(`There is no limit "${name}". The limits are: ${Object.keys(DEFAULT_LIMITS).join(', ')}.`);
    }
    if (value !== undefined && (!Number.isInteger(value) || value < 0)) {
      throw new TypeError(`The limit ${name} is ${value}, and must be a whole number from 0 on.`);
    }
  }
  return { ...DEFAULT_LIMITS, ...limits };
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
