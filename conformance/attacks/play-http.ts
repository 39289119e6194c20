/** Plays the cases about the server: a request as bytes on a socket, a real server, and what must hold of the answer. */
import net from 'node:net';
import os from 'node:os';
import zlib from 'node:zlib';
import type { JsonObject, JsonValue } from '../../src/core/json.ts';
import { createApp, listen } from '../../src/server/index.ts';
import { CONFORMANCE_LIMITS } from '../limits.ts';
import { type AttackCase, asList, asObject, CannotRun, hold, onlyKnown, Unmet } from './attack-case.ts';
import { runProgram } from './run-program.ts';
import { filesBelow, type Scene, withScene } from './scene.ts';

const TOKEN = 'the-token-of-this-run';
const HOST = '127.0.0.1';
const SLOW = '(slow) ';

type Answer = {
  status: number;
  headers: Record<string, string>;
  body: string;
};
type Told = {
  answer: Answer;
  scene: Scene;
  port: number;
  rssGrowth: number;
  /** How long another client waited for a plain request meanwhile. */
  otherMs: number;
};

const short = (value: unknown): string => (JSON.stringify(value) ?? 'nothing').slice(0, 200);
const isPart = (expected: JsonValue, actual: unknown): boolean =>
  typeof expected === 'object' && expected !== null && !Array.isArray(expected)
    ? typeof actual === 'object' &&
      actual !== null &&
      Object.entries(expected).every(([key, value]) => isPart(value, (actual as JsonObject)[key]))
    : JSON.stringify(expected) === JSON.stringify(actual);

type Check = (expected: JsonValue, told: Told) => void;
const policyOf = ({ answer }: Told): string => answer.headers['content-security-policy'] ?? '';

const THEN: Readonly<Record<string, Check>> = {
  status: (expected, { answer }) => hold(answer.status === expected, () => `the status is ${answer.status}`),
  status_in: (expected, { answer }) =>
    hold(asList(expected).includes(answer.status), () => `the status is ${answer.status}, not in ${short(expected)}`),
  json: (expected, { answer }) => {
    let value: unknown;
    try {
      value = JSON.parse(answer.body);
    } catch {
      throw new Unmet(`the body is not JSON: ${short(answer.body)}`);
    }
    hold(isPart(expected, value), () => `the body is ${short(value)}`);
  },
  side_effects: (expected, { scene }) => {
    const changed = [...filesBelow(scene.root)].filter(
      ([file, bytes]) => !scene.before.get(file)?.equals(bytes) && !file.startsWith(scene.config),
    );
    hold(changed.length === expected, () => `files were changed: ${changed.map(([file]) => file).join(', ')}`);
  },
  canary_absent: (expected, { scene }) => {
    const there = [...filesBelow(scene.scratch).keys()].some((file) => /canary/i.test(file));
    hold(!there === expected, () => 'the command ran');
  },
  headers_absent: (expected, { answer }) => {
    for (const name of asList(expected)) {
      hold(answer.headers[String(name).toLowerCase()] === undefined, () => `${String(name)} is there`);
    }
  },
  headers_present: (expected, { answer }) => {
    for (const name of asList(expected)) {
      hold(answer.headers[String(name).toLowerCase()] !== undefined, () => `${String(name)} is not there`);
    }
  },
  headers_match: (expected, { answer }) => {
    for (const [name, pattern] of Object.entries(asObject(expected))) {
      const value = answer.headers[name.toLowerCase()] ?? '';
      hold(new RegExp(String(pattern)).test(value), () => `${name} is ${short(value)}`);
    }
  },
  csp_must_contain: (expected, told) => {
    for (const part of asList(expected))
      hold(policyOf(told).includes(String(part)), () => `${String(part)} is missing`);
  },
  csp_must_not_contain: (expected, told) => {
    for (const part of asList(expected)) hold(!policyOf(told).includes(String(part)), () => `${String(part)} is there`);
  },
  body_must_not_contain: (expected, { answer }) => {
    for (const part of asList(expected)) {
      hold(!answer.body.includes(String(part)), () => `${short(part)} is in the answer`);
    }
  },
  global_pollution: (expected) => {
    const polluted = Object.keys(Object.prototype).length > 0 || Reflect.get({}, 'approved') !== undefined;
    hold(polluted === expected, () => 'every object has what the request sent');
  },
  rss_growth_mb_max: (expected, { rssGrowth }) =>
    hold(rssGrowth / 1024 ** 2 <= Number(expected), () => `memory grew by ${Math.round(rssGrowth / 1024 ** 2)} MB`),
  other_client_max_ms: (expected, { otherMs }) =>
    hold(otherMs <= Number(expected), () => `another client waited ${Math.round(otherMs)} ms`),
  /** How many there are; the connections are opened before. */
  connections: () => {},
};

