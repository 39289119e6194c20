/** Where a browser comes back to after a login: one path of one port of this machine, answered once. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { failure, type Outcome, succeed } from '../core/outcome.ts';

export type Loopback = {
  url: string;
  /** What the browser brought. */
  answered: Promise<URLSearchParams>;
  close(): void;
};

const PATH = '/callback';
const PAGE = `<!doctype html><meta charset="utf-8"><title>halter</title>
<p>halter has the answer. You can close this page.</p>`;
const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'",
  'referrer-policy': 'no-referrer',
  connection: 'close',
};

export const openLoopback = (port: number): Promise<Outcome<Loopback>> =>
  new Promise((resolve) => {
    let take: (answer: URLSearchParams) => void = () => {};
    const answered = new Promise<URLSearchParams>((done) => {
      take = done;
    });
    const server = createServer((request, response) => {
      const { port: own } = server.address() as AddressInfo;
      const url = new URL(request.url ?? '/', `http://127.0.0.1:${own}`);
      // Another name for this machine in the Host header is a page that plays with names.
      const isOurs = request.headers.host === `127.0.0.1:${own}` && url.pathname === PATH && request.method === 'GET';
      response.writeHead(isOurs ? 200 : 404, HEADERS).end(isOurs ? PAGE : '');
      if (isOurs) take(url.searchParams);
    });
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'EADDRINUSE' ? `port ${port} is taken` : error.message;
      resolve(failure('io_error', `No page can be waited for on this machine: ${why}.`));
    });
    server.listen(port, '127.0.0.1', () => {
      const { port: own } = server.address() as AddressInfo;
      resolve(
        succeed({
          url: `http://127.0.0.1:${own}${PATH}`,
          answered,
          close() {
            server.close();
            server.closeAllConnections();
          },
        }),
      );
    });
  });
