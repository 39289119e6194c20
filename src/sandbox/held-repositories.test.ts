/** Files that other programs obey, in what a command puts into a repository: the person's next checkout would write them. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { inSandboxWorld, PERSON as PERSON_OF_GIT } from '../../tests/support/sandbox-world.ts';

/** The person's: two branches, a nested repository, and a file of an editor in the history. */
const PERSON = `git init -q -b main .; git config user.name p; git config user.email p@x; echo a > a.txt; mkdir src; echo s > src/s; git add .; git commit -qm first
git checkout -qb feature; echo f > f.txt; mkdir .vscode; echo '{"own":1}' > .vscode/settings.json; git add .; git commit -qm feature
git checkout -q main; echo b > b.txt; git add .; git commit -qm second; echo /nested >> .git/info/exclude; git init -q -b main nested; cd nested; echo n > n; git add .; git commit -qm n`;

const BLOB = 'B=$(echo "{\\"evil\\":1}" | git hash-object -w --stdin)';
const TREE = `${BLOB}; V=$(printf "100644 blob $B\\ttasks.json\\n" | git mktree); T=$({ git ls-tree HEAD; printf "040000 tree $V\\t.vscode\\n"; } | git mktree)`;
const COMMIT = `${TREE}; C=$(git commit-tree -p HEAD -m x $T)`;
const WRITE = 'mkdir -p .vscode; echo "{\\"evil\\":1}" > .vscode/tasks.json';
const AWAY = 'rm -rf .vscode';

