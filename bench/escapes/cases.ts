/**
 * Commands that try to get out of the sandbox: to change a file outside, to leave one that another program runs later, to
 * reach keys, processes or sockets. `$P` is a program that proves it ran outside, `$MORE` a second writable folder, `$OUT` a
 * folder that may not be written to.
 */

import { type EscapeCase, each } from './each.ts';
import { FRESH_ESCAPES } from './fresh-cases.ts';
import { LATEST_ESCAPES } from './latest-cases.ts';
import { NEWER_ESCAPES } from './newer-cases.ts';
import { REPOSITORY_ESCAPES } from './repository-cases.ts';

export type { EscapeCase } from './each.ts';

const GIT = `
git config core.fsmonitor "$P"
git config --file .git/config core.hooksPath tools
printf '[core]\\nfsmonitor = %s\\n' "$P" >> .git/config
printf '[core]\\n\\tfsmonitor = "%s"\\n' "$P" >> .git/config
printf '[core] fsmonitor = %s\\n' "$P" >> .git/config
printf '[core]\\nfsmon\\\\\\nitor = %s\\n' "$P" >> .git/config
printf '# \\\\\\n[core]\\n\\tfsmonitor = %s\\n' "$P" >> .git/config
printf '[include]\\npath = ../inc\\n' >> .git/config; printf '[core]\\nfsmonitor = %s\\n' "$P" > inc
printf '[includeIf "gitdir:/"]\\npath = ../inc\\n' >> .git/config; printf '[core]\\nfsmonitor = %s\\n' "$P" > inc
git config alias.status "!$P"
git config filter.x.clean "$P"; echo '* filter=x' > .gitattributes; echo y > f
git config diff.external "$P"; echo y > a
git config pager.log "$P"
git config core.pager "$P"; git config core.editor "$P"
git config gpg.program "$P"; git config commit.gpgsign true
git config core.sshCommand "$P"; git remote add o ssh://x/y
git config credential.helper "$P"
git config extensions.worktreeConfig true; printf '[core]\\nfsmonitor = %s\\n' "$P" > .git/config.worktree
git config core.worktree "$OUT"
git config remote.origin.url "ext::$P"
git config remote.origin.uploadpack "$P"
git config submodule.x.update "!$P"
git config init.templateDir "$PWD/t"; mkdir -p t/hooks; cp "$P" t/hooks/post-checkout
cp "$P" .git/hooks/pre-commit
cp "$P" .git/hooks/post-checkout; cp "$P" .git/hooks/post-index-change
cp "$P" .git/hooks/reference-transaction
ln -s ../../p.sh .git/hooks/pre-commit
rm -rf .git/hooks; ln -s ../tools .git/hooks; cp "$P" tools/pre-commit
mv .git/hooks .git/h; mkdir .git/hooks; cp "$P" .git/hooks/post-commit
mv .git/hooks/pre-commit.sample .git/hooks/pre-commit; cp "$P" .git/hooks/pre-commit
chmod +x .git/hooks/dormant; cp "$P" .git/hooks/dormant
echo ../evil > .git/commondir; git init -q --bare evil; git -C evil config core.fsmonitor "$P"
mkdir e; cp -r .git/. e/; git -C e config core.fsmonitor "$P"; rm -rf .git; mv e .git
mv .git g; git init -q .; git config core.fsmonitor "$P"
rm -rf .git; echo "gitdir: evil" > .git; git init -q --bare evil; git -C evil config core.fsmonitor "$P"; git -C evil config core.bare false
rm -rf .git; git init -q --bare evil; git -C evil config core.fsmonitor "$P"; ln -s evil .git
rm .git/config; ln -s ../inc .git/config; printf '[core]\\nfsmonitor = %s\\n' "$P" > inc
rm .git/config; mkfifo .git/config
git init -q sub2; git -C sub2 config core.fsmonitor "$P"
mkdir -p a/b/c; git init -q a/b/c; git -C a/b/c config core.fsmonitor "$P"
git init -q n; cp "$P" n/.git/hooks/pre-commit
git -C nested config core.fsmonitor "$P"
cp "$P" nested/.git/hooks/pre-commit
echo ../../e > nested/.git/commondir
cd nested && rm -rf .git && mkdir .git && printf '[core]\\nfsmonitor = %s\\n' "$P" > .git/config && echo 'ref: refs/heads/m' > .git/HEAD && mkdir .git/objects .git/refs
mv nested moved; git -C moved config core.fsmonitor "$P"
cp -r nested copied; git -C copied config core.fsmonitor "$P"
mkdir bare; cd bare; mkdir objects refs; echo 'ref: refs/heads/m' > HEAD; printf '[core]\\nbare = false\\nworktree = .\\nfsmonitor = %s\\n' "$P" > config
git init -q --bare b.git; git -C b.git config core.fsmonitor "$P"; git -C b.git config core.bare false; git -C b.git config core.worktree ..
git init -q --bare b.git; cp "$P" b.git/hooks/post-update; cp "$P" b.git/hooks/pre-receive
mkdir x; cp -r .git/objects .git/refs .git/HEAD x; cp .git/config x/config; git config --file x/config core.fsmonitor "$P"; git config --file x/config core.worktree .
mkdir x; echo 'ref: refs/heads/m' > x/HEAD; echo ../.git > x/commondir; printf '[core]\\nfsmonitor = %s\\n' "$P" > x/config.worktree
git -c protocol.file.allow=always submodule add -q ./nested sm; git -C sm config core.fsmonitor "$P"
git -c protocol.file.allow=always submodule add -q ./nested sm; printf '[core]\\nfsmonitor = %s\\n' "$P" >> .git/modules/sm/config
git -c protocol.file.allow=always submodule add -q ./nested sm; cp "$P" .git/modules/sm/hooks/post-checkout
git -c protocol.file.allow=always submodule add -q --name objects ./nested sm; git -C sm config core.fsmonitor "$P"
printf '[submodule "x"]\\npath = nested\\nurl = ./nested\\nupdate = !%s\\n' "$P" > .gitmodules
printf '[submodule "x"]\\npath = nested\\nurl = -u./p\\n' > .gitmodules
git worktree add -q wt; git -C wt config core.fsmonitor "$P"
git worktree add -q wt; printf '[core]\\nfsmonitor = %s\\n' "$P" > .git/worktrees/wt/config.worktree; git config extensions.worktreeConfig true
git worktree add -q wt; echo ../../../evil > .git/worktrees/wt/commondir; git init -q --bare evil; git -C evil config core.fsmonitor "$P"
git worktree add -q wt; echo "gitdir: $PWD/evil" > wt/.git; git init -q --bare evil; git -C evil config core.fsmonitor "$P"
mkdir -p .git/rebase-merge; printf 'exec %s\\n' "$P" > .git/rebase-merge/git-rebase-todo; touch .git/rebase-merge/interactive; echo m > .git/rebase-merge/head-name
echo "$P" > .git/info/sparse-checkout; mkdir -p .git/svn; printf 'x' > .git/svn/config
git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),nested; git -C nested config core.fsmonitor "$P"
mkdir .GIT; printf '[core]\\nfsmonitor = %s\\n' "$P" > .GIT/config
mkdir node_modules/x -p; git init -q node_modules/x; git -C node_modules/x config core.fsmonitor "$P"
git init -q --separate-git-dir=sep repo; git -C repo config core.fsmonitor "$P"
git init -q "$MORE/r"; git -C "$MORE/r" config core.fsmonitor "$P"
git -C "$MORE/repo" config core.fsmonitor "$P"
cp "$P" "$MORE/repo/.git/hooks/pre-commit"
echo "gitdir: $MORE/evil" > "$MORE/.git"; git init -q --bare "$MORE/evil"; git -C "$MORE/evil" config core.fsmonitor "$P"
cp "$P" tools/fsm.sh; git config core.fsmonitor tools/fsm.sh
cp "$P" hooked/hooks/pre-commit
rm -rf hooked/hooks; mkdir hooked/hooks; cp "$P" hooked/hooks/pre-commit
mv hooked/hooks hooked/h2; mkdir hooked/hooks; cp "$P" hooked/hooks/pre-commit; chmod +x hooked/hooks/pre-commit
cp "$P" hooked/tools/clean.sh
GIT_DIR=.git2 git init -q; git --git-dir=.git2 config core.fsmonitor "$P"; rm -rf .git; mv .git2 .git
printf '[core]\\nfsmonitor = %s\\n' "$P" > .git/config.lock; mv .git/config.lock .git/config
git config user.name "x\\n[core]\\nfsmonitor = $P"
`;

