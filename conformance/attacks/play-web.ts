/**
 * Plays the cases about tools that reach the network. Names and connections are the case's own; the port, its rules and
 * the tool between them are halter's. A connection that would go out goes to a server of this process instead.
 */

import http, { type ServerResponse } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import zlib from 'node:zlib';
import type { JsonObject, JsonValue } from '../../src/core/json.ts';
import type { DialTarget } from '../../src/io/network/routes.ts';
import type { TestAgentOptions } from '../../src/testing/test-agent.ts';
import { type AttackCase, asList, asObject, onlyKnown, Unmet } from './attack-case.ts';
import { CALL_WORDS, checkCall } from './call-checks.ts';
import { toolNamed } from './names.ts';
import { callTool } from './play-call.ts';
import { type Scene, withScene } from './scene.ts';

const GIVEN = ['policy', 'dns', 'http', 'html', 'tool', 'server'];
const PUBLIC_ADDRESS = '93.184.216.34';
const SEARCH_URL = 'http://search.test/';
const MEGABYTE = Buffer.alloc(1024 * 1024);
const PAGE = '<!doctype html><html><head><title>A page</title></head><body><p>Some words of a page.</p></body></html>';

export const isAboutTheWeb = (attack: AttackCase): boolean => toolNamed(attack.when['tool']).effects === 'network';

/** Writes without end, or so many times, and no faster than it is taken. */
const pour = (target: NodeJS.WritableStream & { destroyed?: boolean }, chunk: Buffer, times: number): void => {
  let left = times;
  const write = (): void => {
    while (left > 0 && !target.destroyed) {
      left -= 1;
      if (!target.write(chunk)) {
        target.once('drain', write);
        return;
      }
    }
    if (left === 0) target.end();
  };
  write();
};

/** What the case's server says to any address, where it does not list addresses. */
const ANSWERS: Readonly<Record<string, (value: JsonValue, response: ServerResponse) => void>> = {
  gzip_bomb_mb: (value, response) => {
    response.writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'gzip' });
    const packed = zlib.createGzip();
    response.on('close', () => packed.destroy());
    packed.on('error', () => {}).pipe(response);
    pour(packed, MEGABYTE, Number(value));
  },
  endless_body: (_value, response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    pour(response, Buffer.from('more of the page '.repeat(1_000)), Number.POSITIVE_INFINITY);
  },
  // So many bytes a second, and no end.
  bytes_per_s: (value, response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    const timer = setInterval(() => response.write('x'.repeat(Number(value))), 1_000);
    response.on('close', () => clearInterval(timer));
  },
  header_kb: (value, response) => {
    const socket = response.socket;
    socket?.write('HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n');
    for (let kb = 0; kb < Number(value); kb += 1) socket?.write(`X-Header-${kb}: ${'h'.repeat(1_000)}\r\n`);
    socket?.end('\r\nwords');
  },
  nested_div: (value, response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end(`<html><body>${'<div>'.repeat(Number(value))}words${'</div>'.repeat(Number(value))}</body></html>`);
  },
};

const answer = (given: JsonObject, url: string, response: ServerResponse): void => {
  if (given['server'] === 'hangs') return;
  if (given['server'] !== undefined) throw new Unmet(`a server that ${String(given['server'])} is not known`);
  const said = { ...asObject(given['http']), ...asObject(given['html']) };
  const listed = said[url];
  if (listed !== undefined) {
    const { status, location, headers, body, ...rest } = asObject(listed);
    onlyKnown('http', rest, []);
    const own = Object.fromEntries(Object.entries(asObject(headers)).map(([name, value]) => [name, String(value)]));
    const to = location === undefined ? {} : { location: String(location) };
    response.writeHead(Number(status ?? 200), { 'content-type': 'text/html', ...own, ...to });
    response.end(typeof body === 'string' ? body : PAGE);
    return;
  }
  const word = Object.keys(said).find((name) => !URL.canParse(name));
  if (word === undefined) {
    response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE);
    return;
  }
  const make = Object.hasOwn(ANSWERS, word) ? ANSWERS[word] : undefined;
  if (make === undefined) throw new Unmet(`"http" has ${JSON.stringify(word)}, which is not known`);
  make(said[word] as JsonValue, response);
};

/** A name's answers in turn; where a case has no names at all, every name is somewhere on the open internet. */
const resolver = (dns: JsonValue | undefined): NonNullable<TestAgentOptions['connections']>['resolve'] => {
  const names = asObject(dns);
  const asked = new Map<string, number>();
  return async (name) => {
    const answers = names[name.replace(/\.$/, '')] ?? (dns === undefined ? [PUBLIC_ADDRESS] : undefined);
    if (answers === undefined) throw Object.assign(new Error(`no such name: ${name}`), { code: 'ENOTFOUND' });
    const sequence = asObject(answers)['sequence'];
    const count = asked.get(name) ?? 0;
    asked.set(name, count + 1);
    const list = sequence === undefined ? answers : (asList(sequence)[count] ?? asList(sequence).at(-1));
    return asList(list).map((address) => ({ address: String(address), family: net.isIP(String(address)) }));
  };
};

