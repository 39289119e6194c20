import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { putFiles } from '../../tests/support/scratch.ts';
import { homeView } from './home-view.ts';
import { detectSandbox, protectedPaths, secretPaths, settingsWithKeys, wrapCommand } from './index.ts';

/** Not below /tmp, which a command does not see. */
const homeFolder = (): string => {
  const home = mkdtempSync('/dev/shm/halter-test-home-');
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  putFiles(home, {
    'notes.txt': 'NOTES',
    'Documents/a.txt': 'LETTER',
    'code/other/src.ts': 'OTHER',
    'code/app/.git/HEAD': 'ref: refs/heads/main\n',
    'code/app/package.json': '{"name":"app"}',
    'code/app/packages/a/index.js': 'A',
    '.cargo/bin/cargo': 'CARGO',
    '.cargo/credentials.toml': 'TOKEN',
    '.nvm/versions/node/v1/bin/node': 'NODE',
    '.gitconfig': '[user]\n\tname = me\n',
    '.config/secret-app/key': 'KEY',
    '.bash_history': 'HISTORY',
    'tools/x/1.2/bin/x': 'X',
    'tools/x/1.2/lib/x': 'LIB',
  });
  return home;
};
const has = existsSync('/dev/shm') && (await detectSandbox()).kind === 'bubblewrap';

it.runIf(has)('a command sees of the home folder what programs need, its project and what its line names', async () => {
  verifies('S13');
  const home = homeFolder();
  const workspace = path.join(home, 'code/app/packages/a');
  symlinkSync(path.join(home, 'notes.txt'), path.join(workspace, 'link'));
  const state = await detectSandbox();
  const run = (line: string, more: { reads?: string[]; script?: string } = {}): string => {
    const environment = { PATH: `/usr/bin:/bin:${home}/tools/x/1.2/bin`, HOME: home };
    const view = homeView({ home, environment, roots: [workspace], line, reads: more.reads });
    const policy = {
      workspace,
      protected: protectedPaths(workspace, home),
      hidden: secretPaths(home),
      home: view,
      network: false,
    };
    const words = wrapCommand(state, ['/bin/bash', '-c', more.script ?? line], policy);
    const { stdout, stderr } = spawnSync(words[0] as string, words.slice(1), {
      env: environment,
      encoding: 'utf8',
      cwd: '/',
    });
    return stdout + stderr;
  };
  const everything = 'cd; find . -type f | sort | xargs cat; touch ~/x 2>&1; touch .cargo/x 2>&1';
  const seen = run('bash all.sh', { script: everything });
  for (const word of ['NOTES', 'LETTER', 'OTHER', 'KEY', 'HISTORY', 'TOKEN']) expect(seen, word).not.toContain(word);
  for (const word of ['CARGO', 'NODE', 'name = me', 'LIB', '"app"', 'A']) expect(seen, word).toContain(word);
  expect(seen.match(/Read-only file system/g)).toHaveLength(2);
  expect(run('bash all.sh', { script: 'cat link; echo y > made; cat made' })).toMatch(
    /No such file.*\ny\n|y\n.*No such file/s,
  );
  // Who says yes to the line says yes to the names in it.
  expect(run('cat ~/notes.txt')).toBe('NOTES');
  expect(run('cat "$HOME/Documents"/*')).toBe('LETTER');
  expect(run(`cat ${home}/code/other/src.ts`)).toBe('OTHER');
  expect(run('cat ~/.cargo/credentials.toml ~/.bash_history')).not.toMatch(/TOKEN|HISTORY/);
  expect(run('cd; cat notes.txt')).toContain('No such file');
  expect(run('bash x.sh', { reads: [path.join(home, 'Documents')], script: 'cat ~/Documents/a.txt' })).toBe('LETTER');
  expect(existsSync(path.join(home, 'x'))).toBe(false);
});

