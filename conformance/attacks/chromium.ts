/** The system's Chromium, spoken to over a pipe in its own protocol. One for all cases of a run; it reaches nothing. */
import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import type { Socket } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { CONFORMANCE_LIMITS } from '../limits.ts';
import { CannotRun, Unmet } from './attack-case.ts';

const PROGRAMS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
/**
 * Chromium loads pages of its own into every window that it opens, which nobody sees in a window without a head: lists below
 * the address bar and a tool bar. They took nearly half of the processor's time of a page.
 */
export const PAGES_OF_CHROMIUM = ['InitialWebUI', 'WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'WebUIOmniboxFullPopup'];
const FLAGS = [
  '--headless',
  '--remote-debugging-pipe',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--no-pings',
  `--disable-features=${PAGES_OF_CHROMIUM.join(',')}`,
  // Whatever a page asks for elsewhere is counted and goes nowhere.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
];
const END = '\0';
const LOOK_MS = 30;
/** How often the folder of an ended browser is looked at, and how many looks in a row find it away before it counts as gone. */
const END_TRIES = 300;
const QUIET_LOOKS = 3;

type Fields = Record<string, unknown>;
type Message = { id?: number; sessionId?: string; method?: string; params?: Fields; result?: Fields; error?: Fields };

export type BrowserPage = {
  open(url: string): Promise<void>;
  /** A JavaScript expression whose value is JSON. */
  evaluate<T>(expression: string): Promise<T>;
  /** Waits until the expression is true. */
  until(expression: string): Promise<void>;
  /** Every address that was asked for. */
  requests: readonly string[];
  /** Boxes that a script opened: the sign that one ran. */
  dialogs: readonly string[];
  close(): Promise<void>;
};

export type ChromiumBrowser = { page(): Promise<BrowserPage>; close(): Promise<void> };

let running: Promise<ChromiumBrowser> | undefined;

export const openChromium = (): Promise<ChromiumBrowser> => {
  running ??= start();
  return running;
};

/** A program that ends does it by itself; for those that are ended. */
export const closeChromium = async (): Promise<void> => {
  const browser = await running?.catch(() => undefined);
  running = undefined;
  await browser?.close();
};

const start = async (): Promise<ChromiumBrowser> => {
  const program = PROGRAMS.find((each) => fs.existsSync(each));
  if (program === undefined) throw new CannotRun('Chromium is not installed: apt-get install chromium');
  const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'halter-chromium-'));
  const child = spawn(
    program,
    [...FLAGS, ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), `--user-data-dir=${profile}`, 'about:blank'],
    // A group of its own: its helpers are ended with it.
    { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'], detached: true },
  );
  const end = (): void => endWithFolder(child, profile);
  process.once('exit', end);
  const { ask, hear } = connect(child);
  return {
    page: () => openPage(ask, hear),
    async close() {
      process.off('exit', end);
      end();
    },
  };
};

/**
 * Ends the browser with all of its helpers and takes its folder away. A helper that is being ended may write once more and make
 * the folder anew: looked at again until it stays away. Waits without the event loop, since an ending program has none.
 */
const endWithFolder = (child: ChildProcess, folder: string): void => {
  const pause = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  let quiet = 0;
  for (let tries = 0; tries < END_TRIES && quiet < QUIET_LOOKS; tries += 1) {
    killGroup(child.pid);
    try {
      quiet = fs.existsSync(folder) ? 0 : quiet + 1;
      fs.rmSync(folder, { recursive: true, force: true });
    } catch {
      // Something was written below it while it was emptied.
    }
    Atomics.wait(pause, 0, 0, LOOK_MS);
  }
};

const killGroup = (group: number | undefined): void => {
  if (group === undefined) return;
  try {
    process.kill(-group, 'SIGKILL');
  } catch {
    // None of it is left.
  }
};

type Ask = (method: string, params?: Fields, sessionId?: string) => Promise<Fields>;
type Hear = (listener: (message: Message) => void) => () => void;

const connect = (child: ChildProcess): { ask: Ask; hear: Hear } => {
  const [, , , input, output] = child.stdio as unknown as [null, null, null, Socket, Socket];
  const waiting = new Map<number, { resolve(result: Fields): void; reject(error: Error): void }>();
  const listeners = new Set<(message: Message) => void>();
  let last = 0;
  let rest = '';
  output.setEncoding('utf8').on('data', (chunk: string) => {
    const parts = (rest + chunk).split(END);
    rest = parts.pop() ?? '';
    for (const part of parts) {
      const message = JSON.parse(part) as Message;
      const asked = message.id === undefined ? undefined : waiting.get(message.id);
      if (message.id === undefined) for (const listener of listeners) listener(message);
      else waiting.delete(message.id);
      if (message.error) asked?.reject(new Unmet(`Chromium: ${JSON.stringify(message.error)}`));
      else asked?.resolve(message.result ?? {});
    }
  });
  child.on('close', () => {
    for (const { reject } of waiting.values()) reject(new Unmet('Chromium ended'));
  });
  for (const part of [child, input, output]) part.unref();
  return {
    ask: (method, params = {}, sessionId) =>
      new Promise((resolve, reject) => {
        last += 1;
        waiting.set(last, { resolve, reject });
        input.write(JSON.stringify({ id: last, method, params, ...(sessionId ? { sessionId } : {}) }) + END);
      }),
    hear(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
};

const openPage = async (ask: Ask, hear: Hear): Promise<BrowserPage> => {
  const { browserContextId } = await ask('Target.createBrowserContext');
  const { targetId } = await ask('Target.createTarget', { url: 'about:blank', browserContextId });
  const { sessionId } = (await ask('Target.attachToTarget', { targetId, flatten: true })) as { sessionId: string };
  const requests: string[] = [];
  const dialogs: string[] = [];
  const stop = hear(({ method, params = {}, sessionId: from }) => {
    if (from !== sessionId) return;
    if (method === 'Network.requestWillBeSent') requests.push(String((params['request'] as Fields)['url']));
    if (method === 'Page.javascriptDialogOpening') {
      dialogs.push(String(params['message']));
      void ask('Page.handleJavaScriptDialog', { accept: true }, sessionId);
    }
  });
  for (const domain of ['Page', 'Network', 'Runtime']) await ask(`${domain}.enable`, {}, sessionId);
  const evaluate = async <T>(expression: string): Promise<T> => {
    const told = await ask('Runtime.evaluate', { expression, returnByValue: true, awaitPromise: true }, sessionId);
    const problem = told['exceptionDetails'];
    if (problem) throw new Unmet(`the page: ${JSON.stringify(problem).slice(0, 300)}`);
    return (told['result'] as { value: T }).value;
  };
  return {
    async open(url) {
      await ask('Page.navigate', { url }, sessionId);
    },
    evaluate,
    async until(expression) {
      const end = Date.now() + CONFORMANCE_LIMITS.pageMs;
      while (!(await evaluate<boolean>(`Boolean(${expression})`))) {
        if (Date.now() > end) throw new Unmet(`the page never came to: ${expression}`);
        await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      }
    },
    requests,
    dialogs,
    async close() {
      stop();
      await ask('Target.disposeBrowserContext', { browserContextId });
    },
  };
};
