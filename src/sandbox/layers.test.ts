import { spawn } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { programFile } from '../../scripts/built-programs.ts';
import { verifies } from '../../tests/requirements.ts';
import { everyNth } from '../../tests/support/long.ts';
import { inSandboxWorld } from '../../tests/support/sandbox-world.ts';
import { scratchFolder } from '../../tests/support/scratch.ts';

describe('what a command leaves for others to run', () => {
  const PROGRAM = 'printf "#!/bin/sh\\ntouch $PWD/ran\\n" > p.sh; chmod +x p.sh; P=$PWD/p.sh;';
  const ATTACKS: readonly (readonly [string, readonly string[]])[] = [
    ['git init -q .; git config core.fsmonitor $P', ['.git/config']],
    ['git init -q .; cp p.sh .git/hooks/pre-commit', ['.git/hooks/pre-commit']],
    ['git init -q .; git init -q --bare e; echo ../e > .git/commondir', ['.git/commondir']],
    ['git init -q --bare e; git -C e config core.fsmonitor $P; echo "gitdir: e" > .git', ['.git', 'e/config']],
    ['git init -q .; git -C . config alias.x "!$P"; rm .git/config; ln -s ../p.sh .git/config', ['.git/config']],
    ['git init -q a/b; git -C a/b config core.fsmonitor $P', ['a/b/.git/config']],
    [
      'mkdir q q/objects q/refs; echo "ref: refs/heads/m" > q/HEAD; printf "[core]\\nfsmonitor=$P\\n" > q/config',
      ['q/config'],
    ],
    ['git init -q $MORE/r; git -C $MORE/r config core.fsmonitor $P', ['$MORE/r/.git/config']],
    ['printf "[submodule \\"x\\"]\\npath = x\\nupdate = !$P\\n" > .gitmodules', ['.gitmodules']],
    ['echo x > .npmrc; mkdir -p a/.vscode .husky; echo {} > a/.vscode/tasks.json', ['.husky', '.npmrc', 'a/.vscode']],
    ['mkdir real; ln -s real .vscode; echo x > $MORE/.envrc', ['$MORE/.envrc', '.vscode']],
  ];
  for (const [line, expected] of everyNth(ATTACKS, 5)) {
    inSandboxWorld(`is taken back: ${line.slice(0, 70)}`, async ({ run, more, outside }) => {
      verifies('L11', 'S38', 'S36');
      const { taken } = await run(`${PROGRAM} ${line}; echo kept > kept`);
      expect(taken).toEqual(expected.map((name) => name.replace('$MORE', more)).sort());
      expect(outside('cat kept')).toBe('kept\n');
      outside('git status; git -C a/b status; git -C q status; git -C e status; git add -A; git commit -qm x');
      outside('git status', path.join(more, 'r'));
      expect(outside('ls ran')).toContain('No such file');
    });
  }

  const HEAD = 'echo "ref: refs/heads/m" > q/HEAD';
  /** Whatever comes first is kept: what would make a repository of it later is taken back. */
  const LATER: readonly (readonly [first: string, later: string, taken: readonly string[]])[] = [
    ['mkdir q/objects', `mkdir q/refs; ${HEAD}`, ['q/HEAD']],
    [`mkdir q/objects; ${HEAD}`, 'mkdir q/refs', ['q/refs']],
    [`mkdir q/objects other; ${HEAD}`, 'mv other q/refs', ['q/refs']],
    [`mkdir q/objects other; ${HEAD}`, 'ln -s ../other q/refs', ['q/refs']],
    [`mkdir q/refs; ${HEAD}`, 'mkdir q/objects', ['q/objects']],
    [HEAD, 'mkdir q/refs q/objects', ['q/refs']],
    [HEAD, 'echo ../e > q/commondir', ['q/commondir']],
    ['mkdir q/objects q/refs; echo x > q/H', 'mv q/H q/HEAD', ['q/HEAD']],
  ];
  for (const [first, later, expected] of everyNth(LATER, 5)) {
    inSandboxWorld(`is nothing where it takes two commands: ${first}, then ${later}`, async (world) => {
      verifies('S38');
      const settings = 'printf "[core]\nfsmonitor=$P\n" > q/config';
      expect((await world.run(`${PROGRAM} mkdir q; ${first}; ${settings}`)).taken).toEqual([]);
      expect((await world.run(later)).taken).toEqual(expected);
      for (const name of expected) expect(existsSync(path.join(world.root, name)), name).toBe(false);
      expect(world.outside('cd q && git rev-parse --git-dir')).not.toMatch(/^\.$/m);
    });
  }

  inSandboxWorld('is nothing where a background command makes a repository step by step', async (world) => {
    verifies('S38');
    const job = await world.processes.open({
      command: [
        '/bin/bash',
        '-c',
        'mkdir q q/objects; echo "ref: refs/heads/m" > q/HEAD; echo "[core]" > q/config; while [ ! -e go ]; do sleep 0.05; done; mkdir q/refs; echo x > done; sleep 60',
      ],
      confined: true,
      onOutput: () => {},
    });
    if (!job.ok) throw new Error(job.error.message);
    await expect.poll(() => existsSync(path.join(world.root, 'q/HEAD')), { timeout: 20_000 }).toBe(true);
    writeFileSync(path.join(world.root, 'go'), '');
    await expect.poll(() => existsSync(path.join(world.root, 'done')), { timeout: 20_000 }).toBe(true);
    await job.value.stop();
    expect(existsSync(path.join(world.root, 'q/refs'))).toBe(false);
  });

  inSandboxWorld(
    'is nothing where the settings of a repository name a program that lies in the folder',
    async (world) => {
      verifies('S38');
      world.outside('git init -q .; mkdir tools; echo cat > tools/clean; git config filter.x.clean "sh tools/clean"');
      world.outside('git config core.hooksPath ci/hooks; mkdir -p ci/hooks');
      const { taken } = await world.run(
        'echo evil > tools/clean; echo evil > ci/hooks/pre-commit; echo fine > tools/other',
      );
      expect(taken).toEqual(['ci/hooks/pre-commit', 'tools/clean']);
      expect(world.outside('cat tools/clean tools/other; ls ci/hooks')).toBe('cat\nfine\n');
    },
  );

  inSandboxWorld('is nothing that a background command writes either, while it runs and afterwards', async (world) => {
    verifies('S38');
    let output = '';
    const job = await world.processes.open({
      command: [
        '/bin/bash',
        '-c',
        'git init -q r; git -C r config core.fsmonitor x; echo x > .npmrc; echo x > done; sleep 60',
      ],
      confined: true,
      onOutput: (text) => {
        output += text;
      },
    });
    if (!job.ok) throw new Error(job.error.message);
    await expect.poll(() => existsSync(path.join(world.root, 'done'))).toBe(true);
    await expect.poll(() => output).toContain('Taken back: .npmrc');
    expect(readdirSync(world.root).sort()).toEqual(['done', 'r']);
    await job.value.stop();
    expect(output).toContain('Taken back: r/.git/config');
    expect(world.outside('cat r/.git/config')).toContain('No such file');
  });
});