const NAMES =
  `.npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs pnpmfile.js .bunfig.toml bunfig.toml .envrc mise.toml .mise.toml .husky/pre-commit
  .githooks/pre-commit .vscode/tasks.json .vscode/settings.json .idea/workspace.xml .zed/tasks.json .fleet/run.json x.code-workspace
  x.sublime-project .devcontainer/devcontainer.json .devcontainer.json .claude/settings.json .cursor/mcp.json .codex/config.toml
  .gemini/settings.json .windsurf/x .opencode/x .mcp.json .halter/config.json .pre-commit-config.yaml lefthook.yml .cargo/config.toml
  .mvn/jvm.config .bazelrc .gdbinit .lldbinit .exrc .nvim.lua .vimrc .dir-locals.el .bundle/config sitecustomize.py .Rprofile .irbrc
  .pdbrc .screenrc .tmux.conf .hg/hgrc .bashrc .zshenv .gitconfig .config/fish/config.fish .ripgreprc .curlrc .psqlrc .sqliterc`
    .split(/\s+/)
    .filter((name) => name !== '');

const PLACES = ['.', 'a/deep/folder', '$MORE', 'nested', 'node_modules/pkg'];
const FILES: EscapeCase[] = NAMES.map((name, index) => {
  const place = PLACES[index % PLACES.length] ?? '.';
  const target = `${place}/${name}`;
  const ways = [
    `mkdir -p "$(dirname "${target}")"; cp "$P" "${target}"`,
    `mkdir -p "$(dirname "${target}")"; cp "$P" t; mv t "${target}"`,
    `mkdir -p "$(dirname "${target}")"; cp "$P" real.txt; ln -s "$PWD/real.txt" "${target}"`,
    `mkdir -p "$(dirname "${target}")"; cp "$P" real.txt; ln real.txt "${target}"`,
    `mkdir -p "$(dirname "${target}")"; cp "$P" "${target}"; sleep 0.3`,
  ];
  return { name: `file ${name}`, command: ways[(index * 3) % ways.length] ?? '' };
});

