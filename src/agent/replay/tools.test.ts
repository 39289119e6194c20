import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { putFiles, scratchFolder } from '../../../tests/support/scratch.ts';
import type { Event } from '../../core/events.ts';
import type { JsonObject } from '../../core/json.ts';
import { DEFAULT_LIMITS } from '../../core/limits.ts';
import { initialState } from '../../core/state.ts';
import { defineTool } from '../../core/tool/define-tool.ts';
import { BUILT_IN_TOOLS } from '../../tools/index.ts';
import { openReplayTools } from './tools.ts';

const openTools = async (root: string, recorded: readonly Event[] = []) => {
  const opened = await openReplayTools(root, recorded, { undoFolder: scratchFolder(), limits: DEFAULT_LIMITS });
  if (!opened.ok) throw new Error(opened.error.message);
  onTestFinished(() => opened.value.close());
  return (name: string, args: JsonObject) => {
    const tool = BUILT_IN_TOOLS.find((known) => known.name === name);
    if (tool === undefined) throw new Error(`there is no tool ${name}`);
    return opened.value.run(tool, args, initialState(DEFAULT_LIMITS));
  };
};

it('leaves everything outside its copy alone: links, absolute paths, the folder itself', async () => {
  verifies('B5', 'H10');
  const outside = scratchFolder();
  putFiles(outside, { 'o.txt': 'THEIRS' });
  const root = scratchFolder();
  putFiles(root, { 'a.txt': 'mine\n', 'sub/b.txt': 'mine too\n' });
  const links = {
    absolute: path.join(outside, 'o.txt'),
    folder: outside,
    relative: path.relative(root, path.join(outside, 'o.txt')),
    original: path.join(root, 'a.txt'),
    missing: path.join(outside, 'new.txt'),
    chain: 'folder/o.txt',
  };
  for (const [name, target] of Object.entries(links)) symlinkSync(target, path.join(root, name));
  const run = await openTools(root);

  const ways = [
    ...Object.keys(links),
    'folder/o.txt',
    'folder/new.txt',
    '../o.txt',
    path.join(outside, 'o.txt'),
    path.join(root, 'a.txt'),
    '/etc/hostname',
    '~/.profile',
  ];
  for (const way of ways) {
    for (const [name, more] of [
      ['read_file', {}],
      ['write_file', { content: 'x' }],
      ['edit_file', { old_text: 'THEIRS', new_text: 'x' }],
      ['insert_lines', { line: 1, content: 'x' }],
      ['replace_lines', { start_line: 1, end_line: 1, content: 'x' }],
      ['ls', {}],
      ['get_file_tree', {}],
    ] as const) {
      const result = await run(name, { path: way, ...more });
      expect([name, way, result?.data?.includes('THEIRS') ?? false]).toEqual([name, way, false]);
      if (name !== 'ls' && name !== 'get_file_tree') expect([name, way, result?.success]).toEqual([name, way, false]);
    }
  }
  expect(readFileSync(path.join(outside, 'o.txt'), 'utf8')).toBe('THEIRS');
  expect(readdirSync(outside)).toEqual(['o.txt']);
  // What may be written is the copy.
  expect(await run('write_file', { path: 'a.txt', content: 'other\n' })).toMatchObject({ success: true });
  expect(readFileSync(path.join(root, 'a.txt'), 'utf8')).toBe('mine\n');
});

it('runs nothing that could reach further, and no code of others, whatever it says of itself', async () => {
  verifies('B5');
  const root = scratchFolder();
  const run = await openTools(root);
  const mark = path.join(root, 'mark');
  for (const [name, args] of [
    ['bash', { command: `touch ${mark}` }],
    ['web_fetch', { url: 'http://127.0.0.1:1/' }],
    ['grep_search', { pattern: 'x' }],
    ['generate_image', { prompt: 'x', path: 'x.png' }],
    ['rag_search', { query: 'x' }],
    ['write_job', { job_id: 'job_1', text: 'x' }],
    ['system_stats', {}],
  ] as const)
    expect([name, await run(name, args)]).toEqual([name, undefined]);
  let ran = false;
  const plugin = defineTool({
    name: 'write_file',
    description: 'Says that it only reads.',
    risk: 'safe',
    effects: 'read',
    parameters: { type: 'object' },
    run: () => {
      ran = true;
      return 'x';
    },
  });
  const opened = await openReplayTools(root, [], { undoFolder: root, limits: DEFAULT_LIMITS });
  if (!opened.ok) throw new Error(opened.error.message);
  expect(await opened.value.run(plugin, {}, initialState(DEFAULT_LIMITS))).toBeUndefined();
  await opened.value.close();
  expect([ran, existsSync(mark)]).toEqual([false, false]);
});

it('takes back a recorded change in its copy alone, and none that lies outside', async () => {
  verifies('B5', 'B6');
  const outside = scratchFolder();
  putFiles(outside, { 'o.txt': 'THEIRS' });
  const root = scratchFolder();
  // As if halter had made the file: taking that back would remove it.
  const after = createHash('sha256').update('THEIRS').digest('hex');
  const change = (seq: number, file: string): Event => ({
    seq,
    at: 0,
    type: 'change_recorded',
    tool_call_id: 'c',
    path: file,
    before: null,
    after,
    kept: true,
  });
  await openTools(root, [
    change(1, path.join(outside, 'o.txt')),
    change(2, path.relative(root, path.join(outside, 'o.txt'))),
  ]);
  expect(readFileSync(path.join(outside, 'o.txt'), 'utf8')).toBe('THEIRS');
});

it('copies a folder with sockets and FIFOs in it, and leaves no copy behind', async () => {
  verifies('B5');
  const root = scratchFolder();
  putFiles(root, { 'a.txt': 'mine\n', 'deep/b.txt': 'x' });
  mkdirSync(path.join(root, 'node_modules'));
  execFileSync('mkfifo', [path.join(root, 'pipe')]);
  const copies = () => readdirSync(os.tmpdir()).filter((name) => name.startsWith('halter-replay-'));
  const before = new Set(copies());
  const opened = await openReplayTools(root, [], { undoFolder: scratchFolder(), limits: DEFAULT_LIMITS });
  if (!opened.ok) throw new Error(opened.error.message);
  const [copy = ''] = copies().filter((name) => !before.has(name) && existsSync(path.join(os.tmpdir(), name, 'deep')));
  expect(readdirSync(path.join(os.tmpdir(), copy)).toSorted()).toEqual(['a.txt', 'deep']);
  await opened.value.close();
  expect(existsSync(path.join(os.tmpdir(), copy))).toBe(false);
});

it.each([
  ['bytes', { bytes: 30 }],
  ['files', { files: 2 }],
])('refuses a folder of more %s than are copied', async (unit, most) => {
  verifies('B5');
  const root = scratchFolder();
  putFiles(root, {
    'a.txt': 'x'.repeat(20),
    'b.txt': 'x'.repeat(20),
    'c.txt': '',
    'node_modules/d.txt': 'x'.repeat(99),
  });
  const opened = await openReplayTools(root, [], { undoFolder: scratchFolder(), limits: DEFAULT_LIMITS, ...most });
  expect(opened).toMatchObject({ ok: false, error: { error_type: 'validation_failed', reason: 'too_large' } });
  expect(!opened.ok && opened.error.message).toContain(unit);
});
