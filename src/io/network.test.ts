import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { scratchFolder } from '../../tests/support/scratch.ts';
import type { HttpRequest, HttpResponse, Network } from '../core/ports.ts';
import { TEST_CERTIFICATE, TEST_CERTIFICATE_KEY } from '../testing/scripted-server/certificate.ts';
import { isLoopbackHost } from './network/address.ts';
import { type ConnectionRecord, createNetwork, type NetworkOptions } from './network.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const listen = async (server: Server): Promise<number> => {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket.on('error', () => undefined));
  });
  cleanups.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return (server.address() as AddressInfo).port;
};
const serve = async (listener: RequestListener): Promise<number> => listen(createServer(listener));

const network = (options: NetworkOptions = {}): Network & { records: ConnectionRecord[] } => {
  const records: ConnectionRecord[] = [];
  const made = createNetwork({ onConnection: (record) => records.push(record), ...options });
  cleanups.push(() => made.close());
  return { ...made, records };
};

const get = (url: string, more: Partial<HttpRequest> = {}): HttpRequest => ({
  method: 'GET',
  url,
  signal: new AbortController().signal,
  connectTimeoutMs: 5_000,
  maxResponseBytes: 1_000_000,
  ...more,
});

const responseOf = async (result: ReturnType<Network['request']>): Promise<HttpResponse> => {
  const outcome = await result;
  if (!outcome.ok) throw new Error(`${outcome.error.kind}: ${outcome.error.message}`);
  return outcome.value;
};
const textOf = async (result: ReturnType<Network['request']>): Promise<string> => {
  const text = await (await responseOf(result)).text();
  if (!text.ok) throw new Error(`${text.error.kind}: ${text.error.message}`);
  return text.value;
};