export const playHttp = (attack: AttackCase): Promise<void> =>
  withScene(attack, { also: ['bind', 'port', 'token', 'connect_via'] }, async (scene) => {
    onlyKnown('when', attack.when, ['method', 'path', 'headers', 'body', 'raw']);
    onlyKnown('then', attack.then, [...Object.keys(THEN), 'connect', 'startup', 'exit_code_not']);
    if (attack.then['startup'] !== undefined) return refusedStart(scene);
    const halter = await scene.open();
    let own: number | undefined;
    const app = createApp({ halter, token: TOKEN, port: () => own });
    const listening = await listen(app, { host: HOST, port: 0 });
    if (!listening.ok) throw new Unmet(listening.error.message);
    const { port } = listening.value;
    own = port;
    scene.onEnd(async () => {
      await app.close();
      await listening.value.close();
    });
    if (attack.then['connect'] !== undefined) return fromElsewhere(scene, port);
    const filled = (text: string): string => text.replaceAll('$PORT', String(port)).replaceAll('$TOKEN', TOKEN);
    const { when, then } = scene.attack;
    const slow = typeof when['raw'] === 'string' && when['raw'].startsWith(SLOW);
    const bytes = slow ? '' : requestBytes(when, filled);
    const before = process.memoryUsage().rss;
    if (slow) crawl(scene, port, String(when['raw']).slice(SLOW.length), Number(then['connections'] ?? 1));
    const started = performance.now();
    const answer = await exchange(port, slow ? filled(PLAIN) : bytes);
    const told: Told = {
      answer,
      scene,
      port,
      rssGrowth: process.memoryUsage().rss - before,
      otherMs: performance.now() - started,
    };
    for (const [word, expected] of Object.entries(then)) {
      THEN[word]?.(JSON.parse(filled(JSON.stringify(expected))) as JsonValue, told);
    }
  });

const PLAIN = 'GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:$PORT\r\nConnection: close\r\n\r\n';

/** From another address of this machine, as another machine would come. */
const fromElsewhere = async (scene: Scene, port: number): Promise<void> => {
  const via = scene.attack.given['connect_via'];
  if (via !== 'non-loopback') throw new Unmet(`a connection by ${short(via)} is not known`);
  const address = Object.values(os.networkInterfaces())
    .flatMap((all) => all ?? [])
    .find(({ internal, family }) => !internal && family === 'IPv4')?.address;
  if (address === undefined) throw new CannotRun('this machine has no other address than its own loopback');
  const code = await new Promise<string>((resolve) => {
    const socket = net.connect(port, address, () => {
      socket.destroy();
      resolve('connected');
    });
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
  });
  hold(code === scene.attack.then['connect'], `the connection ends as ${code}`);
};

