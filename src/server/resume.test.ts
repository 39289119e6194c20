import { createHmac, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ORIGIN, testServer } from '../../tests/support/test-server.ts';

const KEY = randomBytes(32);
const PLACE = ['/a/folder', '127.0.0.1', '7411'];
const nonce = (): string => randomBytes(24).toString('base64url');

type Server = Awaited<ReturnType<typeof testServer>>;
const knock = (server: Server, authorization?: string, headers: Record<string, string> = {}): Promise<Response> =>
  server.app(
    new Request(`${ORIGIN}/api/resume`, {
      method: 'POST',
      headers: { host: '127.0.0.1:7411', ...(authorization === undefined ? {} : { authorization }), ...headers },
    }),
  );
const open = (key: Uint8Array = KEY, place: readonly string[] = PLACE) =>
  testServer({ text: 'x' }, { resume: () => ({ key, place }) });
const challenge = async (server: Server, page: string) => {
  const answer = await knock(server, `Halter-Resume page="${page}"`);
  expect(answer.status).toBe(401);
  const [, said = '', proof = ''] =
    /server="(.*?)", proof="(.*?)"/.exec(answer.headers.get('www-authenticate') ?? '') ?? [];
  return { said, proof };
};
const secretOf = async (server: Server): Promise<Buffer> =>
  Buffer.from((await server.json<{ secret: string }>('GET', '/api/resume')).secret, 'base64url');
const proofOf = (secret: Buffer, page: string, server: string): string =>
  createHmac('sha256', secret).update(`page\n${page}\n${server}`).digest('base64url');

describe('going on after a restart', () => {
  it('gives the cookie to who knows the secret, once for each question of the server', async () => {
    const [before, server] = [await open(), await open()];
    const secret = await secretOf(before);
    const page = nonce();
    const { said } = await challenge(server, page);
    const answer = `Halter-Resume page="${page}", server="${said}", proof="${proofOf(secret, page, said)}"`;
    const let_in = await knock(server, answer);
    expect(let_in.status).toBe(200);
    expect(let_in.headers.get('set-cookie')).toBeNull();
    const { key } = (await let_in.json()) as { key: string };
    const shown = { headers: { host: '127.0.0.1:7411', authorization: `Bearer ${key}` } };
    expect((await server.app(new Request(`${ORIGIN}/api/tools`, shown))).status).toBe(200);
    expect((await knock(server, answer)).status).toBe(401);
  });

  it('lets nobody in who does not know it, asks from elsewhere, or knows that of another place', async () => {
    const server = await open();
    const secrets = [
      randomBytes(32),
      await secretOf(await open(randomBytes(32))),
      await secretOf(await open(KEY, ['/another/folder', '127.0.0.1', '7411'])),
      await secretOf(await open(KEY, ['/a/folder', '127.0.0.1', '7412'])),
    ];
    for (const secret of secrets) {
      const page = nonce();
      const { said } = await challenge(server, page);
      const answer = await knock(
        server,
        `Halter-Resume page="${page}", server="${said}", proof="${proofOf(secret, page, said)}"`,
      );
      expect(answer.status).toBe(401);
      expect(await answer.text()).not.toContain('key');
    }
    const own = await secretOf(server);
    const [page, invented] = [nonce(), nonce()];
    const replies = [
      undefined,
      'Bearer wrong',
      'Halter-Resume page="short"',
      // A question that this server never asked, and its own proof sent back to it.
      `Halter-Resume page="${page}", server="${invented}", proof="${proofOf(own, page, invented)}"`,
    ];
    for (const reply of replies) expect((await knock(server, reply)).headers.get('set-cookie')).toBeNull();
    const { said, proof } = await challenge(server, page);
    const mirrored = await knock(server, `Halter-Resume page="${page}", server="${said}", proof="${proof}"`);
    expect(mirrored.status).toBe(401);
    expect((await knock(server, `Halter-Resume page="${page}"`, { origin: 'http://127.0.0.1:9' })).status).toBe(403);
  });

  it('forgets the oldest of many questions', async () => {
    const server = await open();
    const secret = await secretOf(server);
    const page = nonce();
    const { said } = await challenge(server, page);
    for (let index = 0; index < 64; index += 1) await challenge(server, nonce());
    expect(
      (await knock(server, `Halter-Resume page="${page}", server="${said}", proof="${proofOf(secret, page, said)}"`))
        .status,
    ).toBe(401);
  });
});