describe('a request', () => {
  it('sends method, headers and body, and gives status, headers and text back', async () => {
    const port = await serve((request, response) => {
      request.setEncoding('utf8').on('data', (body) => {
        response.writeHead(201, { 'x-answer': 'yes' }).end(`${request.method} ${request.headers['x-ask']} ${body}`);
      });
    });
    const response = await responseOf(
      network().request(get(`http://127.0.0.1:${port}/`, { method: 'POST', headers: { 'x-ask': 'a' }, body: 'häh' })),
    );
    expect(response.status).toBe(201);
    expect(response.headers['x-answer']).toBe('yes');
    expect(await response.text()).toEqual({ ok: true, value: 'POST a häh' });
  });

  it.each(['DELETE', 'PUT', 'GET'] as const)(
    'brings a body with %s too, whose usual requests have none',
    async (method) => {
      const port = await serve(async (request, response) => {
        let body = '';
        for await (const piece of request) body += String(piece);
        response.end(`${request.method} ${body}`);
      });
      const asked = get(`http://127.0.0.1:${port}/`, { method, body: '{"model":"å"}' });
      expect(await textOf(network().request(asked))).toBe(`${method} {"model":"å"}`);
    },
  );

  it('asks for what the address names: its path, its query, its name and password, its host', async () => {
    const port = await serve(({ url, headers }, response) => {
      response.end(JSON.stringify([url, headers.host, headers.authorization]));
    });
    const basic = `Basic ${Buffer.from('me:w#rd').toString('base64')}`;
    const answer = await textOf(network().request(get(`http://me:w%23rd@127.0.0.1:${port}/a%20b/?c=d%20e&f#g`)));
    expect(JSON.parse(answer)).toEqual(['/a%20b/?c=d%20e&f', `127.0.0.1:${port}`, basic]);
    const dialled: unknown[] = [];
    const dial: NetworkOptions['dial'] = (target) => {
      dialled.push(target);
      return connect(port, '127.0.0.1');
    };
    const inBrackets = await textOf(network({ dial }).request(get('http://[2001:db8::1]/x')));
    expect(JSON.parse(inBrackets).slice(0, 2)).toEqual(['/x', '[2001:db8::1]']);
    expect(dialled).toMatchObject([{ host: '2001:db8::1', port: 80 }]);
  });

  it('decodes characters that are cut by packets', async () => {
    const bytes = Buffer.from('größe 😀 日本');
    const port = await serve((_, response) => {
      response.writeHead(200);
      let position = 0;
      const next = (): void => {
        if (position === bytes.length) response.end();
        else response.write(bytes.subarray(position, ++position), () => setImmediate(next));
      };
      next();
    });
    const pieces: string[] = [];
    const response = await responseOf(network().request(get(`http://127.0.0.1:${port}/`)));
    await response.read((text) => pieces.push(text));
    expect(pieces.join('')).toBe('größe 😀 日本');
    expect(pieces.join('')).not.toContain('\ufffd');
  });

  it('counts what went over the connection by the time the answer is there', async () => {
    const port = await serve((_, response) => response.end('x'.repeat(1_000)));
    const transfers: { sent: number; received: number }[] = [];
    const subject = network({ onTransfer: (transfer) => transfers.push(transfer) });
    await textOf(subject.request(get(`http://127.0.0.1:${port}/a`)));
    await textOf(subject.request(get(`http://127.0.0.1:${port}/a`)));
    expect(transfers.length).toBe(2);
    expect(transfers[0]?.received).toBeGreaterThan(1_000);
    // The second request on one connection counts for itself.
    expect(transfers[1]?.received).toBe(transfers[0]?.received);
    expect(subject.records.map(({ id, reused }) => [id, reused])).toEqual([
      [1, false],
      [2, true],
    ]);
  });

  it('follows no redirect', async () => {
    const port = await serve((_, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end());
    expect((await responseOf(network().request(get(`http://127.0.0.1:${port}/`)))).status).toBe(302);
  });

  it('uses an open connection again', async () => {
    const port = await serve((_, response) => response.end('x'));
    const subject = network();
    await textOf(subject.request(get(`http://127.0.0.1:${port}/`)));
    await textOf(subject.request(get(`http://127.0.0.1:${port}/`)));
    expect(subject.records.map((record) => record.reused)).toEqual([false, true]);
  });

  it('repeats a request at once when the server had closed the idle connection meanwhile', async () => {
    const sockets: Socket[] = [];
    let served = 0;
    const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
      served += 1;
      if (served === 2) request.socket.destroy();
      else response.end(`answer ${served}`);
    });
    server.on('connection', (socket) => sockets.push(socket));
    const port = await listen(server);
    const subject = network();
    expect(await textOf(subject.request(get(`http://127.0.0.1:${port}/`)))).toBe('answer 1');
    expect(await textOf(subject.request(get(`http://127.0.0.1:${port}/`)))).toBe('answer 3');
    expect(sockets.length).toBe(2);
  });

  it('unpacks a packed answer', async () => {
    const { gzipSync } = await import('node:zlib');
    const port = await serve((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('packed'));
    });
    expect(await textOf(network().request(get(`http://127.0.0.1:${port}/`)))).toBe('packed');
  });
});

describe('bytes', () => {
  it('come as they are, and no faster than they are taken', async () => {
    const sent = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 256));
    const port = await serve((_, response) => response.end(sent));
    const response = await responseOf(network().request(get(`http://127.0.0.1:${port}/`, { silenceTimeoutMs: 5 })));
    const got: Buffer[] = [];
    let busy = 0;
    const outcome = await response.readBytes?.(async (bytes) => {
      busy += 1;
      expect(busy).toBe(1);
      // Longer than the silence that is allowed: it is the reader's own.
      if (got.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
      got.push(Buffer.from(bytes));
      busy -= 1;
    });
    expect(outcome).toEqual({ ok: true, value: undefined });
    expect(Buffer.concat(got).equals(sent)).toBe(true);
  });

  it('are limited, and end on cancel', async () => {
    const stop = new AbortController();
    const port = await serve((_, response) => response.write('x'.repeat(100_000)));
    const url = `http://127.0.0.1:${port}/`;
    const small = await responseOf(network().request(get(url, { maxResponseBytes: 10 })));
    expect(await small.readBytes?.(() => undefined)).toMatchObject({ error: { kind: 'too_large' } });
    const cancelled = await responseOf(network().request(get(url, { signal: stop.signal })));
    expect(await cancelled.readBytes?.(() => stop.abort())).toMatchObject({ error: { kind: 'cancelled' } });
  });
});

