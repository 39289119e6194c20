import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { putFiles } from '../../tests/support/scratch.ts';
import { testServer } from '../../tests/support/test-server.ts';
import { pngBytes } from '../../tests/support/web-world.ts';
import { AGENT_LIMITS } from '../agent/limits.ts';
import { imageFile } from '../tools/web/image-file.ts';

const GIF = Buffer.from('R0lGODlhAgADAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
const JPEG = Buffer.from('ffd8ffe000104a46494600010100000100010000ffc0000b080010002001011100ffd9', 'hex');
/** Connections of tools all go to one server of the test; any name is somewhere on the internet. */
const internet = async (listener: RequestListener) => {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const dialled: string[] = [];
  return {
    dialled,
    connections: {
      resolve: async () => [{ address: '93.184.216.34', family: 4 }],
      dial({ host }: { host: string }) {
        dialled.push(host);
        return connect(port, '127.0.0.1');
      },
    },
  };
};

describe('pictures of the workspace', () => {
  it('are handed out as what they are, in a page on which nothing may be', async () => {
    const server = await testServer({ text: 'Hm.' });
    putFiles(server.folder, { 'out/plot one.png': pngBytes(3, 2), 'a.gif': GIF, 'b.jpeg': JPEG });
    const shown = await server.call('GET', '/api/pictures?path=out%2Fplot%20one.png');
    expect(shown.status).toBe(200);
    expect(Object.fromEntries(shown.headers)).toMatchObject({
      'content-type': 'image/png',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'cross-origin-resource-policy': 'same-origin',
    });
    expect(Buffer.from(await shown.arrayBuffer())).toEqual(pngBytes(3, 2));
    const typeOf = async (path: string) =>
      (await server.call('GET', `/api/pictures?path=${path}`)).headers.get('content-type');
    expect([await typeOf('a.gif'), await typeOf('b.jpeg')]).toEqual(['image/gif', 'image/jpeg']);
  });

  it('are refused where they are none, too large, not there or outside, and without the token', async () => {
    const server = await testServer({ text: 'Hm.' });
    putFiles(server.folder, {
      'page.png': '<!doctype html><script>alert(1)</script>',
      'drawing.svg': '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
      'bomb.png': pngBytes(60_000, 60_000),
      'heavy.png': Buffer.alloc(AGENT_LIMITS.pictureBytes + 1),
    });
    const status = async (path: string, headers = {}): Promise<number> =>
      (await server.call('GET', `/api/pictures?path=${encodeURIComponent(path)}`, undefined, headers)).status;
    expect(await status('page.png')).toBe(415);
    expect(await status('drawing.svg')).toBe(415);
    expect(await status('bomb.png')).toBe(413);
    expect(await status('heavy.png')).toBe(413);
    expect(await status('none.png')).toBe(404);
    expect(await status('../outside.png')).toBe(400);
    expect(await status('/etc/passwd')).toBe(400);
    expect(await status('page.png', { authorization: 'Bearer wrong' })).toBe(401);
    expect(await status('page.png', { 'sec-fetch-site': 'cross-site' })).toBe(403);
  });
});

describe('pictures of the web', () => {
  it('come through the port that judges addresses, and only as pictures', async () => {
    const { connections, dialled } = await internet((request, response) => {
      if (request.url === '/away') return response.writeHead(302, { location: 'http://10.0.0.1/a.png' }).end();
      if (request.url === '/page') return response.writeHead(200, { 'content-type': 'image/png' }).end('<html>');
      return response.writeHead(200, { 'content-type': 'text/html' }).end(pngBytes(3, 2));
    });
    const server = await testServer({ text: 'Hm.' }, { connections });
    const get = (url: string, headers = {}) => server.call('POST', '/api/pictures', { url }, headers);
    const shown = await get('http://pictures.test/a.png');
    expect([shown.status, shown.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect((await get('http://pictures.test/page')).status).toBe(415);
    expect((await get('http://pictures.test/away')).status).toBe(403);
    expect(dialled.every((host) => host === 'pictures.test' || host === '93.184.216.34')).toBe(true);
    const before = dialled.length;
    for (const url of ['http://127.0.0.1:9/a.png', 'http://169.254.169.254/latest', 'http://[::1]/']) {
      expect((await get(url)).status).toBe(403);
    }
    for (const url of ['file:///etc/passwd', 'a.png', 'data:image/png;base64,AA==']) {
      expect((await get(url)).status).toBe(400);
    }
    expect((await get('http://pictures.test/a.png', { authorization: 'Bearer wrong' })).status).toBe(401);
    expect(dialled).toHaveLength(before);
    // A link cannot make the request.
    const asLink = await server.call('GET', `/api/pictures?url=${encodeURIComponent('http://pictures.test/a.png')}`);
    expect(asLink.status).not.toBe(200);
    expect(dialled).toHaveLength(before);
  });

  it('do not come at all where halter is offline', async () => {
    const { connections, dialled } = await internet((_request, response) => response.end(pngBytes(1, 1)));
    const server = await testServer({ text: 'Hm.' }, { connections, offline: true });
    expect((await server.call('POST', '/api/pictures', { url: 'http://pictures.test/a.png' })).status).toBe(403);
    expect(dialled).toEqual([]);
  });
});

describe('what a picture is', () => {
  it('is read off its first bytes, whatever stands in them', () => {
    expect(imageFile(pngBytes(3, 2))).toEqual({ format: 'png', width: 3, height: 2 });
    expect(imageFile(GIF)).toEqual({ format: 'gif', width: 2, height: 3 });
    expect(imageFile(JPEG)).toEqual({ format: 'jpg', width: 32, height: 16 });
    const heads = [[0xff, 0xd8, 0xff], [...GIF.subarray(0, 6)], [...Buffer.from('RIFF0000WEBPVP8X')], [0x89]];
    fc.assert(
      fc.property(fc.constantFrom(...heads), fc.uint8Array({ maxLength: 60 }), (head, rest) => {
        const found = imageFile(Uint8Array.from([...head, ...rest]));
        if (found?.width !== undefined) expect(found.width).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});
