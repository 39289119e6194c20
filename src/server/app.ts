/** The server as a function from request to response: guards, then the routes of one table. */
import { type Context, Hono } from 'hono';
import type { Agent } from '../agent/create-agent.ts';
import { createReadiness } from '../agent/readiness.ts';
import type { JsonValue } from '../core/json.ts';
import { summaryItemsOf } from '../core/summarize.ts';
import { GatewayError } from '../gateway/error.ts';
import { ApiError } from './api-error.ts';
import { DefaultSettings, type SettingsPort } from './default-settings.ts';
import { absentPath, notDoneAt } from './gateway/absent-paths.ts';
import { errorResponse, shapeAt, shapeOfUnknown } from './gateway/errors.ts';
import type { GatewayRecord } from './gateway/state.ts';
import { targetOf } from './gateway/target.ts';
import { createGuard, type Guard } from './guard.ts';
import { SERVER_LIMITS } from './limits.ts';
import type { McpEndpoint } from './mcp-endpoint.ts';
import { createMcpLogins, type McpLoginPorts } from './mcp-logins.ts';
import { ModelJobs } from './model-jobs.ts';
import type { ModelKeyPort } from './model-key.ts';
import { openApiDocument } from './openapi.ts';
import { Previews } from './previews.ts';
import { checkBody, readJson } from './read-body.ts';
import { type RequestRecord, recorded } from './request-record.ts';
import { withHeaders } from './respond.ts';
import { createResume, type Resume, type ResumeOptions } from './resume.ts';
import type { ErrorShape, Method, Route } from './route.ts';
import { ROUTES } from './routes/index.ts';
import type { ServerContext } from './server-context.ts';
import { SessionHub } from './session-hub.ts';
import { Shares } from './shares.ts';
import { createStaticFiles } from './static-files.ts';
import { Statistics } from './statistics.ts';

export type AppOptions = {
  halter: Agent;
  /** Asked of every route but the page, its files, `/healthz` and `/readyz`. */
  token: string;
  /** Another one, of clients that were connected since: looked for where a request shows one that is not known. */
  laterToken?(): Promise<string | undefined>;
  version?: string;
  /** Names that mean this server in the Host header (or in the address, without one), besides those of the loopback interface. */
  hosts?: readonly string[];
  anyAddress?: boolean;
  /** The connection is encrypted here. */
  tls?: boolean;
  /** The headers of a proxy count, which `listen` lets through from trusted ones alone. */
  trustsProxy?: boolean;
  /** Where it listens, once it does: names of the loopback interface count with this port alone. */
  port?(): number | undefined;
  /** The address for other devices, with the token in it, and as squares of a code; absent where none reaches it. */
  invitation?(): { url: string; squares: boolean[][] } | undefined;
  /** What getting a model ready is at, for those who wait for it. */
  loading?(): { message: string; fraction?: number } | undefined;
  /** Looks a message up before the model sees it; by default with the tool `rag_search`, where that is on offer. */
  retrieve?: NonNullable<ServerContext['retrieve']>;
  /** Other protocols on paths of their own, such as `/mcp`: behind the same guards and the token. */
  mounts?: Readonly<Record<string, (request: Request) => Promise<Response> | Response>>;
  /** Lets a page that is open go on after a restart. Asked for when the server listens; absent, the page has to be opened anew. */
  resume?(): ResumeOptions | undefined;
  /** What sessions begin with is kept there. */
  settings?: SettingsPort;
  /** The key of the model server is kept there. */
  modelKey?: ModelKeyPort;
  /** How a person logs in to MCP servers from the page. */
  mcpLogins?: McpLoginPorts;
  /** Told of each request when it is answered; its id is also in the answer (`x-request-id`). */
  onRequest?(record: RequestRecord): void;
  /** Told of each answer of the gateway when it is over: what it cost, and what was done about it. */
  onGateway?(record: GatewayRecord): void;
  /** Told of defects; the caller gets no more than that there was one. */
  onDefect?(error: unknown): void;
};