/** What the command does, and what the person does then. */
const WAYS: Readonly<Record<string, readonly [command: string, person: string]>> = {
  'add and commit': [`${WRITE}; git add -A; git commit -qm x; ${AWAY}`, 'git checkout -q .'],
  'commit-tree and update-ref': [`${COMMIT}; git update-ref refs/heads/main $C`, 'git reset -q --hard'],
  'another branch': [`${COMMIT}; git branch other $C`, 'git switch -q other'],
  'a branch written by hand': [`${COMMIT}; mkdir -p .git/refs/heads; echo $C > .git/refs/heads/x`, 'git switch -q x'],
  'a tag': [`${COMMIT}; git tag -a -m t v1 $C`, 'git checkout -q v1'],
  'a tag of a tree': [`${TREE}; git tag v1 $T`, 'git checkout -q v1 -- .'],
  'a branch of a remote': [
    `${COMMIT}; git update-ref refs/remotes/origin/x $C; git remote add origin ./nested`,
    'git checkout -q -b x origin/x',
  ],
  'the index by cacheinfo': [
    `${BLOB}; git update-index --add --cacheinfo 100644,$B,.vscode/tasks.json`,
    'git checkout -q .',
  ],
  'the index by read-tree': [`${TREE}; git read-tree $T`, 'git checkout -q .'],
  'an index of version 4': [
    `${BLOB}; git update-index --index-version 4; git update-index --add --cacheinfo 100644,$B,.vscode/tasks.json`,
    'git checkout -q .',
  ],
  'a split index': [
    `${BLOB}; git update-index --split-index; git update-index --add --cacheinfo 100644,$B,.vscode/tasks.json`,
    'git checkout -q .',
  ],
  'a shared index alone': [
    `${BLOB}; git update-index --add --cacheinfo 100644,$B,.vscode/tasks.json; git update-index --split-index`,
    'git checkout -q .',
  ],
  'a conflict in the index': [
    `${BLOB}; printf "100644 $B 1\\t.vscode/tasks.json\\n100644 $B 3\\t.vscode/tasks.json\\n" | git update-index --index-info`,
    'git checkout -q --theirs .',
  ],
  'a conflict that was resolved': [
    `${BLOB}; printf "100644 $B 1\\t.vscode/tasks.json\\n100644 $B 2\\t.vscode/tasks.json\\n100644 $B 3\\t.vscode/tasks.json\\n" | git update-index --index-info; ${WRITE}; git add .vscode; git rm -q --cached .vscode/tasks.json; ${AWAY}`,
    'git update-index --unresolve .vscode/tasks.json; git checkout -q --theirs .',
  ],
  'a stash': [`${WRITE}; git stash -q -u`, 'git stash pop -q'],
  'a stash without untracked files': [`${WRITE}; git add -A; git stash -q`, 'git stash pop -q'],
  'fast-import': [
    'printf "commit refs/heads/x\\ncommitter p <p@x> 1 +0000\\ndata 1\\nx\\nM 644 inline .vscode/tasks.json\\ndata 2\\n{}\\n\\ndone\\n" | git fast-import --quiet --done',
    'git checkout -q x',
  ],
  'a patch that is applied': [
    'printf "From 0 Mon Sep 17 00:00:00 2001\\nFrom: p <p@x>\\nSubject: x\\n\\n---\\ndiff --git a/.vscode/tasks.json b/.vscode/tasks.json\\nnew file mode 100644\\n--- /dev/null\\n+++ b/.vscode/tasks.json\\n@@ -0,0 +1 @@\\n+{}\\n-- \\n2\\n" > m; git am -q m; rm -rf .vscode',
    'git checkout -q .',
  ],
  'a patch that waits': [
    'printf "From 0 Mon Sep 17 00:00:00 2001\\nFrom: p <p@x>\\nSubject: x\\n\\n---\\ndiff --git a/q b/q\\n--- a/q\\n+++ b/q\\n@@ -1 +1 @@\\n-o\\n+n\\n-- \\n2\\n\\nFrom 0 Mon Sep 17 00:00:00 2001\\nFrom: p <p@x>\\nSubject: y\\n\\n---\\ndiff --git a/.vscode/tasks.json b/.vscode/tasks.json\\nnew file mode 100644\\n--- /dev/null\\n+++ b/.vscode/tasks.json\\n@@ -0,0 +1 @@\\n+{}\\n-- \\n2\\n" > m; git am -q m',
    'git am --skip',
  ],
  'apply to the index': [
    'printf "diff --git a/.vscode/tasks.json b/.vscode/tasks.json\\nnew file mode 100644\\n--- /dev/null\\n+++ b/.vscode/tasks.json\\n@@ -0,0 +1 @@\\n+{}\\n" | git apply --cached',
    'git checkout -q .',
  ],
  'a merge': [`${COMMIT}; git merge -q $C; ${AWAY}`, 'git checkout -q .'],
  'a merge that adds it': [
    `${TREE}; C=$(git commit-tree -p HEAD -p feature -m x $T); git update-ref refs/heads/main $C`,
    'git reset -q --hard',
  ],
  'the commit before the last': [
    `${COMMIT}; D=$(git commit-tree -p $C -m y HEAD^{tree}); git update-ref refs/heads/main $D`,
    'git checkout -q HEAD~1',
  ],
  'a commit in the log alone': [
    `${COMMIT}; git update-ref --create-reflog refs/heads/y $C; git update-ref refs/heads/y HEAD`,
    'git checkout -q "y@{1}"',
  ],
  FETCH_HEAD: [`${COMMIT}; echo "$C\t\tbranch x of y" > .git/FETCH_HEAD`, 'git merge -q FETCH_HEAD'],
  'a bundle': [
    `${COMMIT}; git update-ref refs/heads/z $C; git bundle create -q x.bundle z; git update-ref -d refs/heads/z; git fetch -q ./x.bundle z:w`,
    'git checkout -q w',
  ],
  'a pack alone': [`${COMMIT}; echo $C > .git/refs/heads/x; git repack -q -a -d`, 'git checkout -q x'],
  'packed references': [`${COMMIT}; echo "$C refs/heads/x" >> .git/packed-refs`, 'git checkout -q x'],
  'a worktree': [`${COMMIT}; git worktree add -q wt $C; rm -rf wt/.vscode`, 'git -C wt checkout -q .'],
  notes: [`${COMMIT}; git update-ref refs/notes/commits $C`, 'git checkout -q refs/notes/commits'],
  'a rebase that goes on': [
    `${COMMIT}; GIT_SEQUENCE_EDITOR="sed -i 1ibreak" git rebase -q -i HEAD~1; echo "pick $C" >> .git/rebase-merge/git-rebase-todo`,
    'git rebase --continue',
  ],
  'a cherry-pick that goes on': [
    `${COMMIT}; echo q > a.txt; git commit -qam q; X=$(git commit-tree -p HEAD~1 -m conflict $(printf "100644 blob $B\\ta.txt\\n" | git mktree)); git cherry-pick $X $C`,
    'git cherry-pick --skip',
  ],
  'a new repository': [
    `mkdir n; cd n; git init -q; ${WRITE}; git add -A; git commit -qm x; ${AWAY}`,
    'git -C n checkout -q .',
  ],
  'a nested repository': [`cd nested; ${WRITE}; git add -A; git commit -qm x; ${AWAY}`, 'git -C nested checkout -q .'],
  'a repository beside, pushed to': [
    `git init -q --bare -b main b.git; ${COMMIT}; git push -q ./b.git $C:refs/heads/main`,
    'git pull -q --rebase ./b.git main',
  ],
  'a repository in the second folder': [
    `mkdir $MORE/r; cd $MORE/r; git init -q; ${WRITE}; git add -A; git commit -qm x; ${AWAY}`,
    'git -C $MORE/r checkout -q .',
  ],
  'a tree that is written over': [
    `${TREE}; O=$(git rev-parse HEAD^{tree}); F=.git/objects/$(echo $O | cut -c1-2)/$(echo $O | cut -c3-); rm -f $F; cp .git/objects/$(echo $T | cut -c1-2)/$(echo $T | cut -c3-) $F`,
    'rm -f .git/index; git reset -q --hard',
  ],
  'a blob that is written over': [
    `${BLOB}; O=$(git rev-parse feature:.vscode/settings.json); F=.git/objects/$(echo $O | cut -c1-2)/$(echo $O | cut -c3-); rm -f $F; cp .git/objects/$(echo $B | cut -c1-2)/$(echo $B | cut -c3-) $F`,
    'git checkout -q feature; cp .vscode/settings.json .vscode/tasks.json; grep -q evil .vscode/tasks.json || rm .vscode/tasks.json',
  ],
  'objects from elsewhere': [
    `mkdir st; GIT_OBJECT_DIRECTORY=$PWD/st GIT_ALTERNATE_OBJECT_DIRECTORIES=$PWD/.git/objects; export GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES; ${COMMIT}; unset GIT_OBJECT_DIRECTORY; echo ../../st > .git/objects/info/alternates; echo $C > .git/refs/heads/x`,
    'git checkout -q x',
  ],
  'a link in its place': [
    'B=$(printf src | git hash-object -w --stdin); T=$({ git ls-tree HEAD; printf "120000 blob $B\\t.vscode\\n"; } | git mktree); mkdir -p src; echo {} > src/tasks.json; git update-ref refs/heads/main $(git commit-tree -p HEAD -m x $T)',
    'git reset -q --hard',
  ],
  'a file of a shell': [
    'echo evil > .envrc; git add .; git commit -qm x; rm .envrc',
    'git checkout -q .; mkdir -p .vscode; cp .envrc .vscode/tasks.json',
  ],
  'a table of commits': [
    `${TREE}; git commit-graph write --reachable; O=$(git rev-parse HEAD~1^{tree}); python3 - $O $T <<'P'
import sys,hashlib
f='.git/objects/info/commit-graph'; d=open(f,'rb').read()
a,b=[bytes.fromhex(x) for x in sys.argv[1:]]
assert a in d
d=d.replace(a,b)[:-20]
import os; os.chmod(f,0o644); open(f,'wb').write(d+hashlib.sha1(d).digest())
P`,
    'git checkout -q HEAD~1 -- .; git revert --no-edit HEAD',
  ],
};

