/**
 * The page's half of going on after the server was restarted (the other half is `src/server/resume.ts`). Page and server
 * prove to each other that they hold the same secret, and neither sends it: whoever else answers at this address learns
 * nothing.
 */

/** Sends to the server, with the limits of the link. */
export type Ask = (path: string, init?: RequestInit) => Promise<Response>;

const NONCE_BYTES = 24;
const CHALLENGE = /^Halter-Resume server="([\w-]+)", proof="([\w-]+)"$/;

type Bytes = Uint8Array<ArrayBuffer>;
export type Sign = (claim: Bytes) => Promise<Bytes>;

/**
 * Asked for while the page is let in. Where the browser has cryptography, the secret cannot be read back, not even by a
 * script of this page.
 */
export const learnKey = async (ask: Ask, subtle: SubtleCrypto | undefined): Promise<Sign | undefined> => {
  try {
    const answer = await ask('/api/resume');
    if (!answer.ok) return undefined;
    const secret = toBytes(((await answer.json()) as { secret: string }).secret);
    if (subtle === undefined) {
      const { hmacSha256 } = await import('./hmac.ts');
      return async (claim) => hmacSha256(secret, claim);
    }
    const key = await subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
    return async (claim) => new Uint8Array(await subtle.sign('HMAC', key, claim));
  } catch {
    return undefined;
  }
};

/** The page's new key. Undefined where the server is not the one that this page knows. */
export const resumeWith = async (
  sign: Sign,
  { ask, random }: { ask: Ask; random(bytes: number): Uint8Array<ArrayBuffer> },
): Promise<string | undefined> => {
  const page = toText(random(NONCE_BYTES));
  const send = (rest: string): Promise<Response> =>
    ask('/api/resume', { method: 'POST', headers: { authorization: `Halter-Resume page="${page}"${rest}` } });
  const [, server, proof] = CHALLENGE.exec((await send('')).headers.get('www-authenticate') ?? '') ?? [];
  if (server === undefined || proof === undefined) return undefined;
  const proofOf = async (side: 'server' | 'page'): Promise<string> =>
    toText(await sign(new TextEncoder().encode(`${side}\n${page}\n${server}`)));
  // Only the halter that this page was opened by can have made that proof.
  if (!isSame(proof, await proofOf('server'))) return undefined;
  const own = await proofOf('page');
  const admitted = await send(`, server="${server}", proof="${own}"`);
  return admitted.ok ? ((await admitted.json()) as { key: string }).key : undefined;
};

/** Takes as long whatever is the same. */
const isSame = (given: string, own: string): boolean => {
  let different = given.length ^ own.length;
  for (let at = 0; at < own.length; at += 1) different |= given.charCodeAt(at) ^ own.charCodeAt(at);
  return different === 0;
};

const toText = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
const toBytes = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0));
