/** Secrets that a command reads without naming them, under a rule for every command: below a folder, and in git's settings. */
import { beforeAll, describe, expect, it } from 'vitest';
import { verifies } from '../../../../tests/requirements.ts';
import { putFiles, scratchFolder } from '../../../../tests/support/scratch.ts';
import { openShellRules, type ShellRules, surroundingsOf } from '../shell-rules.ts';

let rules: ShellRules;
beforeAll(async () => {
  rules = await openShellRules();
});

const TOKEN = 'https://me:hunter2@host/x.git';
const repository = (config: string): Record<string, string> => ({
  '.git/HEAD': 'ref: refs/heads/main\n',
  '.git/objects/x': '',
  '.git/refs/x': '',
  '.git/config': config,
});
const world = (files: Record<string, string>, home: Record<string, string> = {}) => {
  const [folder, own] = [scratchFolder(), scratchFolder()];
  putFiles(folder, files);
  putFiles(own, home);
  const surroundings = surroundingsOf(folder, { home: own });
  return (line: string): boolean =>
    rules.decide({ allow: [{}], deny: [] }, line, surroundings).mentions.some(({ about }) => about === 'secret');
};

describe('in a folder with a hidden secret', () => {
  const files = { 'conf/.env': 'KEY=1', 'src/a.ts': '', 'src/b.md': '', '.docker/config.json': '{}', 'keys/x.pem': '' };
  it.each([
    'rg -l --hidden KEY',
    'rg -uu KEY',
    'grep -r KEY',
    'grep -rl KEY .',
    "grep -r --include='.e*' KEY .",
    'grep -r --exclude=x --include=*.ts KEY .',
    'sudo grep -r KEY .',
    "bash -c 'grep -r KEY .'",
    'bash -c "cd conf && grep -r KEY ."',
    'find . -type f -exec cat {} +',
    'find . -type f -exec grep KEY {} \\;',
    'find -execdir head {} \\;',
    "find . -name '.e*' -exec cat {} +",
    "find . \\( -name '*.ts' -o -type f \\) -exec cat {} +",
    "find . -name '*.ts' -o -type f -exec cat {} +",
    "find . ! -name '*.ts' -exec cat {} +",
    "find . -not \\( -name '*.ts' \\) -exec cat {} +",
    'find . -type f | xargs cat',
    'find . -type f -print0 | xargs -0 -n1 head',
    'find conf | xargs -I{} cp {} x',
    'cat $(find . -type f)',
    'find . -type f | while read -r f; do cat "$f"; done',
    'for f in $(find conf -type f); do cat $f; done',
    'mapfile -t all < <(find .); cat "$all"',
    'ls -A conf | xargs cat',
    'cat $(ls -a conf)',
    'ls -RA | xargs cat',
    'files=$(find . -type f); cat $files',
    'bash -c "cat \\$(ls -A conf)"',
    'find . -type f | xargs -0 grep echo',
    'cat list | xargs cat',
    'head -n 3 list | xargs -n1 head',
    'sort -u list | xargs -I{} cp {} x',
    'cut -d: -f1 list | xargs grep KEY',
    "sed -n '1,3p' list | xargs tail",
    'grep conf list | xargs cat',
    "awk '{print $1}' list | xargs cat",
    'jq -r .files[] a.json | xargs cat',
    'cat list | sort | sudo xargs cat',
    'xargs cat < list',
    'xargs -n1 head < list',
    'cat list | while read -r f; do cat "$f"; done',
    'while read -r f; do cat "$f"; done < list',
    `mapfile -t all < list; cat "\${all[@]}"`,
    'read f < list; grep KEY "$f"',
    'cat $(cat list)',
    'cat $(< list)',
    'head "$(tail -n1 list)"',
    'files=$(cat list); cat $files',
    'for f in $(cat list); do cat "$f"; done',
    'for f in $(sort list); do cp "$f" out; done',
    'tar cf x.tar $(cat list)',
    "bash -c 'cat list | xargs cat'",
    'wc --files0-from=list',
    'du -ah --files0-from list',
    'find -files0-from list -type f -exec cat {} +',
    'tar -cf x.tar -T list',
    'tar --files-from=list -cf x.tar',
    'rsync --files-from=list . /tmp/x',
    'xargs -a list cat',
    'xargs --arg-file=list head',
    'parallel cat :::: list',
    'zip x.zip -@',
    'git grep --no-index KEY',
    'git grep --untracked KEY',
    'git diff --no-index /dev/null conf',
    'git ls-files -o | xargs cat',
    'tar c .',
    'tar czf x.tgz .',
    'tar -cf x.tar conf',
    'tar --exclude=x -cf x.tar conf',
    'zip -r x.zip .',
    '7z a x.7z .',
    'jar cf x.jar conf',
    'find . | cpio -o > x',
    'cp -r . /tmp/x',
    'cp -a conf other',
    'cp -R conf/ other',
    'cp -rt other conf',
    'rsync -a . /tmp/x',
    'scp -r conf host:',
    'mv .docker d',
    'cp -r .docker d',
    'grep -r auth .docker',
    'ag KEY conf',
    'ack KEY',
    'fd -H -X cat',
    'fd -Hx cat',
    'fd --hidden --exec-batch cat',
    'fd -u | xargs cat',
    'fd -e pem -x cat',
    'rg --files --hidden | xargs cat',
    'repomix',
    'diff -r conf src',
  ])('%s reads it', (line) => {
    verifies('S18');
    expect(world(files)(line)).toBe(true);
  });

  it.each([
    'ls -la',
    'ls -A conf',
    'find . -type f',
    'find . -type f -delete',
    'find . -type f -exec ls -l {} +',
    'find . -type f -exec chmod 644 {} +',
    'find . -type f | xargs ls -l',
    'find . -type f | xargs rm -f',
    "find . -name '*.ts' -exec cat {} +",
    "find . \\( -name '*.ts' -o -name '*.md' \\) -exec cat {} +",
    "find . -name '*.ts' -not -path './node_modules/*' | xargs grep KEY",
    "grep -rn --include='*.ts' KEY .",
    'grep -rn --include=*.ts --include=*.md KEY .',
    'grep -rn KEY src',
    'rg --files --hidden',
    'rg KEY src',
    'fd -e ts -X cat',
    'git grep KEY',
    'git ls-files | xargs cat',
    'git diff',
    'tar xzf x.tgz',
    'tar tf x.tar',
    'tar --exclude=conf --exclude=keys --exclude=.d* -cf x.tar .',
    'cp -r src lib',
    'rsync -a src/ lib/',
    'mv conf other',
    'mv src lib',
    'npm test',
    'du -sh .',
    'echo $(ls -A)',
    'cd "$DIR" && ls -la',
    'ls -la; git commit -m "$MESSAGE"',
    'x=$(date); ls -A; cat "$x"',
    'find . -type f | head; wc -l "$f"',
    'cat $(git ls-files); ls -la',
    'find . -type f | xargs -n 1 basename',
    'cat list | xargs rm -f',
    'cat list | xargs npm install',
    'cat list | xargs -n1 echo',
    'cat list | sort | uniq -c',
    'cat log | while read -r one; do echo "$one"; done',
    'while read -r one; do echo "$one"; done < log',
    'version=$(cat VERSION); echo "$version"',
    `version=$(cat VERSION); sed -i "s/x/$version/" src/a.ts`,
    'git commit -m "$(cat message)"',
    'kill $(cat app.pid)',
    'for f in $(cat list); do echo "$f"; done',
    'git ls-files | grep ts | xargs cat',
    'grep -rl KEY src | xargs sed -n 1p',
    'git diff --name-only | head -n 5 | xargs cat',
    'read -r answer; cat src/a.ts',
  ])('%s does not', (line) => expect(world(files)(line)).toBe(false));
});

