/** docs/how-to/run-for-a-team.md, as it stands: its commands are run here, and then what can happen to such a team happens. */
import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import https from 'node:https';
import { createServer } from 'node:net';
import path from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type ScriptedRequest, startScriptedServer } from '../../src/testing/index.ts';
import { verifies } from '../requirements.ts';
import { ROOT } from '../source-files.ts';
import { type Running, startHalter } from '../support/halter-process.ts';
import { NO_POSTGRES, POSTGRES_PROGRAMS, usePostgres } from '../support/postgres.ts';
import { MAIN } from '../support/program.ts';
import { scratchFolder } from '../support/scratch.ts';

const postgres = usePostgres();
const PAGE = fs.readFileSync(path.join(ROOT, 'docs/how-to/run-for-a-team.md'), 'utf8');
const COMMANDS = [...PAGE.matchAll(/```console\n(.*?)\n```/gs)].map(([, command = '']) => command);
const commandWith = (words: string): string => {
  const found = COMMANDS.filter((command) => command.includes(words));
  if (found.length !== 1) throw new Error(`${found.length} commands of the page hold "${words}"`);
  return found[0] as string;
};

const hasCaddy = spawnSync('caddy', ['version']).status === 0;
const NOT_HERE = NO_POSTGRES ?? (hasCaddy ? undefined : 'Caddy is not installed: apt-get install caddy');
const TOKEN = /^[0-9a-f]{64}$/;

/** Free a moment ago; whoever else took it since makes the start fail, and says so. */
const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
};

type Environment = Record<string, string>;
/** A command of the page, in an environment of its own; `halter` is the program under test. */
const startCommand = (command: string, env: Environment): Running =>
  startHalter([], { command: ['sh', '-c', command.startsWith('(') ? command : `exec ${command}`], cwd: ROOT, env });
const runCommand = (command: string, env: Environment) => startCommand(command, env).finished;

const team = async () => {
  const home = scratchFolder();
  const bin = scratchFolder();
  fs.writeFileSync(path.join(bin, 'halter'), `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`, { mode: 0o755 });
  const certificate = path.join(home, 'cert.pem');
  const key = path.join(home, 'key.pem');
  execFileSync(
    'openssl',
    // biome-ignore format: one option a line would hide what it is
    ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-keyout', key, '-out', certificate],
    { stdio: 'ignore' },
  );
  const gates = new Map<string, PromiseWithResolvers<void>>();
  const gate = (name: string): PromiseWithResolvers<void> => {
    const known = gates.get(name) ?? Promise.withResolvers<void>();
    gates.set(name, known);
    return known;
  };
  const model = await startScriptedServer({
    async turns({ body }: ScriptedRequest) {
      const messages = body['messages'] as { role: string; content: unknown }[];
      const said = String(messages.findLast(({ role }) => role === 'user')?.content ?? '');
      gate(`asked ${said}`).resolve();
      if (said.startsWith('hold')) await gate(said).promise;
      return { text: `You said: ${said}` };
    },
  });
  onTestFinished(() => model.close());
  const ports = [await freePort(), await freePort()];
  const proxyPort = await freePort();
  const env: Environment = {
    HOME: home,
    PATH: [bin, POSTGRES_PROGRAMS, process.env['PATH']].join(path.delimiter),
    HALTER_DATABASE_URL: await postgres().url('team'),
    HALTER_NAME: `localhost:${proxyPort}`,
    HALTER_SERVERS: ports.map((port) => `127.0.0.1:${port}`).join(' '),
    HALTER_TLS: `${certificate} ${key}`,
    CURL_CA_BUNDLE: certificate,
    TOKEN_FILE: path.join(home, 'token'),
    WORK: scratchFolder(),
    SERVER_ADDRESS: '127.0.0.1',
    PROXY_ADDRESS: '127.0.0.1',
    MODEL_URL: model.openaiUrl,
    MODEL: 'test-model',
    WORKER_PORT: '0',
    BACKUP: path.join(home, 'backup'),
  };
  const ca = fs.readFileSync(certificate);
  const server = async (index: number): Promise<Running> => {
    const running = startCommand(commandWith('halter serve'), { ...env, SERVER_PORT: String(ports[index]) });
    await running.said('://');
    return running;
  };
  const worker = async (): Promise<Running> => {
    const running = startCommand(commandWith('halter worker'), env);
    await running.said('"event":"working"');
    return running;
  };
  return { env, ca, gate, model, server, worker };
};

