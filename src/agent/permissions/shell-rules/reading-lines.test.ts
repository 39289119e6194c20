/** What a yes to reading in the folder covers of an ordinary day, and what stands beside it and does more. */
import { beforeAll, expect, it } from 'vitest';
import { verifies } from '../../../../tests/requirements.ts';
import { putFiles, scratchFolder } from '../../../../tests/support/scratch.ts';
import { READING_COMMANDS } from '../../../core/policy/folder-read.ts';
import { openShellRules, type ShellRules, surroundingsOf } from '../shell-rules.ts';

let rules: ShellRules;
beforeAll(async () => {
  rules = await openShellRules();
});
const verdict = (line: string): string => {
  const folder = scratchFolder();
  putFiles(folder, {
    'a.txt': 'x',
    'a.zip': '',
    'src/a.ts': '',
    'package.json': '{}',
    '.git/HEAD': 'ref: refs/heads/main\n',
    '.git/config': '[core]\n\tbare = false\n',
    '.git/objects/x': '',
    '.git/refs/x': '',
  });
  const allow = READING_COMMANDS.map((pattern) => ({ pattern }));
  return rules.decide({ allow, deny: [] }, line, surroundingsOf(folder)).verdict;
};

it.each([
  'git branch --merged main',
  'git branch --contains HEAD',
  'git tag -n',
  'git tag --points-at HEAD',
  'git stash show -p',
  'git ls-tree -r HEAD --name-only',
  'git rev-list --count HEAD',
  'git merge-base main HEAD',
  'git reflog',
  'git reflog show main -10',
  'git cat-file -p HEAD',
  'git cat-file -t HEAD',
  'git config --get user.name',
  'git config user.email',
  'git grep -n TODO',
  "git grep -n TODO -- '*.ts'",
  'git check-ignore -v node_modules',
  'git worktree list',
  'git submodule status',
  "git for-each-ref --format='%(refname)'",
  'git show-ref --heads',
  'git count-objects -vH',
  'git diff-tree --no-commit-id --name-only -r HEAD',
  'git whatchanged -3',
  'git name-rev HEAD',
  'git cherry -v main',
  'git symbolic-ref --short HEAD',
  'git remote get-url origin',
  'npm ls --depth=0',
  'npm pkg get scripts',
  'npm run',
  'npm root',
  'rustc --version',
  'python3 -V',
  'make --version',
  'zcat a.gz | head',
  'unzip -l a.zip',
  'uptime',
  'ps aux | head',
  'ps -ef | grep node',
  'free -h',
  'command -v git',
  'expr 1 + 2',
])('covers %s', (line) => {
  verifies('Z8');
  expect(verdict(line)).toBe('allow');
});

it.each([
  'git branch -D main',
  'git branch new',
  'git branch --sort=-committerdate new',
  'git branch -m old new',
  'git tag -d v1',
  'git tag v1',
  'git tag --sort=-v:refname v1',
  'git stash',
  'git stash drop',
  'git stash show -p --output=x',
  'git reflog expire --all --expire=now',
  'git reflog delete main@{1}',
  'git cat-file --textconv HEAD:a.txt',
  'git cat-file --filters HEAD:a.txt',
  'git config user.name evil',
  'git config --get user.name --unset',
  'git config core.pager ./x',
  'git config --list',
  'git grep -O./x TODO',
  'git grep --open-files-in-pager=./x TODO',
  'git grep --no-index x /etc',
  'git worktree add x',
  'git worktree remove x',
  'git submodule update',
  'git submodule foreach ls',
  'git diff-tree --output=x HEAD',
  'git diff-tree --ext-diff -p HEAD',
  'git whatchanged --output=x',
  'git symbolic-ref HEAD refs/heads/x',
  'git remote set-url origin https://x.test',
  'git remote remove origin',
  'npm run build',
  'npm pkg set version=2',
  'npm ls --prefix /',
  'npm root --prefix=/x',
  'rustup default nightly',
  'hostname evil',
  'ps eww',
  'ulimit -c unlimited',
  'command rm x',
  'command -v x; rm x',
  'unzip a.zip',
  'unzip -l a.zip > b.txt',
  'zcat a.gz > b.txt',
  'date -s 2020-01-01',
])('does not cover %s', (line) => {
  verifies('Z8', 'S48');
  expect(verdict(line)).toBe('ask');
});