import { everyNth } from '../../tests/support/long.ts';

describe('a file that others obey, in a repository', () => {
  for (const [name, [command, person]] of everyNth(Object.entries(WAYS), 13)) {
    inSandboxWorld(`is written by no checkout: ${name}`, async (world) => {
      verifies('S49');
      world.outside(PERSON);
      const ran = await world.run(`(${command}\n); echo done > "$MORE/done"`);
      world.outside(person);
      const found = world.outside('find -L . "$MORE" -path "*.vscode/tasks.json"');
      expect({ found, output: ran.output }).toEqual({ found: '', output: ran.output });
      // The command's other work is in its place.
      expect(existsSync(path.join(world.more, 'done'))).toBe(true);
    });
  }
});

/** Nothing of it is taken back. */
const ORDINARY: Readonly<Record<string, readonly [command: string, look: string, seen: string]>> = {
  'a commit of many files': [
    'for n in $(seq 300); do echo $n > src/$n; done; git add -A; git commit -qm many',
    'git log --format=%s -1; git status --short',
    'many\n',
  ],
  'a commit beside what the history has': [
    'git checkout -q feature; echo x >> f.txt; git commit -qam more; git checkout -q main',
    'git log --format=%s -1 feature; git status --short',
    'more\n',
  ],
  'a merge of a branch with such a file': [
    'git merge -q -m merged feature; git log --format=%s -1',
    'git log --format=%s -1',
    'merged\n',
  ],
  'a rebase of it': [
    'git checkout -q feature; git rebase -q main; git checkout -q main',
    'git log --format=%s -1 feature; git merge-base main feature | cut -c1-40 | xargs git log --format=%s -1',
    'feature\nsecond\n',
  ],
  'a cherry-pick of it': ['git cherry-pick feature', 'git log --format=%s -1', 'feature\n'],
  'a commit of a file that lies in the folder': [
    'git add -A; git commit -qm theirs',
    'git show --name-only --format=%s',
    'theirs\n\n.npmrc\n',
  ],
  'the first commit of a folder': [
    'rm -rf .git nested; git init -q -b main; git add -A; git commit -qm all',
    'git log --format=%s',
    'all\n',
  ],
  'a clone': ['git clone -q . cl; git -C cl checkout -q feature', 'git -C cl log --format=%s -1', 'feature\n'],
  'a clone with shared objects': ['git clone -q -s nested cl', 'git -C cl log --format=%s -1', 'n\n'],
  'a collection of garbage': [
    'git gc -q; git commit-graph write --reachable; git multi-pack-index write',
    'git fsck 2>&1; git log --format=%s -1',
    'second\n',
  ],
  'a stash': ['echo x >> a.txt; git stash -q; git stash pop -q', 'git status --short', ' M a.txt\n'],
  'fetches from a folder': ['git fetch -q ./nested main:other', 'git log --format=%s -1 other', 'n\n'],
  'a worktree': ['git worktree add -q wt feature', 'git -C wt log --format=%s -1', 'feature\n'],
  'an amended commit': [
    'echo x > a.txt; git commit -qam x; echo y > a.txt; git commit -qam y --amend',
    'git log --format=%s -1',
    'y\n',
  ],
};

