/** Whatever a client's own settings and the environment name, a launched client speaks with its gateway and nobody else. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startScriptedServer } from '../../src/testing/index.ts';
import { verifies } from '../requirements.ts';
import { cleanEnvironment, runHalter } from '../support/halter-process.ts';
import { LAUNCHED_PROGRAMS } from '../support/launched-programs.ts';
import { onlyLong } from '../support/long.ts';
import { INSTALL_MS, npmProgram } from '../support/npm-program.ts';
import { rivalEnvironment, rivalHome, rivalProject } from '../support/rival-settings.ts';
import { putFiles, scratchFolder } from '../support/scratch.ts';

/** A server that writes down what reaches it, and answers nothing of use. */
const listener = async (): Promise<{ url: string; seen: string[] }> => {
  const seen: string[] = [];
  const server: Server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    request.resume();
    response.writeHead(500).end('{}');
  });
  server.on('connect', (request, socket) => {
    seen.push(`CONNECT ${request.url}`);
    socket.on('error', () => {});
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
};

describe('a launched client with rival settings everywhere', () => {
  it.each(onlyLong(LAUNCHED_PROGRAMS))(
    '$client sends nothing to the rival, and nothing of the gateway through a proxy',
    { timeout: INSTALL_MS + 120_000 },
    async ({ client, args, ...real }) => {
      verifies('B2');
      const program = await npmProgram(real);
      const [rival, proxy] = [await listener(), await listener()];
      const named = { url: rival.url, proxyUrl: proxy.url };
      const upstream = await startScriptedServer({
        turns: () => ({ text: 'Forty-two it is.' }),
        models: [{ id: 'm', context_length: 65_536 }],
      });
      onTestFinished(() => upstream.close());
      const [home, cwd] = [scratchFolder(), scratchFolder()];
      putFiles(home, { '.claude.json': JSON.stringify({ hasCompletedOnboarding: true }), ...rivalHome(named) });
      putFiles(cwd, { 'a.txt': 'x', ...rivalProject(named) });
      const env = {
        ...rivalEnvironment(named, home),
        PATH: `${path.dirname(program)}:${cleanEnvironment(home)['PATH']}`,
      };
      const given = ['--base-url', upstream.openaiUrl, '--model', 'm', '--provider', 'openai'];
      const ran = await runHalter(['launch', client, ...given, '--', ...args], { env, home, cwd });
      expect(ran.out).toContain('Forty-two it is.');
      expect(ran.code).toBe(0);
      expect(rival.seen).toEqual([]);
      // Its own updates and measurements may go where the person's proxy leads.
      expect(proxy.seen.filter((one) => !/^CONNECT (?!127\.|localhost)/.test(one))).toEqual([]);
    },
  );
});
