/** What `halter serve` is told about where it can be reached, read and checked before anything starts. */

import { createPrivateKey, type KeyObject, randomBytes, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { failure, type Outcome, succeed } from '../core/outcome.ts';
import { quotedName } from '../core/quoted-name.ts';
import { errorCode } from '../disk/disk-failure.ts';
import type { TlsFiles } from '../server/index.ts';
import { createGatewayToken, TOKEN } from '../storage/gateway-token.ts';
import type { FlagValues } from './flags.ts';
import { type Io, UsageError } from './io.ts';
import { CLI_LIMITS } from './limits.ts';
import { readNamed } from './named-file.ts';
import { reasonOf } from './text-file.ts';

export const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '::1', 'localhost']);
export const EVERY_ADDRESS: ReadonlySet<string> = new Set(['0.0.0.0', '::']);
const ALLOWED_HOST = /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;

export type Reach = {
  token: string;
  /** A file or the environment holds it, so whoever has to know it can. */
  isTokenGiven: boolean;
  hosts: readonly string[];
  trustedProxies: readonly string[];
  tls: TlsFiles | undefined;
  /** What a person should know who reads the log. */
  /** The token of clients that are connected while it runs; absent where one was given. */
  laterToken?(): Promise<string | undefined>;
  warnings: readonly string[];
};

const inBrackets = (address: string): string => (isIP(address) === 6 ? `[${address}]` : address);

/** Throws where a flag makes no sense; what cannot be read is a failure. */
export const readReach = async (
  flags: FlagValues,
  { host, io, configFolder, now }: { host: string; io: Pick<Io, 'env'>; configFolder: string; now: number },
): Promise<Outcome<Reach>> => {
  const hosts = flags['allowed-host'] ?? [];
  for (const name of hosts) {
    if (!ALLOWED_HOST.test(name))
      throw new UsageError(
        `--allowed-host ${quotedName(name)} is no name of a host, such as halter.example or halter.example:8443.`,
        'serve',
      );
  }
  const trustedProxies = flags['trusted-proxy'] ?? [];
  for (const address of trustedProxies) {
    if (isIP(address) === 0)
      throw new UsageError(
        `--trusted-proxy ${quotedName(address)} is no address, such as 127.0.0.1 or 10.0.0.2.`,
        'serve',
      );
  }
  const { 'tls-cert': cert, 'tls-key': key } = flags;
  if ((cert === undefined) !== (key === undefined)) {
    throw new UsageError('--tls-cert and --tls-key belong together: the certificate and its key.', 'serve');
  }
  const token = await readToken(flags['token-file'], io, configFolder);
  if (!token.ok) return token;
  const tls = cert === undefined || key === undefined ? succeed(undefined) : await readTls(cert, key);
  if (!tls.ok) return tls;
  const outOfTime = tls.value && cert !== undefined ? validityProblem(cert, tls.value, now) : undefined;
  return succeed({
    token: token.value,
    isTokenGiven: isTokenGiven(flags, io),
    ...(isTokenGiven(flags, io) ? {} : { laterToken: () => keptToken(configFolder) }),
    hosts: [inBrackets(host), ...hosts],
    trustedProxies,
    tls: tls.value,
    warnings: outOfTime === undefined ? [] : [outOfTime],
  });
};

const readToken = async (
  path: string | undefined,
  { env }: Pick<Io, 'env'>,
  configFolder: string,
): Promise<Outcome<string>> => {
  const given = path === undefined ? succeed(env['HALTER_TOKEN']) : await readText('--token-file', path, MAKE_TOKEN);
  if (!given.ok) return given;
  const token = given.value?.trim();
  // A file that is empty was half written; a token of our own in its place would be another one for each server.
  if (token === undefined || (token === '' && path === undefined)) {
    // Clients that were connected know this one.
    const kept = await createGatewayToken(configFolder).read();
    return kept.ok ? succeed(kept.value ?? randomBytes(32).toString('base64url')) : kept;
  }
  if (TOKEN.test(token)) return succeed(token);
  const where = path === undefined ? 'HALTER_TOKEN' : path;
  return failure('validation_failed', `${where} holds no token: at least 32 letters, digits, - or _. ${MAKE_TOKEN}`);
};
const MAKE_TOKEN = 'Make one: `(umask 077; openssl rand -hex 32 > FILE)`.';