describe('what goes wrong is a value', () => {
  it('names host and port of a refused connection', async () => {
    const port = await serve(() => undefined);
    await cleanups.pop()?.();
    const result = await network().request(get(`http://127.0.0.1:${port}/`));
    expect(result).toEqual({
      ok: false,
      error: { kind: 'refused', message: `connection refused by 127.0.0.1:${port}` },
    });
  });

  it('says that an address is not one', async () => {
    for (const url of ['', 'nonsense', 'file:///etc/passwd', 'ftp://a/']) {
      expect(await network().request(get(url))).toMatchObject({ ok: false, error: { kind: 'invalid_url' } });
    }
  });

  it('refuses a header that would break the request, without repeating it', async () => {
    const result = await network().request(
      get('http://127.0.0.1:1/', { headers: { authorization: 'Bearer secret\r\nx: y' } }),
    );
    expect(result).toMatchObject({ ok: false, error: { kind: 'invalid_url' } });
    expect(JSON.stringify(result)).not.toContain('secret');
  });

  it('reports a connection cut in the middle of the body, with what came before', async () => {
    const port = await serve((_, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half', () => response.destroy());
    });
    const response = await responseOf(network().request(get(`http://127.0.0.1:${port}/`)));
    const pieces: string[] = [];
    expect(await response.read((text) => pieces.push(text))).toMatchObject({
      ok: false,
      error: { kind: 'disconnected' },
    });
    expect(pieces.join('')).toBe('half');
  });

  it('reports a connection cut before any answer', async () => {
    const port = await serve((request) => request.socket.destroy());
    expect(await network().request(get(`http://127.0.0.1:${port}/`))).toMatchObject({
      ok: false,
      error: { kind: 'disconnected' },
    });
  });

  it('reports an answer that is not HTTP', async () => {
    const port = await listen(createTcpServer((socket) => socket.end('SSH-2.0-OpenSSH\r\n')));
    const result = await network().request(get(`http://127.0.0.1:${port}/`));
    expect(result).toMatchObject({ ok: false, error: { kind: 'disconnected' } });
    expect(result).toMatchObject({ error: { message: expect.stringContaining('not HTTP') } });
  });

  it('stops at the largest answer it was asked to take', async () => {
    const port = await serve((_, response) => response.end('x'.repeat(200_000)));
    const response = await responseOf(network().request(get(`http://127.0.0.1:${port}/`, { maxResponseBytes: 1_000 })));
    expect(await response.text()).toMatchObject({ ok: false, error: { kind: 'too_large' } });
  });

  it('gives up on a connection that does not come about', async () => {
    // A TLS handshake that is never answered: connecting is not over before it is.
    const port = await listen(createTcpServer(() => undefined));
    const result = await network().request(get(`https://127.0.0.1:${port}/`, { connectTimeoutMs: 30 }));
    expect(result).toMatchObject({ ok: false, error: { kind: 'connect_timeout' } });
  });

  it('waits without limit for the first byte unless told otherwise, and counts silence only after it', async () => {
    let release = (): void => undefined;
    const port = await serve((_, response) => {
      release = () => {
        response.write('first');
      };
      response.flushHeaders();
    });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    cleanups.push(() => vi.useRealTimers());
    const response = await responseOf(network().request(get(`http://127.0.0.1:${port}/`, { silenceTimeoutMs: 40 })));
    const first = Promise.withResolvers<string>();
    const reading = response.read(first.resolve);
    vi.advanceTimersByTime(600_000);
    release();
    expect(await first.promise).toBe('first');
    vi.advanceTimersByTime(41);
    expect(await reading).toMatchObject({ ok: false, error: { kind: 'silence_timeout' } });
    vi.useRealTimers();
    const limited = get(`http://127.0.0.1:${port}/`, { firstByteTimeoutMs: 30 });
    const never = await serve(() => undefined);
    expect(await network().request({ ...limited, url: `http://127.0.0.1:${never}/` })).toMatchObject({
      ok: false,
      error: { kind: 'silence_timeout' },
    });
  });

  it('holds a limit on the first byte for the body too', async () => {
    // Long enough for the headers to come first, also on a busy machine.
    const port = await serve((_, response) => response.flushHeaders());
    const response = await responseOf(network().request(get(`http://127.0.0.1:${port}/`, { firstByteTimeoutMs: 400 })));
    expect(await response.text()).toMatchObject({ ok: false, error: { kind: 'silence_timeout' } });
  });

  it('lets silence pass while the caller says that it does not count', async () => {
    const port = await serve((_, response) => {
      response.write('progress');
    });
    let asked = 0;
    const response = await responseOf(
      network().request(
        get(`http://127.0.0.1:${port}/`, {
          silenceTimeoutMs: 10,
          silenceCounts: () => {
            asked += 1;
            return asked > 3;
          },
        }),
      ),
    );
    expect(await response.text()).toMatchObject({ ok: false, error: { kind: 'silence_timeout' } });
    expect(asked).toBe(4);
  });
});

