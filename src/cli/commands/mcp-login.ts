/** `halter mcp login|logout NAME`: lets halter in at a server that asks who comes. Only this command sends anybody to a browser. */
import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { LIMITS } from '../../core/limits.ts';
import { failure, type Outcome, succeed } from '../../core/outcome.ts';
import { logIn } from '../../mcp/login.ts';
import type { HttpServer } from '../../mcp/login-record.ts';
import { readServers, withEnvironment } from '../../mcp/server-definition.ts';
import { loginsOf } from '../../runtime/mcp/logins.ts';
import { noteConnections } from '../../runtime/network/egress.ts';
import { createNetwork } from '../../runtime/network.ts';
import { createWorkspace } from '../../runtime/workspace.ts';
import { createEgressFile } from '../../storage/egress-file.ts';
import { createMcpFile, readFolderServers } from '../../storage/mcp-files.ts';
import { createLoginFile } from '../../storage/mcp-logins.ts';
import { sanitizeLine } from '../../terminal/sanitize.ts';
import type { CommandCode, Invocation } from '../command-code.ts';
import { EXIT } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { type Loopback, openLoopback } from '../loopback.ts';
import { openInBrowser } from '../open-in-browser.ts';
import { createEnding } from '../run/ending.ts';
import { pathsOf, reportFailure } from '../settings.ts';
import { readVersion } from '../version.ts';

/** Of the person's own list, else of the folder's. */
const serverNamed = async ({ words, flags, io }: Invocation): Promise<Outcome<HttpServer>> => {
  const [name = ''] = words;
  const own = await createMcpFile(pathsOf(io).config).read();
  if (!own.ok) return own;
  const workspace = await createWorkspace({ root: resolve(io.cwd, flags.directory ?? '.') });
  const folder = workspace.ok ? await readFolderServers(workspace.value) : undefined;
  const listed = [own.value, ...(folder?.ok ? [folder.value] : [])].flatMap((value) => readServers(value).servers);
  const found = listed.find((server) => server.name === name);
  if (found === undefined)
    return failure('not_found', `There is no MCP server ${name}; \`halter mcp list\` lists them.`);
  const { server, missing } = withEnvironment(found, io.env);
  if (missing.length > 0) return failure('validation_failed', `The environment has no ${missing.join(', ')}.`);
  if (server.kind !== 'http')
    return failure('validation_failed', `${name} is a program here; only addresses have logins.`);
  return succeed(server);
};

const later = (ms: number, signal: AbortSignal): Promise<Outcome<never>> =>
  new Promise((done) => {
    const timer = setTimeout(() => done(failure('io_error', 'Nobody logged in in time.', 'timeout')), ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      done(failure('io_error', 'The login was given up.', 'cancelled'));
    });
  });

/** On another machine than the browser's, the address that it could not open is typed in here. */
const typedAddress = (io: Io, url: string, signal: AbortSignal): Promise<URLSearchParams> =>
  new Promise((done) => {
    if (io.stdin.isTTY !== true) return;
    const lines = createInterface({ input: io.stdin, terminal: false });
    lines.on('line', (line) => {
      if (line.trim().startsWith(`${url}?`)) done(new URL(line.trim()).searchParams);
    });
    signal.addEventListener('abort', () => lines.close(), { once: true });
  });

export const mcpLoginCommand: CommandCode = {
  async execute(invocation) {
    const { io } = invocation;
    const found = await serverNamed(invocation);
    if (!found.ok) return reportFailure(found.error, io);
    const server = found.value;
    if (server.oauth?.grant_type === 'client_credentials') {
      io.stderr.write(`halter: ${server.name} needs no login: its settings let halter in by itself.\n`);
      return EXIT.answered;
    }
    const opened = await openLoopback(Number(server.oauth?.redirect_port ?? 0));
    if (!opened.ok) return reportFailure(opened.error, io);
    const ending = createEnding(io, undefined);
    const over = new AbortController();
    const signal = AbortSignal.any([ending.signal, over.signal]);
    const code = await converse(server, opened.value, io, signal);
    over.abort();
    opened.value.close();
    ending.release();
    return ending.reason() === 'interrupted' ? EXIT.interrupted : code;
  },
};

const converse = async (server: HttpServer, loopback: Loopback, io: Io, signal: AbortSignal) => {
  const { config, data } = pathsOf(io);
  const safe = await createLoginFile(config).read(server.name);
  if (!safe.ok) return reportFailure(safe.error, io);
  const logins = loginsOf(config, server.name);
  const ledger = createEgressFile({ folder: data, onProblem: (message) => io.stderr.write(`halter: ${message}\n`) });
  const network = createNetwork({ environment: io.env, ...noteConnections(ledger) });
  const back = Promise.any([loopback.answered, typedAddress(io, loopback.url, signal)]).then(succeed);
  const made = await logIn({
    server,
    before: await logins.read(),
    doors: { network, guarded: network.guarded({ allowPrivate: [] }) },
    version: readVersion(),
    redirect: {
      url: loopback.url,
      state: randomBytes(32).toString('base64url'),
      open(address) {
        const shown = sanitizeLine(address.href);
        io.stderr.write(`halter: log in to ${server.name} at ${sanitizeLine(address.host)}:\n  ${shown}\n`);
        if (io.stdin.isTTY) io.stderr.write('Is the browser elsewhere? Paste the address here that it ends at.\n');
        void openInBrowser(address.href, io);
      },
    },
    answered: Promise.race([back, later(LIMITS.mcpLoginMs, signal)]),
  });
  network.close();
  if (!made.ok) return reportFailure(made.error, io);
  try {
    await logins.write(made.value);
  } catch (error) {
    return reportFailure(
      { error_type: 'io_error', message: error instanceof Error ? error.message : String(error) },
      io,
    );
  }
  io.stderr.write(`halter: logged in to ${server.name}; \`halter mcp logout ${server.name}\` forgets it\n`);
  return EXIT.answered;
};

export const mcpLogoutCommand: CommandCode = {
  async execute({ words, io }) {
    const [name = ''] = words;
    const file = createLoginFile(pathsOf(io).config);
    const kept = await file.read(name);
    if (kept.ok && kept.value === undefined)
      return reportFailure({ error_type: 'not_found', message: `There is no login for an MCP server ${name}.` }, io);
    const removed = await file.write(name, undefined);
    return removed.ok ? EXIT.answered : reportFailure(removed.error, io);
  },
};
