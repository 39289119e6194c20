/**
 * Tools run for real in a replay: in a copy of the folder that is thrown away, with the session's own changes taken back
 * first. Nobody is asked here, so only halter's own tools for files and tasks run, and all they are handed is the copy:
 * what could reach further (commands, the network, the code of plugins and servers) keeps its recorded results.
 */

import { cp, lstat, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Event } from '../../core/events.ts';
import type { Limits } from '../../core/limits.ts';
import { counted } from '../../core/number-text.ts';
import { failure, type Outcome, succeed } from '../../core/outcome.ts';
import type { Network, Processes } from '../../core/ports.ts';
import type { Tool } from '../../core/tool.ts';
import { diskFailure } from '../../disk/disk-failure.ts';
import { systemClock } from '../../io/clock.ts';
import { createWorkspace } from '../../io/workspace.ts';
import { STORAGE_LIMITS } from '../../storage/limits.ts';
import { createUndoFiles } from '../../storage/undo-files.ts';
import { addTask } from '../../tools/add-task.ts';
import { editFile } from '../../tools/edit-file.ts';
import { getFileTree } from '../../tools/get-file-tree.ts';
import { insertLines } from '../../tools/insert-lines.ts';
import { listTasks } from '../../tools/list-tasks.ts';
import { ls } from '../../tools/ls.ts';
import { readFile } from '../../tools/read-file.ts';
import { replaceLines } from '../../tools/replace-lines.ts';
import { updateTask } from '../../tools/update-task.ts';
import { writeFile } from '../../tools/write-file.ts';
import { createTasks } from '../loop/run-tool/tasks.ts';
import { runTool } from '../loop/run-tool.ts';
import type { ReplayPorts } from '../replay.ts';
import { undoLast } from '../undo.ts';

/** Large, made by others, and nothing that a session is about. */
const NOT_COPIED: ReadonlySet<string> = new Set(['.git', 'node_modules']);
/** By identity: a plugin's tool is its own code, whatever it says of itself. */
const RUN: ReadonlySet<Tool> = new Set([
  ls,
  getFileTree,
  readFile,
  writeFile,
  editFile,
  replaceLines,
  insertLines,
  addTask,
  listTasks,
  updateTask,
]);

export type ReplayToolsOptions = {
  undoFolder: string;
  limits: Limits;
  /** How large the folder may be. */
  bytes?: number;
  files?: number;
};

export const openReplayTools = async (
  root: string,
  recorded: readonly Event[],
  { bytes = STORAGE_LIMITS.replayCopyBytes, files = STORAGE_LIMITS.replayCopyFiles, ...options }: ReplayToolsOptions,
): Promise<Outcome<{ run: NonNullable<ReplayPorts['run']>; close(): Promise<void> }>> => {
  const copy = await mkdtemp(join(tmpdir(), 'halter-replay-'));
  const close = () => rm(copy, { recursive: true, force: true });
  const copied = await copyFolder(root, copy, { bytes, files });
  if (!copied.ok) {
    await close();
    return copied;
  }
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
      if (!RUN.has(tool)) return undefined;
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

/**
 * Sockets and FIFOs hold nothing to be copied; links are copied as links, and the port to the copy refuses those that
 * leave it.
 */
const copyFolder = async (
  root: string,
  copy: string,
  most: { bytes: number; files: number },
): Promise<Outcome<void>> => {
  const left = { ...most };
  const isOver = (): boolean => left.bytes < 0 || left.files < 0;
  const isCopied = async (path: string): Promise<boolean> => {
    if (path === root) return true;
    if (isOver() || NOT_COPIED.has(basename(path))) return false;
    const found = await lstat(path);
    if (!found.isFile() && !found.isDirectory() && !found.isSymbolicLink()) return false;
    left.files -= 1;
    if (found.isFile()) left.bytes -= found.size;
    return !isOver();
  };
  const options = { recursive: true, preserveTimestamps: true, verbatimSymlinks: true, filter: isCopied };
  try {
    await cp(root, copy, options);
  } catch (error) {
    return diskFailure(`${root} cannot be copied for the replay`, error);
  }
  if (!isOver()) return succeed(undefined);
  const limit = left.bytes < 0 ? counted(most.bytes, 'byte') : counted(most.files, 'file');
  return failure(
    'validation_failed',
    `${root} is too large to be copied for a replay with real tools: more than ${limit} besides .git and node_modules. A replay without --tools real copies nothing`,
    'too_large',
  );
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
  const ports = { workspace, files, log: () => log, dispatch, holds: async () => true };
  while ((await undoLast(ports, 'keep')).ok);
};
