/**
 * What the sandbox adds to a command: to its start, and to ordinary work. Compared are no sandbox, bubblewrap with the
 * fewest flags that isolate at all, and halter's sandbox whole, with its layer and the judging of what was written.
 * `npm run bench:sandbox [-- runs]`
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createProcesses } from '../src/io/processes.ts';
import { openConfinement } from '../src/sandbox/confine.ts';
import { detectSandbox } from '../src/sandbox/index.ts';

const RUNS = Number(process.argv[2] ?? 50);
const state = await detectSandbox();
if (state.kind !== 'bubblewrap') {
  console.log(`skipped: ${state.reason}`);
  process.exit(0);
}
// Not in /tmp, which may be memory: layers lie in the person's cache.
const base = mkdtempSync(path.join(os.homedir(), '.halter-bench-'));
const home = path.join(base, 'home');
mkdirSync(home);

const bare = (workspace: string): string[] => [
  state.program,
  ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--unshare-pid', '--unshare-net', '--die-with-parent'],
  ...['--bind', workspace, workspace, '--chdir', workspace, '--'],
];
const environment = { PATH: process.env['PATH'] ?? '', HOME: home, ...identity() };
function identity(): Record<string, string> {
  const who = { NAME: 'bench', EMAIL: 'bench@example.org' };
  return Object.fromEntries(
    ['AUTHOR', 'COMMITTER'].flatMap((part) => Object.entries(who).map(([key, value]) => [`GIT_${part}_${key}`, value])),
  );
}

type Way = (line: string) => Promise<void>;
type World = { ways: Record<string, Way>; close(): void };
let worlds = 0;
const openWorld = async (): Promise<World> => {
  worlds += 1;
  const folders = ['none', 'bare', 'halter'].map((name) => path.join(base, `${worlds}-${name}`));
  for (const folder of folders) mkdirSync(folder);
  const [none = '', plain = '', own = ''] = folders;
  const paths = { config: path.join(home, 'config'), data: path.join(home, 'data'), cache: path.join(home, 'cache') };
  const confinement = await openConfinement({ root: own, addDirs: [], paths, environment, network: false });
  const started = (folder: string, confined: boolean, around: readonly string[] = []): [Way, () => void] => {
    const processes = createProcesses({
      root: folder,
      environment,
      confine: confinement.confine,
      registerExit: () => {},
    });
    const way: Way = async (line) => {
      const command = [...around, '/bin/bash', '-c', line];
      const signal = new AbortController().signal;
      const ran = await processes.run({ command, confined, timeoutMs: 600_000, signal, maxOutputBytes: 10_000 });
      if (!ran.ok || ran.value.exitCode !== 0) throw new Error(`${line}: ${JSON.stringify(ran)}`);
    };
    return [way, processes.close];
  };
  const made = [started(none, false), started(plain, false, bare(plain)), started(own, true)];
  const [first, second, third] = made.map(([way]) => way) as [Way, Way, Way];
  return {
    ways: { 'no sandbox': first, 'bare bubblewrap': second, halter: third },
    close: () => {
      for (const [, close] of made) close();
      confinement.close();
    },
  };
};

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

/** In turn, so that a busy moment of the machine falls on all of them. `before` is not counted. */
const measure = async (name: string, runs: number, line: string, before?: string): Promise<void> => {
  const world = await openWorld();
  const times: Record<string, number[]> = {};
  for (let run = -1; run < runs; run += 1) {
    for (const [way, start] of Object.entries(world.ways)) {
      if (before !== undefined) await start(before);
      const begun = performance.now();
      await start(line);
      // The first run finds out what is possible here.
      if (run >= 0) times[way] = [...(times[way] ?? []), performance.now() - begun];
    }
  }
  world.close();
  const shown = Object.entries(times).map(([way, list]) => `${way} ${median(list).toFixed(1)} ms`);
  const ratio = median(times['halter'] ?? []) / median(times['bare bubblewrap'] ?? []);
  console.log(`${name.padEnd(34)} ${shown.join('   ')}   halter / bare bubblewrap: ${ratio.toFixed(2)}`);
};

try {
  await measure('a command that does nothing', RUNS, ':');
  const few = Math.max(3, Math.round(RUNS / 5));
  await measure('git init', few, 'git init -q .', 'rm -rf .git');
  const commit = 'echo $RANDOM > file; git add . && git commit -qm change';
  await measure('git commit', few, commit, '[ -d .git ] || git init -q .');
  const large =
    '[ -d .git ] || { for d in $(seq 100); do mkdir -p d$d; for f in $(seq 100); do echo $f > d$d/$f; done; done; git init -q .; git add .; git commit -qm all; }';
  const ten = 'for f in $(seq 10); do echo $RANDOM > d$f/1; done; git commit -qam ten';
  await measure('commit 10 of 10,000 files', few, ten, large);
  const make = 'make -s -j2 all';
  const project = `[ -f Makefile ] || printf 'all: $(patsubst %%,o/%%,$(shell seq 100))\\no/%%:\\n\\t@mkdir -p o; seq 1000 > $@\\n' > Makefile; rm -rf o`;
  await measure('make, 100 targets', few, make, project);
  const install =
    'for p in $(seq 200); do mkdir -p node_modules/$p/lib; for f in $(seq 25); do echo $f > node_modules/$p/lib/$f.js; done; done';
  await measure('install, 5,000 new files', 3, install, 'rm -rf node_modules');
  await measure('remove 5,000 files', 3, 'rm -rf node_modules', install);
  await measure('append to a file of 64 MB', few, 'echo x >> big', '[ -f big ] || head -c 67108864 /dev/zero > big');
  await measure('read 64 MB', few, 'cat big > /dev/null', '[ -f big ] || head -c 67108864 /dev/zero > big');
} finally {
  spawnSync('/bin/rm', ['-rf', '--', base]);
  rmSync(base, { recursive: true, force: true });
}
