/** Pairs of commands of git: what the first one plants, the second one would run. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifies } from '../../../../tests/requirements.ts';
import { openShellRules, type ShellRules, surroundingsOf } from '../shell-rules.ts';

const ENVIRONMENT = {
  PATH: process.env['PATH'],
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@a.test',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@a.test',
};
let rules: ShellRules;
let base: string;
const SETUP = `
git init -q -b main --template= . && git commit -q --allow-empty -m a && git commit -q --allow-empty -m b
git init -q -b main --template= sub && git init -q --bare --template= evil.git
mkdir -p hooks evil.git/hooks
for file in run hooks/pre-commit hooks/post-checkout evil.git/hooks/pre-receive; do
  printf '#!/bin/sh\\ntouch ran\\n' > $file; chmod +x $file
done
printf '[core]\\n\\tfsmonitor = ./run\\n' > settings
printf '*.x filter=f diff=d merge=m\\n' > .gitattributes
`;
/** One shell for all: what each line plants in a repository of its own. */
const planted = (lines: readonly string[]): string =>
  ['set -e', 'mkdir template', `(cd template; ${SETUP})`]
    .concat(lines.map((line, index) => `cp -r template ${index}; (cd ${index}; ${line})`))
    .join('\n');
const repositoryOf = (plants: string): string => path.join(base, String(PLANTS.indexOf(plants)));

beforeAll(async () => {
  rules = await openShellRules();
  base = mkdtempSync(path.join(tmpdir(), 'git-pairs-'));
  execFileSync('bash', ['-c', planted(PLANTS)], { cwd: base, env: ENVIRONMENT, stdio: ['ignore', 'ignore', 'pipe'] });
}, 60_000);
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** Under a rule for this very line, or another one. */
const isAsked = (folder: string, line: string, pattern = `=${line}`): boolean =>
  rules.decide({ allow: [{ pattern }], deny: [] }, line, surroundingsOf(folder)).verdict === 'ask';

const PAIRS: readonly (readonly [plants: string, runs: string])[] = [
  ["git config alias.x '!./run'", 'git x'],
  ['git config core.fsmonitor ./run', 'git status'],
  ['git config --add core.fsmonitor ./run', 'git diff'],
  ['git config --replace-all core.fsmonitor ./run', 'git commit -m a'],
  ['git config core.hooksPath hooks', 'git commit -m a'],
  ['git config core.hooksPath ./hooks', 'git checkout main'],
  ['git config filter.f.clean ./run', 'git add a.x'],
  ['git config filter.f.smudge ./run', 'git checkout -- a.x'],
  ['git config filter.f.process ./run', 'git status'],
  ['git config diff.external ./run', 'git diff'],
  ['git config diff.d.command ./run', 'git diff a.x'],
  ['git config diff.d.textconv ./run', 'git log -p'],
  ['git config merge.m.driver ./run', 'git merge b'],
  ['git config include.path ../settings', 'git status'],
  ["git config 'includeIf.gitdir:**.path' ../settings", 'git status'],
  ['git config core.pager ./run', 'git log'],
  ['git config pager.log ./run', 'git log'],
  ['git config core.editor ./run', 'git commit'],
  ['git config sequence.editor ./run', 'git rebase main'],
  ['git config core.sshCommand ./run', 'git fetch'],
  ['git config core.gitProxy ./run', 'git fetch'],
  ['git config core.askPass ./run', 'git push'],
  ['git config credential.helper ./run', 'git push'],
  ['git config core.alternateRefsCommand ./run', 'git fetch'],
  ['git config core.worktree ../..', 'git checkout .'],
  ['git config gpg.program ./run', 'git commit -m a'],
  ['git config gpg.ssh.program ./run', 'git log'],
  ['git config trailer.x.cmd ./run', 'git commit -m a --trailer x=y'],
  ['git config init.templateDir ./hooks', 'git init other'],
  ['git config gc.recentObjectsHook ./run', 'git gc'],
  ["git config remote.x.url 'ext::sh -c ./run'", 'git fetch x'],
  ["git remote add x 'ext::sh -c ./run'", 'git fetch x'],
  ['git config remote.x.vcs run', 'git fetch x'],
  ['git config remote.x.uploadpack ./run', 'git fetch x'],
  ['git config remote.x.receivepack ./run', 'git push x'],
  ["git config 'url.ext::sh -c ./run.insteadOf' http:", 'git fetch'],
  ["git config branch.main.remote 'ext::sh -c ./run'", 'git pull'],
  ['git config remote.pushDefault ./evil.git', 'git push'],
  ['git remote add x ./evil.git', 'git push x main'],
  ['git remote add x "file://$PWD/evil.git"', 'git push x main'],
  ['git remote add origin evil.git', 'git push'],
  ['git config branch.main.remote ./evil.git', 'git push'],
  ['git config remote.x.pushurl ./evil.git', 'git push x'],
  ["git config submodule.sub.update '!./run'", 'git submodule update'],
  ['git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),sub', 'git status'],
  ['git config lfs.customtransfer.x.path ./run', 'git lfs fetch'],
  ['git config --file .git/config core.fsmonitor ./run', 'git status'],
  ['git -c core.x=y config core.fsmonitor ./run', 'git status'],
  ['git config --worktree core.fsmonitor ./run', 'git status'],
  [
    'GIT_SEQUENCE_EDITOR=\'printf "exec false\\nexec ./run\\n" >\' git rebase -q -i HEAD~1 || true',
    'git rebase --continue',
  ],
];