/** A client of the public name. */
const client = ({ env, ca }: { env: Environment; ca: Buffer }, token: string) => {
  const base = `https://${env['HALTER_NAME']}`;
  const authorization = `Bearer ${token}`;
  const call = (
    method: string,
    at: string,
    body?: object,
  ): Promise<{ status: number; json: Record<string, unknown> }> =>
    new Promise((resolve, reject) => {
      const text = body === undefined ? '' : JSON.stringify(body);
      const headers = { authorization, ...(body ? { 'content-type': 'application/json' } : {}) };
      const request = https.request(`${base}${at}`, { method, ca, agent: false, headers }, (response) => {
        let answer = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          answer += chunk;
        });
        response.on('end', () => {
          const isJson = response.headers['content-type']?.includes('json') ?? false;
          resolve({ status: response.statusCode ?? 0, json: isJson ? JSON.parse(answer) : {} });
        });
      });
      request.on('error', reject);
      request.end(text);
    });
  /** Reads a session's stream, and connects again behind the last event whenever the connection ends. */
  const watch = (id: string) => {
    const seen: { id: string; type: string; text: string }[] = [];
    let left = false;
    let connections = 0;
    const connect = (): void => {
      if (left) return;
      connections += 1;
      const last = seen.findLast((event) => event.id !== '')?.id;
      const headers = { authorization, ...(last === undefined ? {} : { 'last-event-id': last }) };
      const again = (): void => void setTimeout(connect, 50);
      const request = https.get(`${base}/api/sessions/${id}/events`, { ca, agent: false, headers }, (response) => {
        let rest = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          const frames = `${rest}${chunk}`.split('\n\n');
          rest = frames.pop() ?? '';
          for (const frame of frames) {
            const field = (name: string): string => new RegExp(`^${name}: ?(.*)$`, 'm').exec(frame)?.[1] ?? '';
            if (field('event') !== '') seen.push({ id: field('id'), type: field('event'), text: field('data') });
          }
        });
        response.once('close', again);
      });
      request.on('error', again);
      requests.push(request);
    };
    const requests: ReturnType<typeof https.get>[] = [];
    connect();
    onTestFinished(() => {
      left = true;
      for (const request of requests) request.destroy();
    });
    return {
      seen,
      connections: () => connections,
      until: (type: string, times = 1): Promise<unknown> =>
        vi.waitUntil(() => seen.filter((event) => event.type === type).length >= times, {
          timeout: 60_000,
          interval: 20,
        }),
    };
  };
  const begin = async (): Promise<string> => {
    const { status, json } = await call('POST', '/api/sessions', {});
    expect(status).toBeLessThan(300);
    return String(json['id']);
  };
  const send = async (id: string, content: string): Promise<number> => {
    const command = { type: 'send_message', content, idempotency_key: content.replaceAll(' ', '-') };
    return (await call('POST', `/api/sessions/${id}/commands`, command)).status;
  };
  const say = async (id: string, content: string): Promise<void> => expect(await send(id, content)).toBe(200);
  /** As a program does that was told to come again: the key keeps the message from being taken twice. */
  const sayUntilTaken = (id: string, content: string): Promise<unknown> =>
    vi.waitUntil(async () => (await send(id, content)) === 200, { timeout: 60_000, interval: 200 });
  return { call, watch, begin, say, send, sayUntilTaken };
};

const end = async (running: Running, signal: NodeJS.Signals): Promise<void> => {
  running.child.kill(signal);
  await running.finished;
};

