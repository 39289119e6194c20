/** Edits that models can do which lose count: marks of lines, copied numbers, and the lines as they are afterwards. */
import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { putFiles, scratchFolder } from '../../tests/support/scratch.ts';
import { callTool, createTestContext } from '../../tests/support/tool-context.ts';
import type { JsonObject } from '../core/json.ts';
import { BUILT_IN_TOOLS } from './index.ts';
import { lineMark } from './support/line-mark.ts';
import { anchoredSection } from './support/line-marks.ts';
import { linesOf } from './support/lines.ts';

const place = async (files: Record<string, string>) => {
  const root = scratchFolder();
  putFiles(root, files);
  const context = await createTestContext({ root });
  onTestFinished(() => context.close());
  return {
    call: (name: string, args: JsonObject) => {
      const tool = BUILT_IN_TOOLS.find((candidate) => candidate.name === name);
      if (tool === undefined) throw new Error(`no tool ${name}`);
      return callTool(tool, args, context);
    },
    text: (name: string) => fs.readFileSync(path.join(root, name), 'utf8'),
    put: (name: string, content: string) => fs.writeFileSync(path.join(root, name), content),
  };
};
const FIVE = 'one\ntwo\nthree\nfour\nfive\n';
const replace = (line: number, new_content: string, more: JsonObject = {}): JsonObject => ({
  path: 'a.txt',
  line_start: line,
  line_end: line,
  new_content,
  ...more,
});

describe('after an edit', () => {
  it('the lines round it come back with the numbers that hold now', async () => {
    verifies('H5', 'H6');
    const { call } = await place({ 'a.txt': FIVE });
    const replaced = await call('replace_lines', { ...replace(2, 'TWO\nand more'), line_end: 3 });
    expect(replaced.data?.split('\n').slice(1)).toEqual(['1: one', '2: TWO', '3: and more', '4: four', '5: five']);
    const inserted = await call('insert_lines', replace(6, 'six'));
    expect(inserted.data?.split('\n').slice(1)).toEqual(['4: four', '5: five', '6: six']);
    const edited = await call('edit_file', { path: 'a.txt', old_text: 'six', new_text: 'SIX\nseven' });
    expect(edited.data?.split('\n').slice(1)).toEqual(['4: four', '5: five', '6: SIX', '7: seven']);
    const emptied = await call('replace_lines', { ...replace(1, ''), line_end: 6 });
    expect(emptied.data?.split('\n').slice(1)).toEqual(['1: seven']);
  });

  it('a long new part is shown by its two ends', async () => {
    const { call } = await place({ 'a.txt': FIVE });
    const long = Array.from({ length: 400 }, (_, index) => `line ${index}`).join('\n');
    const { data } = await call('replace_lines', replace(3, long));
    expect(data).toContain('3: line 0');
    expect(data).toContain('402: line 399');
    expect(data?.split('\n').length).toBeLessThan(30);
  });
});

