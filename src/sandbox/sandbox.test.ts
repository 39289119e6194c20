import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { scratchFolder } from '../../tests/support/scratch.ts';
import {
  detectSandbox,
  protectedPaths,
  type SandboxPolicy,
  type SandboxState,
  secretPaths,
  wrapCommand,
} from './index.ts';
import { seatbeltProfile } from './seatbelt.ts';

let state: SandboxState;
beforeAll(async () => {
  state = await detectSandbox();
});

const ORDINARY = 65_534;
const canBeOrdinary = process.getuid?.() === 0 && existsSync('/usr/bin/setpriv');

type Scene = { workspace: string; home: string; policy: SandboxPolicy };
const scene = (change: Partial<SandboxPolicy> = {}): Scene => {
  const base = scratchFolder();
  const workspace = path.join(base, 'workspace');
  const home = path.join(base, 'home');
  mkdirSync(workspace);
  mkdirSync(path.join(home, '.ssh'), { recursive: true });
  writeFileSync(path.join(home, '.ssh', 'id_ed25519'), 'THE-KEY');
  writeFileSync(path.join(home, '.netrc'), 'THE-PASSWORD');
  writeFileSync(path.join(home, 'notes.txt'), 'notes');
  const policy = { workspace, protected: protectedPaths(workspace, home), hidden: secretPaths(home), network: false };
  return { workspace, home, policy: { ...policy, ...change } };
};

