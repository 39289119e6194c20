/** Everything that a yes would write can be read at its question, however long it is. */
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { fakeIo } from '../../../tests/support/fake-io.ts';
import { askPerson } from '../../cli/ask-person.ts';
import { cutDiff } from '../../core/short-diff.ts';
import { diffTexts, unifiedDiff } from '../../tools/support/diff.ts';
import { TERMINAL_LIMITS } from '../limits.ts';
import { createTheme } from '../theme.ts';
import { CallView } from '../transcript/call-view.ts';
import type { PermissionQuestion } from './permission-body.ts';
import { PermissionPrompt } from './permission-prompt.ts';

const theme = createTheme({ LANG: 'C.UTF-8', NO_COLOR: '1' });
const numbered = (word: string, count: number): string =>
  Array.from({ length: count }, (_, index) => `${word} ${index};\n`).join('');
const CHANGES: readonly [name: string, before: string, after: string][] = [
  ['a new file of 300 lines', '', numbered('new', 300)],
  ['260 lines in the place of 260', numbered('old', 260), numbered('new', 260)],
  [
    '250 lines put in the middle',
    numbered('old', 20),
    `${numbered('old', 10)}${numbered('new', 250)}${numbered('old', 20).split('\n').slice(10).join('\n')}`,
  ],
  ['1,500 lines that go', numbered('old', 1_500), ''],
  ['a line of 5,000 characters', 'x\n', `${'a'.repeat(4_990)}-the-end;\n`],
  ['two lines without a line feed at the end', numbered('old', 200).trimEnd(), numbered('new', 200).trimEnd()],
];

const questionOf = (before: string, after: string): PermissionQuestion => ({
  callId: 'c1',
  name: 'write_file',
  arguments: { path: 'a.txt', content: after },
  risk: 'high',
  rule: { tool: 'write_file', pattern: '=a.txt' },
  mainArgument: 'path',
  sandbox: { text: 'sandboxed', confined: true },
  isEdit: true,
  preview: { summary: 'write a.txt', diff: unifiedDiff('a.txt', diffTexts(before, after), before === '') },
});
/** What changes, line for line, as one would read it. */
const changesOf = (diff = ''): string[] =>
  diff
    .split('\n')
    .slice(2)
    .filter((line) => /^[-+]/.test(line));
/** Without the edge, and what was wrapped joined. */
const readable = (lines: readonly string[]): string =>
  stripVTControlCharacters(lines.join('\n'))
    .replaceAll('┃ ', '')
    .replaceAll(/\n {2}… /g, '');
const missingIn = (text: string, diff = ''): string[] => {
  const shown = new Set(text.split('\n'));
  return changesOf(diff).filter((line) => !shown.has(line));
};

describe.each(CHANGES)('%s', (_, before, after) => {
  const question = questionOf(before, after);
  const diff = question.preview?.diff;

  it.each([
    [40, 20],
    [100, 30],
  ])('is read with Space in %i×%i, and nothing is allowed before its end', (width, rows) => {
    verifies('Z9', 'S6');
    const prompt = new PermissionPrompt(question, theme);
    const now = TERMINAL_LIMITS.questionArmMs;
    const seen: string[] = [];
    prompt.lines(width, rows, 0);
    prompt.shown(0);
    for (let down = 0; down < 10_000; down += 1) {
      const screen = prompt.lines(width, rows, now);
      const below = screen.findIndex((line) => line.includes('[1] ')) - 1;
      // One line further each time: what stood above it was read.
      seen.push(...screen.slice(down === 0 ? 1 : below - 1, below));
      if (!screen[below]?.includes('more line')) break;
      expect(prompt.key('1', now)).toEqual({ type: 'redraw' });
      prompt.key('\x1b[B', now);
    }
    expect(missingIn(readable(seen), diff)).toEqual([]);
    expect(prompt.key('1', now)).toMatchObject({ type: 'decide' });
  });

  it('is printed whole by e', () => {
    const prompt = new PermissionPrompt(question, theme);
    prompt.lines(80, 24, 0);
    prompt.shown(0);
    const answer = prompt.key('e', TERMINAL_LIMITS.questionArmMs);
    expect(answer.type).toBe('open');
    expect(missingIn(readable(answer.type === 'open' ? answer.lines : []), diff)).toEqual([]);
  });

  it('is printed whole where a plain terminal asks', async () => {
    const io = fakeIo({ stdin: '4\n' });
    await askPerson({ ...question, id: 'c1' }, question.sandbox, io, new AbortController().signal);
    expect(missingIn(readable([io.err()]), diff)).toEqual([]);
  });

  it('stays in the transcript with lines that go and lines that come, and how much is left', () => {
    const view = new CallView(
      { id: 'c1', name: 'write_file', arguments: {}, source: 'native', repairs: [] },
      undefined,
    );
    view.preview = question.preview;
    view.state = 'done';
    const lines = view.lines(100, theme, 0, 0).map((line) => stripVTControlCharacters(line));
    const signs = new Set(changesOf(diff).map((line) => line[0]));
    for (const sign of signs) expect(lines.some((line) => line.startsWith(`  ${sign}`))).toBe(true);
    const left = Number(/([\d,]+) more line/.exec(lines.at(-1) ?? '')?.[1]?.replaceAll(',', '') ?? 0);
    expect(lines.length).toBeLessThanOrEqual(TERMINAL_LIMITS.transcriptDiffLines + 2);
    if (changesOf(diff).length > 20) expect(left).toBeGreaterThan(changesOf(diff).length - 20);
    expect(missingIn(readable(view.details(100, theme)), diff)).toEqual([]);
  });

  it('says of a cut how much is left, with lines of both sides', () => {
    const cut = cutDiff(diff ?? '');
    const signs = new Set(changesOf(diff).map((line) => line[0]));
    expect(new Set(changesOf(cut.text).map((line) => line[0]))).toEqual(signs);
    const isCut = (diff ?? '').split('\n').length > 200 || (diff ?? '').split('\n').some((line) => line.length > 2_000);
    expect(cut.left > 0).toBe(isCut);
  });
});

it('shows what is written itself where its change is too large to be set out', () => {
  const [before, after] = [numbered('old', 30_000), numbered('new', 30_000)];
  const question = questionOf(before, after);
  expect(question.preview?.diff).toContain('too much changes to show');
  const prompt = new PermissionPrompt(question, theme);
  prompt.lines(100, 30, 0);
  prompt.shown(0);
  const answer = prompt.key('e', TERMINAL_LIMITS.questionArmMs);
  const text = readable(answer.type === 'open' ? answer.lines : []);
  expect(text).toContain('too much changes to show');
  for (const line of ['new 0;', 'new 15000;', 'new 29999;']) expect(text).toContain(line);
});
