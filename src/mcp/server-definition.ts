/** Servers as other clients write them down: `{"mcpServers": {"files": {"command": "npx", "args": […], "env": {…}}}}`. */
import { createHash } from 'node:crypto';
import { isObject, type JsonObject, type JsonValue } from '../core/json.ts';
import { LIMITS } from '../core/limits.ts';
import { shownWord } from './clean-text.ts';

/**
 * How halter makes itself known to an authorization server; without it, it registers itself. The names are those of the
 * protocol. `grant_type` `client_credentials` needs no person: halter itself is the one who logs in.
 */
export type OAuthSettings = Readonly<Partial<Record<(typeof OAUTH_SETTINGS)[number], string>>>;
const OAUTH_SETTINGS = [
  'client_id',
  'client_secret',
  'client_metadata_url',
  'grant_type',
  'issuer',
  'private_key',
  'algorithm',
  'redirect_port',
  'scope',
] as const;

export type ServerDefinition = {
  name: string;
  /** Milliseconds for one call. */
  timeoutMs?: number;
  /** `${NAME}` in it is those letters, and nothing from the environment. */
  literal?: true;
  /** Turned off in the file. */
  disabled?: true;
  /** What it says of its tools (`readOnlyHint`) is believed. Counts in the person's own list alone. */
  trustsAnnotations?: true;
} & (
  | { kind: 'process'; command: string; args: readonly string[]; env: Readonly<Record<string, string>> }
  | { kind: 'http'; url: string; headers: Readonly<Record<string, string>>; oauth?: OAuthSettings }
);

export type ReadServers = { servers: ServerDefinition[]; problems: string[] };

/** Stands in the names of tools, between `mcp__` and `__`. */
const NAME_CHARACTERS = 32;
const NAME = /^[A-Za-z0-9](?:[A-Za-z0-9]|[-_](?!_)){0,31}$/;

export const isServerName = (name: string): boolean => NAME.test(name) && !name.endsWith('_');

/** A name for people as one that can stand there, and is not taken yet. */
export const serverNameFrom = (text: string, taken: ReadonlySet<string>): string => {
  const plain =
    text
      .replaceAll(/[^A-Za-z0-9]+/g, '-')
      .replaceAll(/^-+|-+$/g, '')
      .slice(0, NAME_CHARACTERS) || 'server';
  const base = plain.replace(/-+$/, '');
  for (let count = 1; ; count += 1) {
    const mark = count === 1 ? '' : `-${count}`;
    const name = base.slice(0, NAME_CHARACTERS - mark.length).replace(/-+$/, '') + mark;
    if (!taken.has(name)) return name;
  }
};

const isText = (value: JsonValue | undefined): value is string => typeof value === 'string';
const isTexts = (value: JsonValue): value is Record<string, string> =>
  isObject(value) && Object.values(value).every(isText);

const oauthProblem = (oauth: JsonValue): string | undefined => {
  if (!isTexts(oauth)) return '"oauth" is no object of texts';
  const odd = Object.keys(oauth).find((key) => !(OAUTH_SETTINGS as readonly string[]).includes(key));
  if (odd !== undefined) return `"oauth" has no setting ${shownWord(odd)}; there are ${OAUTH_SETTINGS.join(', ')}`;
  const { grant_type: grant, client_id: id, client_secret: secret, private_key: key, issuer } = oauth;
  if (grant !== undefined && grant !== 'authorization_code' && grant !== 'client_credentials')
    return '"oauth.grant_type" is authorization_code or client_credentials';
  if (grant === 'client_credentials' && (id === undefined || (secret === undefined && key === undefined)))
    return '"oauth" with client_credentials needs client_id and client_secret or private_key';
  // Otherwise the server would say where a secret is sent to.
  if ((secret !== undefined || key !== undefined) && issuer === undefined)
    return '"oauth" with a secret needs the issuer that the secret is for';
  return undefined;
};

const isGiven = (value: JsonValue | undefined): boolean => value !== undefined && value !== null && value !== '';

/** Of an entry that says two things nobody knows which is meant, and one of them would be started or reached. */
const contradiction = ({ command, url, type, disabled }: JsonObject): string | undefined => {
  if (type === 'sse') return 'servers of the old SSE kind are not supported; most have a streamable HTTP address too';
  if (isGiven(command) && isGiven(url))
    return 'it has both "command" and "url": take one out, since a server is either started here or reached at an address';
  if (type === 'stdio' && !isGiven(command) && isGiven(url))
    return 'its "type" is stdio, which wants "command", and it has "url"; write http for a server at an address';
  if (isText(type) && /^(?:streamable[-_]?)?http$/i.test(type) && isGiven(command))
    return `its "type" is ${shownWord(type)}, which wants "url", and it has "command"; write stdio for a server that is started here`;
  if (disabled !== undefined && disabled !== null && typeof disabled !== 'boolean')
    return '"disabled" must be true or false, without quotes';
  return undefined;
};

