/** What a command wrote into files that other programs obey, and a person who is asked about it. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readlinkSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { scratchFolder } from '../../tests/support/scratch.ts';
import type { HeldChange, MayKeep } from '../core/ports.ts';
import { createProcesses } from '../io/processes.ts';
import { openConfinement } from './confine.ts';
import { detectSandbox } from './index.ts';

let works = false;
beforeAll(async () => {
  works = (await detectSandbox()).kind === 'bubblewrap';
});

const openWorld = async () => {
  const base = scratchFolder();
  const [root, more, home] = ['ws', 'more', 'home'].map((name) => path.join(base, name)) as [string, string, string];
  for (const folder of [root, more, home]) mkdirSync(folder);
  const environment = { HOME: home, PATH: process.env['PATH'] ?? '', MORE: more };
  const paths = { config: `${home}/.config/halter`, data: `${home}/.local/share/halter`, cache: `${home}/.cache` };
  const confinement = await openConfinement({ root, addDirs: [more], paths, environment, network: false });
  const processes = createProcesses({ root, environment, confine: confinement.confine, registerExit: () => {} });
  const run = async (line: string, mayKeep?: MayKeep) => {
    const ran = await processes.run({
      command: ['/bin/bash', '-c', line],
      confined: true,
      timeoutMs: 60_000,
      signal: new AbortController().signal,
      maxOutputBytes: 100_000,
      ...(mayKeep ? { mayKeep } : {}),
    });
    if (!ran.ok) throw new Error(JSON.stringify(ran.error));
    const { withheld = [], kept = [] } = ran.value.sandbox ?? {};
    return { taken: withheld.map((each) => each.path).sort(), kept: [...kept].sort() };
  };
  const close = (): void => {
    processes.close();
    confinement.close();
  };
  return { root, more, run, processes, close };
};
type World = Awaited<ReturnType<typeof openWorld>>;

const inWorld = (name: string, test: (world: World) => Promise<void>): void =>
  it(name, { timeout: 60_000 }, async (context) => {
    if (!works) context.skip('bubblewrap does not work here (apt-get install bubblewrap)');
    const world = await openWorld();
    await test(world);
    world.close();
  });

/** Answers, and keeps what it was asked. */
const person = (answer: (change: HeldChange) => boolean) => {
  const asked: HeldChange[] = [];
  const mayKeep: MayKeep = async (changes) => {
    asked.push(...changes);
    return changes.map(answer);
  };
  return { asked, mayKeep };
};

