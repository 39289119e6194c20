/** WebKitGTK by WebDriver: its small browser, on a screen that nobody sees. */
import net from 'node:net';
import type { Driver } from '../other-browsers.ts';
import { startProgram } from './program.ts';

const DRIVER = '/usr/bin/WebKitWebDriver';
const BROWSER = `/usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu/webkit2gtk-4.1/MiniBrowser`;
const SCREEN = '/usr/bin/Xvfb';
export const WEBKIT_FILES: readonly string[] = [DRIVER, BROWSER, SCREEN];

/** The driver takes no port 0, so one is looked for that is free. */
const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = net.createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });

const untilListening = async (address: string): Promise<void> => {
  const isThere = await fetch(`${address}/status`).then(
    () => true,
    () => false,
  );
  if (!isThere) await untilListening(address);
};

const ask = async (address: string, body?: object): Promise<unknown> => {
  const answer = await fetch(address, body ? { method: 'POST', body: JSON.stringify(body) } : { method: 'DELETE' });
  const { value } = (await answer.json()) as { value: unknown };
  if (!answer.ok) throw new Error(JSON.stringify(value));
  return value;
};

export const launchWebKit = async (home: string): Promise<Driver> => {
  const screen = startProgram([SCREEN, '-displayfd', '1', '-screen', '0', '1700x1100x24', '-nolisten', 'tcp'], {
    HOME: home,
  });
  // The number of the screen, on a line of its own.
  const display = await screen.said(/^(\d+)\n/m);
  const port = await freePort();
  const driver = startProgram([DRIVER, `--port=${port}`], {
    HOME: home,
    XDG_RUNTIME_DIR: home,
    DISPLAY: `:${display}`,
    GDK_BACKEND: 'x11',
  });
  const address = `http://127.0.0.1:${port}`;
  await untilListening(address);
  const options = { binary: BROWSER, args: ['--automation'] };
  const capabilities = { alwaysMatch: { 'webkitgtk:browserOptions': options } };
  const { sessionId } = (await ask(`${address}/session`, { capabilities })) as { sessionId: string };
  const at = `${address}/session/${sessionId}`;
  return {
    async open(url) {
      await ask(`${at}/url`, { url });
    },
    async resize(width, height) {
      await ask(`${at}/window/rect`, { width, height });
    },
    async evaluate(expression) {
      const script = `const done = arguments[0]; Promise.resolve(${expression}).then((value) => done({ value: value ?? null }), (error) => done({ error: String(error) }))`;
      const { value, error } = (await ask(`${at}/execute/async`, { script, args: [] })) as {
        value?: unknown;
        error?: string;
      };
      if (error !== undefined) throw new Error(error);
      return value;
    },
    async perform(actions) {
      await ask(`${at}/actions`, { actions });
    },
    async close() {
      await driver.end();
      await screen.end();
    },
  };
};
