/** Folders of a person, the sandbox over them, and the commands of a model in it. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { it } from 'vitest';
import type { MayKeep, NoteChanges, WithheldChange } from '../../src/core/ports.ts';
import { createProcesses } from '../../src/io/processes.ts';
import { openConfinement } from '../../src/sandbox/confine.ts';
import { detectSandbox } from '../../src/sandbox/index.ts';
import { scratchFolder } from './scratch.ts';

export const PERSON = {
  GIT_AUTHOR_NAME: 'p',
  GIT_AUTHOR_EMAIL: 'p@example.org',
  GIT_COMMITTER_NAME: 'p',
  GIT_COMMITTER_EMAIL: 'p@example.org',
};

export type RunOptions = { mayKeep?: MayKeep; noteChanges?: NoteChanges; onOutput?(text: string): void };
export type Ran = { code: number | null; output: string; withheld: readonly WithheldChange[]; taken: string[] };
export type SandboxWorld = Awaited<ReturnType<typeof openSandboxWorld>>;

/** `root`, `home`: folders that are there already; `addDirs`: in place of `more`. */
type Given = { root?: string; home?: string; addDirs?: string[]; deniedPrograms?: readonly string[] };

export const openSandboxWorld = async (given: Given = {}) => {
  const base = scratchFolder();
  const [own, more, ownHome] = ['ws', 'more', 'home'].map((name) => path.join(base, name)) as [string, string, string];
  for (const folder of [own, more, ownHome]) mkdirSync(folder);
  const home = given.home ?? ownHome;
  const root = given.root ?? own;
  const environment = { HOME: home, PATH: process.env['PATH'] ?? '', MORE: more };
  const paths = {
    config: `${home}/.config/halter`,
    data: `${home}/.local/share/halter`,
    cache: `${home}/.cache/halter`,
  };
  const confinement = await openConfinement({
    root,
    addDirs: given.addDirs ?? [more],
    paths,
    environment,
    network: false,
    deniedPrograms: () => given.deniedPrograms ?? [],
  });
  const processes = createProcesses({ root, environment, confine: confinement.confine, registerExit: () => {} });
  const start = (line: string, options: RunOptions = {}) =>
    processes.run({
      command: ['/bin/bash', '-c', line],
      confined: true,
      env: PERSON,
      timeoutMs: 60_000,
      signal: new AbortController().signal,
      maxOutputBytes: 100_000,
      ...options,
    });
  const run = async (line: string, options: RunOptions = {}): Promise<Ran> => {
    const ran = await start(line, options);
    if (!ran.ok) throw new Error(JSON.stringify(ran.error));
    const withheld = ran.value.sandbox?.withheld ?? [];
    const taken = withheld.map(({ path: file }) => file).sort();
    return { code: ran.value.exitCode, output: ran.value.output, withheld, taken };
  };
  /** What the person does themselves, outside. */
  const outside = (line: string, folder = root): string => {
    const { stdout, stderr } = spawnSync('/bin/bash', ['-c', line], {
      cwd: folder,
      encoding: 'utf8',
      env: { ...environment, ...PERSON },
    });
    return stdout + stderr;
  };
  /** Runs a line in which `$WAIT` stands for the moment in which `act` is done outside. */
  const runAround = async (line: string, act: () => void, options: RunOptions = {}): Promise<Ran> => {
    const waiting = line.replaceAll('$WAIT', 'echo READY; until [ -e /tmp/go ]; do sleep 0.02; done; rm /tmp/go');
    const onOutput = (text: string): void => {
      if (!text.includes('READY')) return;
      act();
      const temporary = path.join(paths.cache, 'tmp');
      writeFileSync(path.join(temporary, readdirSync(temporary)[0] ?? '', 'go'), '');
    };
    return await run(waiting, { ...options, onOutput });
  };
  const close = (): void => {
    processes.close();
    confinement.close();
  };
  return { root, more, home, paths, run, runAround, start, outside, processes, close };
};

/** A kept version: the content of a file, or where a link leads. */
export const keptIn = (kept: string): string =>
  spawnSync(
    '/bin/sh',
    ['-c', 'if [ -L "$1" ]; then printf "%s" "-> $(readlink "$1")"; else cat "$1"; fi', 'sh', kept],
    {
      encoding: 'utf8',
    },
  ).stdout;

let isHere: Promise<boolean> | undefined;
const worksHere = (): Promise<boolean> => {
  isHere ??= detectSandbox().then(({ kind }) => kind === 'bubblewrap');
  return isHere;
};

/** A test in a world of its own; it is skipped where bubblewrap does not work. */
export const inSandboxWorld = (name: string, test: (world: SandboxWorld) => Promise<void>, given: Given = {}): void =>
  it(name, { timeout: 60_000 }, async (context) => {
    if (!(await worksHere())) context.skip('bubblewrap does not work here (apt-get install bubblewrap)');
    const world = await openSandboxWorld(given);
    await test(world);
    world.close();
  });
