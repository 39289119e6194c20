/**
 * The page's half of going on after the server was restarted (the other half is `src/server/resume.ts`). Page and server
 * prove to each other that they hold the same secret, and neither sends it: whoever else answers at this address learns
 * nothing.
 */

/** Sends to the server, with the limits of the link. */
export type Ask = (path: string, init?: RequestInit) => Promise<Response>;

const NONCE_BYTES = 24;
const CHALLENGE = /^Halter-Resume server="([\w-]+)", proof="([\w-]+)"$/;

/** Asked for while the page is let in. It cannot be read back, not even by a script of this page. */
export const learnKey = async (ask: Ask, subtle: SubtleCrypto | undefined): Promise<CryptoKey | undefined> => {
  try {
    const answer = await ask('/api/resume');
    if (!answer.ok || subtle === undefined) return undefined;
    const { secret } = (await answer.json()) as { secret: string };
    const use = { name: 'HMAC', hash: 'SHA-256' };
    return await subtle.importKey('raw', toBytes(secret), use, false, ['sign', 'verify']);
  } catch {
    return undefined;
  }
};

/** The page's new key. Undefined where the server is not the one that this page knows. */
export const resumeWith = async (
  key: CryptoKey,
  subtle: SubtleCrypto,
  { ask, random }: { ask: Ask; random(bytes: number): Uint8Array<ArrayBuffer> },
): Promise<string | undefined> => {
  const page = toText(random(NONCE_BYTES));
  const send = (rest: string): Promise<Response> =>
    ask('/api/resume', { method: 'POST', headers: { authorization: `Halter-Resume page="${page}"${rest}` } });
  const [, server, proof] = CHALLENGE.exec((await send('')).headers.get('www-authenticate') ?? '') ?? [];
  if (server === undefined || proof === undefined) return undefined;
  const claimOf = (side: 'server' | 'page'): Uint8Array<ArrayBuffer> =>
    new TextEncoder().encode(`${side}\n${page}\n${server}`) as Uint8Array<ArrayBuffer>;
  // Only the halter that this page was opened by can have made that proof.
  if (!(await subtle.verify('HMAC', key, toBytes(proof), claimOf('server')))) return undefined;
  const own = toText(new Uint8Array(await subtle.sign('HMAC', key, claimOf('page'))));
  const admitted = await send(`, server="${server}", proof="${own}"`);
  return admitted.ok ? ((await admitted.json()) as { key: string }).key : undefined;
};

const toText = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
const toBytes = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0));