describe('cancel', () => {
  it.each(['before', 'while waiting for the answer', 'in the body'] as const)(
    'takes effect at once: %s',
    async (when) => {
      const stop = new AbortController();
      let seen: (() => void) | undefined;
      const arrived = new Promise<void>((resolve) => {
        seen = resolve;
      });
      let closed: (() => void) | undefined;
      const gone = new Promise<void>((resolve) => {
        closed = resolve;
      });
      const port = await serve((request, response) => {
        request.socket.on('close', () => closed?.());
        if (when === 'in the body') response.write('some');
        seen?.();
      });
      if (when === 'before') stop.abort();
      const asking = network().request(get(`http://127.0.0.1:${port}/`, { signal: stop.signal }));
      if (when === 'in the body') {
        const response = await responseOf(asking);
        const pieces: string[] = [];
        const reading = response.read((text) => {
          pieces.push(text);
          stop.abort();
        });
        expect(await reading).toMatchObject({ ok: false, error: { kind: 'cancelled' } });
        expect(pieces).toEqual(['some']);
      } else {
        if (when !== 'before') {
          await arrived;
          stop.abort();
        }
        expect(await asking).toMatchObject({ ok: false, error: { kind: 'cancelled' } });
      }
      if (when !== 'before') await gone;
    },
  );

  it('between the headers and the body ends the body', async () => {
    const stop = new AbortController();
    const port = await serve((_, response) => response.write('x'));
    const response = await responseOf(network().request(get(`http://127.0.0.1:${port}/`, { signal: stop.signal })));
    stop.abort();
    expect(await response.text()).toMatchObject({ ok: false, error: { kind: 'cancelled' } });
  });
});

describe('offline', () => {
  it('reaches this machine and nothing else, and records what it refused', async () => {
    verifies('U1');
    const port = await serve((_, response) => response.end('here'));
    const subject = network({ offline: true });
    expect(await textOf(subject.request(get(`http://127.0.0.1:${port}/`)))).toBe('here');
    expect(await textOf(subject.request(get(`http://localhost:${port}/`)))).toBe('here');
    for (const host of ['example.com', '192.168.0.1', '10.0.0.1', '0.0.0.0', '[::]', '127.0.0.1.example.com']) {
      expect(await subject.request(get(`http://${host}/`))).toMatchObject({ ok: false, error: { kind: 'blocked' } });
    }
    expect(subject.records.filter((record) => record.result === 'blocked')).toHaveLength(6);
  });

  it('knows this machine by every spelling of it', () => {
    const host = (text: string): boolean => isLoopbackHost(new URL(`http://${text}/`).hostname);
    for (const own of ['localhost', 'LOCALHOST.', 'a.localhost', '127.1', '2130706433', '0x7f.1', '[::1]']) {
      expect(host(own), own).toBe(true);
    }
    for (const own of ['[::ffff:127.0.0.1]', '①②⑦.0.0.1']) expect(host(own), own).toBe(true);
    for (const other of ['localhost.example', '128.0.0.1', '[::2]', '[::ffff:8.8.8.8]', '127.example.com']) {
      expect(host(other), other).toBe(false);
    }
  });
});

