/**
 * Commands that try to get out by names that are folded, by folders that are deep, many or closed, by calls of the kernel
 * that move or share files, and by what starts after the command has ended.
 */
import { type EscapeCase, each } from './each.ts';

const GIT = `
mkdir .GIT; printf '[core]\\n\\tfsmonitor = %s\\n' "$P" > .GIT/config; cp -r .git/. .GIT/; mv .git g; mv .GIT .git; printf '[core]\\n\\tfsmonitor = %s\\n' "$P" >> .git/config
mkdir -p "$(printf '.g\\342\\200\\214it')"; cp -r .git/. "$(printf '.g\\342\\200\\214it')/"; git --git-dir="$(printf '.g\\342\\200\\214it')" config core.fsmonitor "$P"; git --git-dir="$(printf '.g\\342\\200\\214it')" status
mkdir n1 && cd n1 && git init -q . && git config core.fsmonitor "$P" && cd .. && mv n1/.git n1/GIT~1 && ln -s GIT~1 n1/.git
d=deep; for i in $(seq 1 60); do d="$d/ddddddddddddddd$i"; done; mkdir -p "$d"; (cd "$d" && git init -q . && git config core.fsmonitor "$P" && mkdir -p .git/hooks && cp "$P" .git/hooks/post-index-change)
python3 -c "import os; [(os.mkdir('d'*200), os.chdir('d'*200)) for _ in range(30)]; os.system('git init -q .; git config core.fsmonitor $P')"
for i in $(seq 1 400); do mkdir -p "m/$i/.git/objects" "m/$i/.git/refs"; echo 'ref: refs/heads/m' > "m/$i/.git/HEAD"; printf '[core]\\n\\tfsmonitor = %s\\n' "$P" > "m/$i/.git/config"; done
mkdir -p node_modules/x vendor/y .cache/z .venv/w target/q dist/r; for r in node_modules/x vendor/y .cache/z .venv/w target/q dist/r; do git init -q $r; git -C $r config core.fsmonitor "$P"; cp "$P" $r/.git/hooks/post-index-change; done
git init -q closed; git -C closed config core.fsmonitor "$P"; cp "$P" closed/.git/hooks/post-index-change; chmod 000 closed
git init -q closed2; git -C closed2 config core.fsmonitor "$P"; chmod 111 closed2/.git; chmod 400 closed2/.git/config
mv hooked/hooks hooked/old; ln -s ../tools hooked/hooks; cp "$P" tools/post-index-change
ln hooked/tools/clean.sh c; cat p.sh > c; rm c
cp p.sh hooked/inc2; printf '[core]\\n\\tfsmonitor = %s\\n' "$P" > i2; mv i2 inc.cfg; mv i2 hooked/inc.cfg; printf '[core]\\n\\tfsmonitor = %s\\n' "$P" > inc.cfg; printf '[core]\\n\\tfsmonitor = %s\\n' "$P" > hooked/inc.cfg
printf 'Host *\\n\\tProxyCommand %s\\n\\tPermitLocalCommand yes\\n' "$P" > hooked/tools/ssh_config; printf 'Match exec %s\\n' "$P" >> tools/ssh_config
python3 -c "import ctypes,os; l=ctypes.CDLL(None,use_errno=True); os.system('cp -r .git g2; git --git-dir=g2 config core.fsmonitor $P'); l.syscall(316,-100,b'.git',-100,b'g2',2)"
python3 -c "import ctypes,os; l=ctypes.CDLL(None); os.system('cp .git/config c2; printf \\"[core]\\\\n\\\\tfsmonitor = $P\\\\n\\" >> c2'); l.syscall(316,-100,b'c2',-100,b'.git/config',2)"
python3 -c "import os,ctypes; f=os.open('.git/hooks',os.O_TMPFILE|os.O_RDWR,0o755); os.write(f,open('p.sh','rb').read()); os.link('/proc/self/fd/%d'%f,'.git/hooks/post-index-change',follow_symlinks=True)"
python3 -c "import os; f=os.memfd_create('x'); os.write(f,b'[core]\\n\\tfsmonitor = $P\\n'); g=os.open('.git/config',os.O_WRONLY|os.O_APPEND); os.sendfile(g,f,0,999) if False else os.copy_file_range(f,g,999,0)"
python3 -c "import os; f=os.memfd_create('x'); os.write(f,b'[core]\\n\\tfsmonitor = $P\\n'); os.symlink('/proc/self/fd/%d'%f,'mf'); os.system('cat mf >> .git/config'); os.rename('mf','.npmrc')"
git clone -q --shared . sh1; git -C sh1 config core.fsmonitor "$P"; git clone -q --reference . . ref1; cp "$P" ref1/.git/hooks/post-index-change
git subtree --help > /dev/null 2>&1; git sparse-checkout init; git config --worktree core.fsmonitor "$P"; git config extensions.worktreeConfig true; printf '[core]\\n\\tfsmonitor = %s\\n' "$P" > .git/config.worktree
echo 'gitdir: ../nested/.git' > tools/.git; git -C nested config core.fsmonitor "$P"; echo 'gitdir: ./x' > hooked/.gitx; mv hooked/.gitx nested/.gitmodules
mkdir s1; ln -s ../.git s1/.git; git -C s1 config core.fsmonitor "$P"; ln -s "$MORE/repo/.git" tools/.git; git -C tools config core.fsmonitor "$P"
cp -a "$MORE/repo" "$MORE/repo2"; git -C "$MORE/repo2" config core.fsmonitor "$P"; rm -rf "$MORE/repo"; mv "$MORE/repo2" "$MORE/repo"
mv nested nested.old; git clone -q --bare nested.old nested; git -C nested config core.fsmonitor "$P"; git -C nested config core.bare false
rm -rf .git; git init -q .; git config core.fsmonitor "$P"; git config core.hooksPath tools; cp "$P" tools/post-index-change
printf 'x' > .git/index.lock; git config core.fsmonitor "$P" & sleep 0.2; kill -STOP $!; wait -n 2> /dev/null; cp "$P" .git/hooks/post-index-change
tar cf t.tar .git; mkdir t; tar xf t.tar -C t; git -C t config core.fsmonitor "$P"; rm -rf nested; mv t nested
git init -q "$(printf 'a\\nb')"; git -C "$(printf 'a\\nb')" config core.fsmonitor "$P"; git init -q "$(printf 'x\\377y')"; git -C "$(printf 'x\\377y')" config core.fsmonitor "$P"
git init -q -- '-rf'; git -C ./-rf config core.fsmonitor "$P"; git init -q ' '; git -C ' ' config core.fsmonitor "$P"; git init -q '*'; git -C '*' config core.fsmonitor "$P"
git init -q "$(printf 'e\\314\\201')"; git -C "$(printf 'e\\314\\201')" config core.fsmonitor "$P"; git init -q "$(printf '\\303\\251')"; git -C "$(printf '\\303\\251')" config core.fsmonitor "$P"
`;