describe('a background command and the folder', () => {
  inSandboxWorld('see what the other writes, and its watchers hear of it', async (world) => {
    writeFileSync(path.join(world.root, 'a'), 'one');
    let output = '';
    const watch = `const fs=require('fs');fs.watch('.',(_,n)=>{if(n==='a')console.log('heard',fs.readFileSync('a','utf8'))});fs.writeFileSync('log','up');setInterval(()=>{},1e3)`;
    const job = await world.processes.open({
      command: [process.execPath, '-e', watch],
      confined: true,
      onOutput: (text) => {
        output += text;
      },
    });
    if (!job.ok) throw new Error(job.error.message);
    await expect.poll(() => existsSync(path.join(world.root, 'log'))).toBe(true);
    world.outside('echo two > new && mv new a');
    await expect.poll(() => output).toContain('heard two');
    await world.run('echo three > a');
    await expect.poll(() => output).toContain('heard three');
    await job.value.stop();
    expect(world.outside('cat a')).toBe('three\n');
  });
});

describe('the folder as it is', () => {
  inSandboxWorld('is what a command sees, and nothing of the command is seen outside while it runs', async (world) => {
    verifies('S39');
    world.outside('git init -q .; echo a > a; git add a; git commit -qm one');
    const before = world.outside('ls -A; git status --porcelain');
    let isUp = (): void => {};
    const up = new Promise<void>((resolve) => {
      isUp = resolve;
    });
    const running = world.start('ls -A; touch new; mkdir .vscode; echo x > .git/commondir; echo up; sleep 60', {
      onOutput: (text) => (text.includes('up') ? isUp() : undefined),
    });
    await up;
    expect(world.outside('ls -A; git status --porcelain')).toBe(before);
    world.processes.close();
    const ran = await running;
    expect(ran.ok && ran.value.output).toBe('.git\na\nup\n');
  });

  inSandboxWorld('is as it was when halter is killed, and the next run clears its cache', async (world) => {
    verifies('S39');
    const script = `
      import { openConfinement } from ${JSON.stringify(programFile(new URL('./confine.ts', import.meta.url)))};
      import { createProcesses } from ${JSON.stringify(programFile(new URL('../io/processes.ts', import.meta.url)))};
      const home = ${JSON.stringify(world.home)}, root = ${JSON.stringify(world.root)};
      const paths = { config: home + '/.config/halter', data: home + '/.local/share/halter', cache: home + '/.cache/halter' };
      const { confine } = await openConfinement({ root, addDirs: [], paths, environment: { HOME: home }, network: false });
      const processes = createProcesses({ root, environment: { PATH: process.env.PATH }, confine });
      const signal = new AbortController().signal;
      await processes.run({ command: ['/bin/bash', '-c', 'mkdir .git .vscode; echo x > .npmrc; echo x > fine; echo up; sleep 60'],
        confined: true, timeoutMs: 0, signal, maxOutputBytes: 100, onOutput: (text) => process.stdout.write(text) });`;
    const halter = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await new Promise((done) => halter.stdout.once('data', done));
    expect(readdirSync(world.root)).toEqual([]);
    halter.kill('SIGKILL');
    await new Promise((done) => halter.once('close', done));
    expect(readdirSync(world.root)).toEqual([]);
    const layers = path.join(world.home, '.cache/halter/layers');
    expect(readdirSync(layers)).toHaveLength(1);
    await world.run('true');
    await expect.poll(() => readdirSync(layers).filter((name) => name.startsWith(`${halter.pid}-`))).toEqual([]);
  });
});

