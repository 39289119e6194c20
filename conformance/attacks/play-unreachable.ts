/** Plays the cases in which the program cannot get as far as a model: no such name, no certificate, no models. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import type net from 'node:net';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { JsonObject } from '../../src/core/json.ts';
import { asList, CannotRun, hold, onlyKnown, Unmet } from './attack-case.ts';
import { runProgram } from './run-program.ts';
import type { Scene } from './scene.ts';

/** Words of `server` that are played here. */
export const UNREACHABLE = ['dns', 'tls', 'models'];
const THEN = [
  'message_contains',
  'message_not_contains',
  'max_ms',
  'requests',
  'insecure_fallback',
  'crash',
  'exit_code',
  'stack_trace',
];

type Reach = { words: string[]; connections(): number; plain(): number };

const portOf = (server: net.Server): number => (server.address() as AddressInfo).port;
const listen = (scene: Scene, server: net.Server): Promise<void> => {
  scene.onEnd(() => void server.close());
  return new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
};

/** A name that the standard keeps for names that do not exist. */
const withoutName = (dns: unknown): Reach => {
  if (dns !== 'ENOTFOUND') throw new Unmet(`dns ${JSON.stringify(dns)} is not known`);
  const words = ['--provider', 'openai', '--base-url', 'http://model-server.invalid/v1', '--model', 'none'];
  return { words, connections: () => 0, plain: () => 0 };
};

const certificateFor = (scene: Scene): { key: Buffer; cert: Buffer } => {
  const [key, cert] = [path.join(scene.scratch, 'key.pem'), path.join(scene.scratch, 'certificate.pem')];
  const ran = spawnSync('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'],
    ...['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', key, '-out', cert],
  ]);
  if (ran.status !== 0) throw new CannotRun('openssl does not work here (apt-get install openssl)');
  return { key: fs.readFileSync(key), cert: fs.readFileSync(cert) };
};

/** A server whose certificate nobody signed. What comes on a connection without encryption is counted too. */
const withCertificate = async (scene: Scene, tls: unknown): Promise<Reach> => {
  if (tls !== 'self-signed') throw new Unmet(`tls ${JSON.stringify(tls)} is not known`);
  let plain = 0;
  const first: number[] = [];
  const server = https.createServer(certificateFor(scene), (_request, response) => void response.end('{}'));
  server.on('connection', (socket: net.Socket) => {
    first.push(0);
    socket.once('data', (bytes: Buffer) => {
      // A TLS handshake begins with this byte.
      if (bytes[0] !== 0x16) plain += 1;
    });
  });
  await listen(scene, server);
  const words = ['--provider', 'openai', '--base-url', `https://127.0.0.1:${portOf(server)}/v1`, '--model', 'none'];
  return { words, connections: () => first.length, plain: () => plain };
};

/** Answers every question for its models with this text. */
const withModels = async (scene: Scene, models: unknown): Promise<Reach> => {
  const server = http.createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(String(models));
  });
  await listen(scene, server);
  const words = ['--provider', 'ollama', '--base-url', `http://127.0.0.1:${portOf(server)}`];
  return { words, connections: () => 0, plain: () => 0 };
};

export const playUnreachable = async (scene: Scene, server: JsonObject): Promise<void> => {
  const { then, when } = scene.attack;
  onlyKnown('then', then, THEN);
  onlyKnown('server', server, UNREACHABLE);
  const reach =
    server['dns'] !== undefined
      ? withoutName(server['dns'])
      : server['tls'] !== undefined
        ? await withCertificate(scene, server['tls'])
        : await withModels(scene, server['models']);
  const ran = await runProgram(scene, ['run', ...reach.words, String(when['user'])]);
  const text = `${ran.stdout}${ran.stderr}`;
  for (const part of asList(then['message_contains']).map(String))
    hold(text.toLowerCase().includes(part.toLowerCase()), `${part} is not said: ${text.slice(0, 400)}`);
  for (const part of asList(then['message_not_contains']).map(String)) hold(!text.includes(part), `${part} is said`);
  const isCrash = ran.status === null || /^\s+at \S+.*:\d+:\d+/m.test(text);
  if (then['crash'] !== undefined) hold(isCrash === then['crash'], `it crashed: ${text.slice(0, 400)}`);
  if (then['stack_trace'] !== undefined)
    hold(isCrash === then['stack_trace'], `a stack trace is shown: ${text.slice(0, 400)}`);
  if (then['exit_code'] !== undefined) hold(ran.status === then['exit_code'], `the exit code is ${ran.status}`);
  if (then['max_ms'] !== undefined) hold(ran.tookMs <= Number(then['max_ms']), `it took ${Math.round(ran.tookMs)} ms`);
  if (then['requests'] !== undefined)
    hold(reach.connections() <= Number(then['requests']), `there were ${reach.connections()} connections`);
  if (then['insecure_fallback'] !== undefined)
    hold(reach.plain() > 0 === then['insecure_fallback'], 'it came again without encryption');
};
