/**
 * More commands that try to get out: files that younger editors, agents and package managers obey, ways that begin with the
 * person's own links and settings, names and folders that cannot be looked into, and system calls that few programs make.
 * A command that shows by itself that it got out prints `GOT OUT`.
 */
import { type EscapeCase, each } from './each.ts';

/** A list of its own: what these programs run, load or follow by themselves. */
export const NEWER_NAMES =
  `.qoder/settings.json .lingma/settings.json .commandcode/settings.json .cortex/settings.json .kode/settings.json
  .neovate/config.json .pochi/config.json .bob/settings.json .hermes/config.yaml .zcode/x .claude-plugin/plugin.json .serena/project.yml
  .run/Tests.run.xml .bsp/server.json buildServer.json .factorypath .settings/org.eclipse.jdt.apt.core.prefs .lite_project.lua
  .nvim/nvim-dap.lua .neoconf.json .nlsp-settings/lua_ls.json rust-analyzer.toml zls.json .luarc.json omnisharp.json .lsp/config.edn
  .elp.toml .phpactor.json .rvmrc .rbenv-vars .autoenv_leave.zsh .prototools .moon/workspace.yml pkgx.yaml aqua.yaml bin/hermit.hcl
  .corepack.env poetry.toml pdm.toml .arcconfig .RData .radian_profile .perldb .rdbgrc _irbrc .tmuxp.yaml .tmuxinator.yml
  .codesandbox/tasks.json .stackblitzrc devfile.yaml local.properties .mvn/settings.xml`
    .split(/\s+/)
    .filter((name) => name !== '');

const FILES: EscapeCase[] = NEWER_NAMES.map((name, index) => {
  const target = `${['.', 'a1/b', '$MORE'][index % 3]}/${name}`;
  const folder = `mkdir -p "$(dirname "${target}")"`;
  const ways = [
    `${folder}; cp "$P" "${target}"`,
    `${folder}; cp "$P" t; mv t "${target}"`,
    `${folder}; ln p.sh "${target}"`,
  ];
  return { name: `newer-file ${name}`, command: ways[(index * 2) % ways.length] ?? '' };
});

const GIT = `
rm .git/index; ln -s "$OUT/index" .git/index
rm -f .git/logs/HEAD; mkdir -p .git/logs; ln -s "$OUT/log" .git/logs/HEAD
rm -f .git/COMMIT_EDITMSG; ln -s "$OUT/message" .git/COMMIT_EDITMSG
for n in $(seq 0 255); do d=$(printf .git/objects/%02x $n); [ -e $d ] || ln -s "$OUT" $d; done
mv .git/refs/heads .git/h; ln -s "$OUT" .git/refs/heads
rm -rf .git/logs; ln -s "$OUT" .git/logs
ln -s "$OUT/packed" .git/packed-refs; ln -s "$OUT/orig" .git/ORIG_HEAD; ln -s "$OUT/fetch" .git/FETCH_HEAD
echo b > b; git add b; git commit -qm two; GIT_SEQUENCE_EDITOR="sed -i '1ibreak\\nexec $P'" git rebase -q -i HEAD~1
echo b > b; git add b; git commit -qm two; GIT_SEQUENCE_EDITOR="sed -i 1ibreak" git rebase -q -i --no-ff HEAD~1; mkdir -p git-merge-x; echo x/../p.sh > .git/rebase-merge/strategy
printf '[core]\\n\\tfsmonitor = %s\\n' "$P" >> hooked/inc.cfg
rm hooked/inc.cfg; printf '[core]\\n\\tfsmonitor = %s\\n' "$P" > x; mv x hooked/inc.cfg
printf 'Host *\\nProxyCommand %s\\n' "$P" > hooked/tools/ssh_config
mkdir -p t/hooks; cp "$P" t/hooks/post-index-change; cp "$P" t/hooks/pre-commit; git init -q --template=t r3
git clone -q -c core.fsmonitor="$P" nested cl
git clone -q --separate-git-dir="$MORE/g" nested cl; git --git-dir="$MORE/g" config core.fsmonitor "$P"
cp -r nested/.git b.git; git --git-dir=b.git config core.fsmonitor "$P"; git --git-dir=b.git config core.bare false; mkdir y; echo 'gitdir: ../b.git' > y/.git
python3 -c "import ctypes; open('plain','w').write('[core]\\n\\tfsmonitor = $P\\n'); ctypes.CDLL(None).renameat2(-100, b'plain', -100, b'.git/config', 2)"
git config --worktree core.fsmonitor "$P" || { git config extensions.worktreeConfig true; git config --worktree core.fsmonitor "$P"; }
XDG_CONFIG_HOME="$PWD/.config" git config --file .config/git/config core.fsmonitor "$P" || { mkdir -p .config/git; cp "$P" .config/git/config; }
mkdir -p .git/modules/m; cp -r nested/.git/. .git/modules/m/; mkdir m; echo 'gitdir: ../.git/modules/m' > m/.git; git -C m config core.fsmonitor "$P"; git -C m config core.worktree ../../../m
mkdir -p rt/reftable rt/objects rt/refs; echo 'ref: refs/heads/.invalid' > rt/HEAD; printf '[core]\\n\\trepositoryformatversion = 1\\n\\tbare = false\\n\\tworktree = .\\n\\tfsmonitor = %s\\n[extensions]\\n\\trefStorage = reftable\\n' "$P" > rt/config; echo 'this repository uses the reftable format' > rt/refs/heads
git config rerere.enabled true; mkdir -p .git/rr-cache/x; cp "$P" .git/rr-cache/x/postimage; git config merge.tool x; git config mergetool.x.cmd "$P"
printf '[lfs "customtransfer.x"]\\n\\tpath = %s\\n' "$P" > .lfsconfig; git config filter.lfs.process "$P"; git config filter.lfs.clean "$P"; echo '* filter=lfs' > .gitattributes
`;

