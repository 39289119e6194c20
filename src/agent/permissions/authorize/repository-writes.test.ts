/** A write of a file tool that makes or changes a repository under any name is asked about like an auto-executed file. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../tests/requirements.ts';
import { assembled, openedSession, say } from '../../../../tests/support/assembled.ts';
import { putFiles, scratchFolder } from '../../../../tests/support/scratch.ts';
import type { JsonObject } from '../../../core/json.ts';
import { repositoryWrites } from '../../../sandbox/repository-writes.ts';
import { scriptedProvider } from '../../../testing/index.ts';
import type { TestAgentOptions } from '../../../testing/test-agent.ts';
import { repositoryWriteOverrides } from './repository-writes.ts';

const agentIn = (folder: string, options: Partial<TestAgentOptions> = {}) =>
  assembled({
    environment: { PATH: process.env['PATH'] },
    platform: process.platform,
    sandbox: false,
    mode: 'edit',
    ...options,
    folder,
  });
const BARE = { HEAD: 'ref: refs/heads/main\n', config: '[core]\n\tbare = true\n', 'objects/x': '', 'refs/x': '' };
const without = (part: string): Record<string, string> =>
  Object.fromEntries(Object.entries(BARE).flatMap(([name, text]) => (name === part ? [] : [[`sub/${name}`, text]])));
const bareAt = (folder: string): Record<string, string> =>
  Object.fromEntries(Object.entries(BARE).map(([name, text]) => [`${folder}/${name}`, text]));
const git = (folder: string, ...words: string[]): void => {
  const { status, stderr } = spawnSync('git', words, { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
};

/** What is there, and the path that is written. */
type Row = [what: string, there: Record<string, string>, target: string];
const ASKS: Row[] = [
  ['HEAD comes last', without('HEAD'), 'sub/HEAD'],
  ['objects come last', without('objects/x'), 'sub/objects/x'],
  ['a folder deep below completes it', without('refs/x'), 'sub/refs/heads/main'],
  ['a name in other case', without('HEAD'), 'sub/head'],
  ['a name with ..', without('HEAD'), 'other/../sub/./HEAD'],
  ['commondir in place of objects and refs', { 'sub/HEAD': 'ref: refs/heads/main\n' }, 'sub/commondir'],
  ['HEAD beside commondir', { 'sub/commondir': '../x\n' }, 'sub/HEAD'],
  ['settings of a bare repository', bareAt('x.git'), 'x.git/config'],
  ['settings of its worktrees', bareAt('x.git'), 'x.git/config.worktree'],
  ['a hook of one', bareAt('x.git'), 'x.git/hooks/post-checkout'],
  ['what leads it elsewhere', bareAt('x.git'), 'x.git/commondir'],
  ['objects from elsewhere', bareAt('x.git'), 'x.git/objects/info/alternates'],
  ['attributes of one', bareAt('x.git'), 'x.git/info/attributes'],
  ['a repository inside of it', bareAt('x.git/modules/m'), 'x.git/modules/m/config'],
  ['settings in the folder itself', BARE, 'config'],
  ['a rebase list', bareAt('x.git'), 'x.git/rebase-merge/git-rebase-todo'],
];
const PASSES: Row[] = [
  ['the first file of a repository to be', {}, 'sub/HEAD'],
  ['settings of no repository', {}, 'sub/config'],
  ['a folder of hooks', {}, 'src/hooks/use-thing.ts'],
  ['a folder of objects', { 'game/refs/a': '' }, 'game/objects/ball.ts'],
  ['a worktree in a bare repository', bareAt('p.git'), 'p.git/main/src/a.ts'],
  ['a document beside settings of git', { 'docs/HEAD': '' }, 'docs/config'],
];

