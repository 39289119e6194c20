/**
 * Tools run for real in a replay: in a copy of the folder that is thrown away, with the session's own changes taken back
 * first. What could reach further (commands, the network) is never run; its results are the recorded ones.
 */
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Event } from '../core/events.ts';
import type { Limits } from '../core/limits.ts';
import { type Outcome, succeed } from '../core/outcome.ts';
import type { Network, Processes } from '../core/ports.ts';
import { createUndoFiles } from '../storage/undo-files.ts';
import { systemClock } from './clock.ts';
import type { ReplayPorts } from './replay.ts';
import { runTool } from './run-tool.ts';
import { createTasks } from './tasks.ts';
import { undoLast } from './undo.ts';
import { createWorkspace } from './workspace.ts';

/** Large, made by others, and nothing that a session is about. */
const NOT_COPIED: ReadonlySet<string> = new Set(['.git', 'node_modules']);

export const openReplayTools = async (
  root: string,
  recorded: readonly Event[],
  options: { undoFolder: string; limits: Limits },
): Promise<Outcome<{ run: NonNullable<ReplayPorts['run']>; close(): Promise<void> }>> => {
  const copy = await mkdtemp(join(tmpdir(), 'halter-replay-'));
  const close = () => rm(copy, { recursive: true, force: true });
  await cp(root, copy, {
    recursive: true,
    preserveTimestamps: true,
    verbatimSymlinks: true,
    filter: (path) => path === root || !NOT_COPIED.has(basename(path)),
  });
  const workspace = await createWorkspace({ root: copy });
  if (!workspace.ok) {
    await close();
    return workspace;
  }
  await takeBack(workspace.value, recorded, options.undoFolder);
  const closed = { error_type: 'io_error' as const, message: 'A replay reaches nothing outside its copy.' };
  const processes = { run: async () => ({ ok: false, error: closed }) } as unknown as Processes;
  const network = {
    request: async () => ({ ok: false, error: { kind: 'blocked', message: closed.message } }),
  } as unknown as Network;
  return succeed({
    close,
    async run(tool, args, state) {
      if (tool.effects === 'process' || tool.effects === 'network' || tool.name === 'grep_search') return undefined;
      let { tasks } = state;
      return runTool(tool, args, {
        context: {
          workspace: workspace.value,
          network,
          processes,
          clock: systemClock,
          config: {},
          tasks: createTasks(
            () => tasks,
            (task) => {
              tasks = [...tasks, task];
            },
          ),
          report: () => {},
        },
        signal: new AbortController().signal,
        defaultTimeoutMs: options.limits.toolTimeoutMs,
      });
    },
  });
};

/** As far as the old contents are kept, the copy is as the folder was when the session began. */
const takeBack = async (
  workspace: Parameters<typeof undoLast>[0]['workspace'],
  recorded: readonly Event[],
  undoFolder: string,
): Promise<void> => {
  const log = [...recorded];
  const files = createUndoFiles({ folder: undoFolder });
  const dispatch = async (body: Parameters<Parameters<typeof undoLast>[0]['dispatch']>[0]) => {
    log.push({ seq: (log.at(-1)?.seq ?? 0) + 1, at: 0, ...body });
    return true;
  };
  const ports = { workspace, files, log: () => log, dispatch };
  while ((await undoLast(ports, 'keep')).ok);
};