describe('a change that is held', () => {
  inWorld('is shown whole, and kept where the answer is yes, in every writable folder', async (world) => {
    verifies('S44');
    const { root, more } = world;
    writeFileSync(path.join(root, '.bashrc'), 'old\n');
    writeFileSync(path.join(root, '.nanorc'), 'gone\n');
    const { asked, mayKeep } = person(() => true);
    const line =
      'mkdir -p a/.vscode/b; echo {} > a/.vscode/b/tasks.json; echo new > .bashrc; rm .nanorc; ln -s ../x .zshrc; printf "#!/bin/sh\\n" > $MORE/.envrc; chmod +x $MORE/.envrc; echo fine > kept';
    expect(await world.run(line, mayKeep)).toEqual({
      taken: [],
      kept: ['.bashrc', '.nanorc', '.zshrc', 'a/.vscode/b/tasks.json', `${more}/.envrc`].sort(),
    });
    expect(asked.map(({ path: file, kind, before, after }) => [file, kind, before, after]).sort()).toEqual(
      [
        ['.bashrc', 'file', 'old\n', 'new\n'],
        ['.nanorc', 'removed', 'gone\n', undefined],
        ['.zshrc', 'link', undefined, '../x'],
        ['a/.vscode/b/tasks.json', 'file', undefined, '{}\n'],
        [`${more}/.envrc`, 'file', undefined, '#!/bin/sh\n'],
      ].sort(),
    );
    expect(readFileSync(path.join(root, '.bashrc'), 'utf8')).toBe('new\n');
    expect(existsSync(path.join(root, '.nanorc'))).toBe(false);
    expect(readlinkSync(path.join(root, '.zshrc'))).toBe('../x');
    expect(statSync(path.join(more, '.envrc')).mode & 0o100).toBe(0o100);
  });

  inWorld('is taken back where the answer is no, and everything else is kept', async (world) => {
    verifies('S44');
    const { mayKeep } = person(({ path: file }) => file === '.bashrc');
    const result = await world.run('echo x > .bashrc; echo x > .npmrc; echo fine > kept', mayKeep);
    expect(result).toEqual({ taken: ['.npmrc'], kept: ['.bashrc'] });
    expect(existsSync(path.join(world.root, 'kept'))).toBe(true);
    expect(existsSync(path.join(world.root, '.npmrc'))).toBe(false);
  });

  const NEVER_ASKED: readonly (readonly [what: string, line: string])[] = [
    ['settings of a repository', 'git init -q .; git config core.fsmonitor ./p'],
    ['hooks of a repository', 'git init -q .; echo x > .git/hooks/pre-commit'],
    ['a repository within such a folder', 'mkdir -p .vscode/r/.git/hooks; echo x > .vscode/r/.git/hooks/pre-commit'],
    ["halter's own folder", 'mkdir .halter; echo {} > .halter/settings.json'],
    ['what cannot be shown', 'printf "\\377\\376\\000" > .bashrc'],
    ['what is too long to be read', 'head -c 40000 /dev/zero | tr "\\0" x > .bashrc'],
    ['too many files', 'mkdir .vscode; for n in {1..40}; do echo x > .vscode/$n; done'],
    ['what is a secret already', 'echo x >> .envrc'],
    ['installed packages', 'mkdir -p node_modules/a; echo x > node_modules/a/.npmrc'],
  ];
  for (const [what, line] of NEVER_ASKED) {
    inWorld(`is never asked about: ${what}`, async (world) => {
      verifies('S44');
      writeFileSync(path.join(world.root, '.envrc'), 'export KEY=1\n');
      const { asked, mayKeep } = person(() => true);
      const { taken, kept } = await world.run(line, mayKeep);
      expect([asked, kept]).toEqual([[], []]);
      expect(taken).not.toEqual([]);
    });
  }

  inWorld('is not written over what came there while the question was open', async (world) => {
    verifies('S44');
    const mayKeep: MayKeep = async (changes) => {
      writeFileSync(path.join(world.root, '.bashrc'), "the person's own");
      return changes.map(() => true);
    };
    expect(await world.run('echo x > .bashrc', mayKeep)).toEqual({ taken: ['.bashrc'], kept: [] });
    expect(readFileSync(path.join(world.root, '.bashrc'), 'utf8')).toBe("the person's own");
  });

  inWorld('follows no link that came in the place of its folder', async (world) => {
    verifies('S44');
    const mayKeep: MayKeep = async (changes) => {
      spawnSync('ln', ['-s', world.more, path.join(world.root, '.vscode')]);
      return changes.map(() => true);
    };
    expect((await world.run('mkdir .vscode; echo x > .vscode/tasks.json', mayKeep)).kept).toEqual([]);
    expect(existsSync(path.join(world.more, 'tasks.json'))).toBe(false);
  });
});

describe('a change of a background command', () => {
  inWorld('is asked about when the job is looked at, once, also after its end', async (world) => {
    verifies('S44');
    let output = '';
    const line = 'echo one > .bashrc; mkdir .vscode; echo {} > .vscode/tasks.json; read; echo two > .bashrc';
    const job = await world.processes.open({
      command: ['/bin/bash', '-c', line],
      confined: true,
      onOutput: (text) => {
        output += text;
      },
    });
    if (!job.ok) throw new Error(job.error.message);
    await expect
      .poll(() => output, { timeout: 20_000 })
      .toMatch(/back: \.bashrc[\s\S]*back: \.vscode|back: \.vscode[\s\S]*back: \.bashrc/);
    const first = person(({ path: file }) => file !== '.bashrc');
    await job.value.review?.(first.mayKeep);
    expect(first.asked.map((change) => change.after).sort()).toEqual(['one\n', '{}\n']);
    expect(existsSync(path.join(world.root, '.vscode/tasks.json'))).toBe(true);
    expect(existsSync(path.join(world.root, '.bashrc'))).toBe(false);
    job.value.write('\n');
    await job.value.ended;
    const second = person(() => true);
    await job.value.review?.(second.mayKeep);
    await job.value.review?.(second.mayKeep);
    expect(second.asked.map((change) => change.after)).toEqual(['two\n']);
    expect(readFileSync(path.join(world.root, '.bashrc'), 'utf8')).toBe('two\n');
  });
});
