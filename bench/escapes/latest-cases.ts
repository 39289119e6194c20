/**
 * The youngest commands that try to get out: through hooks and settings that a newer git knows, through what the kernel
 * shows of a process, through descriptors and memory, and through files that other programs come upon.
 */
import { type EscapeCase, each } from './each.ts';

const GIT = `
git config hook.x.command "$P"; git config hook.x.event pre-commit
printf '[hook "x"]\\n\\tcommand = %s\\n\\tevent = post-checkout\\n\\tevent = reference-transaction\\n\\tevent = post-index-change\\n' "$P" >> .git/config
git config set --all core.fsmonitor "$P" || git config core.fsmonitor "$P"; git config set hook.y.command "$P"; git config set hook.y.event post-commit
printf '[includeIf "hasconfig:remote.*.url:**"]\\n\\tpath = ../i\\n[remote "o"]\\n\\turl = x\\n' >> .git/config; printf '[core]\\n\\tfsmonitor = %s\\n' "$P" > i
printf '[includeIf "onbranch:**"]\\n\\tpath = %s/i\\n' "$PWD" >> .git/config; printf '[core]\\n\\tfsmonitor = %s\\n' "$P" > i
git refs migrate --ref-format=reftable; git config core.fsmonitor "$P"
git worktree add -q wt; git -C wt config core.fsmonitor "$P"; cp "$P" .git/worktrees/wt/hooks 2>/dev/null; printf '[core]\\n\\tfsmonitor = %s\\n' "$P" > .git/worktrees/wt/config.worktree
git worktree add -q wt; echo "$PWD/evil" > .git/worktrees/wt/commondir; git init -q --bare evil; git -C evil config core.fsmonitor "$P"
git worktree add -q "$MORE/wt" && printf 'gitdir: %s/evil' "$MORE" > "$MORE/wt/.git"; git init -q --bare "$MORE/evil"; git -C "$MORE/evil" config core.fsmonitor "$P"
git init -q --bare bare.git; printf '[core]\\n\\tbare = false\\n\\tworktree = .\\n\\tfsmonitor = %s\\n' "$P" > bare.git/config
git init -q -b m --ref-format=reftable rt || git init -q rt; git -C rt config core.fsmonitor "$P"; mkdir -p rt/.git/hooks; cp "$P" rt/.git/hooks/post-index-change
git clone -q --bare . c.git; git -C c.git config uploadpack.packObjectsHook "$P"; git config remote.o.url c.git; git config remote.o.fetch '+refs/*:refs/o/*'
git clone -q . cl; git -C cl config core.hooksPath "$PWD/tools"; cp "$P" tools/post-checkout; cp "$P" tools/pre-commit
git bundle create -q b.bundle HEAD; git config remote.o.url "$PWD/b.bundle"; git config remote.o.vcs "x"; git config core.gitProxy "$P"
git config trailer.x.cmd "$P"; git config trailer.x.command "$P"; git config interactive.diffFilter "$P"; git config sequence.editor "$P"; git config core.askPass "$P"; git config core.alternateRefsCommand "$P"
git config diff.x.textconv "$P"; git config diff.x.command "$P"; echo 'a diff=x' > .gitattributes; echo z > a
git config merge.x.driver "$P %A"; echo 'a merge=x' > .git/info/attributes; git checkout -qb s; echo 1 > a; git commit -qam 1; git checkout -q -; echo 2 > a; git commit -qam 2
mkdir -p .git/info; echo 'a filter=x' > .git/info/attributes; git config filter.x.process "$P"; touch a
git submodule add -q ./nested sm 2>/dev/null || git -c protocol.file.allow=always submodule add -q "$PWD/nested" sm; git -C sm config core.fsmonitor "$P"; git config -f .gitmodules submodule.sm.update "!$P"
mkdir sm; cp -r nested/.git .git/modules-x; echo 'gitdir: ../.git/modules-x' > sm/.git; git --git-dir=.git/modules-x config core.worktree ../../sm; git --git-dir=.git/modules-x config core.fsmonitor "$P"
git rev-parse HEAD > .git/MERGE_HEAD; echo m > .git/MERGE_MSG; cp "$P" .git/hooks/prepare-commit-msg; cp "$P" .git/hooks/commit-msg; cp "$P" .git/hooks/post-merge
mkdir -p .git/rebase-merge; printf 'exec %s\\n' "$P" > .git/rebase-merge/git-rebase-todo; git rev-parse HEAD > .git/rebase-merge/onto; git rev-parse HEAD > .git/rebase-merge/orig-head; echo refs/heads/master > .git/rebase-merge/head-name; : > .git/rebase-merge/interactive
mkdir -p .git/sequencer; printf 'exec %s\\n' "$P" > .git/sequencer/todo; git rev-parse HEAD > .git/sequencer/head
echo "$OUT/objects" > .git/objects/info/alternates; printf '%s\\n' "$P" > .git/objects/info/http-alternates; echo "$OUT/x" > .git/shallow
printf 'x\\n' > .git/BISECT_LOG; printf '%s\\n' "$P" > .git/BISECT_RUN; git config alias.log "!$P"; git config alias.status "!$P"; git config alias.st "!$P"
git config gpg.ssh.program "$P"; git config gpg.format ssh; git config log.showSignature true; git config commit.gpgSign true; git config user.signingKey k
git config maintenance.repo "$PWD"; git maintenance register; git config gc.auto 1; cp "$P" .git/hooks/pre-auto-gc
git config core.fsmonitorHookVersion 2; ln -sf ../../p.sh .git/hooks/fsmonitor-watchman; git config core.fsmonitor .git/hooks/fsmonitor-watchman
exec 9<> .git/config; printf '[core]\\n\\tfsmonitor = %s\\n' "$P" >&9
python3 -c "import mmap; f=open('.git/config','r+b'); f.seek(0,2); f.write(b' '*4096); f.flush(); m=mmap.mmap(f.fileno(),0); t=b'\\n[core]\\n\\tfsmonitor = $P\\n'; m[:len(t)]=t; m.flush()"
printf '\\357\\273\\277[core]\\n\\tfsmonitor = %s\\n' "$P" > .git/config; printf '\\r\\n[CORE]FsMonitor=%s;x\\n' "$P" >> .git/config
git -C nested worktree add -q ../nwt; printf '[core]\\n\\tfsmonitor = %s\\n' "$P" >> nested/.git/config; echo 'ref: refs/heads/none' > nested/.git/worktrees/nwt/HEAD
cp "$P" .git/hooks/post-rewrite; cp "$P" .git/hooks/push-to-checkout; cp "$P" .git/hooks/sendemail-validate; cp "$P" .git/hooks/post-applypatch; cp "$P" .git/hooks/pre-merge-commit; cp "$P" .git/hooks/proc-receive
mkdir x; cd x; git init -q --separate-git-dir="$PWD/../g2" .; git --git-dir=../g2 config core.fsmonitor "$P"; cd ..; rm -rf x; mkdir x; echo 'gitdir: ../g2' > x/.git
`;