/** The program itself, told to listen where everybody is. */
const refusedStart = async (scene: Scene): Promise<void> => {
  const { given, then } = scene.attack;
  hold(then['startup'] === 'refused', `the start ${short(then['startup'])} is not known`);
  const ran = await runProgram(scene, ['serve', '--host', String(given['bind']), '--port', '0']);
  hold(ran.status !== null && ran.status !== 0, `it started: ${ran.stdout.slice(0, 200)}`);
  if (then['exit_code_not'] !== undefined) hold(ran.status !== then['exit_code_not'], `the exit code is ${ran.status}`);
};

/** As text, but for a body that is bytes. */
const requestBytes = (when: JsonObject, filled: (text: string) => string): string | Buffer => {
  const megabytes = asObject(when['body'])['$gzip_bomb_mb'];
  if (megabytes === undefined) return filled(requestText(when));
  const body = zlib.gzipSync(Buffer.alloc(Number(megabytes) * 1024 * 1024));
  const { body: _, ...rest } = when;
  const headers = { ...asObject(when['headers']), 'Content-Length': body.length };
  return Buffer.concat([Buffer.from(filled(requestText({ ...rest, headers }))), body]);
};

/** Exactly as the case has it: a client library would mend the path and the headers. */
const requestText = (when: JsonObject): string => {
  if (typeof when['raw'] === 'string') return when['raw'];
  const body = when['body'] === undefined ? undefined : String(when['body']);
  const headers = Object.entries(asObject(when['headers'])).map(([name, value]) => `${name}: ${String(value)}\r\n`);
  const length = body === undefined ? '' : `Content-Length: ${Buffer.byteLength(body)}\r\n`;
  return `${String(when['method'])} ${String(when['path'])} HTTP/1.1\r\n${headers.join('')}${length}\r\n${body ?? ''}`;
};

/** Connections that begin a request and never come to its end. */
const crawl = (scene: Scene, port: number, text: string, count: number): void => {
  const bytes = text.replaceAll('\\r', '\r').replaceAll('\\n', '\n');
  const sockets = Array.from({ length: count }, () => {
    const socket = net.connect(port, HOST);
    socket.on('error', () => {});
    socket.write(bytes.slice(0, 1));
    return socket;
  });
  let sent = 1;
  const timer = setInterval(() => {
    for (const socket of sockets) if (socket.writable) socket.write(bytes[sent % bytes.length] ?? '');
    sent += 1;
  }, SLOW_MS);
  scene.onEnd(() => {
    clearInterval(timer);
    for (const socket of sockets) socket.destroy();
  });
};
const SLOW_MS = 1_000;

const exchange = (port: number, text: string | Buffer): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = net.connect(port, HOST, () => socket.write(text));
    const finish = (): void => {
      clearTimeout(timer);
      socket.destroy();
      const answer = parseAnswer(Buffer.concat(chunks).toString('utf8'));
      if (answer) resolve(answer);
      else reject(new Unmet('there was no answer'));
    };
    const timer = setTimeout(finish, CONFORMANCE_LIMITS.waitMs);
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      if (isWhole(Buffer.concat(chunks).toString('utf8'))) finish();
    });
    // The server may end the connection while the request is still being written.
    socket.on('error', finish);
    socket.on('close', finish);
  });

const isWhole = (text: string): boolean => {
  const answer = parseAnswer(text);
  if (answer === undefined) return false;
  const length = answer.headers['content-length'];
  if (length !== undefined) return Buffer.byteLength(answer.body) >= Number(length);
  return answer.headers['transfer-encoding'] === 'chunked' && answer.body.endsWith('0\r\n\r\n');
};

const parseAnswer = (text: string): Answer | undefined => {
  const end = text.indexOf('\r\n\r\n');
  const [first = '', ...lines] = text.slice(0, Math.max(0, end)).split('\r\n');
  const status = /^HTTP\/1\.[01] (\d{3})/.exec(first)?.[1];
  if (end === -1 || status === undefined) return undefined;
  const headers = lines.map((line) => {
    const at = line.indexOf(':');
    return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()];
  });
  return { status: Number(status), headers: Object.fromEntries(headers), body: text.slice(end + 4) };
};
