/** The terminal app of the real program at a pseudo-terminal of our own: what it writes is seen as it is written. */
import { spawn } from '@lydell/node-pty';
import { MAIN } from './program.ts';

const ESCAPES =
  /\u001b(?:\[[0-9;?<>=]*[a-zA-Z]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[PX^_][^\u001b]*\u001b\\|[()][0-9A-B]|.)/g;
/** Enough to see what came last; a flood must not fill the memory of who looks on. */
const SEEN_CHARACTERS = 20_000;

export type AppInPty = {
  readonly pid: number;
  type(text: string): void;
  /** Forgets what was seen, so that the next `until` waits for something new. */
  forget(): void;
  /** What was seen since then. */
  seen(): string;
  /** Resolves when what was written since then, without escape sequences, holds the text. */
  until(text: string): Promise<void>;
  ended: Promise<void>;
  close(): void;
};

export const openApp = (args: readonly string[], options: { folder: string; home: string }): AppInPty => {
  const environment = { HOME: options.home, PATH: process.env['PATH'] ?? '', LANG: 'C.UTF-8', TERM: 'xterm-256color' };
  const app = spawn(process.execPath, [MAIN, ...args], { cwd: options.folder, env: environment, cols: 100, rows: 30 });
  let seen = '';
  const waiting = new Set<() => void>();
  app.onData((text) => {
    seen = (seen + text.replace(ESCAPES, '')).slice(-SEEN_CHARACTERS);
    for (const look of waiting) look();
  });
  const ended = new Promise<void>((resolve) => app.onExit(() => resolve()));
  return {
    pid: app.pid,
    type: (text) => app.write(text),
    forget() {
      seen = '';
    },
    seen: () => seen,
    until: (text) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (!seen.includes(text)) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
        void ended.then(() => reject(new Error(`it ended without showing ${text}:\n${seen}`)));
      }),
    ended,
    close: () => app.kill('SIGKILL'),
  };
};