describe('with a key in the settings of git', () => {
  const config = `[remote "origin"]\n\turl = ${TOKEN}\n[user]\n\tname = Me\n[remote "plain"]\n\turl = git@host:x\n`;
  const lines = [
    'cat .git/config',
    'cat .git/conf*',
    'cat < .git/config',
    'head -n 3 ./.git/config',
    'cp .git/config x',
    'cd .git && cat config',
    `python3 -c "print(open('.git/config').read())"`,
    'sed -n p .git/config',
    'grep -r host .git',
    'grep -r host .',
    'rg --hidden host',
    'rg -uu host',
    'tar c .git',
    'cp -r . ../x',
    'git remote -v',
    'git remote get-url origin',
    'git remote show origin',
    'git config -l',
    'git config --list --show-origin',
    'git config list',
    'git config --get remote.origin.url',
    'git config get remote.Origin.url',
    'git config remote.origin.url',
    'git config --get-regexp url',
    'git ls-remote --get-url',
    'git var -l',
    'git -C . remote -v',
    'git --no-pager config -l',
    'git --git-dir=.git config -l',
    'cd src && git remote -v',
    "bash -c 'git remote -v'",
    'x=$(git config --get remote.origin.url); echo $x',
    'echo url=https://host | git credential fill',
  ];
  it.each(lines)('%s prints it', (line) => {
    verifies('S18');
    expect(world({ ...repository(config), 'src/a.ts': '' })(line)).toBe(true);
  });

  it.each([
    'git remote',
    'git remote add x git@host:x',
    'git config user.name',
    'git config --get user.name',
    'git config user.email me@host',
    'git config --get remote.plain.url',
    'git status',
    'git log -1',
    'git push',
    'git commit -m x',
    'rg host',
    'ls .git',
    'test -f .git/config',
    'grep -r --exclude-dir=.git host .',
  ])('%s does not', (line) => expect(world({ ...repository(config), 'src/a.ts': '' })(line)).toBe(false));

  const clean = '[core]\n\tbare = false\n[remote "origin"]\n\turl = git@host:x\n';
  it.each(lines.filter((line) => !line.includes('credential')))('%s asks nothing where there is none', (line) =>
    expect(world({ ...repository(clean), 'src/a.ts': '' })(line)).toBe(false),
  );

  it('is found in what the person set for all, in worktrees and submodules, and behind an include', () => {
    verifies('S18');
    const header = '[http "https://host/"]\n\textraHeader = AUTHORIZATION: basic abc\n';
    expect(world(repository(clean), { '.gitconfig': header })('git config -l')).toBe(true);
    expect(world(repository(clean), { '.config/git/config': header })('git config -l')).toBe(true);
    const rewritten = `[url "https://me:hunter2@host/"]\n\tinsteadOf = git@host:\n`;
    expect(world(repository(clean), { '.gitconfig': rewritten })('git remote -v')).toBe(true);
    expect(world({ ...repository(`${clean}[include]\n\tpath = ../tokens\n`), tokens: header })('git config -l')).toBe(
      true,
    );
    const worktree = { ...repository(clean), '.git/worktrees/w/config.worktree': header };
    expect(world(worktree)('cat .git/worktrees/w/config.worktree')).toBe(true);
    expect(world({ ...repository(clean), '.git/modules/m/config': header })('cat .git/modules/m/config')).toBe(true);
  });
});