/** Answers requests. `close` ends streams and runs; the halter stays open. */
export type App = ((request: Request) => Promise<Response>) & {
  close(): Promise<void>;
  readonly server: ServerContext;
  /** Every route there is, by method and path. */
  readonly routes: readonly { method: string; path: string }[];
};

export const createApp = (options: AppOptions): App => {
  const { token, hosts = [], anyAddress = false, tls = false, trustsProxy = false } = options;
  const { laterToken } = options;
  const port = (): number | undefined => options.port?.();
  const guard = createGuard({
    token,
    hosts,
    anyAddress,
    tls,
    trustsProxy,
    port,
    ...(laterToken ? { laterToken } : {}),
  });
  const ending = new AbortController();
  const { server, closeMcp } = createContext(options, guard, ending.signal);
  const hono = createRouter(options, guard, server);

  const handle = (request: Request): Promise<Response> =>
    errorsIn(
      () => shapeAt(targetOf(request)),
      () => {
        guard.checkOrigin(request);
        return hono.fetch(request);
      },
      options.onDefect,
    );
  const { onRequest } = options;
  const answer = async (request: Request): Promise<Response> => withHeaders(await handle(request), request, guard);
  const app = (request: Request): Promise<Response> =>
    onRequest === undefined ? answer(request) : recorded(request, () => answer(request), onRequest);
  return Object.assign(app, {
    server,
    routes: hono.routes,
    async close() {
      // Runs are cancelled first, so that their readers still hear of it.
      await Promise.all([server.sessions.close(), server.modelJobs.close()]);
      await closeMcp();
      ending.abort();
    },
  });
};

/** What the routes work with. The endpoint for MCP clients is made when one comes. */
const createContext = (
  options: AppOptions,
  guard: Guard,
  signal: AbortSignal,
): { server: ServerContext; closeMcp(): Promise<void> } => {
  const { halter, version = '0.0.0' } = options;
  let mcp: Promise<McpEndpoint> | undefined;
  let resume: Resume | undefined;
  const reconnect = async (name: string): Promise<void> => void (await (await halter.mcp.open())?.reconnect(name));
  const server: ServerContext = {
    halter,
    version,
    document: () => openApiDocument(ROUTES, version),
    sessions: new SessionHub(halter, Date.now),
    previews: new Previews(Date.now),
    ...(options.settings ? { defaults: new DefaultSettings(options.settings) } : {}),
    ...(options.modelKey ? { modelKey: options.modelKey } : {}),
    statistics: new Statistics(halter.sessions, Date.now),
    shares: new Shares(),
    modelJobs: new ModelJobs(halter.models.admin),
    startedAt: Date.now(),
    readiness: createReadiness({ halter }),
    signal,
    now: Date.now,
    onDefect: (error) => options.onDefect?.(error),
    ...(options.onGateway ? { onGateway: options.onGateway } : {}),
    mcp() {
      mcp ??= import('./mcp-endpoint.ts').then(({ createMcpEndpoint }) => createMcpEndpoint(halter, version, Date.now));
      return mcp;
    },
    resume() {
      const given = options.resume?.();
      resume ??= given && createResume(given);
      return resume;
    },
    pageKeyFor: guard.pageKeyFor,
    invitation: () => options.invitation?.(),
    retrieve: options.retrieve ?? retrieveWith(halter),
    loading: options.loading,
    ...(options.mcpLogins ? { mcpLogins: createMcpLogins(options.mcpLogins, reconnect, signal) } : {}),
  };
  return { server, closeMcp: async () => (await mcp)?.close() };
};

