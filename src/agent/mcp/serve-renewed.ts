/**
 * A halter that other programs use for days goes by the settings of today: when they, its plugins, the person's commands
 * or the trust in its folder change, it is opened anew, and clients are told which of its lists are other ones.
 */
import type { Outcome } from '../../core/outcome.ts';
import type { ServedChange, ToolServerOptions } from '../../mcp/tool-server.ts';
import type { Agent } from '../create-agent.ts';
import { servedTools } from './serve.ts';
import { watchSettings } from './watch-settings.ts';

export type RenewedServer = { options: ToolServerOptions; close(): Promise<void> };

type Held = { halter: Agent; calls: number; retired: boolean };

export type ServeRenewedOptions = {
  version: string;
  /** As the first one was opened, with the settings of now. */
  reopen(): Promise<Outcome<Agent>>;
  onProblem(message: string): void;
};

export const serveRenewed = async (
  first: Agent,
  { version, reopen, onProblem }: ServeRenewedOptions,
): Promise<RenewedServer> => {
  let held: Held = { halter: first, calls: 0, retired: false };
  const listeners = new Set<(change: ServedChange) => void>();

  const leave = async (used: Held): Promise<void> => {
    if (used.retired && used.calls === 0) await used.halter.close();
  };
  /** As it is now. A call that runs keeps the halter that it began with. */
  const options: ToolServerOptions = {
    ...servedTools(
      {
        get tools() {
          return held.halter.tools;
        },
        get config() {
          return held.halter.config;
        },
        get userInput() {
          return held.halter.userInput;
        },
        judge: (name, args) => held.halter.judge(name, args),
        async executeTool(name, args, more) {
          const used = held;
          used.calls += 1;
          try {
            return await used.halter.executeTool(name, args, more);
          } finally {
            used.calls -= 1;
            await leave(used);
          }
        },
      },
      version,
    ),
    changes(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };

  const listsNow = async () => {
    const tools = (await options.tools()).map(({ name, description, parameters }) => [name, description, parameters]);
    return { tools: JSON.stringify(tools), prompts: JSON.stringify(await options.prompts.list()) };
  };
  let lists = await listsNow();
  const renew = async (): Promise<void> => {
    const next = await reopen();
    if (next.ok) {
      const before = held;
      held = { halter: next.value, calls: 0, retired: false };
      before.retired = true;
      await leave(before);
    } else {
      onProblem(`The settings changed and cannot be used, so those of before still count: ${next.error.message}`);
    }
    // Commands are read from their files each time, whatever became of the settings.
    const now = await listsNow();
    const change = { tools: now.tools !== lists.tools, prompts: now.prompts !== lists.prompts };
    lists = now;
    if (change.tools || change.prompts) for (const listener of listeners) listener(change);
  };
  const watch = await watchSettings({ config: first.paths.config, root: first.root }, renew);
  return {
    options,
    async close() {
      watch.close();
      listeners.clear();
      await held.halter.close();
    },
  };
};