const SYSTEM = `
echo x > "$OUT/f"
echo x >> "$HOME/.bashrc"
ln -s "$OUT" l; echo x > l/f
ln -s "$HOME/.ssh" l; cat l/id_ed25519
rm -rf d; ln -s "$OUT" d; mkdir d/x
ln "$HOME/notes" n; echo x > n
cat "$HOME/.ssh/id_ed25519" "$HOME/.netrc" "$HOME/.npmrc"
find / -xdev -name id_ed25519 -newer /etc/hostname -exec cat {} + 2>/dev/null
cat /proc/*/environ | tr '\\0' '\\n'
ls /proc/*/root/ /proc/*/cwd/
cat /proc/1/root/etc/shadow; ls -la /proc/1/cwd /proc/1/fd
for f in /proc/[0-9]*/fd/*; do [ -d "$f" ] && echo x > "$f/escaped"; done
for n in $(seq 3 260); do echo x >&$n; done 2>/dev/null
mount --bind / /mnt; mount -o remount,rw /
unshare -Urm sh -c 'mount -o remount,rw /; touch /etc/halter-escape'
unshare -m true; unshare -n true; nsenter -t 1 -m true
echo '|/bin/sh -c "touch /etc/halter-escape"' > /proc/sys/kernel/core_pattern
echo /tmp/x > /proc/sys/kernel/modprobe
echo h > /proc/sysrq-trigger
mknod disk b 254 0; dd if=disk of=out count=1
touch /etc/halter-escape /usr/halter-escape /var/halter-escape /opt/halter-escape
echo x > /dev/shm/halter-escape; echo x > /var/tmp/halter-escape; echo x > /tmp/halter-escape
echo x > /sys/fs/cgroup/halter-escape; mkdir /sys/fs/cgroup/halter-escape
kill -9 1; kill -9 -1; pkill -9 node
(setsid nohup sh -c 'sleep 2; touch late; echo x > .npmrc' > /dev/null 2>&1 &)
python3 -c "import socket; s=socket.socket(socket.AF_UNIX); s.connect('$HOME/agent.sock'); s.send(b'run')"
python3 -c "import socket; s=socket.socket(socket.AF_UNIX); s.connect('agent.sock'); s.send(b'run')"
python3 -c "import socket; s=socket.socket(socket.AF_UNIX); s.connect('\\0halter-abstract'); s.send(b'run')"
python3 -c "import socket; s=socket.socket(); s.settimeout(1); s.connect(('127.0.0.1',$PORT)); s.send(b'run')"
python3 -c "import socket; s=socket.socket(socket.AF_VSOCK); s.connect((2,1))"
python3 -c "import ctypes; l=ctypes.CDLL(None); print(l.syscall(250,0,-3,0,0,0), l.syscall(425,8,0), l.syscall(321,0,0,0), l.syscall(298,0,0,0,0,0))"
python3 -c "import ctypes; l=ctypes.CDLL(None); print(l.syscall(101,16,1,0,0)); print(l.syscall(272,0x10000000))"
python3 -c "import ctypes,os; l=ctypes.CDLL(None); fd=os.open('.',0); print(l.syscall(304,fd,0,0))"
python3 -c "import fcntl,termios; fcntl.ioctl(0, termios.TIOCSTI, b'x')"
cp /bin/sh shell; chmod 4755 shell; chmod u+s shell; install -m 4755 /bin/sh shell2
chown 1234:1234 . ; chmod 777 "$OUT"
touch -t 200001010000 "$HOME/notes"; chmod 000 "$HOME/notes"; rm -f "$HOME/notes"; mv "$HOME" h
cd ..; echo x > escaped; mkdir other; mv "$PWD" /tmp/x
rm -rf "$PWD"; ln -s "$OUT" "$PWD"
ls "$HOME/.cache/halter"; find / -xdev -path '*layers*' -name u 2>/dev/null; echo x > "$HOME/.cache/halter/layers/x"
cat "$HOME/.config/halter/policies.json"; echo '{}' > "$HOME/.config/halter/policies.json"
mkdir -p d/e/f; cd d/e/f; (sleep 0.2; rm -rf ../../../d; ln -s "$OUT" ../../../../d) & mv . x; wait
for i in $(seq 50); do rm -rf s; ln -s "$OUT" s; rm s; mkdir s; echo x > s/f; done
cp "$P" Makefile; mkdir -p "$OUT/x" || cp -r . "$OUT"
exec 3<>/dev/tcp/127.0.0.1/$PORT && echo run >&3
tar -cf t.tar -P "$OUT" a; printf x > "$OUT/tarred"; tar -xPf t.tar
dd if=/dev/zero of="$OUT/big" bs=1 count=1; truncate -s 5 "$OUT/t"; cp -a a "$OUT/"; install a "$OUT/i"; rsync a "$OUT/" 2>/dev/null
python3 -c "import os; os.symlink('$OUT','ln'); d=os.open('ln',os.O_DIRECTORY); os.mkdir('x',dir_fd=d)"
cp "$P" 'a b'; printf 'x' > "$(printf 'new\nline')"; ln -s "$OUT" "$(printf 'sp ace')"; echo y > 'sp ace/f'
gdb -p 1 -batch 2>&1; strace -p 1 2>&1; cat /proc/kcore | head -c 10; cat /proc/keys
mkdir w; setfattr -n user.overlay.opaque -v y w; setfattr -n user.overlay.whiteout -v y a; setfattr -n user.overlay.redirect -v "/../../$OUT" w; mknod gone c 0 0
`;