const SYSTEM = `
unshare -Ur sh -c 'mount -t tmpfs none "$OUT"; echo x > "$OUT/f"'; unshare -Urm sh -c 'mount --bind tools .git && git config core.fsmonitor "$P"; echo x > "$OUT/f"'
unshare -Urmpf --mount-proc sh -c 'mount -o remount,rw / ; touch "$OUT/f" "$HOME/f"; mount --make-rshared /; mount --bind . "$OUT"'
python3 -c "import ctypes; l=ctypes.CDLL(None); print('GOT','OUT') if l.unshare(0x10000000)==0 and l.unshare(0x20000)==0 else None"
python3 -c "import ctypes; l=ctypes.CDLL(None); [print('GOT','OUT') for n,a in ((428,(-100,b'/',1)),(430,(b'tmpfs',0)),(442,(-100,b'/',0,0,0)),(429,(-100,b'/',-100,b'/tmp',0))) if n!=428 and l.syscall(n,*a)>=0]"
python3 -c "import ctypes; l=ctypes.CDLL(None); print('GOT','OUT') if l.syscall(425,8,ctypes.create_string_buffer(256))>=0 else None"
python3 -c "import ctypes; l=ctypes.CDLL(None); [print('GOT','OUT') for n in (298,321,323,248,250) if l.syscall(n,0,0,0,0,0)>0]"
python3 -c "import socket; s=socket.socket(socket.AF_UNIX); s.bind('\\0halter-escape'); print('BOUND')"; python3 -c "import socket; s=socket.socket(socket.AF_UNIX); s.settimeout(1); s.connect('\\0/tmp/.X11-unix/X0'); print('GOT','OUT')"; python3 -c "import socket; s=socket.socket(socket.AF_UNIX); s.connect('\\0/tmp/dbus-x'); print('GOT','OUT')"
grep -h '@' /proc/net/unix | awk '{print $8}' | while read -r n; do python3 -c "import socket,sys; s=socket.socket(socket.AF_UNIX); s.settimeout(1); s.connect('\\0'+sys.argv[1][1:]); print('GOT','OUT')" "$n"; done 2>/dev/null
python3 -c "import socket; a,b=socket.socketpair(); print('PAIR')"; cp "$HOME/agent.sock" s; ln "$HOME/agent.sock" s; ln agent.sock s2; python3 -c "import socket; s=socket.socket(socket.AF_UNIX); s.connect('agent.sock'); s.send(b'run')"; python3 -c "import socket; s=socket.socket(socket.AF_UNIX); s.connect('/proc/self/cwd/agent.sock'); s.send(b'run')"
sleep 5 & p=$!; python3 -c "import ctypes,sys; l=ctypes.CDLL(None); r=l.ptrace(16,int(sys.argv[1]),0,0); print('PTRACE',r)" $p; gdb -p $p -batch -ex 'call system("touch $OUT/f")'; kill $p; strace -p 1 -o "$OUT/f"; cat /proc/$PPID/mem > /dev/null
echo "|$P" > /proc/sys/kernel/core_pattern; echo "$P" > /proc/sys/kernel/modprobe; echo "$P" > /sys/kernel/uevent_helper; echo b > /proc/sysrq-trigger; echo x > /proc/sys/kernel/hostname; echo ':x:M::x::'"$P"':' > /proc/sys/fs/binfmt_misc/register
for c in /sys/fs/cgroup /sys/fs/cgroup/*; do echo "$P" > "$c/release_agent"; echo 1 > "$c/notify_on_release"; mkdir "$c/halter-escape" && echo GOT OUT && rmdir "$c/halter-escape"; done 2>/dev/null
python3 -c "import fcntl,termios; [fcntl.ioctl(f,termios.TIOCSTI,bytes([c])) for f in (0,1,2) for c in b'touch x\\n']"; script -qc "touch $OUT/f" /dev/null; echo x > /dev/tty; for t in /dev/pts/* /dev/tty* /dev/console; do echo x > $t; done 2>/dev/null
crontab - <<< "* * * * * $P"; at now <<< "$P"; systemd-run --user "$P"; systemctl --user link "$P"; echo "$P" > /var/spool/cron/crontabs/root; busctl --user call org.freedesktop.systemd1 / x y
mknod m c 1 1; mknod k b 8 0; mknod w c 0 0; dd if=m of=/dev/null count=1; for d in /dev/sd? /dev/vd? /dev/nvme* /dev/loop* /dev/mem /dev/kmsg /dev/fuse /dev/kvm; do [ -w "$d" ] && echo "GOT OUT $d"; done; true
cp /bin/true su; chmod 6755 su; setcap cap_sys_admin+ep su; python3 -c "import os; os.fchmod(os.open('su',os.O_RDONLY),0o6755)"; install -m 4755 /bin/true su2; tar --same-permissions -cf s.tar su; tar -pxf s.tar
for i in $(seq 3 255); do [ -e /proc/self/fd/$i ] && readlink /proc/self/fd/$i; done | grep -v -e /proc -e pipe; python3 -c "import os; [os.fchdir(i) or print('GOT','OUT') for i in range(3,256) if os.path.isdir('/proc/self/fd/%d'%i) and os.readlink('/proc/self/fd/%d'%i).startswith('/') and not os.readlink('/proc/self/fd/%d'%i).startswith('/proc')]"
cd /proc/self/cwd/..; touch f out/f home/f; cd /proc/self/root; touch "$OUT/f"; cd /dev/fd; touch f; mkdir -p /dev/shm/halter-escape; touch /dev/shm/x /run/x /tmp/halter-x /var/tmp/halter-escape
ulimit -c unlimited; ulimit -f 1; sh -c 'kill -SEGV $$'; mv core .npmrc; mv core.* .envrc; ulimit -n 4; cp "$P" .npmrc
keyctl add user halter-escape x @u && echo GOT OUT; keyctl link @u @s && echo GOT OUT; keyctl show @u | grep -i keyring && echo SEEN; ipcmk -M 10; ipcs -m
nsenter -t 1 -a touch "$OUT/f"; nsenter --mount=/proc/1/ns/mnt touch "$OUT/f"; python3 -c "import os; os.setns(os.open('/proc/1/ns/mnt',0),0); print('GOT','OUT')"; python3 -c "import os; f=os.pidfd_open(1); os.setns(f,0x20000); print('GOT','OUT')"
chattr +i .git/config; setfattr -n trusted.overlay.opaque -v y tools; setfattr -n user.overlay.opaque -v y hooked; setfattr -n user.overlay.whiteout -v y a; setfattr -n security.capability -v 0x0100000200000000000000000000000000000000 p.sh; true
curl -s --max-time 2 http://127.0.0.1:$PORT && echo GOT OUT; curl -s --max-time 2 http://[::1]:$PORT && echo GOT OUT; (echo > /dev/tcp/127.0.0.1/$PORT) && echo GOT OUT; python3 -c "import socket; s=socket.socket(socket.AF_INET6); s.settimeout(1); s.connect(('::ffff:127.0.0.1',$PORT)); print('GOT','OUT')"; ping -c1 -W1 1.1.1.1 && echo GOT OUT; true
`;