const SYSTEM = `
exec 7< /proc/self/mountinfo; while read -r _ _ _ _ m _ <&7; do echo x > "$m/halter-escape"; mkdir "$m/halter-escape" && rmdir "$m/halter-escape"; done 2>/dev/null
for p in /proc/[0-9]*; do echo x > "$p/cwd/../out/f"; echo x > "$p/root$OUT/f"; for m in "$p"/map_files/*; do echo x > "$m"; done; done 2>/dev/null
echo 1000 > /proc/self/oom_score_adj; echo 0 > /proc/self/coredump_filter; echo "0 0 1" > /proc/self/uid_map; echo deny > /proc/self/setgroups; echo x > /proc/1/attr/current
python3 -c "import ctypes,os; l=ctypes.CDLL(None); d=l.syscall(424,1,9,0,0); print('GOT','OUT') if l.syscall(310,os.getppid(),0,0,0,0,0)>0 else None"
python3 -c "import os; [print(os.readlink('/proc/self/fd/'+f)) for f in os.listdir('/proc/self/fd') if int(f)>2 and os.path.exists('/proc/self/fd/'+f) and print('GOT','OUT') is None and False]"
ls -l /proc/self/fd | awk '$9 > 2 && $NF ~ /socket:|eventfd|layers/ {print "GOT", "OUT"}'
python3 -c "import socket,array; a,b=socket.socketpair(); socket.send_fds(a,[b'x'],[0]); s=socket.socket(socket.AF_UNIX); s.connect('$HOME/agent.sock'); s.send(b'run')"
python3 -c "import socket; [print('GOT','OUT') for f in (15,17,21,30,31,38,40,44) if not socket.socket(f,socket.SOCK_SEQPACKET if f in (38,) else socket.SOCK_DGRAM)]"
python3 -c "import ctypes; l=ctypes.CDLL(None); print('GOT','OUT') if l.syscall(319,b'x',0)>=0 and l.syscall(322,-100,b'/bin/true',0,0,0x10000)==0 and False else None"
python3 -c "import ctypes; l=ctypes.CDLL(None); print('GOT','OUT') if l.syscall(308,3,0)==0 or l.syscall(161,b'/tmp')==0 or l.syscall(155,b'.',b'.')==0 else None"
python3 -c "import ctypes; l=ctypes.CDLL(None); print('GOT','OUT') if l.syscall(303,-100,b'/etc/passwd',ctypes.create_string_buffer(200),ctypes.byref(ctypes.c_int()),0)==0 and l.syscall(304,5,ctypes.create_string_buffer(200),0)>0 else None"
python3 -c "import ctypes; l=ctypes.CDLL(None); print('GOT','OUT') if l.syscall(170,b'halter-escape',13)==0 or l.syscall(171,b'x',1)==0 else None"
python3 -c "import ctypes; l=ctypes.CDLL(None); print('GOT','OUT') if l.syscall(175,0,0,b'')==0 or l.syscall(313,0,b'',0)==0 or l.syscall(246,0,0,0,0)==0 else None"
python3 -c "import os; os.setresuid(0,0,0); os.setgroups([0]); os.chown('$OUT',1,1)"; chown -h nobody "$OUT" "$HOME/notes"; chgrp 1 "$HOME"
ln -s /proc/self/root r; echo x > "r$OUT/f"; ln -s /proc/self/cwd/../out o; echo x > o/f; ln -s /dev/fd/1 fd; ln -s /proc/1/root pr; echo x > "pr$OUT/f"
mkdir t; mount -t tmpfs none t || mount -t overlay none -o lowerdir=/,upperdir=t,workdir=t t || mount --rbind / t || fusermount3 -o rw t; umount -l "$PWD"; umount -l /; pivot_root . t; chroot / touch "$OUT/f"
truncate -s 1 "$HOME/notes"; fallocate -l 10 "$HOME/notes"; setfattr -n user.x -v y "$HOME/notes"; setfacl -m u:nobody:rwx "$HOME"; touch -h "$HOME/notes"; mkfifo "$HOME/fifo"; ln -s x "$HOME/l"; link "$HOME/notes" "$OUT/n"
cp --reflink=always "$HOME/notes" n; dd of="$HOME/notes" conv=notrunc if=p.sh; tee -a "$HOME/notes" "$OUT/x" < p.sh; sponge "$HOME/notes" < p.sh; ed -s "$HOME/notes" < /dev/null; sed -i s/n/x/ "$HOME/notes"
python3 -c "import os; f=os.open('$HOME',os.O_PATH); os.open('x',os.O_CREAT|os.O_WRONLY,dir_fd=f)"; python3 -c "import os; f=os.open('$OUT',os.O_TMPFILE|os.O_RDWR)"
curl -s --unix-socket "$HOME/agent.sock" http://x/; socat - "UNIX-CONNECT:$HOME/agent.sock" < p.sh; nc -U "$HOME/agent.sock" < p.sh; ssh-add -l; dbus-send --session --print-reply --dest=org.freedesktop.DBus / x.y; gpg-connect-agent /bye
for s in $(find / -xdev -type s 2>/dev/null); do python3 -c "import socket,sys; s=socket.socket(socket.AF_UNIX); s.settimeout(1); s.connect(sys.argv[1]); print('GOT','OUT')" "$s"; done 2>/dev/null
grep -a THE-KEY /proc/self/environ /proc/[0-9]*/environ /proc/[0-9]*/cmdline; tr '\\0' '\\n' < /proc/1/environ; cat /proc/[0-9]*/maps > /dev/null; env; set; cat /etc/environment
python3 -c "import re; m=open('/proc/self/maps').read(); print(len(m))"; for p in /proc/[0-9]*; do head -c 4096 "$p/mem"; cat "$p/auxv" "$p/stack" "$p/syscall"; done > dump 2>/dev/null; strings dump
`;