describe('ordinary work with a repository', () => {
  for (const [name, [command, look, seen]] of everyNth(Object.entries(ORDINARY), 11)) {
    inSandboxWorld(`counts: ${name}`, async (world) => {
      verifies('S49');
      world.outside(PERSON);
      if (name.includes('lies in the folder')) world.outside('echo x=1 > .npmrc; git checkout -q .');
      const ran = await world.run(command);
      const ofGit = ran.withheld.filter(({ path: file }) => /(?:^|\/)\.git(?:\/|$)/.test(file));
      const told = JSON.stringify([ran.withheld, ran.output]);
      expect([ofGit, world.outside(look), told]).toEqual([[], seen, told]);
    });
  }
});

describe('a yes to such a file', () => {
  inSandboxWorld('lets the commit that holds it pass, with one question', async (world) => {
    verifies('S49', 'S44');
    world.outside(PERSON);
    const asked: string[][] = [];
    const mayKeep = async (changes: readonly { path: string }[]) => {
      asked.push(changes.map((each) => each.path));
      return changes.map(() => true);
    };
    const ran = await world.run(`${WRITE}; git add -A .vscode; git commit -qm x`, { mayKeep });
    expect(asked).toEqual([['.vscode/tasks.json']]);
    expect(ran.taken).toEqual([]);
    expect(world.outside('git log --format=%s -1; git status --short .vscode')).toBe('x\n');
    expect(readFileSync(path.join(world.root, '.vscode/tasks.json'), 'utf8')).toContain('evil');
  });

  inSandboxWorld(
    'is asked for each version that a commit holds, and a no keeps the repository as it was',
    async (world) => {
      verifies('S49', 'S44');
      world.outside(PERSON);
      const shown: (string | undefined)[] = [];
      const mayKeep = async (changes: readonly { after?: string }[]) => {
        shown.push(...changes.map((each) => each.after));
        return changes.map(({ after }) => after !== 'two\n');
      };
      const line = 'for v in one two three; do echo $v > .envrc; git add .envrc; git commit -qm $v; done';
      const ran = await world.run(line, { mayKeep });
      expect(shown.sort()).toEqual(['one\n', 'three\n', 'two\n']);
      expect(ran.taken).toEqual(['.git']);
      expect(world.outside('git log --format=%s -1; cat .envrc')).toBe('second\nthree\n');
    },
  );
});