/** A sentence where it makes no sense. */
const readServer = (name: string, entry: JsonValue): ServerDefinition | string => {
  if (!isServerName(name)) return 'its name is not made of letters, digits, - and single _ (at most 32)';
  if (!isObject(entry)) return 'it is no object';
  const { command, args = [], env = {}, url, headers = {}, oauth, timeout, disabled, trust_annotations } = entry;
  const against = contradiction(entry);
  if (against !== undefined) return against;
  const common = {
    name,
    ...(typeof timeout === 'number' && timeout > 0 ? { timeoutMs: Math.min(timeout, LIMITS.timerMsMax) } : {}),
    ...(disabled === true ? { disabled } : {}),
    ...(trust_annotations === true ? { trustsAnnotations: trust_annotations } : {}),
  };
  if (isText(command) && command !== '') {
    if (!Array.isArray(args) || !args.every(isText)) return '"args" is no list of texts';
    if (!isTexts(env)) return '"env" is no object of texts';
    return { ...common, kind: 'process', command, args, env };
  }
  if (isText(url)) {
    if (!/^https?:\/\//i.test(url) || (!URL.canParse(url) && !url.includes('${'))) return '"url" is no http address';
    if (!isTexts(headers)) return '"headers" is no object of texts';
    const problem = oauth === undefined ? undefined : oauthProblem(oauth);
    if (problem !== undefined) return problem;
    return { ...common, kind: 'http', url, headers, ...(oauth === undefined ? {} : { oauth: oauth as OAuthSettings }) };
  }
  return 'it has neither "command" nor "url"';
};

export const readServers = (value: JsonValue | undefined): ReadServers => {
  const read: ReadServers = { servers: [], problems: [] };
  const servers = isObject(value) ? value['mcpServers'] : undefined;
  if (!isObject(servers)) return { ...read, problems: ['it has no object "mcpServers"'] };
  for (const [name, entry] of Object.entries(servers)) {
    const server = readServer(name, entry);
    if (typeof server === 'string') read.problems.push(`${shownWord(name)}: ${server}`);
    else read.servers.push(server);
  }
  return read;
};

/** The name by which rules speak of words of the model for a server: `mcp__files__sampling`. No tool of it has this name. */
export const samplingName = (server: string): string => `mcp__${server}__sampling`;

export type Environment = Readonly<Record<string, string | undefined>>;

/** `${NAME}` and `${NAME:-otherwise}` from the environment, as other clients do it; names without a value are told. */
export const withEnvironment = (
  server: ServerDefinition,
  environment: Environment,
): { server: ServerDefinition; missing: string[] } => {
  if (server.literal) return { server, missing: [] };
  const missing = new Set<string>();
  const fill = (text: string): string =>
    text.replaceAll(/\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g, (_whole, name: string, otherwise: string | undefined) => {
      const value = (Object.hasOwn(environment, name) ? environment[name] : undefined) ?? otherwise;
      if (value === undefined) missing.add(name);
      return value ?? '';
    });
  const fillAll = (texts: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, fill(text)]));
  const filled: ServerDefinition =
    server.kind === 'process'
      ? { ...server, command: fill(server.command), args: server.args.map(fill), env: fillAll(server.env) }
      : {
          ...server,
          url: fill(server.url),
          headers: fillAll(server.headers),
          ...(server.oauth ? { oauth: fillAll(server.oauth as Record<string, string>) } : {}),
        };
  return { server: filled, missing: [...missing] };
};

type ShowValue = (value: string) => string;

const lineOf = (server: ServerDefinition, show: ShowValue): string => {
  if (server.kind === 'http') {
    const headers = Object.entries(server.headers).map(([name, value]) => ` with ${show(`${name}: ${value}`)}`);
    const oauth = Object.entries(server.oauth ?? {}).map(([name, value]) => ` with ${show(`oauth.${name}: ${value}`)}`);
    return `${shownWord(server.url)}${headers.join('')}${oauth.join('')}`;
  }
  const env = Object.entries(server.env).map(([name, value]) => `${shownWord(name)}=${show(value)}`);
  return [...env, ...[server.command, ...server.args].map(shownWord)].join(' ');
};

/** All that will be started or reached, in one line, with nothing left out: for a person who has to decide about it. */
export const shownServer = (server: ServerDefinition): string => lineOf(server, shownWord);

/** The same for lists, logs and questions about its tools: what its variables and headers hold may be a key. */
export const namedServer = (server: ServerDefinition): string =>
  lineOf(server, (value) => (server.kind === 'http' ? shownWord(value.split(':')[0] ?? '') : '…'));

export const digestOf = (value: JsonValue): string => createHash('sha256').update(JSON.stringify(value)).digest('hex');

/** What a yes to a server's tools is bound to besides the tool. Headers hold tokens that change; the address does not. */
export const serverIdentity = (server: ServerDefinition): JsonValue =>
  server.kind === 'http'
    ? { name: server.name, url: server.url }
    : { name: server.name, command: server.command, args: [...server.args], env: { ...server.env } };

/** What a consent to start it is bound to: all of it. */
export const consentDigest = (server: ServerDefinition): string =>
  digestOf(
    server.kind === 'http'
      ? { url: server.url, headers: { ...server.headers }, ...(server.oauth ? { oauth: { ...server.oauth } } : {}) }
      : { command: server.command, args: [...server.args], env: { ...server.env } },
  );
