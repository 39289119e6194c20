/** In a small window a long listing ends in the line that says what was left out. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startScriptedServer } from '../../src/testing/index.ts';
import { verifies } from '../requirements.ts';
import { runHalter } from '../support/halter-process.ts';
import { scratchFolder } from '../support/scratch.ts';
import { testServer } from '../support/test-server.ts';

const WINDOW = 8_192;
const LAST_LINE = /501 files, 0 dirs, total size 0 B \(\d+ of 501 entries shown\)/;
const TURNS = (number: number) => (number === 0 ? { calls: [{ name: 'ls', arguments: {} }] } : { text: 'Done.' });
const fill = (folder: string): void => {
  for (let index = 0; index < 501; index += 1) fs.writeFileSync(path.join(folder, `file${index}`), '');
};

it.each([undefined, 'local-harness'])('ls of 501 files, preset %s, over HTTP', async (preset) => {
  verifies('H1', 'K4');
  const options = { contextLength: WINDOW, ...(preset === undefined ? {} : { preset }) };
  const server = await testServer(async (_request, number) => TURNS(number), options);
  fill(server.folder);
  await server.json('POST', '/api/chat', { message: 'go', mode: 'agent' });
  const told = JSON.stringify(server.provider.requests.at(-1)?.messages);
  expect(told).toMatch(LAST_LINE);
  expect(told).not.toContain('ask for less at a time');
});

it.each([[], ['--preset', 'local-harness']])('ls of 501 files on the command line (%s %s)', async (...flags) => {
  verifies('H1', 'K4');
  const server = await startScriptedServer({ turns: ({ number }) => TURNS(number) });
  onTestFinished(() => server.close());
  const folder = scratchFolder();
  fill(folder);
  const reach = ['--provider', 'openai', '--base-url', `${server.url}/v1`, '-m', 'test-model'];
  const window = ['--context-length', String(WINDOW), '-C', folder];
  const ran = await runHalter(['run', 'go', ...reach, ...window, ...flags, '--format', 'json']);
  expect(ran.code, ran.err).toBe(0);
  const told = JSON.stringify(server.requests.at(-1)?.body);
  expect(told).toMatch(LAST_LINE);
  expect(told).not.toContain('ask for less at a time');
});
