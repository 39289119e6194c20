/** The app on a socket. What Node lets through and the app cannot see any more is refused here. */

import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { failure, type Outcome, succeed } from '../core/outcome.ts';
import { quotedName } from '../core/quoted-name.ts';
import { errorText, shapeOfUnknown } from './gateway/errors.ts';
import { SERVER_LIMITS } from './limits.ts';

/** PEM, as text. */
export type TlsFiles = { cert: string; key: string };

export type ListenOptions = {
  /** Absent: the connection is not encrypted. */
  tls?: TlsFiles | undefined;
  /** Addresses of proxies whose word about the request counts; everybody else's is taken away. */
  trustedProxies?: readonly string[];
  host: string;
  /** 0: any that is free. */
  port: number;
  /** The flag that changes it, for whoever reads that it is taken; `--port` where absent. */
  portFlag?: string;
  /** Nothing else runs in this process that minds Node's Request and Response replaced by lighter ones. */
  ownProcess?: boolean;
  /** How long a request may take to come, and how often that is looked at; how long what is sent may wait to be taken. */
  timeouts?: { headersMs: number; requestMs: number; checkMs: number; stalledMs?: number };
};
export type Listening = {
  readonly port: number;
  /** Connections that are open. */
  connections(): number;
  /** Takes no more connections and ends those there are, at once where nothing is being answered on them. */
  close(): Promise<void>;
};

const TIMEOUTS = {
  headersMs: SERVER_LIMITS.headersTimeoutMs,
  requestMs: SERVER_LIMITS.requestTimeoutMs,
  checkMs: SERVER_LIMITS.timeoutCheckMs,
  stalledMs: SERVER_LIMITS.stalledMs,
};

export const listen = async (
  app: (request: Request) => Promise<Response>,
  { host, port, portFlag = '--port', tls, trustedProxies = [], timeouts = TIMEOUTS, ownProcess = false }: ListenOptions,
): Promise<Outcome<Listening>> => {
  const { stalledMs = SERVER_LIMITS.stalledMs } = timeouts;
  const listener = getRequestListener(app, { overrideGlobalObjects: ownProcess });
  const trusted = new Set(trustedProxies);
  const options: ServerOptions = {
    maxHeaderSize: SERVER_LIMITS.headerBytes,
    headersTimeout: timeouts.headersMs,
    requestTimeout: timeouts.requestMs,
    connectionsCheckingInterval: timeouts.checkMs,
    keepAliveTimeout: SERVER_LIMITS.keepAliveMs,
  };
  const answer: RequestListener = (request, response) => {
    if (!trusted.has(plainAddress(request.socket.remoteAddress))) dropForwarded(request);
    const problem = problemOf(request);
    if (problem === undefined) void listener(request, response);
    else refuse(request, response, problem);
  };
  let server: ReturnType<typeof createServer> | ReturnType<typeof createTlsServer>;
  try {
    server = tls ? createTlsServer({ ...options, ...tls }, answer) : createServer(options, answer);
  } catch (error) {
    return failure(
      'validation_failed',
      `The certificate or its key cannot be used: ${(error as Error).message}`,
      'tls',
    );
  }
  server.maxConnections = SERVER_LIMITS.connections;
  /** Connections, with what is being answered on each. */
  const open = new Map<Socket, number>();
  server.on('connection', (socket) => {
    open.set(socket, 0);
    socket.once('close', () => open.delete(socket));
  });
  server.on('request', ({ socket }, response) => {
    const change = (by: number): void => {
      if (open.has(socket)) open.set(socket, (open.get(socket) ?? 0) + by);
    };
    change(1);
    response.once('close', () => change(-1));
  });
  // Waiting for a model may take for ever; to take nothing of what is there may not, nor to ask for nothing.
  server.setTimeout(stalledMs, (socket) => {
    if (socket.writableLength > 0 || open.get(socket) === 0) socket.destroy();
    else socket.setTimeout(stalledMs);
  });
  // There are no other protocols to change to.
  server.on('upgrade', (_request, socket) => socket.end('HTTP/1.1 426 Upgrade Required\r\nConnection: close\r\n\r\n'));
  // And this is no way to other servers.
  server.on('connect', (_request, socket) =>
    socket.end('HTTP/1.1 405 Method Not Allowed\r\nAllow: GET, POST\r\nConnection: close\r\n\r\n'),
  );
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, resolve);
    });
  } catch (error) {
    return failure('io_error', listenProblem(error as NodeJS.ErrnoException, { host, port, portFlag }), 'listen');
  }
  return succeed({
    port: (server.address() as AddressInfo).port,
    connections: () => open.size,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
        setTimeout(() => server.closeAllConnections(), SERVER_LIMITS.shutdownMs).unref();
      }),
  });
};

/** `::ffff:10.0.0.2` is 10.0.0.2 on a socket that takes both kinds. */
const plainAddress = (address = ''): string => address.replace(/^::ffff:/, '');

const FORWARDED: ReadonlySet<string> = new Set([
  'forwarded',
  'x-forwarded-proto',
  'x-forwarded-host',
  'x-forwarded-for',
]);
/** Whoever is no proxy of ours must not say what one would. */
const dropForwarded = (request: IncomingMessage): void => {
  if (!request.rawHeaders.some((name, index) => index % 2 === 0 && FORWARDED.has(name.toLowerCase()))) return;
  request.rawHeaders = request.rawHeaders.filter(
    (_, index, all) => !FORWARDED.has((all[index - (index % 2)] ?? '').toLowerCase()),
  );
  for (const name of FORWARDED) delete request.headers[name];
};

/** Node accepts all of these (HTTP/1.0 without Host, a second Host, a whole URL as target, raw dots), and a guard must not. */
const problemOf = (request: IncomingMessage): string | undefined => {
  const hosts = request.rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host');
  if (hosts.length !== 1) return 'A request has exactly one Host header.';
  const target = request.url ?? '';
  if (!target.startsWith('/') || target.startsWith('//')) return 'The target must be a path.';
  const [path = ''] = target.split('?');
  if (/(?:^|\/|\\|%2f|%5c)(?:\.|%2e){1,2}(?:$|\/|\\|%2f|%5c)/i.test(path)) return 'The path holds . or .. parts.';
  if (/[^\x21-\x7e]|%00|\\/.test(target)) return 'The target holds characters that do not belong there.';
  return undefined;
};

const refuse = ({ url = '', headers }: IncomingMessage, response: ServerResponse, message: string): void => {
  const [path = ''] = url.split('?');
  const header = (name: string): string | undefined => headers[name]?.toString();
  const { contentType, body } = errorText(shapeOfUnknown({ path, header }), {
    status: 400,
    code: 'bad_request',
    message,
  });
  response.writeHead(400, { 'content-type': contentType, connection: 'close', 'x-content-type-options': 'nosniff' });
  response.end(body);
};

type Spot = { host: string; port: number; portFlag: string };
const listenProblem = (error: NodeJS.ErrnoException, { host, port, portFlag }: Spot): string => {
  switch (error.code) {
    case 'EADDRINUSE':
      return `Port ${port} is taken, perhaps by another halter. Choose one with ${portFlag}, or let the system choose: ${portFlag} 0.`;
    case 'EACCES':
      return `Port ${port} needs more rights than halter has. Choose one above 1023 with ${portFlag}.`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `This machine has no address ${quotedName(host)}. --host 127.0.0.1 is the usual one.`;
    default:
      return `The server cannot listen on ${quotedName(host)}, port ${port}: ${quotedName(error.message)}`;
  }
};
