/** The network port for tools, through real requests: names and connections are the test's own, everything between is real. */
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import type { HttpRequest } from '../../core/ports.ts';
import { type ConnectionRecord, createNetwork, type NetworkOptions } from '../network.ts';
import { addressFault, isAllowedPrivate } from './guard.ts';
import type { DialTarget } from './routes.ts';

const PUBLIC = '93.184.216.34';

const world = async (
  names: Record<string, string[] | string[][]>,
  listener: RequestListener,
  options: NetworkOptions & { allowPrivate?: string[] } = {},
) => {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const dialled: DialTarget[] = [];
  const records: ConnectionRecord[] = [];
  const asked = new Map<string, number>();
  const network = createNetwork({
    async resolve(name) {
      const answers = names[name];
      if (!answers) throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
      const count = asked.get(name) ?? 0;
      asked.set(name, count + 1);
      const addresses = Array.isArray(answers[0])
        ? ((answers[count] ?? answers.at(-1)) as string[])
        : (answers as string[]);
      return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    },
    dial(target) {
      dialled.push(target);
      return connect(port, '127.0.0.1');
    },
    onConnection: (record) => records.push(record),
    ...options,
  });
  onTestFinished(() => {
    network.close();
    server.closeAllConnections();
    server.close();
  });
  const guarded = network.guarded({ allowPrivate: options.allowPrivate ?? [] });
  const get = (url: string, more: Partial<HttpRequest> = {}) =>
    guarded.request({
      method: 'GET',
      url,
      signal: new AbortController().signal,
      connectTimeoutMs: 2_000,
      maxResponseBytes: 10_000,
      redirects: 5,
      ...more,
    });
  return { get, dialled, records, asked, addresses: () => dialled.map(({ address }) => address) };
};
const hello: RequestListener = (_, response) => response.end('hello');

