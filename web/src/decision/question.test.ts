import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffTexts, unifiedDiff } from '../../../src/tools/support/diff.ts';
import { toolTitle } from '../calls/call-facts.ts';
import { diffLines } from '../calls/diff-lines.ts';
import { jsonTokens } from '../calls/json-tokens.ts';
import { visible } from '../parts/visible.ts';
import { foreignHost, IN_CHANGE, sentenceOf, shownArguments } from './question.ts';

/** Direction marks, zero-width signs, controls: what makes a text look like another one. */
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/u;
const tricky = fc.string({
  unit: fc.oneof(fc.constantFrom('a', '\n', '\t', '\u202e', '\u200b', '\u0000', '\u2066', '\ufeff', '"'), fc.string()),
});

describe('a permission question', () => {
  it('hides no character of what it asks about', () => {
    fc.assert(
      fc.property(tricky, tricky, (name, value) => {
        const shown = [
          visible(value),
          ...shownArguments({ arguments: { [name]: value } }).flatMap((each) => [each.name, each.text]),
          ...diffLines(value).map(({ text }) => text),
          ...jsonTokens({ [name]: value }).map(({ text }) => text),
          sentenceOf({ name: 'x', arguments: {}, preview: { summary: value } }),
          sentenceOf({ name, arguments: { [name]: value } }),
        ];
        for (const text of shown) expect(text).not.toMatch(HIDDEN);
      }),
    );
  });

  it('says in one sentence what will happen', () => {
    expect(sentenceOf({ name: 'x', arguments: {}, preview: { summary: 'write a.ts, 1 line added' } })).toBe(
      'Write a.ts, 1 line added.',
    );
    expect(sentenceOf({ name: 'x', arguments: {} })).toBe('Run the tool x.');
    expect(sentenceOf({ name: 'bash', arguments: { timeout_ms: 1, command: 'ls -la' } })).toBe(
      'Run bash with command ls -la.',
    );
    expect(sentenceOf({ name: 'bash', arguments: { command: 'ls\nrm a' } })).toBe(
      'Run bash with command of 7 characters, in full below.',
    );
  });

  it('shows arguments in full, and a long text once where the change holds it', () => {
    const diff = '--- a\n+++ b\n@@ -0,0 +1,2 @@\n+one\n+two\n';
    const call = { arguments: { path: 'a', content: 'one\ntwo\n', lines: [1, 2] }, preview: { summary: 's', diff } };
    expect(shownArguments(call)).toEqual([
      { name: 'path', text: 'a' },
      { name: 'content', text: '8 characters, whole in the change above' },
      { name: 'lines', text: '[\n  1,\n  2\n]' },
    ]);
    const other = shownArguments({ ...call, arguments: { content: 'one\nother' } });
    expect(other[0]?.text).toBe('one\nother');
  });

  it.each([
    ['a part of a line', { old: 'a - b', new: 'a + b' }, ['old', 'new']],
    ['whole lines', { old: 'sum = a - b\n', new: 'sum = a + b\n' }, ['old', 'new']],
    ['with what stands round it', { old: 'kept\nsum = a -', new: 'kept\nsum = a +' }, ['old', 'new']],
    ['beside what is no part of it', { path: 'a', mode: 'b', old: '-', new: '+' }, ['old', 'new']],
    ['another text than the change', { old: 'a - b', new: 'a * b' }, []],
    ['nothing', { old: '', new: '+' }, []],
    ['only the new one', { new: 'a + b' }, []],
  ])('says an edit once, where its texts are %s', (_what, args, once) => {
    const diff = '--- a\n+++ b\n@@ -1,3 +1,3 @@\n kept\n-sum = a - b\n+sum = a + b\n end\n';
    const found = shownArguments({ arguments: args, preview: { summary: 's', diff } });
    expect(found.filter(({ text }) => text.endsWith('whole in the change above')).map(({ name }) => name)).toEqual(
      once,
    );
  });

  it('names the host that the network knows, where the address looks like another one', () => {
    expect(foreignHost({ url: 'https://exаmple.test/' })).toBe('xn--exmple-4nf.test');
    expect(foreignHost({ url: 'https://example.test/' })).toBeUndefined();
  });

  it('says whose tool it is', () => {
    expect(toolTitle('mcp__files__read')).toEqual({ server: 'files', tool: 'read' });
    expect(toolTitle('read_file')).toEqual({ tool: 'read_file' });
  });

  it('knows a removed line from a heading of the diff', () => {
    const diff = '--- a/x\n+++ b/x\n@@ -1,2 +1,1 @@\n--- not a heading\n kept\n';
    expect(diffLines(diff).map(({ sign }) => sign)).toEqual(['@', '@', '@', '-', ' ']);
  });
});

describe('the new content of a file', () => {
  const lines = (count: number, change: Readonly<Record<number, string>> = {}): string =>
    Array.from({ length: count }, (_, at) => `${change[at] ?? `line ${at}`}\n`).join('');
  const told = (before: string, after: string, given = after, argument = 'content'): boolean => {
    const diff = unifiedDiff('a.txt', diffTexts(before, after), before === '');
    const call = { arguments: { path: 'a.txt', [argument]: given }, preview: { summary: 's', diff } };
    return shownArguments(call).at(-1)?.text.endsWith(IN_CHANGE) === true;
  };
  const before = lines(80);
  it.each([
    ['one line changes', before, lines(80, { 40: 'new' })],
    ['three places change', before, lines(80, { 0: 'new', 40: 'new', 79: 'new' })],
    ['lines come', before, `${before}more\n`],
    ['lines go', before, lines(70)],
    ['the last line feed goes', before, before.trimEnd()],
    ['many lines stay', lines(3_000), lines(3_000, { 7: 'new' })],
    ['the file is new', '', before],
  ])('is not said again where %s', (_, from, to) => {
    expect(told(from, to)).toBe(true);
  });

  const after = lines(80, { 40: 'new' });
  it.each([
    ['holds the change at another place', `first\n${after}`],
    ['does not hold the change', before],
    ['ends before the change', lines(30)],
  ])('is said where it %s', (_, given) => {
    expect(told(before, after, given)).toBe(false);
  });

  it('is said where the argument may be something else', () => {
    expect(told(before, after, after, 'note')).toBe(false);
  });
});

describe('JSON in colours', () => {
  it('is the same JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = jsonTokens(value as never)
          .map((token) => token.text)
          .join('');
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});

it('says every argument whole where the tool could not set all of the change out', () => {
  const call = (diff: string) => ({
    name: 'write_file',
    arguments: { path: 'a.txt', content: 'one\ntwo\n' },
    preview: { summary: 'create a.txt', diff },
  });
  const whole = '--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1,2 @@\n+one\n+two';
  const contentOf = (diff: string) => shownArguments(call(diff)).find(({ name }) => name === 'content')?.text;
  expect(contentOf(whole)).toContain(IN_CHANGE);
  expect(contentOf(`${whole}\n[the first 50 of 90 characters of this diff]`)).toBe('one\ntwo\n');
});