describe('a file tool in mode edit', () => {
  it.each(ASKS)('asks where %s', async (_, there, target) => {
    verifies('S17');
    const folder = scratchFolder();
    putFiles(folder, there);
    const halter = await agentIn(folder, { allow: ['write_file', 'edit_file(**)'] });
    for (const [tool, args] of [
      ['write_file', { path: target, content: 'x' }],
      ['edit_file', { path: target, old_text: 'a', new_text: 'b' }],
    ] as [string, JsonObject][]) {
      expect(await halter.judge(tool, args), tool).toMatchObject({ verdict: 'ask', risk: 'high', asksEachTime: true });
    }
  });

  it.each(PASSES)('passes %s', async (_, there, target) => {
    const folder = scratchFolder();
    putFiles(folder, there);
    const halter = await agentIn(folder);
    expect(await halter.judge('write_file', { path: target, content: 'x' })).toMatchObject({ verdict: 'allow' });
  });

  it('asks through a link to a folder, in a folder that was added, and where the folder itself is bare', async () => {
    verifies('S17');
    const folder = scratchFolder();
    const more = scratchFolder();
    putFiles(folder, without('HEAD'));
    putFiles(more, without('HEAD'));
    symlinkSync('sub', path.join(folder, 'notes'));
    symlinkSync('sub/HEAD', path.join(folder, 'nowhere'));
    const allow = ['write_file'];
    const halter = await agentIn(folder, { addDirs: [more], allow });
    for (const target of ['notes/HEAD', 'nowhere', path.join(more, 'sub/HEAD')])
      expect(await halter.judge('write_file', { path: target, content: 'x' }), target).toMatchObject({
        verdict: 'ask',
      });
  });

  it('asks about what settings of git name, in a worktree too', async () => {
    verifies('S17');
    const folder = scratchFolder();
    mkdirSync(path.join(folder, 'main'));
    git(path.join(folder, 'main'), 'init', '-q');
    git(path.join(folder, 'main'), 'config', 'core.hooksPath', 'tools/git');
    git(path.join(folder, 'main'), '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', 'x', '--allow-empty');
    git(path.join(folder, 'main'), 'worktree', 'add', '-q', '../tree');
    for (const name of ['main', 'tree']) {
      const halter = await agentIn(path.join(folder, name));
      const judge = (target: string) => halter.judge('write_file', { path: target, content: 'x' });
      expect(await judge('tools/git/pre-commit'), name).toMatchObject({ verdict: 'ask' });
      expect(await judge('tools/build.ts'), name).toMatchObject({ verdict: 'allow' });
    }
  });

  it('asks about what a link that is autoloaded leads to', async () => {
    verifies('S17');
    const folder = scratchFolder();
    putFiles(folder, {
      'scripts/hook.sh': '',
      'conf/env': '',
      'conf/vs/settings.json': '',
      'deep/a/b/npm': '',
      other: '',
    });
    git(folder, 'init', '-q');
    for (const [link, target] of [
      ['.git/hooks/pre-commit', '../../scripts/hook.sh'],
      ['.envrc', 'conf/env'],
      ['.vscode', 'conf/vs'],
      ['deep/.npmrc', 'a/b/npm'],
      ['.bashrc', 'missing'],
    ] as const)
      symlinkSync(target, path.join(folder, link));
    const halter = await agentIn(folder, { allow: ['write_file'] });
    const judge = (target: string) => halter.judge('write_file', { path: target, content: 'x' });
    for (const target of ['scripts/hook.sh', 'conf/env', 'conf/vs/tasks.json', 'deep/a/b/npm', 'missing'])
      expect(await judge(target), target).toMatchObject({ verdict: 'ask', asksEachTime: true });
    for (const target of ['scripts/other.sh', 'conf/other', 'deep/a/b/other', 'other'])
      expect(await judge(target), target).toMatchObject({ verdict: 'allow' });
    expect(JSON.stringify(await judge('conf/env'))).toContain('is what the link .envrc leads to');
  });

  it('is asked about the same by a command without a sandbox, and by a tool that declares no paths', async () => {
    verifies('S36');
    const folder = scratchFolder();
    putFiles(folder, { ...bareAt('x.git'), ...without('HEAD') });
    const halter = await agentIn(folder, { allow: ['bash'] });
    for (const command of ['echo x > x.git/config', 'cp a x.git/hooks/post-merge', 'mv a sub/HEAD', 'tee sub/HEAD'])
      expect(await halter.judge('bash', { command }), command).toMatchObject({ verdict: 'ask' });
    expect(await halter.judge('bash', { command: 'cp a x.git/main' })).toMatchObject({ verdict: 'allow' });
    const place = { root: folder, openWrites: () => repositoryWrites(folder, folder, () => []) };
    const tool = { name: 'mcp__files__move_file', effects: 'network' } as const;
    const asked = (args: JsonObject) => repositoryWriteOverrides(tool, args, place).length;
    expect(asked({ source: 'a', destination: path.join(folder, 'sub/HEAD') })).toBe(1);
    expect(asked({ edits: [{ at: [{ path: `file://${folder}/x.git/config` }] }] })).toBe(1);
    expect(asked({ text: `${'long '.repeat(200)}/HEAD`, other: 'a\0/sub/HEAD', name: 'config' })).toBe(0);
  });

  it('counts a flag of this run that names the file, and no wider one', async () => {
    const folder = scratchFolder();
    putFiles(folder, bareAt('x.git'));
    for (const [rule, verdict] of [
      ['write_file(x.git/config)', 'allow'],
      ['write_file(x.git/**)', 'ask'],
    ] as const) {
      const halter = await agentIn(folder, { allow: [rule] });
      expect(await halter.judge('write_file', { path: 'x.git/config', content: 'x' })).toMatchObject({ verdict });
    }
  });

  it('does not complete one in steps of one message, whatever their order', async () => {
    verifies('S17');
    const folder = scratchFolder();
    const names = ['refs/x', 'config', 'HEAD', 'objects/x'];
    const calls = names.map((name) => ({ name: 'write_file', arguments: { path: `sub/${name}`, content: 'x\n' } }));
    const halter = await agentIn(folder, {
      modelProvider: scriptedProvider([{ calls }, { text: 'done' }], { models: [{ id: 'm' }] }),
      model: 'm',
      onAsk: 'deny',
    });
    await say(await openedSession(halter));
    expect(names.filter((name) => existsSync(path.join(folder, 'sub', name)))).toEqual(['refs/x', 'config', 'HEAD']);
  });
});

it('reads no settings of git for a call that writes no file', () => {
  let reads = 0;
  const openWrites = () => {
    reads += 1;
    return () => undefined;
  };
  const judged = (tool: Parameters<typeof repositoryWriteOverrides>[0], args: JsonObject) =>
    repositoryWriteOverrides(tool, args, { root: '/', openWrites });
  judged({ name: 'add', effects: 'none' }, { a: '1' });
  judged({ name: 'read_file', effects: 'read', path_arguments: ['path'] }, { path: 'a' });
  judged({ name: 'note', effects: 'write', path_arguments: [] }, { text: 'a' });
  expect(reads).toBe(0);
  judged({ name: 'write_file', effects: 'write', path_arguments: ['path'] }, { path: 'a' });
  expect(reads).toBe(1);
});