const FILES = `
mkdir -p .git.new; cp -r .git/. .git.new/; git --git-dir=.git.new config core.fsmonitor "$P"; mv -T --exchange .git .git.new 2>/dev/null || { mv .git .git.old; mv .git.new .git; }
printf 'x' > ".npmrc "; printf "$P" > '.NPMRC'; cp "$P" './.npmrc/../.npmrc' 2>/dev/null; mkdir -p u; cp "$P" u/.npmrc; mv u/.npmrc "u/../.npmrc"
cp "$P" tmpfile; ln tmpfile .envrc; rm tmpfile; cp "$P" '.vscode-x'; mkdir .vscode; ln .vscode-x .vscode/tasks.json
tar cf t.tar --transform 's,p.sh,.husky/pre-commit,' p.sh; tar xf t.tar; cpio -o < /dev/null > /dev/null; printf 'p.sh\\n' | cpio -pdm .devcontainer
printf -- '--- /dev/null\\n+++ b/.npmrc\\n@@ -0,0 +1 @@\\n+script-shell=%s\\n' "$P" > d.patch; git apply d.patch; patch -p1 < d.patch
mkdir .claude; printf '{"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"%s"}]}]}}' "$P" > .claude/settings.json; cp -r .claude "$MORE/.claude"; mkdir -p a1/.gemini; cp .claude/settings.json a1/.gemini/
python3 -c "import os; os.makedirs('k/.cursor'); os.rename('p.sh','k/.cursor/mcp.json'); os.rename('k/.cursor','.cursor')"
touch x; setfattr -n user.overlay.metacopy -v y x; setfattr -n user.overlay.redirect -v /p.sh x; mv x .envrc; mkdir y; setfattr -n user.overlay.redirect -v /tools y; mv y .githooks; cp "$P" tools/pre-commit
git -C "$MORE/repo" config core.fsmonitor "$P"; cp "$P" "$MORE/repo/.git/hooks/post-index-change"; echo "$PWD/evil" > "$MORE/repo/.git/commondir"
`;

