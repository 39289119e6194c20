/** Plays the cases about a server that sends the person somewhere to log in: the real program, and a browser that notes. */

import { spawn } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { CONFORMANCE_LIMITS } from '../limits.ts';
import { hold, onlyKnown } from './attack-case.ts';
import { killed } from './processes.ts';
import { MAIN, runProgram } from './run-program.ts';
import type { Scene } from './scene.ts';
import { CANARY } from './shell-folder.ts';

const NAME = 'far';

/** A server behind a login whose authorization server names this address as the one to send the person to. */
const startServer = async (scene: Scene, address: string): Promise<{ url: string; asked(): string[] }> => {
  const asked: string[] = [];
  let origin = '';
  const json = (response: http.ServerResponse, status: number, value: object, headers = {}): void =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
  const server = http.createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', origin);
    asked.push(pathname);
    if (pathname === '/mcp') {
      const where = `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`;
      return json(response, 401, { error: 'invalid_token' }, { 'www-authenticate': where });
    }
    if (pathname.startsWith('/.well-known/oauth-protected-resource'))
      return json(response, 200, { resource: `${origin}/mcp`, authorization_servers: [origin] });
    if (pathname === '/.well-known/oauth-authorization-server')
      return json(response, 200, {
        issuer: origin,
        authorization_endpoint: address,
        token_endpoint: `${origin}/token`,
        registration_endpoint: `${origin}/register`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['none'],
      });
    if (pathname !== '/register') return void response.writeHead(404).end();
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    request.on('end', () => json(response, 201, { ...JSON.parse(body), client_id: 'registered' }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  scene.onEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url: `${origin}/mcp`, asked: () => asked };
};

/** Programs that would open an address, which write down what they are told to open. */
const plantBrowsers = (scene: Scene): (() => string[]) => {
  const [folder, file] = [path.join(scene.scratch, 'browsers'), path.join(scene.scratch, 'opened')];
  fs.mkdirSync(folder);
  for (const name of ['xdg-open', 'open', 'gio', 'sensible-browser', 'x-www-browser', 'firefox', 'google-chrome'])
    fs.writeFileSync(path.join(folder, name), `#!/bin/sh\nprintf '%s\\n' "$@" >> '${file}'\n`, { mode: 0o755 });
  scene.environment['PATH'] = `${folder}:${scene.environment['PATH']}`;
  return () => (fs.existsSync(file) ? fs.readFileSync(file, 'utf8').split('\n').filter(Boolean) : []);
};

export const withLogin = async (scene: Scene): Promise<void> => {
  const { given, then, when } = scene.attack;
  onlyKnown('given', given, ['oauth_authorization_url']);
  onlyKnown('when', when, ['connect']);
  onlyKnown('then', then, ['opened', 'canary_absent', 'harness_alive', 'max_ms']);
  const server = await startServer(scene, String(given['oauth_authorization_url']));
  const opened = plantBrowsers(scene);
  const added = await runProgram(scene, ['mcp', 'add', NAME, server.url]);
  hold(added.status === 0, `the server cannot be added: ${added.stderr}`);
  const started = performance.now();
  const child = spawn(process.execPath, [MAIN, 'mcp', 'login', NAME], {
    cwd: scene.root,
    env: scene.environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  let isOver = false;
  child.once('close', () => {
    isOver = true;
  });
  scene.onEnd(() => killed(child));
  // Either it ends because of the address, or it waits for the person to come back from it.
  const isDone = (): boolean => isOver || /log in to /.test(said);
  for (const end = Date.now() + CONFORMANCE_LIMITS.programMs; !isDone() && Date.now() < end; ) await wait(20);
  hold(isDone(), `the login does not go on: ${said}`);
  const milliseconds = performance.now() - started - added.startMs;
  hold(server.asked().includes('/.well-known/oauth-authorization-server'), `the address was never seen: ${said}`);
  // A browser that was started has written by then.
  await wait(BROWSER_MS);
  const isOpened = opened().length > 0;
  if (then['opened'] !== undefined) hold(isOpened === then['opened'], `opened: ${opened().join(' ')}; said: ${said}`);
  if (then['canary_absent'] !== undefined) {
    const names = fs.readdirSync(scene.scratch, { recursive: true, encoding: 'utf8' });
    const isAbsent = !names.some((name) => path.basename(name) === CANARY);
    hold(isAbsent === then['canary_absent'], 'the address was read by a shell');
  }
  if (then['harness_alive'] !== undefined)
    hold(!/^\s+at \S+.*:\d+:\d+/m.test(said) === then['harness_alive'], `it crashed: ${said}`);
  if (then['max_ms'] !== undefined) hold(milliseconds <= Number(then['max_ms']), `it took ${milliseconds} ms`);
};
const BROWSER_MS = 500;
