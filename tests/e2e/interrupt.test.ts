/** Esc gives the prompt back, whatever the person was waiting for. How fast it is, `npm run bench:interrupt` prints. */
import { createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startScriptedServer } from '../../src/testing/index.ts';
import { verifies } from '../requirements.ts';
import { openApp } from '../support/app-in-pty.ts';
import { AGAIN, situations } from '../support/interrupt-situations.ts';
import { putFiles, scratchFolder } from '../support/scratch.ts';

/** What is waited for takes longer than a minute, or never comes; a machine that runs the whole suite is a slow one. */
const PATIENCE_MS = 30_000;

/** Takes connections and says nothing. */
const silentUrl = (): Promise<string> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(`http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/`);
    });
    onTestFinished(() => void server.close());
  });

describe.skipIf(process.platform === 'win32')('Esc', () => {
  it('gives the prompt back from all that a person may wait for, and the next message is answered', async () => {
    verifies('Z19', 'E11');
    const table = situations(await silentUrl());
    const server = await startScriptedServer({ turns: table.flatMap(({ turn }) => [turn, AGAIN]) });
    onTestFinished(() => server.close());
    const [folder, home] = [scratchFolder(), scratchFolder()];
    putFiles(home, { '.config/halter/config.json': '{"allow_private":"127.0.0.1"}' });
    const flags = ['--provider', 'openai', '--base-url', server.openaiUrl, '--allow', 'bash', '--allow', 'web_fetch'];
    const app = openApp(flags, { folder, home });
    onTestFinished(async () => {
      app.close();
      await app.ended;
    });
    await app.until('test-model ·');
    for (const { name, shows } of table) {
      app.forget();
      app.type('go\r');
      await app.until(shows);
      app.forget();
      const before = performance.now();
      app.type('\u001b');
      await app.until('Stopped.');
      expect(performance.now() - before, name).toBeLessThan(PATIENCE_MS);
      app.type('hello\r');
      await app.until('Here again.');
    }
  }, 90_000);
});