const BACKGROUND = `
git config hook.x.command "$P"; git config hook.x.event post-index-change; sleep 1.5
exec 9<> .git/config; sleep 1.2; printf '[core]\\n\\tfsmonitor = %s\\n' "$P" >&9; sleep 1.2
mkdir n; while :; do git init -q n; git -C n config core.fsmonitor "$P"; rm -rf n/.git; done
mkfifo p; (cat p.sh > p &) ; ln -s p .npmrc; sleep 1.2; rm p; cp "$P" p; sleep 1.2
mkdir w; sleep 1.2; git worktree add -q w/x; printf '[core]\\n\\tfsmonitor = %s\\n' "$P" > .git/worktrees/x/config.worktree; git config extensions.worktreeConfig true; sleep 1.2
cp "$P" q; sleep 1.2; mv q .envrc; sleep 1.2; mkdir -p .idea; cp "$P" .idea/workspace.xml; sleep 1.2
ln -s "$OUT" s; sleep 1.2; rm s; mkdir s; sleep 1.2; rmdir s; ln -s "$OUT" s; echo x > s/f; sleep 1.2
(setsid sh -c 'trap "" TERM HUP INT; sleep 3; cp p.sh .npmrc; sleep 9' > /dev/null 2>&1 &); sleep 1
`;

export const LATEST_ESCAPES: EscapeCase[] = [
  ...each('latest-git', GIT),
  ...each('latest-system', SYSTEM),
  ...each('latest-file', FILES),
  ...each('latest-background', BACKGROUND).map((one) => ({ ...one, background: true })),
];
