/** Which confinement works here. It is tried once, with the flags of real use: that a program is installed says little. */
import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import os from 'node:os';
import { LIMITS } from '../core/limits.ts';
import { bubblewrapCommand } from './bubblewrap.ts';
import { findLayerPrograms, type LayerPrograms } from './layer.ts';
import { SANDBOX_LIMITS } from './limits.ts';
import { seatbeltCommand } from './seatbelt.ts';
import { isShortage, namesShortage } from './shortage.ts';

export type SandboxState =
  | {
      kind: 'bubblewrap';
      program: string;
      reason: string;
      /** It is too old to forbid user namespaces inside; the filter of system calls does. */
      nestedUsers?: boolean;
      /** What mounts layers and closes descriptors; absent where it is not installed. */
      start?: LayerPrograms;
    }
  | { kind: 'seatbelt'; program: string; reason: string }
  /** `untried`: it is installed, and could not be tried; whether it works is not known. */
  | { kind: 'none'; reason: string; untried?: true };

/** Fixed places only: a program of that name in the workspace would be no sandbox. */
const BUBBLEWRAP = ['/usr/bin/bwrap', '/usr/local/bin/bwrap', '/bin/bwrap', '/run/current-system/sw/bin/bwrap'];
const SEATBELT = ['/usr/bin/sandbox-exec'];

export type Probe = (command: readonly string[]) => Promise<{ worked: boolean; message: string; untried?: true }>;
export type DetectOptions = { platform?: string; exists?(file: string): boolean; probe?: Probe };

let known: Promise<SandboxState> | undefined;
/** The answer of this process; the first call takes some ten milliseconds. */
export const detectSandbox = (options?: DetectOptions): Promise<SandboxState> => {
  if (options !== undefined) return detect(options);
  known ??= detect({}).then((state) => {
    // Asked again when there may be enough of what was missing.
    if (state.kind === 'none' && state.untried) known = undefined;
    return state;
  });
  return known;
};

const detect = async (options: DetectOptions): Promise<SandboxState> => {
  const { platform = process.platform, exists = isProgram, probe = tryOut } = options;
  if (platform === 'linux') {
    const program = BUBBLEWRAP.find(exists);
    if (program === undefined) {
      return { kind: 'none', reason: 'bubblewrap is not installed; install the package "bubblewrap" of your system' };
    }
    const policy = { workspace: '/', cwd: '/', protected: [], hidden: [], network: false };
    const tryWith = (nestedUsers: boolean) =>
      probe(bubblewrapCommand(program, ['/bin/sh', '-c', ':'], { ...policy, nestedUsers }));
    const strict = await tryWith(false);
    const isOld = !strict.worked && /unknown option|disable-userns/i.test(strict.message);
    const { worked, message, untried } = isOld ? await tryWith(true) : strict;
    if (untried || (!worked && namesShortage(message)))
      return { kind: 'none', untried: true, reason: `${program} could not be tried: ${message}` };
    return worked
      ? { kind: 'bubblewrap', program, reason: `${program} works`, nestedUsers: isOld, start: findLayerPrograms() }
      : { kind: 'none', reason: `${program} does not work here: ${message}${hintFor(message)}` };
  }
  if (platform === 'darwin') {
    const program = SEATBELT.find(exists);
    if (program === undefined) return { kind: 'none', reason: 'sandbox-exec is not there' };
    const policy = { workspace: '/', protected: [], hidden: [], network: false };
    const { worked, message, untried } = await probe(
      seatbeltCommand(program, ['/bin/sh', '-c', ':'], policy, os.tmpdir()),
    );
    if (untried || (!worked && namesShortage(message)))
      return { kind: 'none', untried: true, reason: `${program} could not be tried: ${message}` };
    return worked
      ? { kind: 'seatbelt', program, reason: `${program} works (its profile is untested)` }
      : { kind: 'none', reason: `${program} does not work here: ${message}` };
  }
  return { kind: 'none', reason: `there is no sandbox for ${platform}` };
};

const hintFor = (message: string): string =>
  /permission|not permitted|user namespace/i.test(message)
    ? '; the system may forbid user namespaces (kernel.unprivileged_userns_clone, kernel.apparmor_restrict_unprivileged_userns), and containers need --security-opt seccomp=unconfined'
    : '';

const isProgram = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

const tryOut: Probe = (command) =>
  new Promise((done) => {
    const failed = (error: Error): void =>
      done({ worked: false, message: error.message, ...(isShortage(error) ? { untried: true as const } : {}) });
    let child: ChildProcess;
    try {
      child = startProbe(command);
    } catch (error) {
      failed(error as Error);
      return;
    }
    let errors = '';
    child.on('error', failed);
    // There is no pipe where the system had no file left to give for it.
    child.stderr?.on('data', (chunk: Buffer) => {
      if (errors.length < LIMITS.modelErrorCharacters) errors += chunk.toString('utf8');
    });
    child.on('close', (code, signal) =>
      done({
        worked: code === 0,
        message: errors.trim().split('\n')[0] || `it ended with ${signal ?? `code ${code}`}`,
        // Ended from outside, or by its time.
        ...(signal === null ? {} : { untried: true as const }),
      }),
    );
  });

const startProbe = (command: readonly string[]): ChildProcess =>
  spawn(command[0] as string, command.slice(1), {
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: SANDBOX_LIMITS.probeTimeoutMs,
    killSignal: 'SIGKILL',
  });
