/** write_file, replace_lines, insert_lines and edit_file, through the runner and on real files. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { putFiles, scratchFolder } from '../../tests/support/scratch.ts';
import { callTool, createTestContext } from '../../tests/support/tool-context.ts';
import type { JsonObject } from '../core/json.ts';
import type { Tool } from '../core/tool.ts';
import { validateArguments } from '../core/validate-arguments.ts';
import { BUILT_IN_TOOLS } from './index.ts';
import { writeFile } from './write-file.ts';

const place = async (files: Record<string, string | Uint8Array>) => {
  const root = scratchFolder();
  putFiles(root, files);
  const context = await createTestContext({ root });
  onTestFinished(() => context.close());
  const toolNamed = (name: string): Tool => {
    const tool = BUILT_IN_TOOLS.find((candidate) => candidate.name === name);
    if (tool === undefined) throw new Error(`no tool ${name}`);
    return tool;
  };
  return {
    root,
    call: (name: string, args: JsonObject) => callTool(toolNamed(name), args, context),
    preview: (name: string, args: JsonObject) =>
      toolNamed(name).preview?.(args, { ...context, signal: new AbortController().signal }),
    text: (name: string) => fs.readFileSync(path.join(root, name), 'utf8'),
    put: (name: string, content: string) => fs.writeFileSync(path.join(root, name), content),
    hex: (name: string) => fs.readFileSync(path.join(root, name), 'hex'),
  };
};

it('write_file makes a file with its folders, or overwrites one, and says the size', async () => {
  verifies('H4');
  const { call, text } = await place({ 'a.txt': 'old' });
  expect((await call('write_file', { path: 'new/deep/b.txt', content: 'hé\n' })).data).toBe(
    'Created new/deep/b.txt with 1 line (4 bytes)',
  );
  expect((await call('write_file', { path: 'a.txt', content: '' })).data).toBe(
    'Overwrote a.txt with 0 lines (0 bytes)',
  );
  expect([text('new/deep/b.txt'), text('a.txt')]).toEqual(['hé\n', '']);
});

it('write_file writes what it is given, and keeps what the model cannot see: marks, encodings, endings throughout', async () => {
  const utf16 = Buffer.from('\uFEFFa\r\nb\r\n', 'utf16le');
  const { call, text, hex } = await place({
    'crlf.txt': 'a\r\nb\r\n',
    'mixed.txt': 'a\r\nb\n',
    'wide.txt': utf16,
    'x.bin': Buffer.from([0, 255]),
  });
  for (const name of ['crlf.txt', 'mixed.txt', 'wide.txt', 'x.bin'])
    await call('write_file', { path: name, content: 'c\nd\n' });
  expect([text('crlf.txt'), text('mixed.txt'), text('x.bin')]).toEqual(['c\r\nd\r\n', 'c\nd\n', 'c\nd\n']);
  expect(hex('wide.txt')).toBe(Buffer.from('\uFEFFc\r\nd\r\n', 'utf16le').toString('hex'));
  await call('write_file', { path: 'crlf.txt', content: 'c\r\nd\n' });
  expect(text('crlf.txt')).toBe('c\r\nd\n');
});

it('replace_lines replaces lines, both ends included, and says how many', async () => {
  verifies('H5');
  const { call, text } = await place({ 'a.txt': '1\n2\n3\n4\n' });
  const replaced = await call('replace_lines', {
    path: 'a.txt',
    line_start: 2,
    line_end: 3,
    new_content: 'two\nthree\nmore',
  });
  expect(replaced.data).toContain('Replaced 2 lines (2–3) of a.txt with 3 lines; it now has 5 lines (19 bytes)\n');
  expect(text('a.txt')).toBe('1\ntwo\nthree\nmore\n4\n');
  await call('replace_lines', { path: 'a.txt', line_start: 1, line_end: 4, new_content: '' });
  expect(text('a.txt')).toBe('4\n');
  for (const range of [
    { line_start: 1, line_end: 2 },
    { line_start: 0, line_end: 1 },
    { line_start: 2, line_end: 1 },
  ]) {
    const refused = await call('replace_lines', { path: 'a.txt', ...range, new_content: 'x' });
    expect(refused.error_type).toBe('validation_failed');
  }
  expect(await call('replace_lines', { path: 'none', line_start: 1, line_end: 1, new_content: '' })).toMatchObject({
    error_type: 'not_found',
  });
});

it('insert_lines inserts before a line, appends after the last, and wants line_end to be line_start', async () => {
  verifies('H6');
  const { call, text } = await place({ 'a.txt': '1\n2\n', 'empty.txt': '' });
  const insert = (path: string, at: number, content: string, end = at) =>
    call('insert_lines', { path, line_start: at, line_end: end, new_content: content });
  expect((await insert('a.txt', 2, 'a\nb\n')).data).toContain(
    'Inserted 2 lines before line 2 of a.txt; it now has 4 lines',
  );
  expect((await insert('a.txt', 5, 'end')).data).toContain('at the end of a.txt');
  expect(text('a.txt')).toBe('1\na\nb\n2\nend\n');
  expect(await insert('a.txt', 1, 'x', 2)).toMatchObject({ error_type: 'validation_failed' });
  expect(await insert('a.txt', 7, 'x')).toMatchObject({ error_type: 'validation_failed' });
  await insert('empty.txt', 1, '');
  expect(text('empty.txt')).toBe('\n');
});

it('edit_file replaces a text that is there once, or all of them when told', async () => {
  const { call, text } = await place({ 'a.ts': 'let a = 1;\r\nlet b = 1;\r\n' });
  const edit = (args: JsonObject) => call('edit_file', { path: 'a.ts', ...args });
  expect((await edit({ old_text: 'a = 1;\nlet b', new_text: 'a = 2;\nlet c' })).data).toContain(
    'Replaced 1 place in a.ts (line 1)',
  );
  expect(text('a.ts')).toBe('let a = 2;\r\nlet c = 1;\r\n');
  const several = await edit({ old_text: 'let', new_text: 'const' });
  expect(several).toMatchObject({
    error_type: 'validation_failed',
    error_message: expect.stringContaining('2 times (lines 1, 2)'),
  });
  expect(several.error_message).toContain('1: let a = 2;');
  await edit({ old_text: 'let', new_text: 'const', replace_all: true });
  expect(text('a.ts')).toBe('const a = 2;\r\nconst c = 1;\r\n');
  const missing = await edit({ old_text: 'const  a = 2', new_text: 'x' });
  expect(missing).toMatchObject({
    error_type: 'validation_failed',
    error_message: expect.stringContaining('only in white space'),
  });
  expect(missing.error_message).toContain('1: const a = 2;');
  expect(await edit({ old_text: '', new_text: 'x' })).toMatchObject({ error_type: 'validation_failed' });
  expect(await edit({ old_text: 'a', new_text: 'a' })).toMatchObject({ error_type: 'validation_failed' });
});

const calls: [string, JsonObject][] = [
  ['write_file', { path: 'a.txt', content: 'new\n' }],
  ['replace_lines', { path: 'a.txt', line_start: 1, line_end: 1, new_content: 'new' }],
  ['insert_lines', { path: 'a.txt', line_start: 1, line_end: 1, new_content: 'new' }],
  ['edit_file', { path: 'a.txt', old_text: 'old', new_text: 'new' }],
];

it.each(calls)('%s shows what it will do before it does it', async (name, args) => {
  verifies('H7');
  const { preview, call, text } = await place({ 'a.txt': 'old\n1\n2\n3\n4\n5\n' });
  const shown = await preview(name, args);
  expect(text('a.txt')).toBe('old\n1\n2\n3\n4\n5\n');
  expect(shown?.summary).toMatch(/^write a\.txt, 1 line added, \d removed$/);
  expect(shown?.diff).toContain('+new');
  if (name !== 'write_file') expect(shown?.diff).toContain('\n 1\n 2');
  expect(await call(name, args)).toMatchObject({ success: true });
});

it.each(calls)('%s leaves a file alone that changed since it was read', async (name, args) => {
  const { call, put, text } = await place({ 'a.txt': 'old\n1\n' });
  await call('read_file', { path: 'a.txt' });
  put('a.txt', 'old\nby somebody else\n');
  expect(await call(name, args)).toMatchObject({
    error_type: 'validation_failed',
    metadata: { reason: 'changed_since_read' },
  });
  expect(text('a.txt')).toBe('old\nby somebody else\n');
  await call('read_file', { path: 'a.txt' });
  expect(await call(name, args)).toMatchObject({ success: true });
});

it.each(calls)('%s leaves a file alone that changed after its preview, read or not', async (name, args) => {
  const { call, preview, put, text } = await place({ 'a.txt': 'old\n1\n' });
  await preview(name, args);
  put('a.txt', 'old\nby somebody else\n');
  expect(await call(name, args)).toMatchObject({ metadata: { reason: 'changed_since_read' } });
  expect(text('a.txt')).toBe('old\nby somebody else\n');
});

it('two edits that were shown together both happen, as they were shown', async () => {
  const { call, preview, text } = await place({
    'a.txt': Array.from({ length: 30 }, (_, index) => `${index + 1}\n`).join(''),
  });
  const first = { path: 'a.txt', old_text: '3\n4\n', new_text: 'three\nfour\nand more\n' };
  const second = { path: 'a.txt', old_text: '25\n', new_text: 'twentyfive\n' };
  await preview('edit_file', first);
  await preview('edit_file', second);
  expect(await call('edit_file', first)).toMatchObject({ success: true });
  expect(await call('edit_file', second)).toMatchObject({ success: true });
  expect(text('a.txt')).toContain('24\ntwentyfive\n26');
});

it('a line number that the first of two edits moved does not hit another line', async () => {
  const { call, preview, text } = await place({
    'a.txt': Array.from({ length: 30 }, (_, index) => `${index + 1}\n`).join(''),
  });
  const first = { path: 'a.txt', line_start: 1, line_end: 1, new_content: 'a\nb\nc' };
  const second = { path: 'a.txt', line_start: 20, line_end: 20, new_content: 'x' };
  await preview('replace_lines', first);
  await preview('replace_lines', second);
  await call('replace_lines', first);
  expect(await call('replace_lines', second)).toMatchObject({ metadata: { reason: 'changed_since_read' } });
  expect(text('a.txt')).toContain('\n18\n19\n20\n');
});

it('a preview of what cannot work says so', async () => {
  const { preview } = await place({ 'a.txt': 'x' });
  expect((await preview('edit_file', { path: 'a.txt', old_text: 'y', new_text: 'z' }))?.summary).toMatch(
    /^this call would fail: /,
  );
  expect((await preview('write_file', { path: '../x', content: '' }))?.summary).toMatch(/^this call would fail: /);
});

it('an edit refuses what it could not write back as it was', async () => {
  const { call, hex } = await place({ 'latin.txt': Buffer.from('caf\u00e9\nb\n', 'latin1') });
  const before = hex('latin.txt');
  expect(
    await call('replace_lines', { path: 'latin.txt', line_start: 2, line_end: 2, new_content: 'B' }),
  ).toMatchObject({ error_type: 'parse_error' });
  expect(hex('latin.txt')).toBe(before);
  // Half a character cannot be written. What is written instead is one of the call's repairs.
  expect(await call('write_file', { path: 'new.txt', content: 'half \ud83d' })).toMatchObject({ success: true });
  expect(hex('new.txt')).toBe(Buffer.from('half \ufffd').toString('hex'));
  expect(validateArguments(writeFile.parameters, { path: 'a', content: 'half \ud83d' }, 'model')).toMatchObject({
    repairs: [{ kind: 'half_character' }],
  });
});

it('a big file is edited in a moment', { timeout: 60_000 }, async () => {
  const { call, preview, root } = await place({ 'big.txt': 'some line of text\n'.repeat(500_000) });
  const args = { path: 'big.txt', line_start: 250_000, line_end: 250_000, new_content: 'new' };
  expect((await preview('replace_lines', args))?.diff).toContain('@@ -249997,7 +249997,7 @@');
  expect(await call('replace_lines', args)).toMatchObject({ success: true });
  expect(fs.statSync(path.join(root, 'big.txt')).size).toBe(500_000 * 18 - 14);
});
