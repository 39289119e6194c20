/** ls, get_file_tree, read_file, the time, the place and the tasks, through the runner and on real folders. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { putFiles, scratchFolder } from '../../tests/support/scratch.ts';
import { callTool, createTestContext, type TestContext } from '../../tests/support/tool-context.ts';
import type { JsonObject } from '../core/json.ts';
import type { ToolResult } from '../core/tool-result.ts';
import { BUILT_IN_TOOLS } from './index.ts';

type Place = {
  root: string;
  context: TestContext;
  call(name: string, args?: JsonObject): Promise<ToolResult>;
};

const place = async (files: Record<string, string | Uint8Array | null>): Promise<Place> => {
  const root = scratchFolder();
  putFiles(root, files);
  const context = await createTestContext({ root });
  onTestFinished(() => context.close());
  const call = async (name: string, args: JsonObject = {}): Promise<ToolResult> => {
    const tool = BUILT_IN_TOOLS.find((candidate) => candidate.name === name);
    if (tool === undefined) throw new Error(`no tool ${name}`);
    return callTool(tool, args, context);
  };
  return { root, context, call };
};

const rows = (result: ToolResult): string[] => (result.data ?? '').split('\n').slice(1, -2);
const names = (result: ToolResult): (string | undefined)[] => rows(result).map((line) => line.split(/\s+/).at(-1));

it('ls shows type, size, time and name, folders with a slash, and sums up', async () => {
  verifies('H1');
  const { root, call } = await place({ 'b.txt': 'x'.repeat(1_500), 'a.txt': '', 'src/x': '', '.env': 'secret' });
  fs.symlinkSync('a.txt', path.join(root, 'link'));
  fs.utimesSync(path.join(root, 'b.txt'), new Date(2026, 4, 6, 7, 8, 9), new Date(2026, 4, 6, 7, 8, 9));
  const result = await call('ls');
  expect(names(result)).toEqual(['a.txt', 'b.txt', 'link', 'src/']);
  expect(rows(result)[1]).toMatch(/^FILE\s+1\.5 KB\s+2026-05-06 07:08:09\s+b\.txt$/);
  expect(rows(result).map((line) => line.split(' ')[0])).toEqual(['FILE', 'FILE', 'LINK', 'DIR']);
  expect(result.data?.split('\n').at(-1)).toBe('2 files, 1 dir, 1 link, total size 1.5 KB, 1 hidden not shown');
  expect(names(await call('ls', { show_hidden: true }))).toContain('.env');
  expect(names(await call('ls', { path: '' }))).toEqual(names(result));
});

it('ls sorts by name, size or time, ascending, and the other way round', async () => {
  verifies('H1');
  const { root, call } = await place({ a: '333', b: '1', c: '22' });
  for (const [index, name] of ['c', 'a', 'b'].entries()) fs.utimesSync(path.join(root, name), index, index);
  expect(names(await call('ls', { sort_by: 'size' }))).toEqual(['b', 'c', 'a']);
  expect(names(await call('ls', { sort_by: 'modified' }))).toEqual(['c', 'a', 'b']);
  expect(names(await call('ls', { sort_by: 'modified', reverse: true }))).toEqual(['b', 'a', 'c']);
  expect(await call('ls', { sort_by: 'colour' })).toMatchObject({ error_type: 'validation_failed' });
});

it('ls ends at max_entries, says so, and refuses more than 1000', async () => {
  verifies('H1');
  const { root, call } = await place({});
  for (let index = 0; index < 600; index += 1) fs.writeFileSync(path.join(root, `f${index}`), '');
  const result = await call('ls');
  expect(rows(result).length).toBe(500);
  expect(result.metadata.truncated).toBe('500 of 600 entries shown');
  expect(rows(await call('ls', { max_entries: 2 })).length).toBe(2);
  expect((await call('ls', { max_entries: 1_000 })).metadata.truncated).toBeUndefined();
  expect(await call('ls', { max_entries: 1_001 })).toMatchObject({ error_type: 'validation_failed' });
});

it.each([500, 2_000, 7_168])(
  'ls keeps to %d characters that the model is shown, and its last line says what is left out',
  async (most) => {
    verifies('H1');
    const { root, context } = await place({});
    for (let index = 0; index < 501; index += 1) fs.writeFileSync(path.join(root, `file${index}`), '');
    const ls = BUILT_IN_TOOLS.find(({ name }) => name === 'ls') as (typeof BUILT_IN_TOOLS)[number];
    const result = await callTool(ls, {}, { ...context, resultCharacters: async () => most });
    expect(result.data?.length).toBeLessThanOrEqual(most);
    const shown = rows(result).length;
    expect(shown).toBeGreaterThan(0);
    expect(result.metadata.truncated).toBe(`${shown} of 501 entries shown`);
    expect(result.data?.split('\n').at(-1)).toBe(`501 files, 0 dirs, total size 0 B (${shown} of 501 entries shown)`);
  },
);

it('ls cannot be made to show a row that is not there', async () => {
  const { root, call } = await place({});
  fs.writeFileSync(path.join(root, 'a\nDIR - 2026-01-01 00:00:00 etc\u001b[31m'), '');
  const result = await call('ls');
  expect(rows(result).length).toBe(1);
  expect(result.data).toContain('a\\nDIR');
  expect(result.data).not.toContain('\u001b');
});

it('ls of what is no folder says what it is, and of nothing what comes near', async () => {
  const { call } = await place({ 'a.txt': '', 'source/x': '' });
  expect(await call('ls', { path: 'a.txt' })).toMatchObject({ error_type: 'validation_failed' });
  expect(await call('ls', { path: 'sorce' })).toMatchObject({
    error_type: 'not_found',
    error_message: expect.stringContaining('source'),
  });
});

it('get_file_tree is a sorted JSON array without the hidden and the ignored, and always whole', async () => {
  verifies('Z1');
  const { root, call } = await place({ 'src/b.ts': '', 'a.txt': '', '.env': '', '.gitignore': 'dist\n', 'dist/x': '' });
  expect(JSON.parse((await call('get_file_tree')).data ?? '')).toEqual(['a.txt', 'src/b.ts']);
  const deep = 'a/long/name/of/a/folder';
  fs.mkdirSync(path.join(root, deep), { recursive: true });
  for (let index = 0; index < 5_100; index += 1) fs.writeFileSync(path.join(root, deep, `file${index}`), '');
  const many = await call('get_file_tree');
  expect(JSON.parse(many.data ?? '')).toHaveLength(5_000);
  expect(many.metadata.truncated).toMatch(/^the first [\d,]+ paths; there are more files/);
});

it('read_file numbers the lines and gives a short file whole', async () => {
  verifies('Z2', 'H2');
  const { call, context } = await place({ 'a.txt': 'one\r\ntwo', empty: '', n99: 'x\n'.repeat(99) });
  expect((await call('read_file', { path: 'a.txt' })).data).toBe('1: one\n2: two');
  const readFile = BUILT_IN_TOOLS.find(({ name }) => name === 'read_file');
  const empty = await readFile?.run({ path: 'empty' }, { ...context, signal: new AbortController().signal });
  expect(empty).toMatchObject({ success: true, data: '', for_model: '[the file is empty]' });
  const whole = await call('read_file', { path: 'n99' });
  expect([whole.data?.split('\n').length, whole.metadata.truncated]).toEqual([99, undefined]);
  expect(context.workspace.seenHash('a.txt')).toMatch(/^[0-9a-f]{64}$/);
});

it('read_file shows a part of a long file and says which, or the part that is asked for, or all', async () => {
  verifies('H2');
  const text = Array.from({ length: 2_430 }, (_, index) => `line ${index + 1}\n`).join('');
  const { call } = await place({ 'long.txt': text });
  const read = (args: JsonObject) => call('read_file', { path: 'long.txt', ...args });
  const part = await read({});
  expect(part.metadata.truncated).toBe('lines 1–100 of 2,430; ask for a range with line_start and line_end');
  expect(part.metadata.lines_shown).toEqual({ total: 2_430, ranges: [[1, 100]] });
  expect(part.data?.split('\n').slice(99)).toEqual(['100: line 100', `[${part.metadata.truncated}]`]);
  const range = await read({ line_start: 2_000, line_end: 2_001 });
  expect(range.data).toBe('2000: line 2000\n2001: line 2001\n[lines 2,000–2,001 of 2,430]');
  expect(range.metadata).toMatchObject({ lines_shown: { total: 2_430, ranges: [[2_000, 2_001]] } });
  expect(range.metadata.truncated).toBeUndefined();
  expect((await read({ line_start: 2_429 })).data).toContain('2430: line 2430');
  expect((await read({ line_start: 2_429, line_end: 9_999 })).data).toContain('2430: line 2430');
  const all = await read({ full: true });
  expect([all.data?.split('\n').length, all.metadata.lines_shown]).toEqual([2_430, undefined]);
  expect(await read({ line_start: 2_431 })).toMatchObject({ error_type: 'validation_failed' });
  expect(await read({ line_start: 5, line_end: 4 })).toMatchObject({ error_type: 'validation_failed' });
  expect(await read({ line_start: 0 })).toMatchObject({ error_type: 'validation_failed' });
});

it('read_file keeps a result within bounds, and says where it ended', async () => {
  const { call } = await place({
    'wide.txt': `${'y'.repeat(1_000)}\n`.repeat(2_000),
    'one.js': 'z'.repeat(1_000_000),
    signs: '═'.repeat(5_000),
  });
  const wide = await call('read_file', { path: 'wide.txt', full: true });
  expect(wide.data?.length).toBeLessThan(51_000);
  expect(wide.metadata.truncated).toBe('lines 1–49 of 2,000; ask for a range with line_start and line_end');
  const one = await call('read_file', { path: 'one.js' });
  expect(one.data).toContain('[line truncated: 2,000 of 1,000,000 characters]');
  expect(Buffer.byteLength((await call('read_file', { path: 'signs' })).data ?? '')).toBeLessThan(4_096);
});

it('read_file reads UTF-16 and marks, and calls what is no text by its name', async () => {
  const { call } = await place({
    utf16: Buffer.from('fffe61000d000a006200', 'hex'),
    marked: Buffer.from('efbbbf61', 'hex'),
    image: Buffer.from('89504e470d0a1a0a0000000d', 'hex'),
    latin: Buffer.from('caf\u00e9', 'latin1'),
  });
  expect((await call('read_file', { path: 'utf16' })).data).toBe('1: a\n2: b');
  expect((await call('read_file', { path: 'marked' })).data).toBe('1: a');
  expect(await call('read_file', { path: 'image' })).toMatchObject({
    error_type: 'parse_error',
    metadata: { reason: 'binary' },
  });
  expect(await call('read_file', { path: 'latin' })).toMatchObject({
    error_type: 'parse_error',
    metadata: { reason: 'encoding' },
  });
});

it('read_file of a misspelt path names up to three that come near', async () => {
  const { call } = await place({
    'src/main.ts': '',
    'src/other.ts': '',
    'lib/main.ts': '',
    'test/main.ts': '',
    'x/main.ts': '',
  });
  const result = await call('read_file', { path: 'source/main.ts' });
  expect(result.error_type).toBe('not_found');
  expect(result.error_message).toMatch(/^File not found: source\/main\.ts\. Did you mean: src\/main\.ts, \S+, \S+\?$/);
});

it('tells the time in ISO 8601 and the place as an absolute path', async () => {
  verifies('Z3', 'H9');
  const { root, call } = await place({});
  const time = (await call('get_current_time')).data ?? '';
  expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/);
  expect(Math.abs(Date.parse(time) - Date.now())).toBeLessThan(10_000);
  expect((await call('get_working_directory')).data).toBe(root);
});

it('keeps tasks by number and moves them on', async () => {
  verifies('Z4');
  const { call, context } = await place({});
  expect((await call('add_task', { content: 'look' })).data).toBe('task_1');
  expect((await call('add_task', { content: 'build' })).data).toBe('task_2');
  expect((await call('update_task', { task_id: 'task_1', status: 'completed' })).success).toBe(true);
  expect(JSON.parse((await call('list_tasks')).data ?? '')).toEqual([
    { id: 'task_1', status: 'completed', content: 'look' },
    { id: 'task_2', status: 'pending', content: 'build' },
  ]);
  expect(await call('update_task', { task_id: 'task_9', status: 'pending' })).toMatchObject({
    error_type: 'not_found',
  });
  expect(await call('update_task', { task_id: 'task_1', status: 'done' })).toMatchObject({
    error_type: 'validation_failed',
  });
  expect(await call('add_task', { content: '  ' })).toMatchObject({ error_type: 'validation_failed' });
  expect(await call('add_task', { content: 'x'.repeat(2_001) })).toMatchObject({ error_type: 'validation_failed' });
  expect(context.changedTasks.length).toBe(3);
});