describe('the network port for tools', () => {
  it('reaches the open internet, and connects to the address that it judged', async () => {
    verifies('E1', 'E3');
    const { get, dialled, records } = await world({ 'example.com': [PUBLIC] }, hello);
    const answer = await get('http://example.com/a?b');
    expect(answer.ok && (await answer.value.text())).toEqual({ ok: true, value: 'hello' });
    expect(answer.ok && answer.value.url).toBe('http://example.com/a?b');
    expect(dialled).toEqual([{ host: 'example.com', address: PUBLIC, port: 80, secure: false }]);
    expect(records).toMatchObject([{ host: 'example.com', port: 80, result: 'connected' }]);
  });

  it.each([
    'http://127.0.0.1/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://0177.0.0.1/',
    'http://127.1/',
    'http:127.0.0.1',
    'http://①②⑦.0.0.1/',
    'http://１２７.0.0.1/',
    'http://127。0。0。1/',
    'http://127.0.0.1./',
    'http://[::1]/',
    'http://[::ffff:7f00:1]/',
    'http://[::ffff:169.254.169.254]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[2002:7f00:1::]/',
    'http://[::]/',
    'http://0/',
    'http://0.0.0.0:8080/',
    'http://10.0.0.1/',
    'http://192.168.1.1/',
    'http://172.16.0.1/',
    'http://100.64.0.1/',
    'http://169.254.169.254/',
    'http://168.63.129.16/',
    'http://224.0.0.1/',
    'http://255.255.255.255/',
    'http://[fe80::1]/',
    'http://[fd00:ec2::254]/',
    'http://localhost/',
    'http://LOCALHOST./',
    'http://a.localhost/',
    'http://inside.test/',
    'http://mixed.test/',
    'http://inside.test.:80/',
    'http://six.test/',
    'http://intranet/',
    'http://metadata.google.internal/',
    'http://printer.local./',
  ])('refuses %s before anything is connected', async (url) => {
    const { get, dialled, records } = await world(
      {
        'inside.test': ['10.1.2.3'],
        'inside.test.': ['10.1.2.3'],
        'mixed.test': [PUBLIC, '192.168.0.5'],
        'six.test': ['::ffff:10.0.0.1'],
      },
      hello,
    );
    expect(await get(url)).toMatchObject({ ok: false, error: { kind: 'blocked' } });
    expect(dialled).toEqual([]);
    expect(records).toMatchObject([{ result: 'blocked' }]);
  });

  it.each([
    'file:///etc/passwd',
    'javascript:alert(1)',
    'ftp://example.com/',
    'http://example.com@127.0.0.1/',
    'http://user:pass@example.com/',
    'http://lo\u200bcalhost/',
    'http://local\nhost/',
    'http://127.0.0.1\t/',
    ' http://example.com/',
    'http://exam\u00adple.com/',
    'http://example.com/\u202e',
    'example.com',
    '',
    'http://',
  ])('refuses %j as an address', async (url) => {
    const { get, dialled } = await world({ 'example.com': [PUBLIC], localhost: ['127.0.0.1'] }, hello);
    expect(await get(url)).toMatchObject({ ok: false, error: { kind: 'invalid_url' } });
    expect(dialled).toEqual([]);
  });

  it('asks for a name once a request, so that a second answer cannot lead elsewhere', async () => {
    const { get, addresses, asked } = await world({ 'rebind.test': [[PUBLIC], ['127.0.0.1']] }, hello);
    expect((await get('http://rebind.test/')).ok).toBe(true);
    expect(addresses()).toEqual([PUBLIC]);
    expect(asked.get('rebind.test')).toBe(1);
    expect(await get('http://rebind.test/')).toMatchObject({ ok: false, error: { kind: 'blocked' } });
    expect(addresses()).toEqual([PUBLIC]);
  });

  it('judges every redirect like the first address', async () => {
    const { get, addresses } = await world({ 'r.test': [PUBLIC] }, (request, response) =>
      response.writeHead(302, { location: String(request.url).slice(1) }).end(),
    );
    for (const target of ['http://169.254.169.254/', 'http://localhost/', 'http://[::1]:80/', '//2130706433/']) {
      expect(await get(`http://r.test/${target}`), target).toMatchObject({ ok: false, error: { kind: 'blocked' } });
    }
    expect(await get('http://r.test/file:///etc/passwd')).toMatchObject({ ok: false, error: { kind: 'invalid_url' } });
    expect(new Set(addresses())).toEqual(new Set([PUBLIC]));
  });

  it('follows five redirects and no sixth', async () => {
    const { get, dialled } = await world({ 'r.test': [PUBLIC] }, (request, response) => {
      const left = Number(String(request.url).slice(1));
      if (left === 0) response.end('there');
      else response.writeHead(301, { location: `/${left - 1}` }).end('moved');
    });
    const answer = await get('http://r.test/5');
    expect(answer.ok && answer.value.url).toBe('http://r.test/0');
    expect(dialled.length).toBe(6);
    expect(await get('http://r.test/6')).toMatchObject({ ok: false, error: { kind: 'redirects' } });
  });

  it('takes keys and cookies to the host that they were meant for and to no other', async () => {
    const seen: Record<string, unknown>[] = [];
    const { get } = await world({ 'a.test': [PUBLIC], 'b.test': [PUBLIC] }, (request, response) => {
      seen.push({
        host: request.headers.host,
        key: request.headers['authorization'],
        token: request.headers['x-subscription-token'],
      });
      if (request.url === '/own') response.writeHead(302, { location: '/away' }).end();
      else if (request.url === '/away') response.writeHead(307, { location: 'http://b.test/' }).end();
      else response.end('done');
    });
    await get('http://a.test/own', {
      headers: { authorization: 'Bearer k', 'X-Subscription-Token': 't', accept: '*/*' },
    });
    expect(seen).toEqual([
      { host: 'a.test', key: 'Bearer k', token: 't' },
      { host: 'a.test', key: 'Bearer k', token: 't' },
      { host: 'b.test', key: undefined, token: undefined },
    ]);
  });

  it('reaches a private host that the person allowed, and its other ports not', async () => {
    const { get } = await world({ 'nas.home': ['192.168.0.7'] }, hello, {
      allowPrivate: ['127.0.0.1:8123', 'nas.home', '[::1]:9'],
    });
    expect((await get('http://127.0.0.1:8123/')).ok).toBe(true);
    expect((await get('http://nas.home:5000/')).ok).toBe(true);
    expect((await get('http://[::1]:9/')).ok).toBe(true);
    expect((await get('http://127.0.0.1:8124/')).ok).toBe(false);
    expect((await get('http://nas.home.evil.test/')).ok).toBe(false);
  });

  it('reaches a network and the names below one that the person allowed', async () => {
    const names = {
      'a.test': ['192.168.3.4'],
      'b.test': ['192.169.3.4', '10.0.0.1'],
      'x.corp': ['10.0.0.1'],
      nas: ['192.168.0.7'],
      localhost: ['127.0.0.1'],
    };
    const { get } = await world(names, hello, {
      allowPrivate: ['192.168.0.0/16', 'fd00::/8', '*.corp', '10.0.0.0/99'],
    });
    expect((await get('http://192.168.0.7/')).ok).toBe(true);
    expect((await get('http://[fd12::1]/')).ok).toBe(true);
    expect((await get('http://a.test/')).ok).toBe(true);
    expect((await get('http://x.corp/')).ok).toBe(true);
    expect((await get('http://b.test/')).ok).toBe(false);
    expect((await get('http://10.0.0.1/')).ok).toBe(false);
    expect((await get('http://xcorp/')).ok).toBe(false);
    expect((await get('http://nas/')).ok).toBe(true);
    expect(await get('http://localhost/')).toMatchObject({ error: { kind: 'blocked' } });
  });

  it('does not speak to what listens for other protocols', async () => {
    const { get, dialled } = await world({ 'example.com': [PUBLIC] }, hello, { allowPrivate: ['127.0.0.1:25'] });
    for (const port of [22, 25, 6667]) {
      expect(await get(`http://example.com:${port}/`)).toMatchObject({ error: { kind: 'blocked' } });
    }
    expect(dialled).toEqual([]);
    expect((await get('http://127.0.0.1:25/')).ok).toBe(true);
    expect((await get('http://example.com:8080/')).ok).toBe(true);
  });

  it('takes the address of a setting as the person said it, and not where it redirects to', async () => {
    const { get } = await world({}, (request, response) => {
      if (request.url === '/') response.end('hello');
      else response.writeHead(302, { location: 'http://127.0.0.2/' }).end();
    });
    expect((await get('http://127.0.0.1/', { personsWord: true })).ok).toBe(true);
    expect(await get('http://127.0.0.1/x', { personsWord: true })).toMatchObject({ error: { kind: 'blocked' } });
  });

  it('is offline like the rest: not even what was allowed is reached', async () => {
    const { get, dialled } = await world({ 'nas.home': ['192.168.0.7'] }, hello, {
      offline: true,
      allowPrivate: ['*'],
    });
    expect(await get('http://nas.home/')).toMatchObject({ error: { kind: 'blocked' } });
    expect((await get('http://127.0.0.1/')).ok).toBe(true);
    expect(dialled.length).toBe(1);
  });

  it('behind a proxy refuses what it can resolve, and names that only an inner network has', async () => {
    const { get } = await world({ 'inside.test': ['10.0.0.1'] }, hello, {
      environment: { http_proxy: 'http://proxy.test:3128' },
    });
    expect(await get('http://inside.test/')).toMatchObject({ error: { kind: 'blocked' } });
    expect(await get('http://intranet/')).toMatchObject({ error: { kind: 'blocked' } });
    expect(await get('http://metadata.google.internal/')).toMatchObject({ error: { kind: 'blocked' } });
    expect(await get('http://169.254.169.254/')).toMatchObject({ error: { kind: 'blocked' } });
  });

  it('waits for a name no longer than for a connection', async () => {
    const { get } = await world({}, hello, { resolve: () => new Promise(() => {}) });
    expect(await get('http://slow.test/', { connectTimeoutMs: 20 })).toMatchObject({
      error: { kind: 'connect_timeout' },
    });
    const cancel = new AbortController();
    const pending = get('http://slow.test/', { signal: cancel.signal });
    cancel.abort();
    expect(await pending).toMatchObject({ error: { kind: 'cancelled' } });
  });
});

it('an allowed host is a whole name', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z]{1,8}$/), (more) => {
      for (const host of [
        `allowed.test.${more}`,
        `${more}.allowed.test`,
        `${more}allowed.test`,
        `allowed.test${more}`,
      ]) {
        expect(isAllowedPrivate(new URL(`http://${host}/`), ['allowed.test', 'allowed.test:80'])).toBe(false);
      }
    }),
  );
  expect(isAllowedPrivate(new URL('http://ALLOWED.test./x'), ['allowed.test'])).toBe(true);
  expect(isAllowedPrivate(new URL('http://[fd00::1]/'), ['fd00::1'])).toBe(true);
});

it('an address is judged without throwing, whatever it is', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void addressFault(`http://${text}`)));
});