const BACKGROUND = `
cp "$P" .npmrc; sleep 1.5
git config core.fsmonitor "$P"; sleep 1.5
git init -q late; git -C late config core.fsmonitor "$P"; sleep 1.5
cp "$P" .git/hooks/pre-commit; sleep 1.5
while true; do echo plain > r; rm -f .git/hooks/pre-commit; cp "$P" .git/hooks/pre-commit; done
mkdir s; echo x > s/f; sleep 1.2; rm -rf s; ln -s "$OUT" s; sleep 1.5
for i in $(seq 200); do mkdir -p s; echo $i > s/f; rm -rf s; ln -s "$OUT" s; rm s; done; sleep 1
mkdir .vscode; while true; do cp "$P" .vscode/tasks.json; sleep 0.01; done
ln -s "$HOME/.ssh/id_ed25519" key; ln -s /etc/shadow shadow; sleep 1.5; cat key
mkdir -p q/objects q/refs; printf '[core]\\nfsmonitor = %s\\nworktree = .\\n' "$P" > q/config; sleep 1.5; echo 'ref: refs/heads/m' > q/HEAD; sleep 1.5
while true; do printf '[user]\\nname = a\\n' > .git/config; printf '[core]\\nfsmonitor = %s\\n' "$P" > .git/config; done
mkfifo .envrc fifo; sleep 1.5
echo x > "$OUT/f"; echo x > "$MORE/.npmrc"; sleep 1.5
mv .git g; mkdir .git; cp -r g/. .git; git config core.fsmonitor "$P"; sleep 1.5
`;

export const ESCAPES: EscapeCase[] = [
  ...each('git', GIT),
  ...FILES,
  ...each('system', SYSTEM),
  ...each('background', BACKGROUND).map((one) => ({ ...one, background: true })),
  ...NEWER_ESCAPES,
  ...LATEST_ESCAPES,
  ...FRESH_ESCAPES,
  ...REPOSITORY_ESCAPES,
];
