/** What `halter serve` is told about where it can be reached, read and checked before anything starts. */
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { failure, type Outcome, succeed } from '../core/outcome.ts';
import type { TlsFiles } from '../server/index.ts';
import { createGatewayToken, TOKEN } from '../storage/gateway-token.ts';
import type { FlagValues } from './flags.ts';
import { type Io, UsageError } from './io.ts';

export const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '::1', 'localhost']);
export const EVERY_ADDRESS: ReadonlySet<string> = new Set(['0.0.0.0', '::']);
const ALLOWED_HOST = /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;

export type Reach = {
  token: string;
  hosts: readonly string[];
  trustedProxies: readonly string[];
  tls: TlsFiles | undefined;
};

const inBrackets = (address: string): string => (isIP(address) === 6 ? `[${address}]` : address);

/** Throws where a flag makes no sense; what cannot be read is a failure. */
export const readReach = async (
  flags: FlagValues,
  host: string,
  io: Pick<Io, 'env'>,
  configFolder: string,
): Promise<Outcome<Reach>> => {
  const hosts = flags['allowed-host'] ?? [];
  for (const name of hosts) {
    if (!ALLOWED_HOST.test(name))
      throw new UsageError(
        `--allowed-host ${name} is no name of a host, such as halter.example or halter.example:8443.`,
        'serve',
      );
  }
  const trustedProxies = flags['trusted-proxy'] ?? [];
  for (const address of trustedProxies) {
    if (isIP(address) === 0)
      throw new UsageError(`--trusted-proxy ${address} is no address, such as 127.0.0.1 or 10.0.0.2.`, 'serve');
  }
  const { 'tls-cert': cert, 'tls-key': key } = flags;
  if ((cert === undefined) !== (key === undefined)) {
    throw new UsageError('--tls-cert and --tls-key belong together: the certificate and its key.', 'serve');
  }
  const token = await readToken(flags['token-file'], io, configFolder);
  if (!token.ok) return token;
  const tls = cert === undefined || key === undefined ? succeed(undefined) : await readTls(cert, key);
  if (!tls.ok) return tls;
  return succeed({ token: token.value, hosts: [inBrackets(host), ...hosts], trustedProxies, tls: tls.value });
};

const readToken = async (
  path: string | undefined,
  { env }: Pick<Io, 'env'>,
  configFolder: string,
): Promise<Outcome<string>> => {
  const given = path === undefined ? succeed(env['HALTER_TOKEN']) : await readText(path);
  if (!given.ok) return given;
  const token = given.value?.trim();
  if (token === undefined || token === '') {
    // Clients that were connected know this one.
    const kept = await createGatewayToken(configFolder).read();
    return kept.ok ? succeed(kept.value ?? randomBytes(32).toString('base64url')) : kept;
  }
  if (TOKEN.test(token)) return succeed(token);
  const where = path === undefined ? 'HALTER_TOKEN' : path;
  return failure('validation_failed', `${where} holds no token: at least 32 letters, digits, - or _.`);
};

/** The token that was given; undefined where none was. */
export const readGivenToken = async (
  flags: FlagValues,
  io: Pick<Io, 'env'>,
  configFolder: string,
): Promise<Outcome<string | undefined>> =>
  flags['token-file'] === undefined && !io.env['HALTER_TOKEN']
    ? succeed(undefined)
    : readToken(flags['token-file'], io, configFolder);

const readTls = async (certPath: string, keyPath: string): Promise<Outcome<TlsFiles>> => {
  const [cert, key] = [await readText(certPath), await readText(keyPath)];
  if (!cert.ok) return cert;
  return key.ok ? succeed({ cert: cert.value, key: key.value }) : key;
};

const readText = async (path: string): Promise<Outcome<string>> => {
  try {
    return succeed(await readFile(path, 'utf8'));
  } catch (error) {
    return failure('io_error', `${path} cannot be read: ${(error as Error).message}`);
  }
};

/** The first address by which another machine reaches this one. */
const outerAddress = (): string | undefined =>
  Object.values(networkInterfaces())
    .flat()
    .find((each) => each !== undefined && !each.internal && each.family === 'IPv4')?.address;

/** An address that works: a name that was allowed, else one of this machine that others can use. */
export const addressOf = ({ hosts, tls }: Pick<Reach, 'hosts' | 'tls'>, host: string, port: number): string => {
  const [, named] = hosts;
  const scheme = tls === undefined ? 'http' : 'https';
  if (named !== undefined) return `${scheme}://${/:\d+$/.test(named) ? named : `${named}:${port}`}`;
  const shown = EVERY_ADDRESS.has(host) ? (outerAddress() ?? '127.0.0.1') : inBrackets(host);
  return `${scheme}://${shown}:${port}`;
};
