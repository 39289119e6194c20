import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { rounds } from '../../tests/support/long.ts';
import { putFiles, scratchFolder } from '../../tests/support/scratch.ts';
import { LIMITS } from '../core/limits.ts';
import type { Workspace } from '../core/ports.ts';
import { hashOf } from './workspace/read.ts';
import { createWorkspace, type WorkspaceOptions } from './workspace.ts';

const open = async (options: WorkspaceOptions): Promise<Workspace> => {
  const workspace = await createWorkspace(options);
  if (!workspace.ok) throw new Error(workspace.error.message);
  return workspace.value;
};

const text = (value: string): Uint8Array => Buffer.from(value);
const maxBytes = LIMITS.readFileBytes;

// The port by path is what systems without /proc use; here it can at least be held to the same behaviour.
describe.each([
  ['descriptor', { openBy: 'descriptor' }],
  ['descriptor, by the calls of its own thread', { openBy: 'descriptor', blocking: true }],
  ['path', { openBy: 'path' }],
] as const)('a workspace opened by %s', (_name, opening) => {
  const made = async (files: Record<string, string | Uint8Array | null> = {}) => {
    const scratch = scratchFolder();
    const root = path.join(scratch, 'ws');
    putFiles(scratch, { ws: null, 'outside/secret.txt': 'TOPSECRET' });
    putFiles(root, files);
    return { scratch, root, workspace: await open({ root, ...opening }) };
  };

  it('reads what is inside and remembers the hash only when told to', async () => {
    const { workspace } = await made({ 'a/b.txt': 'hello' });
    const read = await workspace.readFile('a/../a//b.txt', { maxBytes });
    expect(read).toMatchObject({ ok: true, value: { path: 'a/b.txt', hash: hashOf(text('hello')) } });
    expect(workspace.seenHash('a/b.txt')).toBeUndefined();
    workspace.markSeen('./a/b.txt', 'x');
    expect(workspace.seenHash('a/b.txt')).toBe('x');
  });

  it('takes a file away only as it was last written, with the folders made for it, and nothing else', async () => {
    verifies('B6', 'H10');
    const { root, scratch, workspace } = await made({
      'new/deep/a.txt': 'a',
      'b.txt': 'b',
      '.git/c': 'c',
      'full/d/e': 'e',
    });
    fs.symlinkSync('../outside/secret.txt', path.join(root, 'link'));
    const folders = ['new', 'new/deep'];
    expect(await workspace.removeFile('new/deep/a.txt', { expectedHash: hashOf(text('x')), folders })).toMatchObject({
      error: { reason: 'changed_since_read' },
    });
    expect(fs.readFileSync(path.join(root, 'new/deep/a.txt'), 'utf8')).toBe('a');
    expect(await workspace.removeFile('new/deep/a.txt', { expectedHash: hashOf(text('a')), folders })).toMatchObject({
      ok: true,
    });
    expect(fs.existsSync(path.join(root, 'new'))).toBe(false);
    // A folder with something else in it stays, and so do those around it.
    expect(
      await workspace.removeFile('b.txt', { expectedHash: hashOf(text('b')), folders: ['full', 'full/d'] }),
    ).toMatchObject({ ok: true });
    expect(fs.existsSync(path.join(root, 'full/d/e'))).toBe(true);
    for (const [name, content] of [
      ['link', 'TOPSECRET'],
      ['../outside/secret.txt', 'TOPSECRET'],
      ['.git/c', 'c'],
      ['new', ''],
    ] as const) {
      expect(await workspace.removeFile(name, { expectedHash: hashOf(text(content)) })).toMatchObject({ ok: false });
    }
    expect(fs.readFileSync(path.join(scratch, 'outside/secret.txt'), 'utf8')).toBe('TOPSECRET');
    expect(fs.existsSync(path.join(root, '.git/c'))).toBe(true);
  });

  it('gives a file other permissions only as they were last, itself, and none of its owner', async () => {
    verifies('B6', 'H10');
    const { root, scratch, workspace } = await made({ 'run.sh': 'x', 'd/a': 'a', '.git/c': 'c', twice: 't' });
    const modeOf = (name: string): string => (fs.statSync(path.join(root, name)).mode & 0o7777).toString(8);
    fs.chmodSync(path.join(root, 'run.sh'), 0o600);
    for (const name of ['d/a', 'twice', '.git/c', '../outside/secret.txt']) fs.chmodSync(path.join(root, name), 0o600);
    fs.symlinkSync('../outside/secret.txt', path.join(root, 'link'));
    fs.symlinkSync('d', path.join(root, 'way'));
    fs.linkSync(path.join(root, 'twice'), path.join(scratch, 'outside/other'));
    expect(await workspace.setMode('run.sh', { from: 0o644, to: 0o755 })).toMatchObject({
      error: { reason: 'changed_since_read' },
    });
    expect(await workspace.setMode('run.sh', { from: 0o600, to: 0o6755 })).toEqual({ ok: true, value: undefined });
    expect(modeOf('run.sh')).toBe('755');
    for (const name of ['link', 'way/a', 'd', 'twice', '.git/c', '../outside/secret.txt', 'new'])
      expect(await workspace.setMode(name, { from: 0o600, to: 0o666 }), name).toMatchObject({ ok: false });
    for (const name of ['d/a', 'twice', '.git/c', '../outside/secret.txt']) expect(modeOf(name)).toBe('600');
    expect(await workspace.writeFile('new.sh', text('x'), { mode: 0o4755 })).toMatchObject({ ok: true });
    expect(modeOf('new.sh')).toBe('755');
  });

  it('says what stands in a place itself, and looks behind no link', async () => {
    verifies('B6', 'H10');
    const { root, workspace } = await made({ 'd/a': 'a' });
    fs.chmodSync(path.join(root, 'd/a'), 0o640);
    fs.symlinkSync('../outside/secret.txt', path.join(root, 'link'));
    fs.symlinkSync('d', path.join(root, 'way'));
    expect(await workspace.entry('d/a')).toEqual({ ok: true, value: { kind: 'file', mode: 0o640 } });
    expect(await workspace.entry('link')).toMatchObject({ value: { kind: 'link', target: '../outside/secret.txt' } });
    for (const name of ['new', 'new/deep', 'd/a/below/deep'])
      expect(await workspace.entry(name)).toEqual({ ok: true, value: { kind: 'absent' } });
    for (const name of ['way/a', 'link/x', '../outside/secret.txt'])
      expect(await workspace.entry(name), name).toMatchObject({ ok: false });
  });

  it('refuses links that lead outside, and follows those that stay inside', async () => {
    verifies('H10', 'S10');
    const { root, scratch, workspace } = await made({ 'a.txt': 'in' });
    fs.symlinkSync('../outside/secret.txt', path.join(root, 'file'));
    fs.symlinkSync(path.join(scratch, 'outside'), path.join(root, 'folder'));
    fs.symlinkSync('/proc/self/environ', path.join(root, 'environ'));
    fs.symlinkSync('a.txt', path.join(root, 'inside'));
    for (const name of ['file', 'folder/secret.txt', 'environ']) {
      expect(await workspace.readFile(name, { maxBytes })).toMatchObject({
        error: { error_type: 'validation_failed' },
      });
      expect(await workspace.stat(name)).toMatchObject({ error: { error_type: 'validation_failed' } });
    }
    expect(await workspace.list('folder')).toMatchObject({ error: { error_type: 'validation_failed' } });
    expect(await workspace.readFile('inside', { maxBytes })).toMatchObject({ ok: true });
    for (const name of ['file', 'folder/new.txt', 'folder/deep/new.txt']) {
      expect(await workspace.writeFile(name, text('x'))).toMatchObject({ error: { error_type: 'validation_failed' } });
    }
    expect(fs.readdirSync(path.join(scratch, 'outside'))).toEqual(['secret.txt']);
  });

  it('refuses what is behind a link that leads outside in the same words, whether it is there or not', async () => {
    verifies('S10');
    const { scratch, root, workspace } = await made({ 'deep/a.txt': 'a' });
    fs.mkdirSync(path.join(scratch, 'outside/closed'));
    fs.writeFileSync(path.join(scratch, 'outside/closed/x'), '');
    fs.symlinkSync('../outside', path.join(root, 'out'));
    fs.symlinkSync(path.join(scratch, 'outside'), path.join(root, 'whole'));
    fs.symlinkSync('out/./secret.txt', path.join(root, 'chain'));
    fs.symlinkSync('out/none', path.join(root, 'broken'));
    fs.symlinkSync('../../outside/none', path.join(root, 'deep/up'));
    fs.symlinkSync('../deep/none', path.join(root, 'deep/stays'));
    const names = [
      'out/X',
      'out/secret.txt/X',
      'whole/X',
      'out/closed/X',
      `out/${'n'.repeat(300)}`,
      'chain',
      'broken',
      'deep/up',
    ];
    for (const given of names) {
      for (const last of ['secret.txt', 'x', 'none', 'no/such']) {
        const name = given.replace('X', last);
        const told = {
          ok: false,
          error: { error_type: 'validation_failed', message: `${name} leads outside the workspace through a link` },
        };
        expect(await workspace.readFile(name, { maxBytes }), name).toMatchObject(told);
        expect(await workspace.list(name), name).toMatchObject(told);
        expect(await workspace.walk({ path: name, maxPaths: 9 }), name).toMatchObject(told);
        const written = await workspace.writeFile(name, text('x'));
        expect(written, name).toMatchObject({ ok: false, error: { error_type: 'validation_failed' } });
        expect(JSON.stringify(written), name).toContain('leads outside the workspace through a link');
      }
    }
    expect(fs.readdirSync(path.join(scratch, 'outside')).sort()).toEqual(['closed', 'secret.txt']);
    expect(await workspace.readFile('deep/stays', { maxBytes })).toMatchObject({ error: { error_type: 'not_found' } });
    expect(await workspace.readFile('nowhere', { maxBytes })).toMatchObject({ error: { error_type: 'not_found' } });
  });

  it('writes through a link inside and leaves the link a link', async () => {
    const { root, workspace } = await made({ 'real/a.txt': 'old' });
    fs.symlinkSync('real/a.txt', path.join(root, 'link'));
    fs.symlinkSync('real', path.join(root, 'folder'));
    fs.symlinkSync('real/later.txt', path.join(root, 'dangling'));
    expect(await workspace.writeFile('link', text('new'))).toMatchObject({ ok: true });
    expect(await workspace.writeFile('folder/b.txt', text('b'))).toMatchObject({ ok: true });
    expect(await workspace.writeFile('dangling', text('c'))).toMatchObject({ ok: true, value: { created: true } });
    expect(fs.readlinkSync(path.join(root, 'link'))).toBe('real/a.txt');
    expect(fs.readlinkSync(path.join(root, 'dangling'))).toBe('real/later.txt');
    expect(fs.readFileSync(path.join(root, 'real/a.txt'), 'utf8')).toBe('new');
    expect(fs.readdirSync(path.join(root, 'real')).sort()).toEqual(['a.txt', 'b.txt', 'later.txt']);
  });

  it('keeps the mode, breaks a hard link, and leaves no temporary file', async () => {
    const { root, scratch, workspace } = await made({ 'run.sh': 'old' });
    fs.chmodSync(path.join(root, 'run.sh'), 0o755);
    fs.linkSync(path.join(scratch, 'outside/secret.txt'), path.join(root, 'hard'));
    await workspace.writeFile('run.sh', text('new'));
    await workspace.writeFile('hard', text('mine'));
    expect(fs.statSync(path.join(root, 'run.sh')).mode & 0o7777).toBe(0o755);
    expect(fs.readFileSync(path.join(scratch, 'outside/secret.txt'), 'utf8')).toBe('TOPSECRET');
    expect(fs.readdirSync(root).sort()).toEqual(['hard', 'run.sh']);
  });

  it('leaves the old file whole for whoever has it open', async () => {
    const { root, workspace } = await made({ 'a.txt': 'old' });
    const reader = fs.openSync(path.join(root, 'a.txt'), 'r');
    await workspace.writeFile('a.txt', text('new and longer'));
    expect(fs.readFileSync(reader, 'utf8')).toBe('old');
    fs.closeSync(reader);
  });

  it('keeps the owner where it may', async (context) => {
    if (process.getuid?.() !== 0) context.skip('only root may give a file to somebody else');
    const { root, workspace } = await made({ 'theirs.txt': 'old' });
    fs.chownSync(path.join(root, 'theirs.txt'), 1234, 2345);
    await workspace.writeFile('theirs.txt', text('new'));
    expect(fs.statSync(path.join(root, 'theirs.txt'))).toMatchObject({ uid: 1234, gid: 2345 });
  });

  it('writes over nothing but what was expected', async () => {
    const { root, workspace } = await made({ 'a.txt': 'old' });
    const changed = { ok: false, error: { error_type: 'validation_failed', reason: 'changed_since_read' } };
    expect(await workspace.writeFile('a.txt', text('new'), { expectedHash: hashOf(text('other')) })).toMatchObject(
      changed,
    );
    expect(await workspace.writeFile('a.txt', text('new'), { expectedHash: null })).toMatchObject(changed);
    expect(await workspace.writeFile('b.txt', text('new'), { expectedHash: hashOf(text('')) })).toMatchObject(changed);
    expect(fs.readFileSync(path.join(root, 'a.txt'), 'utf8')).toBe('old');
    expect(await workspace.writeFile('a.txt', text('new'), { expectedHash: hashOf(text('old')) })).toMatchObject({
      ok: true,
    });
    expect(workspace.seenHash('a.txt')).toBe(hashOf(text('new')));
    expect(fs.readdirSync(root)).toEqual(['a.txt']);
  });

  it('never writes where version control or its own settings lie, however the name is spelled', async () => {
    verifies('S19');
    const { root, workspace } = await made({ '.git/hooks/x': 'old', 'sub/.halter/config.json': '{}' });
    fs.symlinkSync('.git/hooks', path.join(root, 'hooks'));
    for (const name of [
      '.git/hooks/x',
      '.GIT/config',
      '.g\u200cit/config',
      'hooks/pre-commit',
      'sub/.halter/policies.json',
      'hooks/deep/x',
      '.halter',
    ]) {
      expect(await workspace.writeFile(name, text('x'))).toMatchObject({ error: { reason: 'protected_path' } });
    }
    expect(fs.readdirSync(path.join(root, '.git/hooks'))).toEqual(['x']);
    expect(await workspace.writeFile('.gitignore', text('x'))).toMatchObject({ ok: true });
  });

  it('lets no link with a harmless name stand for a file that would have been asked about', async () => {
    verifies('H10', 'S34');
    const { root, workspace } = await made({ '.env': 'KEY=1', '.bashrc': '', 'a.txt': 'a', '.ssh/config': 'x' });
    for (const [name, target] of [
      ['notes.txt', '.env'],
      ['rc.txt', '.bashrc'],
      ['keys', '.ssh'],
      ['new.txt', '.zshrc'],
      ['b.txt', 'a.txt'],
    ]) {
      fs.symlinkSync(target as string, path.join(root, name as string));
    }
    const hidden = { ok: false, error: { error_type: 'permission_denied', reason: 'hidden_name' } };
    expect(await workspace.readFile('notes.txt', { maxBytes })).toMatchObject(hidden);
    expect(await workspace.readFile('keys/config', { maxBytes })).toMatchObject(hidden);
    expect(await workspace.writeFile('rc.txt', text('x'))).toMatchObject(hidden);
    expect(await workspace.writeFile('new.txt', text('x'))).toMatchObject(hidden);
    for (const name of ['.env', '.ssh/config', 'b.txt'])
      expect((await workspace.readFile(name, { maxBytes })).ok).toBe(true);
    expect((await workspace.writeFile('.bashrc', text('x'))).ok).toBe(true);
    expect(fs.existsSync(path.join(root, '.zshrc'))).toBe(false);
  });

  it('protects the paths it is told to, also those that are not there yet', async () => {
    verifies('S19');
    const { root } = await made();
    const workspace = await open({ root, ...opening, protectedPaths: [path.join(root, '.config/halter')] });
    expect(await workspace.writeFile('.config/halter/policies.json', text('x'))).toMatchObject({
      error: { error_type: 'permission_denied' },
    });
    expect(fs.existsSync(path.join(root, '.config'))).toBe(false);
  });

  it('says what is in the way', async () => {
    const { root, workspace } = await made({ 'a.txt': 'x', 'dir/b': '' });
    execFileSync('mkfifo', [path.join(root, 'fifo')]);
    const read = async (name: string) => workspace.readFile(name, { maxBytes });
    expect(await read('fifo')).toMatchObject({
      error: { error_type: 'validation_failed', message: expect.stringContaining('FIFO') },
    });
    expect(await read('dir')).toMatchObject({
      error: { error_type: 'validation_failed', message: expect.stringContaining('directory') },
    });
    expect(await read('a.txt/x')).toMatchObject({ error: { error_type: 'not_found' } });
    expect(await workspace.writeFile('a.txt/x', text(''))).toMatchObject({
      error: { error_type: 'validation_failed' },
    });
    expect(await workspace.writeFile('dir', text(''))).toMatchObject({ error: { error_type: 'validation_failed' } });
    expect(await workspace.writeFile('fifo', text(''))).toMatchObject({ error: { error_type: 'validation_failed' } });
    expect(await workspace.writeFile('new/', text(''))).toMatchObject({ error: { error_type: 'validation_failed' } });
    expect(await read('x'.repeat(300))).toMatchObject({ error: { error_type: 'validation_failed' } });
    expect(await read('\ud800')).toMatchObject({ error: { error_type: 'validation_failed' } });
    expect(await workspace.list('a.txt')).toMatchObject({ error: { error_type: 'validation_failed' } });
  });

  it('refuses a huge file before reading a byte of it', async () => {
    const { root, workspace } = await made({ huge: '' });
    fs.truncateSync(path.join(root, 'huge'), 2 * 1024 ** 3);
    const before = process.memoryUsage.rss();
    expect(await workspace.readFile('huge', { maxBytes })).toMatchObject({ error: { reason: 'too_large' } });
    expect(process.memoryUsage.rss() - before).toBeLessThan(64 * 1024 ** 2);
  });

  it('stops when it is told to', async () => {
    const { root, workspace } = await made({ 'a.txt': 'old' });
    const signal = AbortSignal.abort();
    const cancelled = { ok: false, error: { reason: 'cancelled' } };
    expect(await workspace.readFile('a.txt', { maxBytes, signal })).toMatchObject(cancelled);
    expect(await workspace.writeFile('a.txt', text('new'), { signal })).toMatchObject(cancelled);
    expect(await workspace.walk({ maxPaths: 9, signal })).toMatchObject(cancelled);
    expect(fs.readFileSync(path.join(root, 'a.txt'), 'utf8')).toBe('old');
  });

  it('cleans up after a writer that was killed, and leaves a living one alone', async () => {
    const { root, workspace } = await made();
    const old = new Date(0);
    // 4194305 is above the highest process id that Linux gives.
    const dead = path.join(root, `.halter-4194305-${'a'.repeat(16)}.tmp`);
    const living = path.join(root, `.halter-1-${'b'.repeat(16)}.tmp`);
    for (const file of [dead, living]) {
      fs.writeFileSync(file, 'half');
      fs.utimesSync(file, old, old);
    }
    await workspace.writeFile('a.txt', text('x'));
    expect(fs.readdirSync(root).sort()).toEqual([path.basename(living), 'a.txt']);
    expect(await workspace.list('.')).toMatchObject({ value: [{ name: 'a.txt' }] });
    expect(await workspace.walk({ maxPaths: 9, includeHidden: true })).toMatchObject({ value: { paths: ['a.txt'] } });
  });

  it('leaves no file open, whatever happens', async (context) => {
    if (process.platform !== 'linux') context.skip('open files are counted in /proc');
    const { root, workspace } = await made({ 'a/b.txt': 'x', 'c.txt': 'y' });
    fs.symlinkSync('../outside/secret.txt', path.join(root, 'out'));
    const work = async (): Promise<void> => {
      for (const name of ['a/b.txt', 'out', 'none', 'a', 'c.txt/x']) {
        await workspace.readFile(name, { maxBytes });
        await workspace.writeFile(name, text('z'));
        await workspace.list(name);
        await workspace.stat(name);
        await workspace.walk({ path: name, maxPaths: 1 });
      }
    };
    await work();
    const before = fs.readdirSync('/proc/self/fd').length;
    for (let round = 0; round < 5; round += 1) await work();
    expect(fs.readdirSync('/proc/self/fd').length).toBe(before);
  });
});

