import { once } from 'node:events';
import net from 'node:net';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { ORIGIN, TOKEN, testServer } from '../../tests/support/test-server.ts';
import { listen } from './index.ts';
import { isNestedTooDeeply } from './read-body.ts';

const EXECUTE = { tool_name: 'get_current_time', arguments: {} };

describe('the guard', () => {
  it('gives the page a key that counts at its own address alone, and never a cookie', async () => {
    const { app, defects } = await testServer({ text: 'x' });
    const get = (path: string, headers: Record<string, string> = {}) =>
      app(new Request(`${ORIGIN}${path}`, { headers: { host: '127.0.0.1:7411', ...headers } }));
    const keyAt = async (host: string): Promise<string> => {
      const opened = await get(`/?token=${TOKEN}`, { host });
      expect(opened.status).toBe(303);
      // A cookie of 127.0.0.1 would be sent to whatever listens on any port of it.
      expect(opened.headers.get('set-cookie')).toBeNull();
      const [, key = ''] = /^\/\?key=([\w-]{43})$/.exec(opened.headers.get('location') ?? '') ?? [];
      return key;
    };
    const key = await keyAt('127.0.0.1:7411');
    expect(key).not.toBe(TOKEN);
    const statusWith = async (headers: Record<string, string>) => (await get('/api/tools', headers)).status;
    expect(await statusWith({ authorization: `Bearer ${key}` })).toBe(200);
    for (const host of ['127.0.0.1:8080', 'localhost:7411', '127.0.0.1']) {
      expect(await statusWith({ authorization: `Bearer ${key}`, host }), host).toBe(401);
    }
    for (const name of ['halter_session', 'halter_session_7411']) {
      expect(await statusWith({ cookie: `${name}=${TOKEN}` })).toBe(401);
      expect(await statusWith({ cookie: `${name}=${key}` })).toBe(401);
    }
    expect((await get('/?token=wrong')).headers.get('location')).toBeNull();
    expect(defects).toEqual([]);
  });

  it('gives a page that has the token behind # the same key, for the token in a header alone', async () => {
    verifies('L3', 'H12');
    const { app } = await testServer({ text: 'x' });
    const ask = (headers: Record<string, string>) =>
      app(new Request(`${ORIGIN}/api/page-key`, { headers: { host: '127.0.0.1:7411', ...headers } }));
    const { key } = (await (await ask({ authorization: `Bearer ${TOKEN}` })).json()) as { key: string };
    const opened = await app(new Request(`${ORIGIN}/?token=${TOKEN}`, { headers: { host: '127.0.0.1:7411' } }));
    expect(opened.headers.get('location')).toBe(`/?key=${key}`);
    for (const headers of [{}, { authorization: 'Bearer wrong' }, { cookie: `token=${TOKEN}` }])
      expect((await ask(headers as Record<string, string>)).status).toBe(401);
    expect((await ask({ authorization: `Bearer ${key}`, host: '127.0.0.1:8080' })).status).toBe(401);
  });

  it.each([
    ['127.0.0.1:7411', {}, {}, true],
    ['localhost:7411', {}, {}, true],
    ['[::1]:7411', {}, {}, true],
    ['192.0.2.2:7411', {}, {}, false],
    ['box.lan', {}, {}, false],
    ['192.0.2.2:7411', { tls: true }, {}, true],
    ['box.lan', { tls: true }, {}, true],
    ['box.lan', { trustsProxy: true }, { 'x-forwarded-proto': 'https' }, true],
    ['box.lan', { trustsProxy: true }, { 'x-forwarded-proto': 'http' }, false],
    ['box.lan', {}, { 'x-forwarded-proto': 'https' }, false],
  ] as const)(
    'isolates the page where browsers let it, at %s with %j and %j: %s',
    async (host, options, more, isThere) => {
      const { app } = await testServer({ text: 'x' }, { hosts: ['box.lan'], anyAddress: true, ...options });
      for (const path of ['/', '/healthz', '/api/status']) {
        const { headers } = await app(new Request(`${ORIGIN}${path}`, { headers: { host, ...more } }));
        expect(headers.get('cross-origin-opener-policy'), path).toBe(isThere ? 'same-origin' : null);
        expect(headers.get('cross-origin-resource-policy'), path).toBe('same-origin');
      }
    },
  );

  it('does not let a page of another port or site in, though it had the token', async () => {
    const { app } = await testServer({ text: 'x' });
    const post = (headers: Record<string, string>) =>
      app(
        new Request(`${ORIGIN}/api/tools/execute`, {
          method: 'POST',
          body: JSON.stringify(EXECUTE),
          headers: {
            host: '127.0.0.1:7411',
            authorization: `Bearer ${TOKEN}`,
            'content-type': 'application/json',
            ...headers,
          },
        }),
      );
    expect((await post({ origin: 'http://127.0.0.1:7411' })).status).toBe(200);
    for (const origin of ['http://127.0.0.1:9', 'https://127.0.0.1:7411', 'http://localhost:7411', 'null', '']) {
      expect((await post({ origin })).status, origin).toBe(403);
    }
    expect((await post({ 'sec-fetch-site': 'same-site' })).status).toBe(403);
    expect((await post({ 'sec-fetch-site': 'same-origin' })).status).toBe(200);
  });

  it('opens the page by a link from elsewhere, and nothing else', async () => {
    const { app } = await testServer({ text: 'x' });
    const follow = async (path: string): Promise<number> =>
      (
        await app(
          new Request(`${ORIGIN}${path}`, {
            headers: {
              host: '127.0.0.1:7411',
              authorization: `Bearer ${TOKEN}`,
              'sec-fetch-site': 'same-site',
              'sec-fetch-mode': 'navigate',
            },
          }),
        )
      ).status;
    expect(await follow('/')).toBe(200);
    for (const path of ['/api/mcp/servers', '/api/status?load=true', '/api/sessions', '/metrics', '/v1/models', '/mcp'])
      expect(await follow(path), path).toBe(403);
  });

  it('is reached through a tunnel of another port, with a key that counts there', async () => {
    const { app } = await testServer({ text: 'x' });
    const tunnel = (path: string, headers: Record<string, string>) =>
      app(new Request(`http://127.0.0.1:8080${path}`, { headers: { host: '127.0.0.1:8080', ...headers } }));
    const opened = await tunnel(`/?token=${TOKEN}`, { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' });
    const [, key = ''] = /\?key=(.*)$/.exec(opened.headers.get('location') ?? '') ?? [];
    const own = { origin: 'http://127.0.0.1:8080', 'sec-fetch-site': 'same-origin' };
    expect((await tunnel('/api/tools', { ...own, authorization: `Bearer ${key}` })).status).toBe(200);
  });

  it('takes the host of the address where a program that asks the app itself sends no Host header', async () => {
    const { app } = await testServer({ text: 'x' }, { hosts: ['halter.example'] });
    const status = async (url: string, headers: Record<string, string> = {}): Promise<number> =>
      (await app(new Request(url, { headers: { authorization: `Bearer ${TOKEN}`, ...headers } }))).status;
    expect(await status('http://localhost/api/tools')).toBe(200);
    expect(await status('http://halter.example/api/tools')).toBe(200);
    expect(await status('http://evil.test/api/tools')).toBe(403);
    expect(await status('http://localhost/api/tools', { authorization: 'Bearer wrong' })).toBe(401);
    expect(await status('http://localhost/api/tools', { origin: 'http://evil.test' })).toBe(403);
    // Where there is one, it counts.
    expect(await status('http://localhost/api/tools', { host: 'evil.test' })).toBe(403);
    expect(await status('http://localhost/api/tools', { host: '' })).toBe(403);
  });

  it('asks for the token on every route but the page and what says whether it is there', async () => {
    const { app, json } = await testServer({ text: 'x' });
    const open = ['/healthz', '/readyz'];
    type Document = { paths: Record<string, Record<string, { security?: unknown[] }>> };
    const { paths } = await json<Document>('GET', '/api/openapi.json');
    for (const [path, operations] of Object.entries(paths)) {
      for (const method of Object.keys(operations)) {
        const request = new Request(`${ORIGIN}${path.replaceAll(/[{}]/g, '')}`, {
          method: method.toUpperCase(),
          headers: { host: 'localhost' },
        });
        expect((await app(request)).status, `${method} ${path}`).toBe(open.includes(path) ? 200 : 401);
      }
    }
    const elsewhere = new Request(`${ORIGIN}/api/nothing`, { headers: { host: 'localhost' } });
    expect((await app(elsewhere)).status).toBe(401);
  });

  it('guards what is mounted beside its routes', async () => {
    const { call, app } = await testServer({ text: 'x' }, { mounts: { '/mcp': () => new Response('spoken') } });
    expect(await (await call('POST', '/mcp', {})).text()).toBe('spoken');
    const strange = (headers: Record<string, string>) => app(new Request(`${ORIGIN}/mcp`, { method: 'POST', headers }));
    expect((await strange({ host: 'localhost' })).status).toBe(401);
    expect((await strange({ host: 'localhost', origin: 'https://evil.com' })).status).toBe(403);
  });

  it('lets no host name but its own through, however it is spelled', async () => {
    const { app } = await testServer({ text: 'x' });
    const status = async (host: string): Promise<number> =>
      (await app(new Request(`${ORIGIN}/healthz`, { headers: { host } }))).status;
    for (const host of ['localhost', '127.0.0.1:7411', '[::1]:80', 'LOCALHOST:1'])
      expect(await status(host), host).toBe(200);
    for (const host of [
      '',
      'evil.com',
      'localhost.evil.com',
      '127.0.0.1.nip.io',
      'localhost@evil.com',
      '10.0.0.1',
      'x:y',
    ]) {
      expect(await status(host), host).toBe(403);
    }
    await fc.assert(
      fc.asyncProperty(fc.domain(), async (name) => {
        expect(await status(name)).toBe(403);
      }),
      { numRuns: 50 },
    );
  });

  it('counts depth as a parser would, and not inside texts', () => {
    expect(isNestedTooDeeply('['.repeat(128))).toBe(false);
    expect(isNestedTooDeeply('['.repeat(129))).toBe(true);
    expect(isNestedTooDeeply(JSON.stringify('['.repeat(5_000)))).toBe(false);
    fc.assert(fc.property(fc.json({ maxDepth: 20 }), (text) => !isNestedTooDeeply(text)));
  });

  it('reads no more of a body than it takes', async () => {
    const { call } = await testServer({ text: 'x' });
    const large = JSON.stringify({ ...EXECUTE, arguments: { text: 'x'.repeat(1_100_000) } });
    expect((await call('POST', '/api/tools/execute', large)).status).toBe(413);
  });

  it('cuts connections off that never come to the end of a request', async () => {
    const { app } = await testServer({ text: 'x' });
    const listening = await listen(app, {
      host: '127.0.0.1',
      port: 0,
      timeouts: { headersMs: 50, requestMs: 50, checkMs: 10 },
    });
    if (!listening.ok) throw new Error(listening.error.message);
    onTestFinished(() => listening.value.close());
    const socket = net.connect(listening.value.port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nHo'));
    socket.on('error', () => {});
    socket.resume();
    await once(socket, 'close');
  });

  it('is no way to other servers or protocols, and says so', async () => {
    const { app } = await testServer({ text: 'x' });
    const listening = await listen(app, { host: '127.0.0.1', port: 0 });
    if (!listening.ok) throw new Error(listening.error.message);
    onTestFinished(() => listening.value.close());
    const answerTo = async (head: string): Promise<string> => {
      const socket = net.connect(listening.value.port, '127.0.0.1', () => socket.write(head));
      const [chunk] = (await once(socket, 'data')) as [Buffer];
      socket.destroy();
      return chunk.toString();
    };
    expect(await answerTo('CONNECT evil.test:443 HTTP/1.1\r\nHost: evil.test:443\r\n\r\n')).toMatch(/^HTTP\/1\.1 405 /);
    const upgrade = 'GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
    expect(await answerTo(upgrade)).toMatch(/^HTTP\/1\.1 426 /);
  });

  it('says what to do when the port is taken', async () => {
    const { app } = await testServer({ text: 'x' });
    const first = await listen(app, { host: '127.0.0.1', port: 0 });
    if (!first.ok) throw new Error(first.error.message);
    onTestFinished(() => first.value.close());
    const second = await listen(app, { host: '127.0.0.1', port: first.value.port });
    expect(second).toMatchObject({ ok: false, error: { message: expect.stringContaining('--port') } });
  });
});

describe('POST /api/tools/execute', () => {
  it('runs a tool under the rules of permission, with the statuses of the contract', async () => {
    verifies('L3', 'H12');
    const { call } = await testServer({ text: 'x' }, { deny: ['ls'], allow: ['bash(echo *)'], sandbox: false });
    const run = async (tool_name: string, args: object) => {
      const response = await call('POST', '/api/tools/execute', { tool_name, arguments: args });
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    };
    expect(await run('get_working_directory', {})).toMatchObject({
      status: 200,
      body: { success: true, exit_code: 0 },
    });
    expect(await run('ls', {})).toMatchObject({ status: 403, body: { success: false, exit_code: 1 } });
    expect(await run('write_file', { path: 'a', content: 'b' })).toMatchObject({
      status: 403,
      body: { tool_result: { metadata: { reason: 'permission_required' } } },
    });
    expect(await run('nope', {})).toMatchObject({ status: 404, body: { success: false } });
    expect(await run('update_task', { task_id: 'task_9', status: 'completed' })).toMatchObject({
      status: 200,
      body: { success: false, exit_code: 1 },
    });
    expect(await run('get_file_tree', { path: 3 })).toMatchObject({ status: 200 });
  });

  it('gives the exit code of a command', async () => {
    verifies('L3');
    const { json } = await testServer({ text: 'x' }, { mode: 'yolo' });
    const run = (command: string) => json('POST', '/api/tools/execute', { tool_name: 'bash', arguments: { command } });
    expect(await run('echo hello')).toMatchObject({ success: true, result: 'hello\n', exit_code: 0 });
    expect(await run('echo no; exit 3')).toMatchObject({ success: false, exit_code: 3 });
  });

  it('offers a new tool without a change anywhere else', async () => {
    verifies('L9');
    const { json, halter } = await testServer({ text: 'x' });
    const { tools } = await json<{ tools: { name: string; risk: string; parameters: object }[] }>('GET', '/api/tools');
    expect(tools.map(({ name }) => name)).toEqual(halter.tools.map(({ name }) => name));
    for (const tool of tools) expect(tool).toMatchObject({ parameters: { type: 'object' } });
  });

  it('counts names of this machine with its own port, allowed names with any, and a proxy where it is trusted', async () => {
    const { app: guarded } = await testServer(
      { text: 'x' },
      { hosts: ['halter.example', '127.0.0.1:8080'], port: () => 7411, trustsProxy: true },
    );
    const status = async (host: string, headers: Record<string, string> = {}): Promise<number> =>
      (
        await guarded(
          new Request(`${ORIGIN}/api/tools`, { headers: { host, authorization: `Bearer ${TOKEN}`, ...headers } }),
        )
      ).status;
    for (const host of [
      '127.0.0.1:7411',
      'localhost:7411',
      '[::1]:7411',
      'halter.example',
      'halter.example:8443',
      '127.0.0.1:8080',
    ]) {
      expect(await status(host), host).toBe(200);
    }
    for (const host of ['127.0.0.1:7412', 'localhost', 'localhost:8080', '192.168.0.2:7411', 'evil.test:7411']) {
      expect(await status(host), host).toBe(403);
    }
    const proxied = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'halter.example' };
    expect(await status('10.0.0.9:80', { ...proxied, origin: 'https://halter.example' })).toBe(200);
    expect(await status('10.0.0.9:80', { ...proxied, origin: 'http://halter.example' })).toBe(403);
  });
});