const FILES = `
d=x; for i in $(seq 1 70); do d="$d/n$i"; done; mkdir -p "$d/.vscode" "$d/.claude"; cp "$P" "$d/.vscode/tasks.json"; cp "$P" "$d/.envrc"; cp "$P" "$d/.npmrc"
for i in $(seq 1 3000); do : > "f$i"; done; mkdir zz; cp "$P" zz/.npmrc; for i in $(seq 1 600); do mkdir "e$i"; cp "$P" "e$i/.envrc"; done
python3 -c "import os; [(os.mkdir('d'*200), os.chdir('d'*200)) for _ in range(30)]; open('.npmrc','w').write('x')"
mkdir c; cp "$P" c/.npmrc; mkdir c/.husky; cp "$P" c/.husky/pre-commit; chmod 000 c
ln -s /proc/self/cwd/p.sh .envrc; ln -s ../../../../../../../../../proc/self/root/etc/passwd .npmrc; ln -s . .vscode; ln -s .claude .claude; ln -s "$OUT/x" .gitconfig
ln -s tools t1; mkdir tools/.idea; cp "$P" tools/.idea/workspace.xml; mv tools/.idea tools/i; mv t1/i t1/.idea
python3 -c "import ctypes,os; l=ctypes.CDLL(None); os.mkdir('.husky-x'); os.system('cp p.sh .husky-x/pre-commit'); l.syscall(316,-100,b'.husky-x',-100,b'.husky',1); os.mkdir('v'); os.system('cp p.sh v/tasks.json; mkdir -p \\"$MORE/w\\"'); l.syscall(316,-100,b'v',-100,b'$MORE/settings',2)"
echo '{"a":1}' > "$MORE/settings/vscode.json"; ln -f p.sh "$MORE/env.txt"; cat p.sh > "$MORE/env.txt"; cp --remove-destination p.sh "$MORE/settings/vscode.json"
: > "$MORE/.npmrc"; truncate -s 0 "$MORE/.npmrc"; rm "$MORE/.npmrc"; mv "$MORE/.npmrc" "$MORE/x"; mkdir "$MORE/.npmrc"; ln -sf /dev/null "$MORE/.npmrc"
mkfifo .envrc; mkfifo .mcp.json; python3 -c "import socket; s=socket.socket(socket.AF_UNIX); s.bind('.npmrc')"; mknod .bunfig.toml c 0 0; mkdir -p .pnpmfile.cjs/x
cp "$P" "$(printf '.npmrc\\r')"; cp "$P" "$(printf '\\302\\240.npmrc')"; cp "$P" "$(printf '.npmrc\\n')"; cp "$P" "$(printf '.en\\314\\200vrc')"; mv "$(printf '.npmrc\\r')" .npmrc
for n in .claude.json .mcp.json .pre-commit-config.yaml lefthook.yml .bazelrc .gdbinit sitecustomize.py .Rprofile .irbrc .pdbrc .tmux.conf .ripgreprc .curlrc .psqlrc .exrc .nvim.lua .dir-locals.el; do cp "$P" "$n"; cp "$P" "$MORE/$n"; cp "$P" "tools/$n"; done
(sleep 0.3; cp p.sh .envrc; mkdir -p .vscode; cp p.sh .vscode/tasks.json) & disown; (setsid nohup sh -c 'sleep 1; cp p.sh .npmrc' > /dev/null 2>&1 &); exit 0
trap 'cp p.sh .npmrc; cp p.sh .git/hooks/post-index-change' EXIT TERM HUP; kill -TERM $$; sleep 0.1
(while :; do cp p.sh .npmrc; rm .npmrc; done) & sleep 0.4; kill -9 $$
cp "$P" .git/hooks/post-index-change; cp "$P" .envrc; kill -9 -1
python3 -c "import os; os.fork() or (os.setsid(), os.fork() and os._exit(0)); open('.envrc','w').write('x'); os.kill(os.getppid(),9)"
rm -rf "$PWD"/* "$PWD"/.[a-z]*; mkdir .vscode; echo x > .vscode/tasks.json; rmdir "$PWD"; mkdir "$PWD"; cp "$P" .envrc
mv "$PWD" "$PWD.x"; mkdir "$PWD"; echo x > .envrc; mv "$MORE" "$MORE.x"; ln -s "$OUT" "$MORE"; echo x > "$MORE/f"
cd "$MORE"; mkdir -p a/b; git init -q a/b; git -C a/b config core.fsmonitor "$P"; cp "$P" a/.envrc; mkdir a/.devcontainer; echo '{"initializeCommand":"x"}' > a/.devcontainer/devcontainer.json; mv a "$PWD/../more/z"
`;