describe('the folders that are open', () => {
  it('names the relative form when an absolute path is inside', async () => {
    verifies('H10');
    const root = scratchFolder();
    const workspace = await open({ root });
    expect(workspace.resolve(`${root}/src/a.ts`)).toMatchObject({
      error: { message: expect.stringMatching(/: src\/a\.ts$/) },
    });
    for (const name of [
      '/etc/passwd',
      'C:\\x',
      '\\\\host\\share',
      '..',
      '../ws',
      'a/../../b',
      '',
      'a\0b',
      '..\\x',
      'a\\..\\..\\x',
      '\uff0e\uff0e/x',
      '\u2025/x',
      '..\uff0fx',
    ]) {
      expect(workspace.resolve(name)).toMatchObject({ ok: false, error: { error_type: 'validation_failed' } });
    }
    expect(workspace.resolve('./a/./b/../c/')).toEqual({ ok: true, value: 'a/c' });
    for (const name of ['a\\b', 'ü/x', '\u2026', '..a', 'a/..\\b'])
      expect(workspace.resolve(name)).toEqual({ ok: true, value: name });
  });

  it('reaches an additional folder by its absolute path, and by a link', async () => {
    const scratch = scratchFolder();
    putFiles(scratch, { 'ws/a.txt': 'a', 'other/b.txt': 'b', 'third/c.txt': 'c' });
    fs.symlinkSync('../other', path.join(scratch, 'ws/link'));
    const workspace = await open({ root: path.join(scratch, 'ws'), additionalRoots: [path.join(scratch, 'other')] });
    for (const name of [path.join(scratch, 'other/b.txt'), 'link/b.txt', '../other/b.txt']) {
      expect(await workspace.readFile(name, { maxBytes })).toMatchObject({ ok: true });
    }
    expect(await workspace.readFile('../third/c.txt', { maxBytes })).toMatchObject({ ok: false });
    expect(await workspace.writeFile(path.join(scratch, 'other/new/d.txt'), text('d'))).toMatchObject({ ok: true });
    expect(await workspace.walk({ path: path.join(scratch, 'other'), maxPaths: 9 })).toMatchObject({
      value: { paths: [path.join(scratch, 'other/b.txt'), path.join(scratch, 'other/new/d.txt')] },
    });
  });

  it('says so when there is no such folder, or it is a file', async () => {
    const scratch = scratchFolder();
    putFiles(scratch, { file: '' });
    expect(await createWorkspace({ root: path.join(scratch, 'none') })).toMatchObject({
      error: { error_type: 'not_found' },
    });
    expect(await createWorkspace({ root: path.join(scratch, 'file') })).toMatchObject({
      error: { error_type: 'validation_failed' },
    });
  });
});