describe('a file that others obey, in a repository of a background command', () => {
  const LIVE: Readonly<Record<string, readonly [command: string, person: string]>> = {
    'in the repository of the folder': [`${COMMIT}; git update-ref refs/heads/main $C`, 'git reset -q --hard'],
    'in a new repository': [
      `mkdir n; cd n; git init -q; ${WRITE}; git add -A; git commit -qm x; ${AWAY}`,
      'git -C n checkout -q .',
    ],
    'in the index': WAYS['the index by cacheinfo'] ?? ['', ''],
  };
  for (const [name, [command, person]] of everyNth(Object.entries(LIVE), 3)) {
    inSandboxWorld(`is written by no checkout: ${name}`, async (world) => {
      verifies('S49', 'S38');
      world.outside(PERSON);
      let output = '';
      const line = `(${command}\n); echo up > "$MORE/up"; read; echo more > more.txt`;
      const job = await world.processes.open({
        command: ['/bin/bash', '-c', line],
        confined: true,
        env: PERSON_OF_GIT,
        onOutput: (text) => {
          output += text;
        },
      });
      if (!job.ok) throw new Error(job.error.message);
      await expect.poll(() => output, { timeout: 30_000 }).toMatch(/Taken back: \S*\.git/);
      world.outside(person);
      job.value.write('\n');
      await job.value.ended;
      world.outside(person);
      expect(world.outside('find -L . "$MORE" -path "*.vscode/tasks.json"; cat more.txt')).toBe('more\n');
    });
  }

  inSandboxWorld('is none where it commits and makes a repository', async (world) => {
    verifies('S49');
    world.outside(PERSON);
    let output = '';
    const line =
      'echo x > x; git add x; git commit -qm live; git init -q -b main r; cd r; echo y > y; git add y; git commit -qm new; sleep 60';
    const job = await world.processes.open({
      command: ['/bin/bash', '-c', line],
      confined: true,
      env: PERSON_OF_GIT,
      onOutput: (text) => {
        output += text;
      },
    });
    if (!job.ok) throw new Error(job.error.message);
    const said = (): string =>
      world.outside('git log --format=%s -1; git -C r log --format=%s -1; git -C r status --short');
    await expect.poll(said, { timeout: 30_000 }).toBe('live\nnew\n');
    await job.value.stop();
    expect([output, said(), world.outside('git fsck; git -C r fsck')]).toEqual(['', 'live\nnew\n', '']);
  });
});
