/** Firefox by WebDriver BiDi, which it speaks on a WebSocket of its own. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Driver } from '../other-browsers.ts';
import { startProgram } from './program.ts';

/** Nothing of it reaches the network by itself. */
const PREFERENCES: Readonly<Record<string, string | boolean>> = {
  'app.normandy.enabled': false,
  'app.update.disabledForTesting': true,
  'browser.shell.checkDefaultBrowser': false,
  'browser.safebrowsing.malware.enabled': false,
  'browser.safebrowsing.phishing.enabled': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'extensions.update.enabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'services.settings.server': 'data:,',
  'toolkit.telemetry.enabled': false,
};

type Answer = { id?: number; error?: string; message?: string; result?: unknown };
type Evaluated = { type: string; result?: { value?: string }; exceptionDetails?: { text: string } };

const connect = async (address: string) => {
  const socket = new WebSocket(`${address}/session`);
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve, { once: true });
    socket.addEventListener('error', reject, { once: true });
  });
  const waiting = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>();
  socket.addEventListener('message', ({ data }) => {
    const { id, error, message, result } = JSON.parse(String(data)) as Answer;
    const asked = id === undefined ? undefined : waiting.get(id);
    if (id === undefined || asked === undefined) return;
    waiting.delete(id);
    if (error === undefined) asked.resolve(result);
    else asked.reject(new Error(`${error}: ${message}`));
  });
  let last = 0;
  return {
    send: (method: string, params: object): Promise<unknown> =>
      new Promise((resolve, reject) => {
        last += 1;
        waiting.set(last, { resolve, reject });
        socket.send(JSON.stringify({ id: last, method, params }));
      }),
    close: () => socket.close(),
  };
};

export const launchFirefox = async (command: string, home: string): Promise<Driver> => {
  const profile = path.join(home, 'profile');
  mkdirSync(profile, { recursive: true });
  const lines = Object.entries(PREFERENCES).map(([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});\n`);
  writeFileSync(path.join(profile, 'user.js'), lines.join(''));
  const browser = startProgram(
    [command, '--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0', 'about:blank'],
    { HOME: home },
  );
  const { send, close } = await connect(await browser.said(/WebDriver BiDi listening on (\S+)/));
  await send('session.new', { capabilities: {} });
  const { contexts } = (await send('browsingContext.getTree', {})) as { contexts: { context: string }[] };
  const context = contexts[0]?.context;
  return {
    async open(url) {
      await send('browsingContext.navigate', { context, url, wait: 'complete' });
    },
    async resize(width, height) {
      await send('browsingContext.setViewport', { context, viewport: { width, height } });
    },
    async evaluate(expression) {
      const asked = `Promise.resolve(${expression}).then((value) => JSON.stringify(value ?? null))`;
      const params = { expression: asked, target: { context }, awaitPromise: true };
      const { result, exceptionDetails } = (await send('script.evaluate', params)) as Evaluated;
      if (exceptionDetails) throw new Error(exceptionDetails.text);
      return JSON.parse(result?.value ?? 'null');
    },
    async perform(actions) {
      await send('input.performActions', { context, actions });
    },
    async close() {
      close();
      await browser.end();
    },
  };
};
