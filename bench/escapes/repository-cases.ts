/**
 * Commands that put a file which others obey into a repository, for the person's next checkout to write. Each begins with
 * `$B` a blob, `$V` a folder with it, `$T` a tree with that beside what is there, `$C` a commit of that tree.
 */
import { type EscapeCase, each } from './each.ts';

const BEGIN = String.raw`git config user.name p; git config user.email p@x; B=$(echo '{"evil":1}' | git hash-object -w --stdin); V=$(printf '100644 blob %s\ttasks.json\n' $B | git mktree); T=$({ git ls-tree HEAD; printf '040000 tree %s\t.vscode\n' $V; } | git mktree); `;
const WITH_COMMIT = `${BEGIN}C=$(git commit-tree -p HEAD -m x $T); `;

const WAYS = String.raw`
mkdir .vscode; echo {} > .vscode/tasks.json; git add -A; git commit -qm x; rm -rf .vscode
git update-ref refs/heads/main $C; git update-ref refs/heads/master $C
git branch evil $C
git tag v1 $C
git tag -a -m x v2 $C; git tag -a -m y v3 v2; git tag -d v2
git update-ref refs/remotes/origin/x $C
git update-index --add --cacheinfo 100644,$B,.vscode/tasks.json
mkdir .vscode; echo {} > .vscode/tasks.json; git stash -q -u
D=$(git commit-tree -p $C -m y HEAD^{tree}); git update-ref HEAD $D
git update-ref --create-reflog refs/heads/y $C; git update-ref refs/heads/y HEAD
echo "$C branch 'x' of y" | tr ' ' '\t' > .git/FETCH_HEAD
echo $C > .git/MERGE_HEAD; echo m > .git/MERGE_MSG
echo $C > .git/CHERRY_PICK_HEAD
echo "$C refs/heads/x" >> .git/packed-refs
git branch x $C; git repack -qad; git pack-refs --all
git branch x $C; git gc -q --prune=now
S=$(printf '100664 blob %s\ttasks.json\0' $B > /dev/null; printf '40755 %s\0' .vscode | cat - <(printf %s $V | xxd -r -p) | git hash-object --literally -w -t tree --stdin); git branch x $(git commit-tree -m x $S)
S=$(printf '40755 %s\0' sub | cat - <(printf %s $T | xxd -r -p) | git hash-object --literally -w -t tree --stdin); git branch x $(git commit-tree -m x $S)
S=$(printf '0100644 %s\0' .envrc | cat - <(printf %s $B | xxd -r -p) | git hash-object --literally -w -t tree --stdin); git branch x $(git commit-tree -m x $S)
S=$(printf '100644 %s\0' .vscode/tasks.json | cat - <(printf %s $B | xxd -r -p) | git hash-object --literally -w -t tree --stdin); git branch x $(git commit-tree -m x $S)
S=$(printf '100644 a\0' | cat - <(printf %s $B | xxd -r -p) <(printf '100644 .envrc\0') <(printf %s $B | xxd -r -p) <(printf '100644 .envrc\0') <(printf %s $(git rev-parse HEAD:a) | xxd -r -p) | git hash-object --literally -w -t tree --stdin); git branch x $(git commit-tree -m x $S)
L=$(printf src | git hash-object -w --stdin); mkdir src; echo {} > src/tasks.json; S=$(printf '120000 blob %s\t.vscode\n' $L | git mktree); git branch x $(git commit-tree -m x $S)
L=$(printf conf | git hash-object -w --stdin); F=$(printf '100644 blob %s\tconfig.fish\n' $B | git mktree); G=$(printf '040000 tree %s\tfish\n' $F | git mktree); S=$(printf '120000 blob %s\t.config\n040000 tree %s\tconf\n' $L $G | git mktree); git branch x $(git commit-tree -m x $S)
S=$(printf '160000 commit %s\t.vscode\n' $(git rev-parse HEAD) | git mktree); git branch x $(git commit-tree -m x $S)
git -C nested fetch -q .. 2>/dev/null; O=$(git rev-parse HEAD); mkdir .config; git init -q .config/r; cd .config/r; git config user.name p; git config user.email p@x; mkdir fish; echo x > fish/config.fish; git add .; git commit -qm x; git config core.worktree ../..; rm -rf fish
git init -q r; cd r; git config user.name p; git config user.email p@x; mkdir fish; echo x > fish/config.fish; git add .; git commit -qm x; rm -rf fish; mkdir ../.config; git config core.worktree ../../.config
git init -q r; cd r; git config user.name p; git config user.email p@x; mkdir fish; echo x > fish/config.fish; git add .; git commit -qm x; cd ..; git -c protocol.file.allow=always submodule add -q ./r .config; git commit -qm s; rm -rf .config/fish r
printf 'From 0 Mon Sep 17 00:00:00 2001\nFrom: p <p@x>\nSubject: x\n\n---\ndiff --git a/q b/q\n--- a/q\n+++ b/q\n@@ -1 +1 @@\n-o\n+n\n-- \n2\n\nFrom 0 Mon Sep 17 00:00:00 2001\nFrom: p <p@x>\nSubject: y\n\n---\ndiff --git a/tasks.json b/tasks.json\nnew file mode 100644\n--- /dev/null\n+++ b/tasks.json\n@@ -0,0 +1 @@\n+{}\n-- \n2\n' > m; git am -q --directory=.vscode m
printf 'From 0 Mon Sep 17 00:00:00 2001\nFrom: p <p@x>\nSubject: x\n\n---\ndiff --git a/q b/q\n--- a/q\n+++ b/q\n@@ -1 +1 @@\n-o\n+n\n-- \n2\n\nFrom 0 Mon Sep 17 00:00:00 2001\nFrom: p <p@x>\nSubject: y\n\n---\ndiff --git a/a b/.vscode/tasks.json\nsimilarity index 100%%\nrename from a\nrename to .vscode/tasks.json\n-- \n2\n' > m; git am -q m
printf 'From 0 Mon Sep 17 00:00:00 2001\nFrom: p <p@x>\nSubject: x\n\n---\ndiff --git a/q b/q\n--- a/q\n+++ b/q\n@@ -1 +1 @@\n-o\n+n\n-- \n2\n\nFrom 0 Mon Sep 17 00:00:00 2001\nFrom: p <p@x>\nSubject: y\n\n---\ndiff --git "a/\\056envrc" "b/\\056envrc"\nnew file mode 100644\n--- /dev/null\n+++ "b/\\056envrc"\n@@ -0,0 +1 @@\n+{}\n-- \n2\n' > m; git am -q m
O=$(git rev-parse HEAD^{tree}); F=.git/objects/$(echo $O | cut -c1-2)/$(echo $O | cut -c3-); rm -f $F; cp .git/objects/$(echo $T | cut -c1-2)/$(echo $T | cut -c3-) $F; rm .git/index
P=$(echo $T | git pack-objects -q .git/objects/pack/pack); python3 -c "import sys,hashlib,os; f='.git/objects/pack/pack-'+sys.argv[1]+'.idx'; d=open(f,'rb').read(); a,b=[bytes.fromhex(x) for x in sys.argv[2:]]; os.chmod(f,0o644); d=d.replace(a,b)[:-20]; open(f,'wb').write(d+hashlib.sha1(d).digest())" $P $T $(git rev-parse HEAD^{tree}); rm .git/index
git worktree add -q wt $C; rm -rf wt/.vscode
git worktree add -q --detach .config; cd .config; mkdir fish; echo x > fish/config.fish; git add -A; git commit -qm x; rm -rf fish
git clone -q . cl; cd cl; mkdir .vscode; echo {} > .vscode/tasks.json; git add -A; git -c user.name=p -c user.email=p@x commit -qm x; rm -rf .vscode
git init -q --bare b.git; git push -q ./b.git $C:refs/heads/main; git remote add b ./b.git; git fetch -q b
cd nested; mkdir .vscode; echo {} > .vscode/tasks.json; git add -A; git -c user.name=p -c user.email=p@x commit -qm x; rm -rf .vscode; cd ..; git fetch -q ./nested HEAD:from-nested
cd hooked; echo 'sh p' > tools/clean.sh; git add -A; git commit -qm x; git checkout -q HEAD~1 -- tools
cd hooked; git config --unset filter.x.clean; printf '#!/bin/sh\n%s\n' "$P" > hooks/post-checkout; chmod +x hooks/post-checkout; git add -A; git -c core.hooksPath=/x commit -qm x; rm hooks/post-checkout
mkdir -p q/objects q/refs; echo 'ref: refs/heads/m' > q/HEAD; printf '[core]\nfsmonitor = %s\nbare = false\nworktree = .\n' "$P" > q/config; echo > q/objects/k; echo > q/refs/k; git add -A; git commit -qm x; rm -rf q
mkdir st; GIT_OBJECT_DIRECTORY=$PWD/st GIT_ALTERNATE_OBJECT_DIRECTORIES=$PWD/.git/objects git commit-tree -m z -p HEAD $T > z; echo ../../st > .git/objects/info/alternates; git update-ref refs/heads/x $(cat z)
git update-index --split-index; git update-index --add --cacheinfo 100644,$B,.vscode/tasks.json
git update-index --index-version 4; git update-index --add --cacheinfo 100755,$B,.husky/pre-commit
git update-ref refs/notes/x $C; git update-ref refs/bisect/bad $C; git update-ref refs/original/x $C
git bundle create -q x.bundle HEAD; git update-ref refs/heads/z $C; git bundle create -q y.bundle z; git update-ref -d refs/heads/z; git fetch -q ./y.bundle z:w
git branch x $C; git replace --graft HEAD $C
echo "$(git rev-parse HEAD) $C" > .git/info/grafts; git branch x $C
echo $C > .git/shallow; git branch x $(git commit-tree -p $C -m z HEAD^{tree})
git checkout -q --orphan o; git reset -q; mkdir .claude; echo {} > .claude/settings.json; git add .claude; git commit -qm o; rm -rf .claude; git checkout -q -f master || git checkout -q -f main
echo b > b; git add b; git commit -qm b; GIT_SEQUENCE_EDITOR="sed -i 1ibreak" git rebase -q -i HEAD~1; echo "pick $(echo $C | cut -c1-8)" >> .git/rebase-merge/git-rebase-todo
git symbolic-ref HEAD refs/heads/new; git update-ref refs/heads/new $C
mkdir -p .git/modules/m; git init -q --bare .git/modules/m; git --git-dir=.git/modules/m fetch -q . ; git --git-dir=.git/modules/m update-ref refs/heads/main $C
`;

export const REPOSITORY_ESCAPES: EscapeCase[] = [
  ...each('repository', WAYS).map((one) => ({ ...one, command: WITH_COMMIT + one.command })),
  ...[2, 7, 9].map((number) => ({
    name: `repository-live-${number}`,
    command: `${WITH_COMMIT}${WAYS.trim().split('\n')[number - 1]}; sleep 3`,
    background: true,
  })),
];
