/** Several real workers on a real PostgreSQL, a model that says what a script says, and somebody who looks on. */

import fs from 'node:fs';
import path from 'node:path';
import { onTestFinished, vi } from 'vitest';
import type { Agent } from '../../src/agent/create-agent.ts';
import { loadPlugins } from '../../src/agent/plugins.ts';
import type { OpenSession } from '../../src/agent/session.ts';
import { handToWorkers } from '../../src/cluster/index.ts';
import type { Event } from '../../src/core/events.ts';
import { type ScriptedServerOptions, startScriptedServer } from '../../src/testing/index.ts';
import { openTestAgent } from '../../src/testing/test-agent.ts';
import { type Running, startHalter } from './halter-process.ts';
import { LIBRARY } from './program.ts';
import { scratchFolder } from './scratch.ts';

/**
 * Tools that write a line to a file each time they run. The slow ones never end at their first time; `die` kills its
 * process, `spin` blocks it for ever, and `hold` ends when there is a file `let_go`.
 */
const PLUGIN = (marks: string): string => `
import fs from 'node:fs';
import { defineTool } from ${JSON.stringify(LIBRARY)};
const slow = (name, effects) => defineTool({
  name, description: name, risk: 'safe', effects, timeout_ms: 600000,
  parameters: { type: 'object', properties: {} },
  run: () => {
    const file = ${JSON.stringify(marks)} + '/' + name;
    fs.appendFileSync(file, 'ran\\n');
    const times = fs.readFileSync(file, 'utf8').split('\\n').length - 1;
    return times === 1 ? new Promise(() => {}) : name + ' ran ' + times + ' times';
  },
});
const fatal = (name, end) => defineTool({
  name, description: name, risk: 'safe', effects: 'read', timeout_ms: 600000,
  parameters: { type: 'object', properties: {} },
  run: () => {
    fs.appendFileSync(${JSON.stringify(marks)} + '/' + name, 'ran\\n');
    return end();
  },
});
export const plugin = {
  name: 'slow',
  tools: [
    slow('slow_read', 'read'),
    slow('slow_write', 'process'),
    fatal('die', () => process.kill(process.pid, 'SIGKILL')),
    fatal('spin', () => { for (;;); }),
    fatal('hold', async () => {
      while (!fs.existsSync(${JSON.stringify(marks)} + '/let_go')) await new Promise((resolve) => setTimeout(resolve, 50));
      return 'held';
    }),
  ],
};
`;

/** On a busy machine. */
const RAN_MS = 60_000;

export type Team = Awaited<ReturnType<typeof team>>;

/** `settings`: config.json of the workers. `folder`: of the server's sessions. */
export const team = async (
  url: string,
  turns: NonNullable<ScriptedServerOptions['turns']>,
  settings: Readonly<Record<string, unknown>> = {},
  folder = scratchFolder(),
) => {
  const home = scratchFolder();
  const marks = scratchFolder();
  const plugins = path.join(home, '.config/halter/plugins');
  fs.mkdirSync(plugins, { recursive: true });
  fs.writeFileSync(path.join(plugins, 'slow.mjs'), PLUGIN(marks));
  fs.writeFileSync(path.join(home, '.config/halter/config.json'), JSON.stringify(settings));
  const model = await startScriptedServer({ turns });
  onTestFinished(() => model.close());
  const reach = ['--provider', 'openai', '--base-url', model.openaiUrl, '--model', 'test-model'];

  const assembled = await openTestAgent({
    folder,
    environment: { HOME: home },
    platform: process.platform,
    provider: 'openai',
    baseUrl: model.openaiUrl,
    model: 'test-model',
    database: url,
    documents: true,
    plugins: await loadPlugins({ folder: plugins, packages: [], onWarning: () => {} }),
    onWarning: () => {},
  });
  if (!assembled.ok) throw new Error(assembled.error.message);
  const shared = await handToWorkers({ halter: assembled.value, url });
  if (!shared.ok) throw new Error(shared.error.message);
  const halter: Agent = shared.value;
  onTestFinished(() => halter.close());
  const workerIn = async (place: string, ...flags: string[]): Promise<Running> => {
    const running = startHalter(
      ['worker', '--database', url, '-C', place, ...reach, '--allow', 'slow_write', ...flags],
      {
        home,
      },
    );
    await running.said('working in');
    return running;
  };
  const times = (tool: string): number =>
    fs.existsSync(path.join(marks, tool)) ? fs.readFileSync(path.join(marks, tool), 'utf8').split('\n').length - 1 : 0;
  return {
    halter,
    folder,
    model,
    /** How often a tool of the plugin ran. */
    times,
    letGo: (): void => fs.writeFileSync(path.join(marks, 'let_go'), ''),
    /** Resolves when it ran once: that the log has its start does not say that the worker is in it already. */
    ran: (tool: string): Promise<boolean> => vi.waitUntil(() => times(tool) > 0, { timeout: RAN_MS, interval: 20 }),
    worker: (...flags: string[]): Promise<Running> => workerIn(folder, ...flags),
    workerIn,
    async session(id: string): Promise<OpenSession> {
      const opened = await halter.openSession({ id });
      if (!opened.ok) throw new Error(opened.error.message);
      return opened.value;
    },
  };
};

/** Resolves when such an event is in the log, or comes. */
const untilOne = <T extends Event>(
  session: OpenSession,
  isMeant: (event: Event) => event is T,
  times: number,
): Promise<T> =>
  new Promise((resolve) => {
    let stop: (() => void) | undefined;
    const look = (): void => {
      const found = session.log().filter(isMeant)[times - 1];
      if (found === undefined) return;
      stop?.();
      resolve(found);
    };
    stop = session.subscribe(look);
    look();
  });

export const until = <T extends Event['type']>(
  session: OpenSession,
  type: T,
  times = 1,
): Promise<Extract<Event, { type: T }>> =>
  untilOne(session, (event): event is Extract<Event, { type: T }> => event.type === type, times);

type End = Extract<Event, { type: 'run_completed' | 'run_stopped' | 'run_cancelled' }>;
const isEnd = ({ type }: Event): boolean =>
  type === 'run_completed' || type === 'run_stopped' || type === 'run_cancelled';

/** However the first run ends: a row that waits for one end alone says nothing where another one comes. */
export const endOf = (session: OpenSession): Promise<End> =>
  untilOne(session, (event): event is End => isEnd(event), 1);