describe('proxy and certificates', () => {
  it('sends requests for other machines through the proxy of the environment, and those for this one not', async () => {
    verifies('U1');
    const seen: string[] = [];
    const proxyPort = await serve((request, response) => {
      seen.push(request.url ?? '');
      response.end('through the proxy');
    });
    const port = await serve((_, response) => response.end('direct'));
    const subject = network({
      environment: { HTTP_PROXY: `http://127.0.0.1:${proxyPort}`, NO_PROXY: 'inside.localtest' },
    });
    expect(await textOf(subject.request(get('http://models.example/v1/models')))).toBe('through the proxy');
    expect(await textOf(subject.request(get(`http://127.0.0.1:${port}/`)))).toBe('direct');
    expect(seen).toEqual(['http://models.example/v1/models']);
    expect(subject.records.map((record) => record.proxied)).toEqual([true, false]);
  });

  it('reaches https through a tunnel of the proxy, with a certificate that was handed in', async () => {
    const port = await listen(
      createTlsServer({ key: TEST_CERTIFICATE_KEY, cert: TEST_CERTIFICATE }, (_, response) => response.end('sealed')),
    );
    const asked: string[] = [];
    const proxy = createServer();
    proxy.on('connect', (request, socket) => {
      asked.push(request.url ?? '');
      const onward = connect(port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
        onward.pipe(socket).pipe(onward);
      });
      onward.on('error', () => undefined);
      socket.on('error', () => undefined);
    });
    const proxyPort = await listen(proxy);
    const subject = network({
      environment: { https_proxy: `http://127.0.0.1:${proxyPort}` },
      certificates: [TEST_CERTIFICATE],
    });
    expect(await textOf(subject.request(get('https://models.example/')))).toBe('sealed');
    expect(asked).toEqual(['models.example:443']);
    expect(subject.records).toMatchObject([{ result: 'connected', scheme: 'https', proxied: true }]);
  });

  it('refuses a certificate that nobody vouches for, and says so', async () => {
    const port = await listen(
      createTlsServer({ key: TEST_CERTIFICATE_KEY, cert: TEST_CERTIFICATE }, (_, response) => response.end('sealed')),
    );
    const result = await network().request(get(`https://127.0.0.1:${port}/`));
    expect(result).toMatchObject({ ok: false, error: { kind: 'certificate' } });
    const trusting = network({ certificates: [TEST_CERTIFICATE] });
    expect(await textOf(trusting.request(get(`https://127.0.0.1:${port}/`)))).toBe('sealed');
  });

  it('trusts the certificates of NODE_EXTRA_CA_CERTS', async () => {
    verifies('U1');
    const port = await listen(
      createTlsServer({ key: TEST_CERTIFICATE_KEY, cert: TEST_CERTIFICATE }, (_, response) => response.end('sealed')),
    );
    const folder = scratchFolder();
    const file = join(folder, 'own-ca.pem');
    await writeFile(file, TEST_CERTIFICATE);
    const script = `
      import { createNetwork } from ${JSON.stringify(new URL('./network.ts', import.meta.url).href)};
      const network = createNetwork({ environment: process.env });
      const result = await network.request(${JSON.stringify({ ...get(`https://127.0.0.1:${port}/`), signal: undefined })
        .slice(0, -1)
        .concat(', "signal": new AbortController().signal}')});
      console.log(result.ok ? (await result.value.text()).value : result.error.message);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      env: { PATH: process.env['PATH'], NODE_EXTRA_CA_CERTS: file },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
    await new Promise((resolve) => child.on('close', resolve));
    expect(printed.trim()).toBe('sealed');
  });

  it('says which variable is wrong when the proxy is not an address', async () => {
    for (const proxy of ['not a url', 'socks5://127.0.0.1:1080']) {
      const subject = network({ environment: { HTTP_PROXY: proxy } });
      const result = await subject.request(get('http://models.example/'));
      expect(result).toMatchObject({ ok: false, error: { kind: 'invalid_url' } });
      expect(result).toMatchObject({ error: { message: expect.stringContaining('HTTP_PROXY') } });
      expect(subject.records).toEqual([]);
    }
  });
});