it('hides settings of programs that hold a key, unless the line names them', () => {
  verifies('S13', 'S18');
  const home = homeFolder();
  const keys: Readonly<Record<string, string>> = {
    '.m2/settings.xml': '<settings><servers><server><password>hunter2hunter2</password></server></servers></settings>',
    '.gradle/gradle.properties': 'signing.password=hunter2hunter2\n',
    '.nuget/NuGet/NuGet.Config': '<add key="ClearTextPassword" value="hunter2hunter2" />\n',
    '.cargo/config.toml': '[registries.own]\ntoken = "Bearer 4a5b6c7d8e9f0a1b2c3d"\n',
    '.config/pip/pip.conf': '[global]\nindex-url = https://me:hunter2hunter2@pypi.test/simple\n',
    '.config/uv/uv.toml': '[[index]]\nurl = "https://me:hunter2hunter2@pypi.test/simple"\n',
    '.config/pnpm/rc': '//npm.test/:_authToken=npm_0123456789abcdefghijABCDEFGHIJ456789\n',
    '.cabal/config': 'password: hunter2hunter2\n',
  };
  putFiles(home, { ...keys, '.bundle/config': 'BUNDLE_PATH: vendor\n', '.condarc': 'channels: [defaults]\n' });
  const hidden = Object.keys(keys).map((name) => path.join(home, name));
  expect(settingsWithKeys(home, 'bash all.sh').sort()).toEqual(hidden.sort());
  expect(settingsWithKeys(home, 'cat ~/.m2/settings.xml')).not.toContain(path.join(home, '.m2/settings.xml'));
});

it('leaves the home folder as it is where it is the workspace, lies in one, or is no folder of a person', () => {
  const home = homeFolder();
  const view = (options: { home?: string; roots?: string[]; line?: string }) =>
    homeView({ home, environment: {}, roots: [path.join(home, 'code/app')], line: 'ls', ...options });
  expect(view({})?.shown).toContain(path.join(home, 'code/app'));
  expect(view({ line: 'ls ~' })).toBeUndefined();
  expect(view({ roots: [home] })).toBeUndefined();
  expect(view({ roots: [path.dirname(home)] })).toBeUndefined();
  for (const other of ['/', path.join(home, 'nowhere'), '/usr/lib', '/tmp'])
    expect(view({ home: other })).toBeUndefined();
});

it('shows the repository that a worktree belongs to', () => {
  const home = homeFolder();
  mkdirSync(path.join(home, 'code/app/.git/worktrees/tree'), { recursive: true });
  const git = path.join(home, 'code/app/.git');
  putFiles(home, {
    'code/tree/.git': `gitdir: ${git}/worktrees/tree\n`,
    'code/app/.git/worktrees/tree/commondir': '../..\n',
    'code/app/.git/worktrees/tree/gitdir': `${home}/code/tree/.git\n`,
    'code/app/.git/modules/part/config': '[core]\n\tworktree = ../../../part\n',
    'code/app/part/.git': 'gitdir: ../.git/modules/part\n',
  });
  const shown = (folder: string): readonly string[] | undefined =>
    homeView({ home, environment: {}, roots: [path.join(home, folder)], line: 'git log' })?.shown;
  expect(shown('code/tree')).toContain(git);
  expect(shown('code/tree')).not.toContain(path.join(home, 'code/app'));
  expect(shown('code/app/part')).toContain(git);
});

it.each(['..', '../..', '../../Documents', '../../.git/modules/x', '../other/.git/worktrees/x', 'HOME/Documents'])(
  'shows nothing for a file .git of anybody that leads to %s',
  (target) => {
    verifies('S13');
    const home = homeFolder();
    putFiles(home, {
      'code/stranger/.git': `gitdir: ${target.replace('HOME', home)}\n`,
      '.git/modules/x/config': '[core]\n\tworktree = ../../../code/app\n',
    });
    const root = path.join(home, 'code/stranger');
    const view = homeView({ home, environment: {}, roots: [root], line: 'git log' });
    const own = ['.cargo', '.nvm', '.gitconfig'].map((name) => path.join(home, name));
    expect([...(view?.shown ?? [])].sort()).toEqual([...own, root].sort());
  },
);