const createRouter = (options: AppOptions, guard: Guard, server: ServerContext): Hono => {
  const files = createStaticFiles();
  const hono = new Hono();
  // What is mounted stands before a route of the same path.
  for (const [path, handler] of Object.entries(options.mounts ?? {})) {
    hono.all(path, ({ req }) => {
      guard.checkToken(req.raw);
      return handler(req.raw);
    });
  }
  for (const route of ROUTES) {
    hono.on(route.method, route.pattern ?? route.path, (context) => answerRoute(route, context, guard, server));
  }
  for (const [path, methods] of methodsByPath(ROUTES)) {
    hono.all(path, ({ req }) => {
      const notDone = notDoneAt(req.path);
      if (notDone) {
        guard.checkToken(req.raw);
        throw notDone;
      }
      const allow = methods.join(', ');
      throw new ApiError(405, 'method_not_allowed', `This route takes ${allow}.`, { allow });
    });
  }
  hono.notFound(({ req: { raw, method, path } }) => {
    const shape = shapeOfUnknown(targetOf(raw));
    if (shape === 'halter') return files(raw, guard);
    return errorsIn(
      () => shape,
      () => {
        guard.checkToken(raw);
        throw absentPath(method, path);
      },
      options.onDefect,
    );
  });
  // To where every error is told in one form.
  hono.onError((error) => {
    throw error;
  });
  return hono;
};

const answerRoute = (named: Route, context: Context, guard: Guard, server: ServerContext): Promise<Response> => {
  const request = context.req.raw;
  // Where a path is two APIs', the body tells whose errors are meant; until it is read, the path and the client do.
  let told: ErrorShape | undefined;
  const answer = async (): Promise<Response> => {
    if (!named.open) {
      await guard.learnToken(request);
      guard.checkToken(request);
    }
    const value = await readBody(named, request);
    const route = named.instead?.(value) ?? named;
    if (named.instead) told = route.errors ?? 'halter';
    if (route.body !== undefined) checkBody(route.body, value as JsonValue);
    return await route.handle({
      request,
      params: context.req.param(),
      // These are made where they are used, which most routes do not.
      get query() {
        return new URL(request.url).searchParams;
      },
      body: value,
      server,
      get signal() {
        return request.signal;
      },
    });
  };
  return errorsIn(() => told ?? shapeAt(targetOf(request)), answer, server.onDefect);
};

/** Whatever fails in it is answered; of a defect the caller gets no more than that there was one. */
const errorsIn = async (
  shape: () => ErrorShape,
  answer: () => Response | Promise<Response>,
  onDefect: AppOptions['onDefect'],
): Promise<Response> => {
  try {
    return await answer();
  } catch (error) {
    if (error instanceof ApiError || error instanceof GatewayError) return errorResponse(shape(), error);
    onDefect?.(error);
    return errorResponse(shape(), new ApiError(500, 'internal_error', 'This is a defect of halter.'));
  }
};

/** Through the same registry, rules and runner as every call: what is not allowed finds nothing. */
const retrieveWith =
  (halter: Agent): NonNullable<ServerContext['retrieve']> =>
  async (query, signal, sessionId) => {
    const tool = halter.tools.find(({ name }) => name === 'rag_search');
    if (tool === undefined) return undefined;
    const args = { query, global: true };
    const result = await halter.executeTool(tool.name, args, { signal, sessionId });
    const hits = summaryItemsOf(tool, result, args) ?? [];
    return hits.length > 0 ? { tool: tool.name, args, result } : undefined;
  };

const readBody = async (route: Route, request: Request): Promise<unknown> =>
  route.body === undefined
    ? undefined
    : readJson(request, route.maxBodyBytes ?? SERVER_LIMITS.bodyBytes, {
        isOptional: route.bodyOptional,
        // Clients of other APIs are not ours to correct.
        isStrict: route.errors === undefined,
      });

const methodsByPath = (routes: readonly Route[]): Map<string, Method[]> => {
  const methods = new Map<string, Method[]>();
  for (const { path, method } of routes) methods.set(path, [...(methods.get(path) ?? []), method]);
  return methods;
};
