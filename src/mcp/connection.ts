/**
 * One server: connected when it is first needed, connected again after it ended, with a growing pause between tries. Every
 * failure is a value; the program goes on without the server.
 */
import {
  Client,
  type Progress,
  type RequestOptions,
  StreamableHTTPClientTransport,
  type Transport,
  UrlElicitationRequiredError,
} from '@modelcontextprotocol/client';
import type { JsonObject, JsonValue } from '../core/json.ts';
import { LIMITS } from '../core/limits.ts';
import { failure, type Outcome, succeed } from '../core/outcome.ts';
import type { Clock, Network, Processes } from '../core/ports.ts';
import type { QuestionPlace } from '../core/server-question.ts';
import { shownText } from './clean-text.ts';
import { isForgotten, loginText, messageOf, needsLogin, requestFailure } from './connection-failure.ts';
import { doorFetch } from './door-fetch.ts';
import { isIssuerNamed, keptProvider, LoginNeeded, machineProvider } from './login.ts';
import { isLoginFor, type LoginStore } from './login-record.ts';
import { processTransport } from './process-transport.ts';
import { type Environment, type ServerDefinition, withEnvironment } from './server-definition.ts';
import { CLIENT_CAPABILITIES, type ServerQuestions, serverRequests, webAddress } from './server-requests.ts';
import { stopClock } from './stop-clock.ts';

export type ConnectionPorts = {
  openProcess: Processes['open'];
  network: Network;
  /** For addresses that a server names. */
  guarded: Network;
  /** Where logins of this server are kept; absent where none can be. */
  logins?: LoginStore;
  clock: Clock;
  environment: Environment;
  /** What a server may take for the place of the work. */
  root: string;
  version: string;
  questions: ServerQuestions;
  /** For whom the present work is done. */
  place(): QuestionPlace;
  onWarning(message: string): void;
  /** The server says that its tools are other ones now. */
  onToolsChanged(): void;
};

export type CallOptions = { signal: AbortSignal; report(text: string): void; timeoutMs: number };

export type ServerState = {
  state: 'not connected' | 'connected' | 'failed' | 'login needed' | 'disabled';
  detail: string;
};

/** Answers are handed on as they came; who uses a field looks at it. */
export type Connection = {
  readonly server: ServerDefinition;
  state(): ServerState;
  /** As it describes them now; connects where that is due. */
  tools(): Promise<Outcome<JsonObject[]>>;
  resources(): Promise<Outcome<JsonObject[]>>;
  /** Whether it said so when it was connected last. */
  offersResources(): boolean;
  prompts(): Promise<Outcome<JsonObject[]>>;
  call(name: string, args: JsonObject, options: CallOptions): Promise<Outcome<JsonObject>>;
  readResource(uri: string): Promise<Outcome<JsonObject>>;
  prompt(name: string, args: JsonObject): Promise<Outcome<JsonObject>>;
  /** Ends the connection; the next need opens another one at once. */
  disconnect(): Promise<void>;
  close(): Promise<void>;
};

type Live = { client: Client };

/** Taken as it comes: one odd field of one tool must not cost all the others. What is used is looked at where it is used. */
const AS_IT_IS = {
  '~standard': {
    version: 1 as const,
    vendor: 'halter',
    validate: (value: unknown) => ({ value: (value ?? {}) as JsonObject }),
  },
};