/** The token that was given; undefined where none was. */
export const readGivenToken = async (
  flags: FlagValues,
  io: Pick<Io, 'env'>,
  configFolder: string,
): Promise<Outcome<string | undefined>> =>
  isTokenGiven(flags, io) ? readToken(flags['token-file'], io, configFolder) : succeed(undefined);

const isTokenGiven = (flags: FlagValues, { env }: Pick<Io, 'env'>): boolean =>
  flags['token-file'] !== undefined || Boolean(env['HALTER_TOKEN']);

const keptToken = async (configFolder: string): Promise<string | undefined> => {
  const kept = await createGatewayToken(configFolder).read();
  return kept.ok ? kept.value : undefined;
};

const readTls = async (certPath: string, keyPath: string): Promise<Outcome<TlsFiles>> => {
  const cert = await readText('--tls-cert', certPath, 'Name the file of the certificate (PEM).');
  if (!cert.ok) return cert;
  const key = await readText('--tls-key', keyPath, 'Name the file of its key (PEM).');
  if (!key.ok) return key;
  const problem = pairProblem(certPath, cert.value, keyPath, key.value);
  return problem === undefined
    ? succeed({ cert: cert.value, key: key.value })
    : failure('validation_failed', problem, 'tls');
};

const pairProblem = (certPath: string, cert: string, keyPath: string, key: string): string | undefined => {
  const certificate = certificateOf(cert);
  if (certificate === undefined) return `${certPath} holds no certificate (PEM, with "BEGIN CERTIFICATE").`;
  const privateKey = privateKeyOf(key);
  if (privateKey === undefined)
    return `${keyPath} holds no private key (PEM, with "BEGIN PRIVATE KEY", without a passphrase).`;
  if (certificate.checkPrivateKey(privateKey)) return undefined;
  return `${keyPath} is not the key of the certificate in ${certPath}. Name the two files that were made together.`;
};

const certificateOf = (pem: string): X509Certificate | undefined => {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
};
const privateKeyOf = (pem: string): KeyObject | undefined => {
  try {
    return createPrivateKey(pem);
  } catch {
    return undefined;
  }
};

/** Such a certificate is served all the same: whoever knows it may go on, and everybody else's browser refuses it. */
const validityProblem = (path: string, { cert }: TlsFiles, now: number): string | undefined => {
  const { validFrom = '', validTo = '' } = certificateOf(cert) ?? {};
  const advice = 'browsers refuse it. Put a valid one there and start again.';
  if (now < Date.parse(validFrom)) return `The certificate in ${path} is not valid yet (from ${validFrom}): ${advice}`;
  if (now > Date.parse(validTo)) return `The certificate in ${path} is no longer valid (until ${validTo}): ${advice}`;
  return undefined;
};

const readText = async (flag: string, path: string, advice: string): Promise<Outcome<string>> => {
  try {
    return succeed((await readNamed(path, CLI_LIMITS.commandFileBytes)).toString('utf8'));
  } catch (error) {
    if (errorCode(error) === 'ENOENT')
      return failure('io_error', `${flag} ${path} is not there. ${advice}`, 'not_found');
    return failure('io_error', `${flag} ${path} cannot be read: ${reasonOf(error)}.`);
  }
};

/** The first address by which another machine reaches this one. */
const outerAddress = (): string | undefined =>
  Object.values(networkInterfaces())
    .flat()
    .find((each) => each !== undefined && !each.internal && each.family === 'IPv4')?.address;

/** What is read of a place to say where it is. */
type Place = Pick<Reach, 'hosts' | 'tls' | 'trustedProxies'>;

/**
 * An address that works: a name that was allowed, else one of this machine that others can use. A name before which a
 * proxy stands is the proxy's, as is its encryption: the token in it must not go to it in the clear.
 */
export const addressOf = ({ hosts, tls, trustedProxies }: Place, host: string, port: number): string => {
  const [, named] = hosts;
  if (named !== undefined && trustedProxies.length > 0) return `https://${named}`;
  const scheme = tls === undefined ? 'http' : 'https';
  if (named !== undefined) return `${scheme}://${/:\d+$/.test(named) ? named : `${named}:${port}`}`;
  const shown = EVERY_ADDRESS.has(host) ? (outerAddress() ?? '127.0.0.1') : inBrackets(host);
  return `${scheme}://${shown}:${port}`;
};
