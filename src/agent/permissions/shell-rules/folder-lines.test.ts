/** Lines whose meaning depends on what lies in the folder: links behind globs, secrets below it, other folders. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { verifies } from '../../../../tests/requirements.ts';
import { scratchFolder } from '../../../../tests/support/scratch.ts';
import { openShellRules, type ShellRules, surroundingsOf } from '../shell-rules.ts';

let rules: ShellRules;
beforeAll(async () => {
  rules = await openShellRules();
});

const world = (): string => {
  const folder = scratchFolder();
  const outside = scratchFolder();
  writeFileSync(path.join(outside, 'key'), 'x');
  mkdirSync(path.join(folder, 'src/a1'), { recursive: true });
  mkdirSync(path.join(folder, 'conf'));
  writeFileSync(path.join(folder, 'src/a1/a.ts'), 'TODO');
  writeFileSync(path.join(folder, 'conf/.env'), 'KEY=1');
  symlinkSync('conf/.env', path.join(folder, 'note1'));
  symlinkSync(path.join(outside, 'key'), path.join(folder, 'page1'));
  writeFileSync(path.join(folder, 'text1'), 'x');
  return folder;
};

describe('with rules for cat, searches, archives, ls and cd', () => {
  const patterns = 'cat *|grep *|rg *|ugrep *|rga *|tar *|zip *|ls src/*|git status *'.split('|');
  const allow = patterns.map((pattern) => ({ pattern }));
  const verdict = (line: string): string => rules.decide({ allow, deny: [] }, line, surroundingsOf(world())).verdict;

  it.each([
    'cat note?',
    'cat n*',
    'cat page?',
    'cat [np]ot*',
    'cat */.env',
    'cd conf && cat .en?',
    'grep -r KEY .',
    'grep -rn KEY',
    'grep -R KEY conf',
    'grep --recursive KEY conf',
    'grep -d recurse KEY conf',
    'cd conf && grep -r KEY .',
    'grep -e KEY -r',
    'grep -re KEY',
    'grep -A 3 KEY -r',
    "grep -r --include '*' KEY",
    'rg -A 3 KEY --hidden',
    'ugrep -r KEY',
    'rga KEY',
    'tar -c .',
    'tar c conf',
    'tar cf - .',
    'tar --create --file=- conf',
    'zip -r - .',
    'tar czf x.tgz .',
    'zip -r x.zip .',
    'rg --hidden KEY',
    'rg KEY conf',
    'cd */ && cat a',
    'cd s* && git status',
    `${'cd src; '.repeat(80)}git status`,
  ])('%s asks', (line) => expect(verdict(line)).toBe('ask'));

  it.each([
    'cat text?',
    'cat src/*/a.ts',
    'grep -rn TODO src',
    'grep -rn -e TODO src',
    'grep -A 3 TODO src -r',
    "grep -rn --include '*.ts' TODO src",
    'rg TODO src',
    'rg -t ts TODO src',
    'ugrep -rn TODO src',
    'tar czf x.tgz src',
    'tar -cz src',
    'zip -r x.zip src',
    'ls src/*',
    'cd src && cd a1 && cat a.ts',
  ])('%s passes', (line) => expect(verdict(line)).toBe('allow'));
});

describe('rules for what a folder says', () => {
  const patterns =
    'npm test|npm test *|npm run *|npx vitest *|pnpm *|yarn test *|uv run pytest *|make *|just *|cargo test *|go test *|pytest *|eslint *|tsc *|mytool *|poetry run pytest *|gcc *|mkdir *|cp *|cat *|git status *';
  const allow = patterns.split('|').map((pattern) => ({ pattern }));
  const verdict = (line: string): string => rules.decide({ allow, deny: [] }, line, surroundingsOf(world())).verdict;

  it.each([
    'npm test',
    'npm run build',
    'npx vitest run',
    'pnpm test',
    'yarn test',
    'uv run pytest',
    'poetry run pytest',
    'make all',
    'just build',
    'cargo test',
    'go test ./...',
    'pytest -q',
    'eslint a.js',
    'tsc -p .',
    'mytool a',
  ])('%s passes here, and behind a cd to another folder asks', (line) => {
    verifies('S28');
    expect(verdict(line)).toBe('allow');
    expect(verdict(`cd . && ${line}`)).toBe('allow');
    expect(verdict(`cd src && cd .. && ${line}`)).toBe('allow');
    for (const way of ['cd src && ', 'cd src; ', 'cd src/a1 && ', 'cd src\n', '(cd src && ', '{ cd src && '])
      expect([way, verdict(`${way}${line}${way[0] === '(' ? ')' : way[0] === '{' ? '; }' : ''}`)]).toEqual([
        way,
        'ask',
      ]);
  });

  it.each([
    'npm test -C src',
    'npm test --prefix src',
    'npm --prefix src test',
    'npm test -w src',
    'npm run build --workspace=src',
    'pnpm -C src test',
    'pnpm --dir src test',
    'pnpm test --dir src',
    'yarn --cwd src test',
    'yarn test --cwd src',
    'make -C src',
    'just -d src build',
    'cargo test --manifest-path src/Cargo.toml',
    'pytest --rootdir src',
    'mytool --working-dir src',
    'env -C src npm test',
  ])('%s is a cd as well', (line) => expect(verdict(line)).toBe('ask'));

  it.each(['gcc a.c', 'mkdir b', 'cp a.c b.c', 'cat a.ts', 'git status'])('%s passes anywhere', (line) =>
    expect(verdict(`cd src && ${line}`)).toBe('allow'),
  );
});

describe('where a name in the folder is no UTF-8', () => {
  const odd = (folder: string, name: string): Buffer =>
    Buffer.concat([Buffer.from(`${folder}/${name}`), Buffer.from([0xff])]);
  const rulesOf = 'cat *|rg *|grep *'.split('|').map((pattern) => ({ pattern }));
  const verdictIn = (folder: string, line: string): string =>
    rules.decide({ allow: rulesOf, deny: [] }, line, surroundingsOf(folder)).verdict;

  it.each(['cat d?/.env', 'cat [d]*/.env', 'cat */.env', 'cat l*', 'cat l*/key', 'rg --hidden KEY', 'grep -r KEY .'])(
    'asks about %s',
    (line) => {
      const folder = scratchFolder();
      const outside = scratchFolder();
      writeFileSync(path.join(outside, 'key'), 'x');
      mkdirSync(odd(folder, 'd'));
      writeFileSync(Buffer.concat([odd(folder, 'd'), Buffer.from('/.env')]), 'KEY=1');
      symlinkSync(outside, odd(folder, 'l'));
      expect(verdictIn(folder, line)).toBe('ask');
      expect(verdictIn(folder, 'cat plain.txt')).toBe('allow');
    },
  );
});