/** The catalogue's policy → what a person would say on the command line. */
const permissions = (policy: JsonObject, tool: string): Partial<TestAgentOptions> => {
  onlyKnown('policy', policy, ['allow_hosts', 'schemes', 'auto_allow_domains']);
  const other = asList(policy['schemes']).find((scheme) => scheme !== 'http' && scheme !== 'https');
  if (other !== undefined) throw new Unmet(`the scheme ${JSON.stringify(other)} cannot be allowed`);
  const domains = policy['auto_allow_domains'];
  return {
    allowPrivate: asList(policy['allow_hosts']).map(String),
    allow:
      domains === undefined
        ? [tool]
        : asList(domains).flatMap((domain) =>
            ['http', 'https'].map((scheme) => `${tool}(${scheme}://${String(domain)}/**)`),
          ),
  };
};

type Wire = {
  targets: DialTarget[];
  connections: Required<NonNullable<TestAgentOptions['connections']>>;
  received(): number;
};

const openWire = async (scene: Scene): Promise<Wire> => {
  const { given } = scene.attack;
  const targets: DialTarget[] = [];
  const sockets: net.Socket[] = [];
  const faults: unknown[] = [];
  const server = http.createServer((request, response) => {
    const target = targets.at(-1);
    try {
      answer(given, `${target?.secure ? 'https' : 'http'}://${request.headers.host}${request.url}`, response);
    } catch (error) {
      faults.push(error);
      response.destroy();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  scene.onEnd(() => {
    server.closeAllConnections();
    server.close();
    if (faults.length > 0) throw faults[0];
  });
  return {
    targets,
    received: () => sockets.reduce((sum, socket) => sum + socket.bytesRead, 0),
    connections: {
      resolve: resolver(given['dns']) as NonNullable<ReturnType<typeof resolver>>,
      dial(target) {
        targets.push(target);
        const socket = net.connect(port, '127.0.0.1');
        sockets.push(socket);
        return socket;
      },
    },
  };
};

/** What must hold of the connections themselves. */
const WIRE: Readonly<Record<string, (expected: JsonValue, wire: Wire, bytes: number) => string | undefined>> = {
  connections: (expected, { targets }) =>
    targets.length === expected ? undefined : `${targets.length} connections were made, not ${String(expected)}`,
  connections_max: (expected, { targets }) =>
    targets.length <= Number(expected)
      ? undefined
      : `${targets.length} connections were made, more than ${String(expected)}`,
  never_connect_to: (expected, { targets }) => {
    const wrong = targets.find(({ address }) => asList(expected).includes(address));
    return wrong === undefined ? undefined : `it connected to ${wrong.address}`;
  },
  bytes_max: (expected, wire, bytes) => {
    const most = Math.max(wire.received(), bytes);
    // What the system had taken before halter hung up was not read by it.
    return most <= Number(expected) + SOCKET_BUFFERS
      ? undefined
      : `${most} bytes were taken, more than ${String(expected)}`;
  },
};
const SOCKET_BUFFERS = 256 * 1024;

export const playWeb = async (attack: AttackCase): Promise<void> => {
  const { name } = toolNamed(attack.when['tool']);
  onlyKnown('when', attack.when, ['tool', 'args']);
  onlyKnown('then', attack.then, [...CALL_WORDS, ...Object.keys(WIRE)]);
  await withScene(attack, { also: GIVEN }, async (scene) => {
    const { given, when, then } = scene.attack;
    const wire = await openWire(scene);
    const halter = await scene.open({
      ...permissions(asObject(given['policy']), name),
      connections: wire.connections,
      web: { search: 'searxng', searchUrl: SEARCH_URL },
    });
    const args = asObject(when['args']);
    const rss = process.memoryUsage.rss();
    const started = performance.now();
    const made = await callTool(halter, name, args);
    const milliseconds = performance.now() - started;
    const rssGrowth = process.memoryUsage.rss() - rss;
    for (const [word, expected] of Object.entries(then)) {
      const problem = WIRE[word]?.(expected, wire, made.result.metadata.data_size_bytes);
      if (problem !== undefined) throw new Unmet(problem);
    }
    checkCall({ ...made, args, milliseconds, rssGrowth }, scene, Object.keys(WIRE));
  });
};