describe('ordinary work', () => {
  const WORK: readonly (readonly [string, string])[] = [
    [
      'git init -q . && git config user.name me && echo a > a && git add . && git commit -qm one',
      'git status --porcelain; git log --format=%s',
    ],
    [
      'git init -q . && git remote add o https://example.org/x.git && git config branch.m.remote o',
      'git remote -v | wc -l; git config branch.m.remote',
    ],
    [
      'git init -q r && cd r && echo a > a && git add . && git commit -qm one && cd .. && git clone -q r c',
      'git -C c log --format=%s; git -C c status --porcelain',
    ],
    [
      'git init -q . && echo a > a && git add . && git commit -qm one && git worktree add -q wt',
      'git -C wt log --format=%s; git worktree list | wc -l',
    ],
    [
      'git init -q s && (cd s; echo a > a; git add .; git commit -qm one) && git init -q m && cd m && git -c protocol.file.allow=always submodule add -q ../s s && git commit -qm two',
      'git -C m submodule status | wc -l; git -C m/s log --format=%s; git -C m status --porcelain',
    ],
    [
      'git init -q . && echo a > a && git add . && git commit -qm one && git checkout -q -b x && echo b > a && git commit -qam two && git checkout -q - && git merge -q x && git tag t && git gc -q',
      'git log --format=%s; git fsck; git tag',
    ],
    [
      'mkdir -p d/e; echo 1 > d/e/f; ln -s d/e l; ln d/e/f h; mkfifo p; chmod 750 d; touch -d 2001-02-03 d/e/f',
      'stat -c %a d; readlink l; stat -c %Y d/e/f; [ -p p ] && echo fifo; cat h',
    ],
    ['mkdir d; echo 1 > d/old', 'ls d'],
    [
      'mkdir -p m/a/b; echo 1 > m/a/b/f; chmod 555 m/a/b m/a m; mkdir x; chmod 300 x',
      'stat -c "%a %n" m m/a m/a/b x; cat m/a/b/f; chmod -R u+w m',
    ],
    [
      'git init -q . && git config user.name a && git config --add user.name b',
      'git config --get-all user.name; git config --replace-all user.name c',
    ],
    ['printf "all: o\\no: i\\n\\tcp i o\\n" > Makefile; echo i > i; make -s', 'make -q && echo current'],
    [
      'mkdir pkg && echo \'{"name":"pkg","version":"1.0.0"}\' > pkg/package.json && npm init -y > /dev/null && npm install --offline --no-audit --no-fund ./pkg > /dev/null',
      'ls node_modules; cat node_modules/pkg/package.json',
    ],
  ];
  for (const [line, look] of everyNth(WORK, 5)) {
    inSandboxWorld(line.slice(0, 90), async ({ run, outside }) => {
      verifies('L11');
      const { code, output, taken } = await run(line);
      expect({ code, output, taken }).toEqual({ code: 0, output: expect.any(String), taken: [] });
      // The same without a sandbox.
      const plain = scratchFolder();
      outside(line, plain);
      expect(outside(look)).toBe(outside(look, plain));
    });
  }

  inSandboxWorld('gives no program the rights of whoever made it', async ({ run, outside }) => {
    verifies('L11');
    const made = 'import os; [os.close(os.open(n, os.O_CREAT | os.O_RDWR, 0o6755)) for n in ("a", "d/b")]';
    await run(
      `mkdir d shared; chmod 2775 shared; umask 0; python3 -c '${made}'; cp a c; chmod g+s c; echo x > c; chmod g+s c`,
    );
    expect(outside('stat -c "%a %n" a c d/b shared')).toBe('755 a\n755 c\n755 d/b\n2775 shared\n');
  });

  inSandboxWorld('what was removed, made again and renamed is so outside', async ({ run, outside }) => {
    outside('mkdir -p a/b c d; touch a/1 a/b/2 c/3 d/4 e; ln -s a l');
    const { taken } = await run(
      'rm -rf a; mkdir a; touch a/new; mv c moved; rm -r d; touch d; rm e; mkdir e; touch e/5; rm l; mkdir l',
    );
    expect(taken).toEqual([]);
    expect(outside('find . -printf "%y %P\\n" | sort')).toBe(
      'd \nd a\nd e\nd l\nd moved\nf a/new\nf d\nf e/5\nf moved/3\n',
    );
  });

  inSandboxWorld(
    'a file of the person keeps its rights, and one that is run from there can be',
    async ({ run, outside }) => {
      outside('echo echo hi > x; chmod 755 x; echo a > y; chmod 600 y');
      await run('echo echo bye > x; echo b >> y; echo echo new > z; chmod +x z');
      expect(outside('stat -c %a x y z; ./x; ./z')).toBe('755\n600\n755\nbye\nnew\n');
    },
  );
});

