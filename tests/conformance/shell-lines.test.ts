/** Lines of the kinds that people attack shells with, and lines of ordinary work: one table each, a line a row. */
import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  openShellRules,
  type ShellRules,
  type ShellSurroundings,
  surroundingsOf,
} from '../../src/agent/permissions/shell-rules.ts';
import { verifies } from '../requirements.ts';
import { scratchFolder } from '../support/scratch.ts';
import { makeScene } from './shell-policy-scene.ts';

const rowsOf = (name: string): string[] =>
  readFileSync(new URL(`shell-lines/${name}.txt`, import.meta.url), 'utf8')
    .split('\n')
    .filter((row) => row !== '' && !row.startsWith('#'));
const lineOf = (text: string): string => text.replaceAll('⏎', '\n').replaceAll('⇥', '\t');
/** `git log * | head * :: git log | head`: patterns, and the line. */
const split = (row: string): { allow: { pattern: string }[]; line: string } => {
  const at = row.indexOf(' :: ');
  const allow = row
    .slice(0, at)
    .split(' | ')
    .map((pattern) => ({ pattern }));
  return { allow, line: lineOf(row.slice(at + 4)) };
};

let rules: ShellRules;
beforeAll(async () => {
  rules = await openShellRules();
});
const scene = (): ShellSurroundings => {
  const folder = scratchFolder();
  makeScene(folder);
  mkdirSync(path.join(folder, 'packages', 'web'), { recursive: true });
  return surroundingsOf(folder);
};
const verdicts = (rows: readonly string[]): { row: string; verdict: string }[] => {
  const here = scene();
  return rows.map((row) => {
    const { allow, line } = split(row);
    return { row, verdict: rules.decide({ allow, deny: [] }, line, here).verdict };
  });
};

describe('a line of ordinary work passes', () => {
  const rows = rowsOf('allowed');
  it(`in all ${rows.length} rows`, () => {
    verifies('Z8', 'Z10');
    expect(verdicts(rows).filter(({ verdict }) => verdict !== 'allow')).toEqual([]);
    expect(rows.length).toBeGreaterThan(380);
  });
});

describe('a line that does more than its rule says is asked about', () => {
  const rows = rowsOf('asked');
  it(`in all ${rows.length} rows`, () => {
    verifies('Z8', 'Z10');
    expect(verdicts(rows).filter(({ verdict }) => verdict !== 'ask')).toEqual([]);
    expect(rows.length).toBeGreaterThan(900);
  });

  it('and what is offered to be remembered for it names what is done, and nothing wider', () => {
    const here = scene();
    const wide = rows.flatMap((row) => {
      const { line } = split(row);
      const offered = rules.suggestPatterns(line).filter((pattern) => pattern !== `=${line}`);
      const counting = offered.filter((pattern) => rules.commandMatches(pattern, line, 'allow', here));
      // The program alone said too little for this line, and an option of it never says what is run.
      return counting.filter(
        (pattern) => (/^\S+ \*$/.test(pattern) && row.startsWith(pattern)) || /^[-*?]| -(?!m |i |-test )/.test(pattern),
      );
    });
    expect(wide).toEqual([]);
  });
});

describe('a rule that denies rm sees it, however it is written', () => {
  const rows = rowsOf('denied').map(lineOf);
  it(`in all ${rows.length} rows`, () => {
    verifies('Z10');
    const here = scene();
    const verdict = (line: string) => rules.decide({ allow: [{}], deny: [{ pattern: 'rm *' }] }, line, here).verdict;
    expect(rows.filter((line) => verdict(line) !== 'deny')).toEqual([]);
  });
});