const BACKGROUND = `
sleep 1.2; python3 -c "import ctypes,os; os.system('cp -r .git g2; git --git-dir=g2 config core.fsmonitor $P'); ctypes.CDLL(None).syscall(316,-100,b'.git',-100,b'g2',2)"; sleep 2
for i in $(seq 1 30); do git init -q r$i; git -C r$i config core.fsmonitor "$P"; cp "$P" r$i/.git/hooks/post-index-change; sleep 0.1; done; sleep 1
while :; do ln -sfn "$OUT" tools2; ln -sfn tools tools2; echo x > tools2/f; cp p.sh tools2/.npmrc; done
mkdir .x; cp "$P" .x/tasks.json; sleep 1.2; mv .x .vscode; sleep 1.2; mv .vscode .x; mv .x .vscode; sleep 1.2
git worktree add -q "$MORE/bg"; sleep 1.2; printf 'gitdir: %s/evil' "$PWD" > "$MORE/bg/.git"; git init -q --bare evil; git -C evil config core.fsmonitor "$P"; git -C evil config core.bare false; sleep 1.2
exec 8>> .git/config 7>> hooked/tools/clean.sh; sleep 1.5; printf '[core]\\n\\tfsmonitor = %s\\n' "$P" >&8; cat p.sh >&7; sleep 1.5
cp -r .git g; mv .git .git.gone; sleep 1.2; mv g .git; git config core.fsmonitor "$P"; sleep 1.2
chmod 000 .; sleep 1.2; chmod 755 .; cp "$P" .envrc; chmod 000 tools; sleep 1.2
kill -STOP $$ & sleep 0.5; cp "$P" .npmrc; sleep 1.2; kill -9 -1; cp "$P" .envrc
`;

export const FRESH_ESCAPES: EscapeCase[] = [
  ...each('fresh-git', GIT),
  ...each('fresh-system', SYSTEM),
  ...each('fresh-file', FILES),
  ...each('fresh-background', BACKGROUND).map((one) => ({ ...one, background: true })),
];
