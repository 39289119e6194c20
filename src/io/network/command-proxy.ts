/**
 * The proxy for commands that may reach some hosts and no others. Every address is judged like one of a tool: no private
 * ones, no ports that are not for the web, and the connection goes to what was judged.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect, type Server as Listener, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { HttpRequest } from '../../core/ports.ts';
import { IO_LIMITS } from '../limits.ts';
import { asRequester, currentRequester, type Requester } from '../requester.ts';
import { type GuardOptions, guard, isAllowedPrivate } from './guard.ts';
import type { Attempt } from './records.ts';
import { httpModule } from './routes.ts';

export type CommandProxyOptions = Omit<GuardOptions, 'proxied'> & {
  /** `host`, `host:port` or `*.host`. A host alone stands for ports 80 and 443. */
  hosts: readonly string[];
  record(request: HttpRequest, url: URL, proxied: boolean): Attempt;
};

/** Answers at listeners that commands have opened. */
export type CommandProxy = { serve(listener: object): void; close(): void };

export const isAllowedHost = (url: URL, hosts: readonly string[]): boolean =>
  hosts.some((entry) => {
    const hasPort = /(?:^[^:]+|\]):\d+$/.test(entry);
    const port = url.port || (url.protocol === 'https:' ? '443' : '80');
    return isAllowedPrivate(url, [entry]) && (hasPort || port === '80' || port === '443') && entry !== '*';
  });

export const createCommandProxy = (options: CommandProxyOptions): CommandProxy => new HostProxy(options);

type Judged = { address: string } | { refusal: string };

class HostProxy implements CommandProxy {
  readonly #options: CommandProxyOptions;
  readonly #stop = new AbortController();
  readonly #sockets = new Set<Socket | Duplex>();
  readonly #listeners = new Set<Listener>();
  /** Whose command a connection comes from: the server's own events know nothing of it. */
  readonly #requesters = new WeakMap<Socket | Duplex, Requester>();
  readonly #server: Server;

  constructor(options: CommandProxyOptions) {
    this.#options = options;
    const forCommand = (socket: Duplex, work: () => Promise<void>): void =>
      void asRequester(this.#requesters.get(socket) ?? {}, work);
    this.#server = createServer((request, response) =>
      forCommand(request.socket, () => this.#forward(request, response)),
    );
    this.#server.on('connect', (request, client, head) =>
      forCommand(client, () => this.#tunnel(request, client, head)),
    );
    this.#server.on('clientError', (_error, socket) => socket.destroy());
  }

  serve(handed: object): void {
    const listener = handed as Listener;
    const requester = currentRequester();
    this.#listeners.add(listener);
    listener.on('connection', (socket: Socket) => {
      this.#keep(socket);
      this.#requesters.set(socket, requester);
      if (this.#sockets.size > IO_LIMITS.proxyConnections) socket.destroy();
      else this.#server.emit('connection', socket);
    });
    listener.on('error', () => listener.close());
    listener.once('close', () => this.#listeners.delete(listener));
    // The command keeps halter waiting, not its listener.
    listener.unref();
  }

  close(): void {
    this.#stop.abort();
    for (const listener of this.#listeners) listener.close();
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }

  #keep(socket: Socket | Duplex): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    socket.on('error', () => socket.destroy());
  }

  /** The address to connect to, or why there is none. */
  async #judge(url: URL): Promise<Judged> {
    const { record, hosts } = this.#options;
    const request: HttpRequest = { ...LIMITED, url: url.href, signal: this.#stop.signal };
    const attempt = record(request, url, false);
    if (!isAllowedHost(url, hosts)) {
      const refusal = `${url.hostname} is not among the hosts that commands may reach (--allow-host ${url.host})`;
      attempt.tell('blocked', { reason: refusal });
      return { refusal };
    }
    const judged = await guard(request, url, { ...this.#options, proxied: false });
    const address = judged.ok ? judged.value.addresses?.[0]?.address : undefined;
    if (!judged.ok) attempt.tell(judged.error.kind, { reason: judged.error.message });
    else attempt.tell('connected', { address });
    if (address !== undefined) return { address };
    return { refusal: judged.ok ? 'the name has no address' : judged.error.message };
  }

  async #tunnel(request: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    this.#keep(client);
    const url = URL.parse(`https://${request.url}`);
    const judged: Judged = url ? await this.#judge(url) : { refusal: 'that is no host and port' };
    if (url === null || 'refusal' in judged) {
      client.end(`HTTP/1.1 403 Forbidden\r\nx-halter: refused\r\n\r\n${'refusal' in judged ? judged.refusal : ''}\n`);
      return;
    }
    const server = connect({ host: judged.address, port: Number(url.port || 443), timeout: IO_LIMITS.proxyIdleMs });
    this.#keep(server);
    server.once('timeout', () => server.destroy());
    server.once('connect', () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      if (head.length > 0) server.write(head);
      server.pipe(client).pipe(server);
    });
    server.once('close', () => client.destroy());
    client.once('close', () => server.destroy());
  }

  async #forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = URL.parse(request.url ?? '');
    const judged: Judged =
      url?.protocol === 'http:' ? await this.#judge(url) : { refusal: 'the proxy takes addresses with http:// only' };
    if (url === null || 'refusal' in judged) {
      response.writeHead(403, { 'x-halter': 'refused' }).end(`${'refusal' in judged ? judged.refusal : ''}\n`);
      return;
    }
    const { 'proxy-connection': _, 'proxy-authorization': __, ...headers } = request.headers;
    const onward = httpModule().request({
      host: judged.address,
      port: Number(url.port || 80),
      method: request.method,
      path: `${url.pathname}${url.search}`,
      headers: { ...headers, host: url.host },
      timeout: IO_LIMITS.proxyIdleMs,
      agent: false,
    });
    onward.on('error', () => response.destroy());
    onward.on('timeout', () => onward.destroy());
    onward.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    request.pipe(onward);
    response.on('close', () => onward.destroy());
  }
}

const LIMITED = { method: 'GET', connectTimeoutMs: IO_LIMITS.proxyConnectMs } as HttpRequest;