export const createConnection = (given: ServerDefinition, ports: ConnectionPorts): Connection => {
  let live: Promise<Live> | undefined;
  let state: ServerState = { state: 'not connected', detail: '' };
  let pauseMs = 0;
  let retryAt = 0;
  let isClosed = false;
  let current: Client | undefined;
  let hasResources = false;
  /** Not connected yet: a server that says nothing must not keep halter from ending. */
  let opening: Transport | undefined;
  /** For whom calls are made now, the newest last: a server does not say which of them a question of its belongs to. */
  const places: QuestionPlace[] = [];
  const requests = serverRequests({
    server: given.name,
    root: ports.root,
    questions: ports.questions,
    place: () => places.at(-1),
    onToolsChanged: ports.onToolsChanged,
  });

  /** What a person logged in to. */
  const logins: LoginStore = ports.logins ?? { read: async () => undefined, write: async () => {} };
  const transportFor = async (server: ServerDefinition): Promise<Transport & { lastWords?(): string }> => {
    if (server.kind === 'process') {
      if (ports.openProcess === undefined) throw new Error('no processes can be started here');
      return processTransport(ports.openProcess, server, ports.onWarning);
    }
    const kept = await logins.read();
    const isKept = isLoginFor(kept, server) && kept.tokens !== undefined;
    return new StreamableHTTPClientTransport(new URL(server.url), {
      fetch: doorFetch(ports, server.url),
      requestInit: { headers: { ...server.headers } },
      skipIssuerMetadataValidation: isIssuerNamed(server),
      authProvider: machineProvider(server) ?? (isKept ? keptProvider(server, logins) : NO_LOGIN),
    });
  };

  const connect = async (): Promise<Live> => {
    const { server, missing } = withEnvironment(given, ports.environment);
    if (missing.length > 0) throw new Error(`the environment has no ${missing.join(', ')}`);
    const transport = await transportFor(server);
    opening = transport;
    const client = new Client(
      { name: 'halter', version: ports.version },
      {
        capabilities: CLIENT_CAPABILITIES,
        // A program made for the older handshake may end at a question it does not know; a server on HTTP just says so.
        ...(server.kind === 'http' ? { versionNegotiation: { mode: 'auto' } } : {}),
      },
    );
    current = client;
    requests.attach(client);
    const words = (): string => transport.lastWords?.().slice(-LIMITS.mcpShownCharacters) ?? '';
    client.onclose = () => {
      // One that was let go says nothing about the one that is there now.
      if (current !== client) return;
      current = undefined;
      live = undefined;
      if (!isClosed) state = { state: 'failed', detail: `it ended${words() === '' ? '' : `: ${words()}`}` };
    };
    // What is wrong with a message is told by the call that waits for it; the rest ends the connection.
    client.onerror = () => {};
    try {
      await client.connect(transport, { timeout: LIMITS.mcpConnectTimeoutMs });
    } catch (error) {
      await transport.close().catch(() => {});
      if (needsLogin(error)) throw new LoginNeeded(loginText(given.name));
      throw new Error(words() === '' ? messageOf(error) : `${messageOf(error)}; it wrote: ${words()}`);
    }
    opening = undefined;
    pauseMs = 0;
    hasResources = client.getServerCapabilities()?.resources !== undefined;
    state = { state: 'connected', detail: serverWords(client) };
    return { client };
  };

  /** Connects where there is no connection. After a failure the next try has to wait a little, and then longer. */
  const ensure = async (): Promise<Outcome<Client>> => {
    if (isClosed) return failure('io_error', `The MCP server "${given.name}" is closed.`, 'closed');
    if (live === undefined) {
      const waitMs = retryAt - ports.clock.now();
      if (waitMs > 0) {
        const seconds = Math.ceil(waitMs / 1000);
        const text = `The MCP server "${given.name}" cannot be reached (${state.detail}). The next try is in ${seconds} s.`;
        return failure('io_error', text, 'disconnected');
      }
      live = connect();
    }
    const attempt = live;
    try {
      return succeed((await attempt).client);
    } catch (error) {
      if (live === attempt) {
        live = undefined;
        pauseMs = Math.min(Math.max(pauseMs * 2, LIMITS.mcpRetryDelayMs), LIMITS.mcpRetryDelayMsMax);
        retryAt = ports.clock.now() + pauseMs;
        state = { state: error instanceof LoginNeeded ? 'login needed' : 'failed', detail: messageOf(error) };
      }
      const [type, reason] =
        error instanceof LoginNeeded
          ? (['permission_denied', 'login_needed'] as const)
          : (['io_error', 'disconnected'] as const);
      return failure(type, `The MCP server "${given.name}" cannot be reached: ${messageOf(error)}`, reason);
    }
  };

  const disconnect = async (): Promise<void> => {
    const ended = live;
    live = undefined;
    current = undefined;
    pauseMs = 0;
    retryAt = 0;
    state = { state: 'not connected', detail: '' };
    await opening?.close().catch(() => {});
    const opened = await ended?.catch(() => undefined);
    await opened?.client.close().catch(() => {});
  };

  const request = async (
    method: string,
    params: JsonObject,
    options: Omit<RequestOptions, 'timeout'> & { timeoutMs?: number } = {},
    isAgain = false,
  ): Promise<Outcome<JsonObject>> => {
    const client = await ensure();
    if (!client.ok) return client;
    const { timeoutMs = LIMITS.mcpRequestTimeoutMs, ...rest } = options;
    try {
      const answer = await client.value.request({ method, params }, AS_IT_IS, { ...rest, timeout: timeoutMs });
      return succeed(answer as JsonObject);
    } catch (error) {
      // It forgot the connection, as servers do that were started anew: nothing was done, and it begins again.
      if (isForgotten(error) && !isAgain) {
        if (current === client.value) await disconnect();
        return request(method, params, options, true);
      }
      if (needsLogin(error)) {
        state = { state: 'login needed', detail: loginText(given.name) };
        return failure('permission_denied', `The MCP server "${given.name}": ${state.detail}`, 'login_needed');
      }
      if (error instanceof UrlElicitationRequiredError) return afterAddresses(error, options.signal);
      return requestFailure(given.name, error, state.detail);
    }
  };

  /** It answers nothing before something was done in a browser; the person is shown where, and calls again later. */
  const afterAddresses = async (
    { elicitations }: UrlElicitationRequiredError,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<Outcome<JsonObject>> => {
    const name = `The MCP server "${given.name}"`;
    for (const { url, message } of elicitations.slice(0, LIMITS.mcpQuestions)) {
      const address = webAddress(url);
      const answer = address === undefined ? undefined : await requests.askToOpen(address, message, signal);
      if (answer?.action !== 'accept')
        return failure('permission_denied', `${name} wants a page opened first, and the person did not open it.`);
    }
    return failure(
      'io_error',
      `${name} wants something done in the browser first. The person has the page open; call again when it is done.`,
      'browser_needed',
    );
  };

  /** All pages of a list. */
  const list = async (method: string, key: string): Promise<Outcome<JsonObject[]>> => {
    const found: JsonObject[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < LIMITS.mcpPages; page += 1) {
      const answer = await request(method, cursor === undefined ? {} : { cursor });
      if (!answer.ok) return answer;
      const entries = answer.value[key];
      if (Array.isArray(entries)) found.push(...entries.filter(isObject).slice(0, LIMITS.mcpEntries - found.length));
      const next = answer.value['nextCursor'];
      if (typeof next !== 'string' || next === cursor || found.length >= LIMITS.mcpEntries) break;
      cursor = next;
    }
    return succeed(found);
  };
  const offers = async (capability: 'tools' | 'resources' | 'prompts'): Promise<boolean> => {
    const client = await ensure();
    return client.ok && client.value.getServerCapabilities()?.[capability] !== undefined;
  };
  const listWhere = async (
    capability: 'tools' | 'resources' | 'prompts',
    method: string,
  ): Promise<Outcome<JsonObject[]>> => {
    const client = await ensure();
    if (!client.ok) return client;
    return (await offers(capability)) ? list(method, capability) : succeed([]);
  };

  return {
    server: given,
    state: () => state,
    tools: () => listWhere('tools', 'tools/list'),
    resources: () => listWhere('resources', 'resources/list'),
    prompts: () => listWhere('prompts', 'prompts/list'),
    async call(name, args, { signal, report, timeoutMs }) {
      const clock = stopClock(timeoutMs, requests.isAsking);
      const place = ports.place();
      places.push(place);
      const answer = await request(
        'tools/call',
        { name, arguments: args },
        {
          signal: AbortSignal.any([signal, clock.signal]),
          timeoutMs: LIMITS.mcpLongestCallMs,
          onprogress: (progress) => {
            clock.restart();
            report(progressText(progress));
          },
        },
      );
      clock.stop();
      places.splice(places.indexOf(place), 1);
      if (!answer.ok && clock.signal.aborted && !signal.aborted) {
        const seconds = timeoutMs / 1000;
        return failure('io_error', `The MCP server "${given.name}" did not answer within ${seconds} s.`, 'timeout');
      }
      return answer;
    },
    offersResources: () => hasResources,
    readResource: (uri) => request('resources/read', { uri }),
    prompt: (name, args) => request('prompts/get', { name, arguments: args }),
    disconnect,
    async close() {
      isClosed = true;
      await disconnect();
    },
  };
};

/** A server that lets nobody in without a login is asked without one. */
const NO_LOGIN = { token: async () => undefined };

const isObject = (value: JsonValue): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const progressText = ({ progress, total, message }: Progress): string => {
  const part = total === undefined ? `${progress}` : `${progress}/${total}`;
  return `${message === undefined ? part : `${part} ${shownText(message, LIMITS.mcpShownCharacters)}`}\n`;
};

const serverWords = (client: Client): string => {
  const info = client.getServerVersion();
  return shownText(`${info?.name ?? ''} ${info?.version ?? ''}`.trim(), LIMITS.mcpShownCharacters);
};