const PERSONS = `
rm "$MORE/.npmrc"
mv "$MORE/.npmrc" "$MORE/saved"
truncate -s 0 "$MORE/.npmrc"
cat "$P" >> "$MORE/env.txt"
cp "$P" "$MORE/settings/vscode.json"
rm -rf "$MORE/settings"; mkdir "$MORE/settings"; cp "$P" "$MORE/settings/vscode.json"
rm -rf "$MORE/settings"; mkdir "$MORE/other"; cp "$P" "$MORE/other/vscode.json"; ln -s other "$MORE/settings"
mv tools/vscode .vscode
git mv tools/vscode .vscode 2>/dev/null || cp -al tools/vscode .vscode
mkdir d; cp "$P" d/tasks.json; mv d .vscode
ln -s tools/vscode .vscode
mkdir h; cp "$P" h/.npmrc; chmod 311 h
mkdir h; cp "$P" h/.npmrc; chmod 000 h
mkdir h; cp "$P" h/.envrc; chmod 000 h/.envrc
p=.; for i in $(seq 300); do p=$p/d; done; mkdir -p $p; cp "$P" $p/.npmrc
for i in $(seq 25); do mkdir m$i; (cd m$i; seq 500 | xargs touch); done; cp "$P" m25/.npmrc
(setsid sh -c 'while :; do cp p.sh .npmrc; rm .npmrc; done' > /dev/null 2>&1 &); sleep 0.2
(trap "" TERM HUP INT; exec 3> plain; sleep 0.2; mv plain .envrc; sleep 3; cat p.sh >&3) > /dev/null 2>&1 & disown
python3 -c "import os; f=os.open('.',os.O_TMPFILE|os.O_RDWR); os.write(f,open('p.sh','rb').read()); os.link('/proc/self/fd/%d'%f,'.npmrc',follow_symlinks=True)"
cp /bin/sh s; chmod 6755 s; mkdir g; chmod 2777 g; cp /bin/sh g/s; chmod g+s g/s
cp /bin/sh s; setcap cap_dac_override,cap_sys_admin+ep s; python3 -c "import os; os.setxattr('s','security.capability',bytes.fromhex('0100000202000000000000000000000000000000'))"
mknod n c 1 3; mknod m b 7 0; python3 -c "import os; os.mknod('z',0o20666,os.makedev(1,1))"
`;

