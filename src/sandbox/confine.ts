/** The sandbox of a run: found once, told to the person, and put round the commands that the model wrote. */
import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { detectSandbox, protectedPaths, type SandboxState, secretPaths, wrapCommand } from './index.ts';

export type Confined = { command: string[]; network: boolean; release(): void };
export type Confine = (command: readonly string[], folder: string) => Confined;

/** How commands are confined, for people and programs. `text` is what stands in the footer and in each question. */
export type SandboxReport = {
  kind: SandboxState['kind'];
  confined: boolean;
  /** Whether a command reaches the network. */
  network: boolean;
  text: string;
  /** Why there is none, or how it was found. */
  reason: string;
  /** No command runs, whoever asks for it, and this is why. */
  refused?: string;
};
export type Confinement = { report: SandboxReport; confine?: Confine; close(): void };

export type ConfineOptions = {
  root: string;
  addDirs: readonly string[];
  /** Folders of halter itself. */
  paths: { config: string; data: string; cache: string };
  environment: Readonly<Record<string, string | undefined>>;
  /** Commands reach the network. */
  network: boolean;
};

/** What the person reads of it, everywhere where commands are asked about. */
export const UNSANDBOXED = 'unsandboxed';

/** Commands run with the person's own rights. */
export const unconfined = (reason: string): Confinement => ({
  report: { kind: 'none', confined: false, network: true, text: UNSANDBOXED, reason },
  close: () => {},
});

export const openConfinement = async (
  options: ConfineOptions,
  state: SandboxState | Promise<SandboxState> = detectSandbox(),
): Promise<Confinement> => {
  const found = await state;
  if (found.kind === 'none') return unconfined(found.reason);
  const { kind, reason } = found;
  const { network } = options;
  // Its profile was written without a Mac to try it on; who is asked has to know.
  const name = kind === 'seatbelt' ? 'seatbelt (untried)' : kind;
  const text = `${name}, ${network ? 'network allowed' : 'no network'}`;
  const temporary = temporaryFolder(path.join(options.paths.cache, 'tmp'));
  return {
    report: { kind, confined: true, network, text, reason },
    confine: confineWith(found, options, temporary.open),
    close: temporary.close,
  };
};

const confineWith = (
  state: SandboxState,
  { root, addDirs, paths, environment, network }: ConfineOptions,
  temporary: () => string | undefined,
): Confine => {
  const home = environment['HOME'] || homedir();
  const own = [paths.config, paths.data, paths.cache];
  return (command, folder) => {
    const place = temporary();
    const wrapped = wrapCommand(state, command, {
      workspace: root,
      cwd: folder,
      writable: addDirs,
      protected: protectedPaths(root, home, own),
      hidden: secretPaths(home, own),
      network,
      ...(place === undefined ? {} : { temporary: place }),
    });
    return { ...wrapped, network };
  };
};

/**
 * What stands at /tmp inside: a folder of this run, so that one command finds what another left there, and nobody else's
 * files are to be seen. A run that was killed leaves its folder to the next one that starts.
 */
const temporaryFolder = (parent: string): { open(): string | undefined; close(): void } => {
  let folder: string | undefined;
  let isTried = false;
  return {
    open() {
      if (isTried) return folder;
      isTried = true;
      try {
        mkdirSync(parent, { recursive: true, mode: 0o700 });
        removeLeftBehind(parent);
        const own = path.join(parent, `${process.pid}-${randomUUID()}`);
        mkdirSync(own, { mode: 0o700 });
        folder = own;
      } catch {
        // Where halter has no room of its own, /tmp lives as long as one command.
      }
      return folder;
    },
    close() {
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
      folder = undefined;
      isTried = false;
    },
  };
};

const removeLeftBehind = (parent: string): void => {
  for (const name of readdirSync(parent)) {
    const pid = Number(/^([0-9]+)-/.exec(name)?.[1]);
    if (Number.isNaN(pid) || isAlive(pid)) continue;
    rmSync(path.join(parent, name), { recursive: true, force: true });
  }
};

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};
