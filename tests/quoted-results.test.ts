/** What the starter quotes of a result is shown as it is: answers are Markdown, results are not. */
import { describe, expect, it } from 'vitest';
import { everydayPlan } from '../src/providers/led/everyday.ts';
import { joinAnswer, quoteResult } from '../src/providers/led/steps/answer.ts';
import { markdownLines } from '../src/terminal/markdown.ts';
import { createTheme } from '../src/terminal/theme.ts';
import { verifies } from './requirements.ts';

const theme = createTheme({ LANG: 'C.UTF-8', NO_COLOR: '1' });
const shown = (result: string): string[] => markdownLines(joinAnswer('Here:', quoteResult(result)), 60, theme);

const NAMES = [
  ...['__init__.py', '*.txt', '*star*', 'a_b_c.md', '_x', '__pycache__/', '~~old~~', 'a`b``c', '`', '``x``'],
  ...[
    '<b>',
    '[x](y)',
    '1. a',
    '# x',
    '- x',
    '+ x',
    '> x',
    '$x$',
    '&amp;',
    '| a | b |',
    'a\\_b',
    '---',
    'plain name.txt',
  ],
];

describe.each(NAMES)('%j in a result', (name) => {
  it('stands in the answer as it is', () => {
    verifies('K8');
    const one = [JSON.stringify([name]), JSON.stringify({ name }), JSON.stringify([{ name }]), name];
    for (const result of one) expect(shown(result).join(' '), result).toContain(name);
  });

  it('stands in the list of a folder as it is', () => {
    const table = `FILE  -rw-r--r--  1 B  2026-11-27 10:00  ${name}\n0 dirs, 1 file`;
    const plan = everydayPlan('what files are here?');
    if (plan?.kind !== 'call') throw new Error('no call');
    const said = plan.next?.(table);
    if (said?.kind !== 'say') throw new Error('nothing said');
    expect(markdownLines(said.text, 60, theme).join('\n')).toContain(name);
  });

  it('stands on a line of its own where the result has several', () => {
    const lines = ['first', name, '', '    indented', '```', '> quoted', name];
    const answer = shown(lines.join('\n'));
    for (const line of lines) expect(answer, line).toContainEqual(expect.stringContaining(line));
    expect(answer.filter((line) => line.includes(name)).length).toBeGreaterThanOrEqual(2);
  });
});