describe('marks of lines', () => {
  it('are shown when they are asked for, and find a line that has moved', async () => {
    verifies('H5');
    const { call, text, put } = await place({ 'a.txt': FIVE });
    const read = await call('read_file', { path: 'a.txt', anchors: true });
    const mark = /^3#([0-9a-z]{4}): three$/m.exec(read.data ?? '')?.[1] ?? '';
    expect(mark).toBe(lineMark('three'));
    put('a.txt', `zero\n${FIVE}`);
    const done = await call('replace_lines', replace(3, 'THREE', { anchor: mark }));
    expect(done.success).toBe(true);
    expect(done.data).toContain('(4), which had moved from 3, of a.txt');
    expect(done.data).toMatch(/^4#[0-9a-z]{4}: THREE$/m);
    expect(text('a.txt')).toBe('zero\none\ntwo\nTHREE\nfour\nfive\n');
  });

  it('find the place to insert at', async () => {
    verifies('H6');
    const { call, text } = await place({ 'a.txt': FIVE });
    const done = await call('insert_lines', replace(2, 'before five', { anchor: `5#${lineMark('five')}` }));
    expect(done.data).toContain('before line 5, which had moved from 2,');
    expect(text('a.txt')).toBe('one\ntwo\nthree\nfour\nbefore five\nfive\n');
  });

  it('are held to both ends of a range where both are given', async () => {
    const { call, text } = await place({ 'a.txt': FIVE });
    const anchor = `${lineMark('two')}-${lineMark('four')}`;
    const moved = { ...replace(1, 'X', { anchor }), line_end: 3 };
    expect((await call('replace_lines', moved)).success).toBe(true);
    expect(text('a.txt')).toBe('one\nX\nfive\n');
    const other = { ...replace(1, 'X', { anchor }), line_end: 2 };
    const refused = await call('replace_lines', other);
    expect(refused).toMatchObject({ success: false, error_type: 'validation_failed' });
    expect(refused.error_message).toContain('no such lines are there');
  });

  it('that several lines share decide nothing', async () => {
    const { call, text } = await place({ 'a.txt': 'a\n}\nb\n}\nc\n' });
    const refused = await call('replace_lines', replace(1, 'X', { anchor: lineMark('}') }));
    expect(refused.error_message).toContain('such lines are there 2 times');
    expect(refused.error_message).toContain('2: }');
    // Where the number is right, it decides.
    expect((await call('replace_lines', replace(4, '};', { anchor: lineMark('}') }))).success).toBe(true);
    expect(text('a.txt')).toBe('a\n}\nb\n};\nc\n');
  });

  it('do not open a file that changed where they do not speak of every line', async () => {
    const { call, text, put } = await place({ 'a.txt': FIVE });
    await call('read_file', { path: 'a.txt', anchors: true });
    put('a.txt', 'one\ntwo\nCHANGED\nfour\nfive\n');
    const anchor = `${lineMark('two')}-${lineMark('four')}`;
    const refused = await call('replace_lines', { ...replace(2, 'X', { anchor }), line_end: 4 });
    expect(refused.metadata.reason).toBe('changed_since_read');
    expect(text('a.txt')).toContain('CHANGED');
  });

  it('that are none are explained', async () => {
    const { call } = await place({ 'a.txt': FIVE });
    for (const anchor of ['two', '', '12', 'line 2: two']) {
      expect((await call('replace_lines', replace(2, 'X', { anchor }))).error_message).toContain(
        'four letters or digits',
      );
    }
  });

  it('never lead to a line with another mark, whatever was inserted and taken away', () => {
    const words = fc.array(fc.constantFrom('a', 'b', '}', '', 'return x;', 'é'), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(words, words, fc.nat(11), (before, after, at) => {
        const from = Math.min(at, before.length - 1) + 1;
        const mark = lineMark(before[from - 1] as string);
        const found = anchoredSection(linesOf(`${after.join('\n')}\n`), { from, to: from }, mark);
        if (found.ok) expect(lineMark(after[found.value.from - 1] as string)).toBe(mark);
      }),
    );
  });
});

describe('line numbers that were copied', () => {
  it('are left out of what is written, and that is said', async () => {
    verifies('H5');
    const { call, text } = await place({ 'a.txt': FIVE });
    const done = await call('replace_lines', { ...replace(2, '2: TWO\n3: THREE\n4:\n'), line_end: 3 });
    expect(done.data).toContain('line numbers that stood in the text were left out');
    expect(text('a.txt')).toBe('one\nTWO\nTHREE\n\nfour\nfive\n');
    await call('insert_lines', replace(1, '1#ab3f: zero'));
    expect(text('a.txt')).toMatch(/^zero\none\n/);
  });

  it('stay where they are the text: in a file of such lines, elsewhere than at their place, in an empty file', async () => {
    const { call, text } = await place({ 'a.txt': '1: a\n2: b\n', 'b.txt': FIVE, 'c.txt': '' });
    await call('replace_lines', replace(2, '2: B'));
    await call('replace_lines', { ...replace(2, '9: nine'), path: 'b.txt' });
    await call('insert_lines', { ...replace(1, '1: a\n2: b'), path: 'c.txt' });
    expect([text('a.txt'), text('b.txt'), text('c.txt')]).toEqual([
      '1: a\n2: B\n',
      'one\n9: nine\nthree\nfour\nfive\n',
      '1: a\n2: b\n',
    ]);
  });

  it('do not hide a text from edit_file', async () => {
    const { call, text } = await place({ 'a.txt': FIVE });
    const done = await call('edit_file', { path: 'a.txt', old_text: '2: two\n3: three', new_text: '2: TWO\n3: three' });
    expect(done.success).toBe(true);
    expect(text('a.txt')).toBe('one\nTWO\nthree\nfour\nfive\n');
  });
});