type Result = { status: number | null; output: string };
const runAs = (
  prefix: string[],
  { policy, home }: Scene,
  line: string,
  environment: Record<string, string> = {},
): Result => {
  const command = wrapCommand(state, ['/bin/bash', '-c', line], policy);
  const words = [...prefix, ...command];
  const result = spawnSync(words[0] as string, words.slice(1), {
    cwd: '/',
    env: { PATH: '/usr/bin:/bin', HOME: home, ...environment },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return { status: result.status, output: result.stdout + result.stderr };
};
const run = (it: Scene, line: string, environment?: Record<string, string>): Result => runAs([], it, line, environment);

describe('bubblewrap', () => {
  const confined = (name: string, test: () => void | Promise<void>): void =>
    it(name, async (context) => {
      if (state.kind !== 'bubblewrap') context.skip(state.reason);
      verifies('L11');
      await test();
    });

  confined('hides the passwords of the system from root', () => {
    verifies('L11');
    expect(run(scene(), 'cat /etc/shadow /etc/shadow- /etc/gshadow').output).not.toMatch(/^root:/m);
  });

  confined('lets the workspace be written to, and nothing else', () => {
    verifies('S13');
    const it = scene();
    const { output } = run(it, `echo x > inside; echo x > /usr/outside; echo x > /etc/outside; echo x > /var/outside`);
    expect(readFileSync(path.join(it.workspace, 'inside'), 'utf8')).toBe('x\n');
    expect(output.match(/Read-only file system|Permission denied|No such file/g)?.length).toBe(3);
    expect(existsSync('/etc/outside')).toBe(false);
  });

  confined('lets git commit without a layer, and keeps the settings and hooks that are there', () => {
    const it = scene();
    spawnSync('git', ['init', '-q', it.workspace]);
    const before = readFileSync(path.join(it.workspace, '.git', 'config'), 'utf8');
    const { output } = run(
      it,
      'touch f; git add f; git -c user.email=a@b.c -c user.name=n commit -qm first; git log --format=%s; ' +
        'git config core.fsmonitor ./p.sh; echo x > .git/hooks/pre-commit; mv .git g; ln .git/config c',
    );
    expect(output).toContain('first');
    expect(readFileSync(path.join(it.workspace, '.git', 'config'), 'utf8')).toBe(before);
    expect(existsSync(path.join(it.workspace, '.git', 'hooks', 'pre-commit'))).toBe(false);
    expect(readdirSync(it.workspace).sort()).toEqual(['.git', 'f']);
  });

  confined('keeps all of the repository where that is asked for', () => {
    const it = scene({ gitReadOnly: true });
    spawnSync('git', ['init', '-q', it.workspace]);
    expect(run(it, 'touch f; git add f').status).not.toBe(0);
  });

  confined('protects start-up files where the workspace is the home folder', () => {
    const it = scene();
    const policy = { ...it.policy, workspace: it.home, protected: protectedPaths(it.home, it.home) };
    writeFileSync(path.join(it.home, '.bashrc'), 'mine');
    run({ ...it, policy }, 'echo evil > ~/.bashrc; echo ok > ~/fine');
    expect(readFileSync(path.join(it.home, '.bashrc'), 'utf8')).toBe('mine');
    expect(readdirSync(it.home)).toContain('fine');
  });

  confined('protects what a link in the place of a protected folder leads to', () => {
    const it = scene();
    mkdirSync(path.join(it.workspace, 'real'));
    symlinkSync('real', path.join(it.workspace, '.vscode'));
    run(it, 'echo x > .vscode/tasks.json');
    expect(readdirSync(path.join(it.workspace, 'real'))).toEqual([]);
  });

  confined('shows a program of ours in /tmp, read-only, and nothing beside it', () => {
    const it = scene();
    const folder = scratchFolder();
    const program = path.join(folder, 'program');
    writeFileSync(path.join(folder, 'beside'), '');
    writeFileSync(program, '#!/bin/sh\necho it runs\n', { mode: 0o755 });
    expect(run(it, program).output).not.toContain('it runs');
    it.policy.programs = [program];
    const { output } = run(it, `${program}; ls -A ${folder}; echo x >> ${program}`);
    expect(output).toMatch(/^it runs\nprogram\n.*(?:Read-only file system|Permission denied)\n$/);
    expect(readFileSync(program, 'utf8')).not.toContain('x\n');
  });

  confined('hides keys, and what other programs keep in /tmp and /run', () => {
    // The home folder of this scene lies in /tmp, which is hidden as a whole; a writable folder is not.
    const it = scene();
    it.policy.writable = [it.home];
    const { output } = run(it, 'cat ~/.ssh/id_ed25519 ~/.netrc ~/notes.txt; ls -A ~/.ssh; ls -A /run');
    expect(output).not.toMatch(/THE-KEY|THE-PASSWORD/);
    expect(output).toContain('notes');
    expect(output).not.toContain('dbus');
  });

  confined('shows no process and no environment of the outside', () => {
    verifies('S14');
    const it = scene();
    process.env['HALTER_TEST_CANARY'] = 'SECRET-CANARY';
    try {
      const { output } = run(
        it,
        'cat /proc/[0-9]*/environ | tr "\\0" "\\n"; cat /proc/$PPID/environ; ls -d /proc/[0-9]*',
        { FINE: 'yes' },
      );
      expect(output).not.toContain('SECRET-CANARY');
      expect(output).toContain('FINE=yes');
      expect(output).toContain('/proc/1\n');
      expect(output.match(/^\/proc\/[0-9]+$/gm)?.length).toBeLessThan(8);
    } finally {
      delete process.env['HALTER_TEST_CANARY'];
    }
  });

  confined('has no network but where it is allowed', () => {
    verifies('S12');
    const names = (network: boolean): string => run(scene({ network }), 'cat /proc/net/dev').output;
    expect(
      names(false)
        .match(/^\s*\w+:/gm)
        ?.map((name) => name.trim()),
    ).toEqual(['lo:']);
    expect(run(scene(), 'exec 3<>/dev/tcp/192.0.2.1/80').status).not.toBe(0);
    const outside = readFileSync('/proc/net/dev', 'utf8').match(/^\s*\w+:/gm)?.length;
    expect(names(true).match(/^\s*\w+:/gm)?.length).toBe(outside);
  });

  confined('lets nobody inside undo it, not even root', () => {
    const it = scene();
    run(
      it,
      'mount -o remount,rw /; mount --bind / /tmp; umount /; unshare -m true; echo x > /proc/sys/kernel/core_pattern; mknod d b 8 0',
    );
    const { output } = run(it, 'grep CapEff /proc/self/status; touch /etc/halter-was-here');
    expect(existsSync('/etc/halter-was-here')).toBe(false);
    const effective = BigInt(`0x${/CapEff:\s*([0-9a-f]+)/.exec(output)?.[1]}`);
    // SYS_ADMIN, DAC_READ_SEARCH, SYS_PTRACE, MKNOD, SYS_MODULE, NET_ADMIN.
    for (const bit of [21n, 2n, 19n, 27n, 16n, 12n]) expect(effective & (1n << bit)).toBe(0n);
  });

  confined('leaves no child when it is killed, setsid ones included', async () => {
    verifies('S37');
    const it = scene();
    const command = wrapCommand(
      state,
      ['/bin/bash', '-c', 'setsid sleep 98765 & (env -i /usr/bin/setsid sleep 98765 &) ; echo up; wait'],
      it.policy,
    );
    const child = spawn(command[0] as string, command.slice(1), {
      env: { PATH: '/usr/bin:/bin' },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    await new Promise((resolve) => child.stdout.once('data', resolve));
    child.kill('SIGKILL');
    await new Promise((resolve) => child.once('close', resolve));
    // The pipe closes when the last process that holds it is gone, so by now there is none.
    expect(spawnSync('pgrep', ['-f', 'sleep 98765']).stdout.toString()).toBe('');
  });

  confined('passes the exit code on', () => {
    expect(run(scene(), 'exit 7').status).toBe(7);
  });

  confined('works for an ordinary user', () => {
    if (!canBeOrdinary) return;
    const it = scene();
    chownSync(it.workspace, ORDINARY, ORDINARY);
    chmodSync(path.dirname(it.workspace), 0o755);
    const prefix = ['/usr/bin/setpriv', `--reuid=${ORDINARY}`, `--regid=${ORDINARY}`, '--clear-groups'];
    // What root's flags add is refused to an ordinary user, so the flags are made as for one.
    const real = process.getuid;
    process.getuid = () => ORDINARY;
    try {
      const { status, output } = runAs(prefix, it, 'id -u; echo x > inside; cat ~/.ssh/id_ed25519');
      expect(output).toContain(`${ORDINARY}\n`);
      expect(output).not.toContain('THE-KEY');
      expect(status).not.toBe(0);
      expect(readdirSync(it.workspace)).toEqual(['inside']);
    } finally {
      if (real) process.getuid = real;
    }
  });
});

describe('detection', () => {
  const never = async () => ({ worked: false, message: 'bwrap: No permissions to create a new namespace' });
  it('says what to do where bubblewrap is missing, and what is wrong where it does not work', async () => {
    verifies('L11');
    const missing = await detectSandbox({ platform: 'linux', exists: () => false });
    expect(missing).toEqual({ kind: 'none', reason: expect.stringContaining('install') });
    const broken = await detectSandbox({ platform: 'linux', exists: () => true, probe: never });
    expect(broken.kind).toBe('none');
    expect(broken.reason).toMatch(/No permissions.*user namespaces/);
    expect((await detectSandbox({ platform: 'win32' })).kind).toBe('none');
  });

  it('leaves a command as it is where there is no sandbox', () => {
    const none: SandboxState = { kind: 'none', reason: 'test' };
    expect(wrapCommand(none, ['/bin/true'], scene().policy)).toEqual(['/bin/true']);
  });
});

describe('the profile for macOS (never run here)', () => {
  it('names what may be written, what may not, and quotes every path', () => {
    const text = seatbeltProfile(
      {
        workspace: '/Users/a"b/w',
        protected: ['/Users/a"b/w/.git', '/Users/a"b/w/.halter'],
        hidden: ['/Users/x/.ssh'],
        network: false,
      },
      '/private/tmp',
    );
    expect(text).toContain('(deny default)');
    expect(text).toContain('(subpath "/Users/a\\"b/w")');
    expect(text).toContain('(subpath "/Users/a\\"b/w/.git/hooks")');
    expect(text).toContain('(deny file-read* file-write* (subpath "/Users/x/.ssh"))');
    expect(text).toContain('(deny network*)');
    expect(text.split('(').length).toBe(text.split(')').length);
  });

  it('comes after what it takes back, and says everywhere that nobody has tried it', async () => {
    verifies('L11');
    const policy = { workspace: '/w', protected: ['/w/.halter', '/w/p/.vscode'], hidden: ['/h/.ssh'], network: true };
    const lines = seatbeltProfile(policy, '/private/tmp').split('\n');
    const at = (part: string): number => lines.findIndex((line) => line.includes(part));
    // Of two rules the later one counts.
    expect(at('(allow file-write*')).toBeLessThan(at('(deny file-write* (subpath "/w/.halter")'));
    expect(at('(allow file-read*)')).toBeLessThan(at('(deny file-read* file-write* (subpath "/h/.ssh")'));
    expect(at('(deny file-write-unlink (literal "/w/p"))')).toBeGreaterThan(at('(allow file-write*'));
    expect(at('(allow network*)')).toBeGreaterThan(0);
    const found = await detectSandbox({
      platform: 'darwin',
      exists: () => true,
      probe: async () => ({ worked: true, message: '' }),
    });
    expect(found).toMatchObject({ kind: 'seatbelt', reason: expect.stringContaining('untested') });
  });
});