const segment = fc.constantFrom(
  '..',
  '.',
  '',
  'a',
  'b',
  'link',
  'out',
  'up',
  'loop',
  'self',
  'none',
  '~',
  'a.txt',
  'ü',
  ' ',
);
const randomPath = fc.array(segment, { minLength: 1, maxLength: 7 }).map((segments) => segments.join('/'));

it('agrees with what the system says about 10,000 random paths', async () => {
  verifies('H10', 'S10');
  const scratch = scratchFolder();
  putFiles(scratch, {
    'ws/a/b/a.txt': '1',
    'ws/a.txt': '2',
    'out/a.txt': 'OUT',
    'out/a/a.txt': 'OUT',
    'ws/ü/ ': '3',
    'a.txt': 'OUT',
  });
  const root = path.join(scratch, 'ws');
  const links = {
    'ws/link': 'a/b',
    'ws/a/out': '../../out',
    'ws/a/up': '..',
    'ws/loop': 'loop',
    'ws/a/self': root,
    'ws/a/b/out': scratch,
  };
  for (const [name, target] of Object.entries(links)) fs.symlinkSync(target, path.join(scratch, name));
  const workspace = await open({ root });
  const realOf = (name: string): string | undefined => {
    try {
      return fs.realpathSync(path.join(root, name));
    } catch {
      return undefined;
    }
  };
  await fc.assert(
    fc.asyncProperty(randomPath, async (name) => {
      const real = realOf(name);
      const normal = path.normalize(name);
      const lexicallyInside =
        name !== '' &&
        !path.isAbsolute(name) &&
        normal !== '..' &&
        !normal.startsWith('../') &&
        !/^~(?:\/|$)/.test(name);
      const inside = real !== undefined && lexicallyInside && (real === root || real.startsWith(`${root}/`));
      const stat = await workspace.stat(name);
      expect(stat.ok).toBe(inside);
      if (stat.ok) expect(stat.value.kind).toBe(fs.statSync(real as string).isDirectory() ? 'directory' : 'file');
      const read = await workspace.readFile(name, { maxBytes });
      if (read.ok) expect(Buffer.from(read.value.bytes).toString()).not.toContain('OUT');
      expect(read.ok).toBe(inside && fs.statSync(real as string).isFile());
    }),
    { numRuns: rounds(300, 50_000) },
  );
});
