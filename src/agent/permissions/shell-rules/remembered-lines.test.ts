/** What a yes to one command, and a yes to reading in the folder, cover of the lines that models write around them. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { scratchFolder } from '../../../../tests/support/scratch.ts';
import { READING_COMMANDS } from '../../../core/policy/folder-read.ts';
import { openShellRules, type ShellRules, surroundingsOf } from '../shell-rules.ts';

let rules: ShellRules;
beforeAll(async () => {
  rules = await openShellRules();
});

const world = (): string => {
  const folder = scratchFolder();
  mkdirSync(path.join(folder, 'src'));
  mkdirSync(path.join(folder, 'conf'));
  writeFileSync(path.join(folder, 'src/index.ts'), 'foo\n');
  writeFileSync(path.join(folder, 'a'), 'a\n');
  writeFileSync(path.join(folder, 'b'), 'b\n');
  writeFileSync(path.join(folder, 'conf/.env'), 'KEY=1\n');
  return folder;
};
const decided = (patterns: readonly string[], line: string, folder: string): string =>
  rules.decide({ allow: patterns.map((pattern) => ({ pattern })), deny: [] }, line, surroundingsOf(folder)).verdict;

describe('a yes to `npm test`, `./run.sh` and `node a.js`', () => {
  const verdict = (line: string): string => {
    const folder = world();
    return decided(['=npm test', '=./run.sh', '=node a.js'], line.replaceAll('ROOT', folder), folder);
  };

  it.each([
    'npm test',
    'npm test 2>&1 | tail -20',
    'npm test 2>&1 | grep -i fail | head -n 5',
    'npm test | grep -A 3 fail',
    'npm test | sort | uniq -c | sort -rn -k 2',
    'npm test | cut -d " " -f 1 | tr a b | wc -l',
    'npm test | sed -n 1,5p',
    'npm test; echo "exit $?"',
    'npm test || true',
    'timeout 60 npm test',
    'CI=1 npm test',
    './run.sh | head',
    'cd ROOT && npm test',
    'cd . && ./run.sh',
    'cd src && cd .. && npm test',
    'cd src && cd .. && ./run.sh',
  ])('covers %s', (line) => expect(verdict(line)).toBe('allow'));

  it.each([
    'npm test -- --watch',
    'npm test && git status --short',
    'npm test > out.txt',
    'npm test | tee out',
    'npm test | sort -o x',
    'npm test | xargs rm',
    'npm test | tail -20 a',
    'npm test | cat - a',
    'npm test | cat < a',
    'npm test | grep foo a',
    'npm test | grep -r foo',
    'npm test | grep -f a',
    'npm test | sed -n "1,5w x"',
    'npm test | sed -f a',
    'npm test | sh',
    'npm test; echo $KEY',
    'npm test & rm x',
    'NODE_OPTIONS=x npm test',
    'npm tes? | tail',
    'cd src && npm test',
    'cd ROOT/src && npm test',
    'cd src && ./run.sh',
    'cd src; cd ..; node a.js',
    '(cd src && cd ..) | cd src; npm test',
    'echo hi',
    'tail -20',
  ])('does not cover %s', (line) => expect(verdict(line)).toBe('ask'));
});

describe('a yes to reading in the folder', () => {
  const verdict = (line: string): string => decided(READING_COMMANDS, line, world());

  it.each([
    'grep foo src/index.ts',
    'grep -rn foo src',
    'rg foo src',
    'grep -rn foo src --include=*.ts',
    'rg foo src --glob=*.ts',
    'node --version',
    'sed -n 1,20p a',
    "awk '{print $1}' a",
    'diff a b',
    'diff -r src src',
    'jq .name a',
    'jq "{env: 1}" a',
    'cat a | grep x | wc -l',
    'cd src && grep foo index.ts && cd ..',
    'test -f a && cat a',
    '[ -f a ] && cat a',
    'which node',
    'git branch -a',
    'git branch --list',
    'git stash list',
    'git tag -l',
    'git remote -v',
  ])('covers %s', (line) => expect(verdict(line)).toBe('allow'));

  it.each([
    'grep -rn foo .',
    'grep -rn foo',
    'rg foo',
    'diff -r . src',
    'grep KEY conf/.env',
    'grep -f conf/.env a',
    'diff a /etc/passwd',
    'sed -i s/a/b/ a',
    'sed "1e ls" a',
    'sed "w x" a',
    'awk \'BEGIN{system("id")}\'',
    'awk \'BEGIN{print ENVIRON["KEY"]}\'',
    'jq -n env',
    "jq -n '$ENV.KEY'",
    'sort -o x a',
    'uniq a b',
    'xxd -r a b',
    'date -s now',
    'find . -delete',
    'rg --pre sh foo src',
    'rg foo src --pre=*.sh',
    'grep -rn foo src --file=*',
    'node --version a.js',
    'git branch new',
    'git tag v1',
    'git remote add x y',
    'git stash',
    'git stash list --output=x',
    'cat a > b',
    'cd .. && grep foo a',
    'cd src && grep foo ../../a',
    'env',
    'npm test',
  ])('does not cover %s', (line) => expect(verdict(line)).toBe('ask'));
});

it.each([
  ['npm test 2>&1 | tail -20', ['=npm test 2>&1 | tail -20', 'npm test *']],
  ['cd src && npm run build | grep error', ['=cd src && npm run build | grep error', 'npm run build *', 'npm run *']],
  ['npm test; echo "exit $?"', ['=npm test; echo "exit $?"', 'npm test *']],
  ['npm test && git status', ['=npm test && git status']],
  ['ls | sort', ['=ls | sort', 'ls *']],
  ['tail -20', ['=tail -20', 'tail *']],
  ['cd src', ['=cd src']],
])('of %s these may be kept', (line, expected) => {
  expect(rules.suggestPatterns(line)).toEqual(expected);
});