describe('the rest of the machine', () => {
  inSandboxWorld('is out of reach: sockets, namespaces, keys, settings of the kernel, descriptors', async (world) => {
    verifies('S41', 'S14');
    const socket = path.join(world.home, 'agent.sock');
    const heard: string[] = [];
    const server = createServer((connection) => connection.on('data', (data) => heard.push(String(data))));
    await new Promise<void>((done) => server.listen(socket, done));
    const connect = `"${process.execPath}" -e 'require("net").connect(process.argv[1]).on("connect",function(){this.end("asked")}).on("error",(e)=>console.log(e.code))' ${socket}`;
    expect((await world.run(connect)).output).toMatch(/ECONNREFUSED|ENOTSOCK|ENOENT|EACCES/);
    server.close();
    expect(heard).toEqual([]);
    const { output } = await world.run(
      'grep Seccomp: /proc/self/status; unshare -U true; echo x > /proc/sys/kernel/core_pattern; ls /proc/self/fd; touch s; chmod u+s s; cat /proc/keys',
    );
    expect(output).toContain('Seccomp:\t2');
    expect(output).toMatch(/unshare: .*(?:not permitted|No space)/);
    expect(output).toMatch(/core_pattern: (?:Read-only|Permission)/);
    expect(output).toContain('\n0\n1\n2\n3\n');
    expect(output).toMatch(/chmod: .*not permitted/);
  });
});