const HERE = 'git config core.fsmonitor ./run';
const BELOW = 'cd sub; git config core.fsmonitor ./run';
const PLAIN = 'git init -q --bare --template= plain.git; git remote add origin ./plain.git';
const PLANTS = [...PAIRS.map(([plants]) => plants), BELOW, PLAIN];

describe('of what one command of git plants', () => {
  it.each(PAIRS)('%s: %s asks', (plants, runs) => {
    verifies('Z8');
    const folder = repositoryOf(plants);
    expect({ line: isAsked(folder, runs), git: isAsked(folder, runs, 'git *') }).toEqual({ line: true, git: true });
  });
});

/** Whoever runs git, and wherever: the settings that count are those of the repository that it would work in. */
const WAYS = [
  'git status',
  '/usr/bin/git status',
  '/usr/lib/git-core/git-status',
  'git-status',
  'nice git status',
  'env git status',
  'env A=1 git status',
  'sudo git status',
  'timeout 5 git status',
  "sh -c 'git status'",
  "bash -c 'true && git status'",
  "env -S 'git status'",
  'eval git status',
  'xargs git status < run',
  'find . -maxdepth 0 -exec git status ;',
  '(git status)',
  '{ git status; }',
  'if true; then git status; fi',
  'echo $(git status)',
  'x=$(git status)',
  'git status | cat',
  'true; git status',
  '! git status',
];
const ELSEWHERE = [
  'git -C sub status',
  'git -C . -C sub status',
  'git --git-dir=sub/.git status',
  'git --git-dir sub/.git --work-tree=sub status',
  'GIT_DIR=sub/.git git status',
  'export GIT_DIR=sub/.git; git status',
  'env GIT_DIR=sub/.git git status',
  'cd sub && git status',
  'cd sub; git status',
  'pushd sub && git status',
  '(cd sub; git status)',
  "sh -c 'cd sub && git status'",
  'env -C sub git status',
];

/** Where git works is said by a variable, a glob or another program. */
const UNREADABLE = [
  'git -C "$X" status',
  'git -C $X status',
  'git -C "$' + '{X}/sub" status',
  'git -C "$(cat run)" status',
  'git -C `cat run` status',
  'git -C su* status',
  'git -C su? status',
  'git -C s[u]b status',
  'git -C . -C "$X" status',
  'git --git-dir="$X" status',
  'git --git-dir "$X" --work-tree . status',
  'git --work-tree="$X" status',
  'GIT_DIR="$X" git status',
  'GIT_DIR=$X; export GIT_DIR; git status',
  'export GIT_DIR="$X"; git status',
  'env GIT_DIR="$X" git status',
  'env -C "$X" git status',
  'cd "$X" && git status',
  'cd $X; git status',
  'cd -- "$X" && git status',
  'cd su* && git status',
  'cd - && git status',
  'pushd "$X" && git status',
  '(cd "$X"; git status)',
  'sh -c \'cd "$1" && git status\' sh sub',
  'bash -c "git -C $X status"',
  'bash -c \'git -C "$0" status\' sub',
  'eval "git -C $X status"',
  'for d in */; do git -C "$d" status; done',
  'for d in */; do (cd $d && git status); done',
  'while read -r d; do git -C "$d" status; done < run',
  'ls | xargs -I{} git -C {} status',
  'ls | xargs -I% git -C % status',
  'find . -type d -execdir git status \\;',
  "find . -type d -exec git -C {} status ';'",
  'git push "$X" main',
  'git push $X',
  'git push "$(cat run)" main',
  'cd "$(cat run)" && git status',
];

describe('a folder of git that only the shell can work out', () => {
  it.each(UNREADABLE)('asks also under a rule for the line: %s', (line) => {
    expect(isAsked(repositoryOf(PLAIN), line)).toBe(true);
  });

  it.each([
    'git commit -m "$X"',
    'git add "$X"',
    'git log --author="$X"',
    'cd sub && npm test -- "$X"',
    'X=1; git status',
    'make -C "$X"',
    'git status; echo "$X"',
  ])('is none in %s', (line) => {
    expect(isAsked(repositoryOf(PLAIN), line)).toBe(false);
  });
});

describe('settings of a repository that run a program', () => {
  it.each(WAYS)('count for %s', (line) => {
    expect(isAsked(repositoryOf(HERE), line)).toBe(true);
  });

  it.each(ELSEWHERE)('count for %s', (line) => {
    expect(isAsked(repositoryOf(BELOW), line)).toBe(true);
  });

  it.each([
    ...WAYS,
    ...ELSEWHERE,
    'git push',
    'git push origin main',
    'git rebase --continue',
    'grep -r git .',
    'echo git',
  ])('are none in a plain repository: %s', (line) => {
    expect(isAsked(repositoryOf(PLAIN), line)).toBe(false);
  });
});