describe.skipIf(NOT_HERE !== undefined)(`a team${NOT_HERE === undefined ? '' : ` (${NOT_HERE})`}`, () => {
  test('runs as the page says, through kills, an upgrade, a database that is away, and from a backup', {
    timeout: 600_000,
  }, async () => {
    verifies('B12');
    const t = await team();
    expect((await runCommand(commandWith('openssl rand'), t.env)).code).toBe(0);
    const token = fs.readFileSync(t.env['TOKEN_FILE'] as string, 'utf8').trim();
    expect(token).toMatch(TOKEN);
    // Everybody at once, on an empty database.
    const [servers, workers] = await Promise.all([
      Promise.all([t.server(0), t.server(1)]),
      Promise.all([t.worker(), t.worker()]),
    ]);
    const proxy = startCommand(commandWith('caddy run'), t.env);
    const ready = async (): Promise<string> => (await runCommand(commandWith('curl'), t.env)).out;
    await vi.waitUntil(async () => (await ready()).includes('"ready"'), { timeout: 60_000, interval: 200 });
    expect(JSON.parse(await ready())).toEqual({
      status: 'ready',
      checks: { database: 'ok', queue: 'ok', model: 'unused' },
    });
    const people = client(t, token);
    fs.writeFileSync(path.join(t.env['WORK'] as string, 'walrus.md'), '# Walrus\n\nIt pays on Fridays.\n');
    expect(await runCommand(commandWith('halter index'), t.env)).toMatchObject({ code: 0, err: '' });
    expect((await client(t, 'wrong'.repeat(8)).call('GET', '/api/sessions')).status).toBe(401);

    // A server and a worker are killed while the model answers.
    const id = await people.begin();
    const reader = people.watch(id);
    await people.say(id, 'hold one');
    await t.gate('asked hold one').promise;
    await end(servers[0], 'SIGKILL');
    await end(workers[0], 'SIGKILL');
    servers[0] = await t.server(0);
    workers[0] = await t.worker();
    t.gate('hold one').resolve();
    await reader.until('turn_end');

    // All of them are replaced, one after another, while another conversation goes on.
    await people.say(id, 'hold two');
    await t.gate('asked hold two').promise;
    for (const [index, running] of workers.entries()) {
      const ended = end(running, 'SIGTERM');
      if (index === 0) t.gate('hold two').resolve();
      await ended;
      workers[index] = await t.worker();
    }
    for (const [index, running] of servers.entries()) {
      await end(running, 'SIGTERM');
      servers[index] = await t.server(index);
    }
    await reader.until('turn_end', 2);

    // While the database is away they say so, and what is sent meanwhile waits for it; then they go on.
    await postgres().stop();
    await vi.waitUntil(async () => (await people.call('GET', '/readyz')).status === 503, {
      timeout: 60_000,
      interval: 200,
    });
    const sentMeanwhile = people.send(id, 'three');
    await postgres().start();
    expect(await sentMeanwhile).toBe(200);
    await vi.waitUntil(async () => (await people.call('GET', '/readyz')).status === 200, {
      timeout: 60_000,
      interval: 200,
    });
    await reader.until('turn_end', 3);

    // Whatever happened, each event came once and in order.
    const kept = reader.seen.flatMap((event) => (event.id === '' ? [] : [event.id]));
    expect(new Set(kept).size).toBe(kept.length);
    for (const said of ['hold one', 'hold two', 'three']) {
      expect(
        reader.seen.filter(({ type, text }) => type === 'turn_end' && text.includes(`You said: ${said}`)),
      ).toHaveLength(1);
    }

    // A backup of a running system, in another database. The message may come to the server that is not back yet.
    await people.sayUntilTaken(id, 'hold four');
    await t.gate('asked hold four').promise;
    const dumped = await runCommand(commandWith('pg_dump'), t.env);
    expect([dumped.code, dumped.err]).toEqual([0, '']);
    t.gate('hold four').resolve();
    await reader.until('turn_end', 4);
    for (const running of [...servers, ...workers]) await end(running, 'SIGTERM');
    const restored = await postgres().url('restored');
    const env = { ...t.env, RESTORED_DATABASE_URL: restored };
    const put = await runCommand(commandWith('pg_restore'), env);
    expect([put.code, put.err]).toEqual([0, '']);
    t.env['HALTER_DATABASE_URL'] = restored;
    const search = await runCommand(`${commandWith('halter index')} --status --json`, t.env);
    expect(JSON.parse(search.out)).toMatchObject({ exists: true, files: 1 });
    await t.server(0);
    await t.worker();
    await vi.waitUntil(async () => (await people.call('GET', '/readyz')).status === 200, {
      timeout: 60_000,
      interval: 200,
    });
    // The run that went on at the time of the backup goes on.
    const later = people.watch(id);
    await later.until('turn_end', 4);
    expect(later.seen.filter(({ type, text }) => type === 'turn_end' && text.includes('hold four'))).toHaveLength(1);
    await end(proxy, 'SIGTERM');
  });
});
