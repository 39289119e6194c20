/** The sandbox of a run: found once, told to the person, and put round the commands that the model wrote. */
import { homedir } from 'node:os';
import { detectSandbox, protectedPaths, type SandboxState, secretPaths, wrapCommand } from '../sandbox/index.ts';
import type { HalterPaths } from '../storage/paths.ts';

export type Confine = (command: readonly string[], folder: string) => { command: string[]; release(): void };

export type ConfineOptions = {
  root: string;
  addDirs: readonly string[];
  paths: HalterPaths;
  environment: Readonly<Record<string, string | undefined>>;
};

/** How commands are confined, for people and programs. `text` is what stands in the footer and in each question. */
export type SandboxReport = {
  kind: SandboxState['kind'];
  confined: boolean;
  /** Whether a command reaches the network. */
  network: boolean;
  text: string;
  /** Why there is none, or how it was found. */
  reason: string;
};

/** What the person reads of it, everywhere where commands are asked about. */
export const UNSANDBOXED = 'unsandboxed';

export const openConfinement = async (
  options: ConfineOptions,
): Promise<{ text: string; problem?: string; confine?: Confine }> => {
  const state = await detectSandbox();
  if (state.kind === 'none') return { text: UNSANDBOXED, problem: state.reason };
  return { text: `${state.kind}, no network`, confine: confineWith(state, options) };
};

const confineWith = (state: SandboxState, { root, addDirs, paths, environment }: ConfineOptions): Confine => {
  const home = environment['HOME'] || homedir();
  const own = [paths.config, paths.data, paths.cache];
  return (command, folder) =>
    wrapCommand(state, command, {
      workspace: root,
      cwd: folder,
      writable: addDirs,
      protected: protectedPaths(root, home, own),
      hidden: secretPaths(home, own),
      network: false,
    });
};