describe('with a key in the settings of a tool', () => {
  const files = { '.yarnrc.yml': 'npmAuthToken: "abc"', 'web/.npmrc': '//r/:_authToken=abc', 'pip.conf': 'x = 1' };
  it.each(['cat .yarnrc.yml', 'cat web/.npmrc', 'cat .y*', 'grep -r abc .', 'sort .yarnrc.yml'])(
    '%s reads it',
    (line) => {
      verifies('S18');
      expect(world(files)(line)).toBe(true);
    },
  );
  it('one without a key is like any file', () => expect(world(files)('cat pip.conf')).toBe(false));
});

describe('settings of programs in the home folder', () => {
  const files = {
    '.m2/settings.xml': '<settings><password>hunter2hunter2</password></settings>',
    '.cargo/config.toml': '[registries.own]\ntoken = "Bearer 4a5b6c7d8e9f0a1b2c3d"\n',
    '.gitconfig': `[url "${TOKEN}"]\n\tinsteadOf = x:\n`,
    '.gradle/gradle.properties': 'org.gradle.jvmargs=-Xmx2g\n',
    '.cargo/bin/cargo': '',
    '.ivy2/.credentials': 'x',
  };
  it.each<[line: string, about: string[]]>([
    ['cat ~/.m2/settings.xml', ['outside']],
    ['grep token "$HOME/.cargo/config.toml"', ['outside']],
    ['cat ~/.gitconfig', ['outside']],
    ['cat ~/.gradle/gradle.properties', []],
    ['~/.cargo/bin/cargo build', []],
    ['cat ~/.ivy2/.credentials', ['secret']],
    ['cat ~/.cache/huggingface/stored_tokens', ['secret']],
    ['head ~/.julia/servers/x/auth.toml', ['secret']],
  ])('%s', (line, about) => {
    verifies('S18');
    const [folder, home] = [scratchFolder(), scratchFolder()];
    putFiles(home, files);
    const { mentions } = rules.decide({ allow: [{}], deny: [] }, line, surroundingsOf(folder, { home }));
    expect([...new Set(mentions.map((mention) => mention.about))]).toEqual(about);
  });
});

describe('a rule that does not name what the sandbox would show of the home folder', () => {
  it.each<[pattern: string, line: string, verdict: string]>([
    ['npm test', 'npm test # ~', 'ask'],
    ['npm test', 'npm test # see $HOME/private', 'ask'],
    ['npm test', 'npm test # HOMEFOLDER/private', 'ask'],
    ['npm test', 'echo ~/private; npm test', 'ask'],
    ['npm test *', 'npm test "x ~/private"', 'ask'],
    ['git commit *', 'git commit -m "as in ~/private/a.txt"', 'ask'],
    ['git commit *', 'git commit -m "as in ~/nowhere"', 'allow'],
    ['npm test', 'npm test # ~/.cargo/bin', 'allow'],
    ['npm test', 'npm test # /etc', 'allow'],
    ['npm test', 'npm test', 'allow'],
  ])('%s: %s', (pattern, line, verdict) => {
    verifies('S13');
    const [folder, home] = [scratchFolder(), scratchFolder()];
    putFiles(home, { 'private/a.txt': 'A', '.cargo/bin/cargo': '' });
    const text = line.replace('HOMEFOLDER', home);
    expect(rules.decide({ allow: [{ pattern }], deny: [] }, text, surroundingsOf(folder, { home })).verdict).toBe(
      verdict,
    );
  });
});
