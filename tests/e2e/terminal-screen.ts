/** A real terminal to look at: tmux draws the screen, the test waits for what can be seen on it, never for time. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { programFile } from '../../scripts/built-programs.ts';
import { isAlive } from '../support/is-alive.ts';

const PROGRAM = programFile(new URL('./terminal-program.ts', import.meta.url));
const WAIT_MS = 40_000;
const LOOK_MS = 50;

export const tmuxMissing = (): string | undefined =>
  spawnSync('tmux', ['-V']).status === 0 ? undefined : 'tmux is not installed (apt-get install tmux)';

export type Screen = {
  /** Types keys by their tmux names (`Enter`, `Escape`, `C-o`). */
  keys(...names: string[]): void;
  /** Types text as it is. */
  type(text: string): void;
  /** What can be seen now. */
  text(): string;
  /** What can be seen and what has scrolled away. */
  history(): string;
  /** Waits until the screen shows it; fails with the screen in the message. */
  until(fact: string | RegExp | ((screen: string) => boolean)): Promise<string>;
  /** Waits until the program has ended. */
  ended(): Promise<void>;
  resize(columns: number, rows: number): void;
  /** Every byte the program wrote so far. */
  raw(): string;
  /** The process id of the program. */
  pid(): number;
  close(): void;
};

export type ScreenOptions = {
  /** A script of the scripted session … */
  script?: string;
  /** … or a program of one's own: arguments for Node. */
  program?: string[];
  folder?: string;
  columns?: number;
  rows?: number;
  environment?: Record<string, string>;
  arguments?: string[];
};

let made = 0;

export const openScreen = (options: ScreenOptions): Screen => {
  made += 1;
  const folder = mkdtempSync(join(tmpdir(), 'halter-screen-'));
  const socket = `halter-${process.pid}-${made}`;
  const rawFile = join(folder, 'raw');
  const tmux = (...args: string[]): string => execFileSync('tmux', ['-L', socket, ...args], { encoding: 'utf8' });
  const environment = Object.entries({ LANG: 'C.UTF-8', ...options.environment }).flatMap(([name, value]) => [
    '-e',
    `${name}=${value}`,
  ]);
  const size = ['-x', String(options.columns ?? 80), '-y', String(options.rows ?? 24)];
  tmux('-u', '-f', '/dev/null', 'new-session', '-d', ...size, '-s', 'app', ...environment, 'sh');
  tmux('set-option', '-g', 'history-limit', '20000');
  tmux('set-option', '-g', 'remain-on-exit', 'on');
  tmux('set-option', '-g', 'status', 'off');
  const program = [
    process.execPath,
    ...(options.program ?? [PROGRAM, options.script ?? 'tour']),
    ...(options.arguments ?? []),
  ];
  // tmux says by itself which terminal it is.
  const term = options.environment?.['TERM'] === undefined ? '' : `export TERM=${options.environment['TERM']}; `;
  // A new pane gets the longer history; the pipe stands before the program writes its first byte.
  tmux(
    'respawn-pane',
    '-k',
    '-t',
    'app',
    `${term}sleep 0.1; stty -echo; while ! test -e ${folder}/go; do sleep 0.02; done; cd '${options.folder ?? folder}'; exec ${program.map((part) => `'${part}'`).join(' ')}`,
  );
  tmux('pipe-pane', '-O', '-t', 'app', `cat > ${rawFile}`);
  execFileSync('touch', [join(folder, 'go')]);
  const text = (): string => tmux('capture-pane', '-p', '-t', 'app');
  return {
    keys: (...names) => void tmux('send-keys', '-t', 'app', ...names),
    type: (typed) => void tmux('send-keys', '-l', '-t', 'app', typed),
    text,
    history: () => tmux('capture-pane', '-p', '-S', '-', '-t', 'app'),
    async until(fact) {
      const holds = (screen: string): boolean =>
        typeof fact === 'string' ? screen.includes(fact) : fact instanceof RegExp ? fact.test(screen) : fact(screen);
      const end = Date.now() + WAIT_MS;
      for (;;) {
        const screen = text();
        if (holds(screen)) return screen;
        if (Date.now() > end) throw new Error(`The screen never showed ${String(fact)}:\n${screen}`);
        await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      }
    },
    async ended() {
      const end = Date.now() + WAIT_MS;
      while (tmux('display-message', '-p', '-t', 'app', '#{pane_dead}').trim() !== '1') {
        if (Date.now() > end) throw new Error(`The program did not end:\n${text()}`);
        await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      }
    },
    resize: (columns, rows) => void tmux('resize-window', '-t', 'app', '-x', String(columns), '-y', String(rows)),
    raw: () => readFileSync(rawFile, 'latin1'),
    pid: () => Number(tmux('display-message', '-p', '-t', 'app', '#{pane_pid}').trim()),
    close() {
      const { stdout } = spawnSync('tmux', ['-L', socket, 'display-message', '-p', '-t', 'app', '#{pane_pid}']);
      spawnSync('tmux', ['-L', socket, 'kill-server']);
      // It may still put things in order, in folders that the test is about to remove.
      const end = Date.now() + WAIT_MS;
      while (Number(stdout) > 0 && isAlive(Number(stdout)) && Date.now() < end) {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_MS);
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
