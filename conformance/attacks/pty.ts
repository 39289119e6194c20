/** The real program at a pseudo-terminal, with a scripted model server, started by a shell that notes the terminal's modes. */
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { TERMINAL_LIMITS } from '../../src/terminal/limits.ts';
import { CONFORMANCE_LIMITS } from '../limits.ts';
import { CannotRun, Unmet } from './attack-case.ts';
import { MODEL, type ModelServer, type Reply, startModelServer } from './model-server.ts';
import { MAIN } from './run-program.ts';
import type { Scene } from './scene.ts';
import { withoutLayout } from './stage.ts';

const ESCAPES = /\x1b(?:\[[0-9;?<>=]*[a-zA-Z]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[PX^_][^\x1b]*\x1b\\|[()][0-9A-B]|.)/g;
const LOOK_MS = 10;

export type PtyProgram = {
  server: ModelServer;
  /** Of halter itself, not of what stands before it. */
  pid(): number;
  /** All that was written, escape sequences included. */
  raw(): string;
  /** Whether it was written since `forget`, whatever the layout. */
  shows(text: string): boolean;
  forget(): void;
  type(text: string): void;
  /** Fails with `what` where it never holds. */
  until(holds: () => boolean, what: string, ms?: number): Promise<void>;
  /** A question is there, and it takes keys. */
  question(): Promise<void>;
  ended(): boolean;
  /** Resolves where it ended in time. */
  end(ms: number): Promise<boolean>;
  /** Whether every mode that was turned on is off again, those of the system's terminal included. */
  restored(): string | undefined;
};

export type PtyOptions = {
  script(number: number): Reply;
  /** After the program's name. */
  words?: readonly string[];
  /** Comes before it: see `Place`. */
  place?: readonly string[];
  /** Node's own arguments: a module that is loaded first. */
  node?: readonly string[];
};

/** Modes that a terminal app turns on: how each is turned on, and how off. */
const MODES = ['?1049', '?2004', '?1004', '?1000', '?1002', '?1003', '?1006', '?2026'];

const lastOf = (text: string, part: string): number => text.lastIndexOf(part);

const modeLeft = (raw: string): string | undefined => {
  const left = MODES.find((mode) => lastOf(raw, `\x1b[${mode}h`) > lastOf(raw, `\x1b[${mode}l`));
  if (left !== undefined) return `mode ${left} stays on`;
  if (lastOf(raw, '\x1b[?25l') > lastOf(raw, '\x1b[?25h')) return 'the cursor stays hidden';
  const pushed = raw.match(/\x1b\[>\d+u/g)?.length ?? 0;
  const popped = raw.match(/\x1b\[<\d*u/g)?.length ?? 0;
  return pushed > popped ? 'the keyboard mode stays pushed' : undefined;
};

const killIfThere = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself.
  }
};

/** What `/proc` says of a process; nothing of one that has ended. */
const ofProcess = (pid: number, file: string): string => {
  try {
    return fs.readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
};

/** The process below `parent` that is the program. */
const programBelow = (parent: number): number | undefined => {
  const children = ofProcess(parent, `task/${parent}/children`).trim().split(' ').filter(Boolean);
  for (const child of children.map(Number)) {
    const words = ofProcess(child, 'cmdline').split('\0');
    if (words.includes(MAIN) && words[0] === process.execPath) return child;
    const below = programBelow(child);
    if (below !== undefined) return below;
  }
  return undefined;
};

/** The modes of the terminal before and after; a shell that is told to end waits for the program. */
const SHELL = 'trap : TERM HUP INT; stty -g > "$0.before"; "$@"; code=$?; stty -g > "$0.after" 2>&1; exit $code';

export const openPty = async (scene: Scene, options: PtyOptions): Promise<PtyProgram> => {
  const { spawn } = await import('@lydell/node-pty').catch(() => {
    throw new CannotRun('no terminal can be opened here (@lydell/node-pty)');
  });
  const server = await startModelServer(MODEL, options.script);
  scene.onEnd(() => server.close());
  const reach = ['--provider', 'openai', '--base-url', server.baseUrl, '-m', MODEL];
  const program = [process.execPath, ...(options.node ?? []), MAIN, ...reach, ...(options.words ?? [])];
  const modes = path.join(scene.scratch, 'modes');
  const pty = spawn('sh', ['-c', SHELL, modes, ...(options.place ?? []), ...program], {
    cwd: scene.root,
    env: { ...scene.environment, TERM: 'xterm-256color', HALTER_CASE: scene.scratch },
    cols: 160,
    rows: 50,
  });
  let raw = '';
  let from = 0;
  let exited = false;
  pty.onData((data) => {
    raw += data;
  });
  const exit = new Promise<void>((resolve) =>
    pty.onExit(() => {
      exited = true;
      resolve();
    }),
  );
  scene.onEnd(async () => {
    if (exited) return;
    // The program first: without its shell it would hang up in order, and write what it keeps.
    for (const pid of [programBelow(pty.pid), pty.pid]) if (pid !== undefined) killIfThere(pid);
    await exit;
  });
  const until = async (holds: () => boolean, what: string, ms = CONFORMANCE_LIMITS.programMs): Promise<void> => {
    const end = performance.now() + ms;
    while (!holds()) {
      if (performance.now() > end) throw new Unmet(`${what}: ${raw.replace(ESCAPES, '').slice(-600)}`);
      await wait(LOOK_MS);
    }
  };
  const shows = (text: string): boolean =>
    withoutLayout(raw.slice(from).replace(ESCAPES, '')).includes(withoutLayout(text));
  const read = (name: string): string => fs.readFileSync(`${modes}.${name}`, 'utf8');
  const opened: PtyProgram = {
    server,
    pid() {
      const found = programBelow(pty.pid);
      if (found === undefined) throw new Unmet('the program does not run');
      return found;
    },
    raw: () => raw,
    shows,
    forget() {
      from = raw.length;
    },
    type: (text) => pty.write(text),
    until,
    async question() {
      await until(() => shows('Permission Request') && shows('Remember'), 'no question is put');
      await wait(TERMINAL_LIMITS.questionArmMs + TERMINAL_LIMITS.frameMs * 4);
    },
    ended: () => exited,
    async end(ms) {
      await Promise.race([exit, wait(ms)]);
      return exited;
    },
    restored() {
      if (!fs.existsSync(`${modes}.after`)) return 'nothing came after it';
      return read('after') === read('before') ? modeLeft(raw) : 'the modes of the terminal are other ones';
    },
  };
  await until(() => shows(MODEL), 'the terminal app does not open');
  return opened;
};