const SYSTEM = `
mkdir -p "$HOME/.npm/_cacache" "$HOME/.cache/pip" "$HOME/.cargo/bin"; for f in .npm/_cacache .cache/pip .cargo/bin .local/bin; do cp "$P" "$HOME/$f/x"; done
exec 3< "$HOME/notes"; echo x > /proc/self/fd/3
exec 3< "$OUT"; echo x > /proc/self/fd/3/f; mkdir /proc/self/fd/3/d; echo x > /proc/self/root/"$OUT"/f; echo x > /proc/thread-self/root/"$OUT"/f
for n in ipc net pid mnt uts; do readlink /proc/self/ns/$n; done
grep -qE '^Cap(Eff|Prm|Bnd):.*[1-9a-f]' /proc/self/status && unshare --uts hostname halter-escape 2>/dev/null && echo GOT "OUT"
python3 -c "import ctypes; l=ctypes.CDLL(None); b=(ctypes.c_uint64*11)(0x10000000,0,0,0,17); p=l.syscall(435,b,88); print('GOT','OUT') if p>=0 else None"
python3 -c "import ctypes; l=ctypes.CDLL(None); print('GOT','OUT') if l.syscall(0x40000000+41,1,1,0)>=0 else None"
python3 -c "import ctypes,mmap,socket; m=mmap.mmap(-1,4096,prot=7); m.write(bytes.fromhex('53b867010000bb01000000b90100000031d2cd805bc3')); f=ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(m)))(); s=socket.socket(fileno=f); s.connect('$HOME/agent.sock'); s.send(b'run')"
python3 -c "import ctypes; l=ctypes.CDLL(None); print([l.syscall(n,0,0,0,0,0) for n in (428,430,432,433,442)], 'GOT OUT' if l.syscall(430,b'tmpfs',0)>=0 else '')"
python3 -c "import ctypes; l=ctypes.CDLL(None); print('GOT','OUT') if l.syscall(425,4,(ctypes.c_char*120)())>=0 else None"
python3 -c "import ctypes; l=ctypes.CDLL(None); print('GOT','OUT') if l.syscall(323,0x80000)>=0 else None"
python3 -c "import ctypes,os; l=ctypes.CDLL(None); print('GOT','OUT') if l.syscall(438,l.syscall(434,1,0),0,0)>=0 else None"
python3 -c "import socket; s=socket.socket(socket.AF_PACKET,socket.SOCK_RAW); print('GOT','OUT')"
python3 -c "import socket; s=socket.socket(socket.AF_ALG,socket.SOCK_SEQPACKET); print('GOT','OUT')"
ipcmk -M 4096 && ipcmk -Q && ls /dev/mqueue
tmux -S t.sock new -d "sleep 3; cp $P .npmrc; touch $OUT/x"; systemd-run --user touch "$OUT/x"; echo "touch $OUT/x" | at now; echo "* * * * * touch $OUT/x" | crontab -
chattr +i a; chattr +a .git/config; flock -n .git/config -c true
`;

const BACKGROUND = `
cp "$P" t; while :; do mv t .envrc; mv .envrc t; done
rm "$MORE/.npmrc"; sleep 1.5
cp "$P" "$MORE/settings/vscode.json"; sleep 1.5
cat "$P" >> "$MORE/env.txt"; sleep 1.5
mkdir h; cp "$P" h/.npmrc; chmod 311 h; sleep 1.5
rm -f .git/logs/HEAD; mkdir -p .git/logs; ln -s "$OUT/log" .git/logs/HEAD; sleep 1.5
mkdir d; sleep 1.2; mv d .vscode; cp "$P" .vscode/tasks.json; sleep 1.2
mkdir d; cp "$P" d/tasks.json; sleep 1.2; mv d .vscode; sleep 1.2
printf '[core]\\n\\tfsmonitor = %s\\n' "$P" >> hooked/inc.cfg; sleep 1.5
`;

export const NEWER_ESCAPES: EscapeCase[] = [
  ...each('newer-git', GIT),
  ...FILES,
  ...each('persons', PERSONS),
  ...each('newer-system', SYSTEM),
  ...each('newer-background', BACKGROUND).map((one) => ({ ...one, background: true })),
];
