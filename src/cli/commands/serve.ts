/** `halter serve`: the server on a socket, until it is told to end. */

import { thrownText } from '../../core/thrown-text.ts';
import { type AppOptions, createApp, listen, type McpLoginPorts } from '../../server/index.ts';
import { SERVER_LIMITS } from '../../server/limits.ts';
import { createLoginFile } from '../../storage/mcp-logins.ts';
import { readPageKey } from '../../storage/page-key.ts';
import type { CommandCode, Invocation } from '../command-code.ts';
import type { ExitCode } from '../exit-codes.ts';
import { type Io, UsageError } from '../io.ts';
import { type Log, openLog } from '../log.ts';
import { missingModel } from '../missing-model.ts';
import { openHalter } from '../open-halter.ts';
import { openPage } from '../open-page.ts';
import { progressLine } from '../progress-line.ts';
import { qrLines, qrSquares } from '../qr-code.ts';
import { addressOf, EVERY_ADDRESS, LOOPBACK, type Reach, readReach } from '../serve-options.ts';
import { modelKeyPort, settingsPort } from '../serve-settings.ts';
import { pathsOf, reportFailure } from '../settings.ts';
import { untilTold } from '../until-told.ts';
import { readVersion } from '../version.ts';
import { ensureWebApp } from '../web-app.ts';
import { withWorkers } from '../with-workers.ts';

type Loading = { message: string; fraction?: number };

export const serveCommand: CommandCode = {
  async execute({ flags, io: given, ...rest }) {
    const log = openLog(given, flags);
    const { io } = log;
    const port = flags.port ?? SERVER_LIMITS.port;
    if (port < 0 || port > 65_535) throw new UsageError('--port is a number from 0 to 65535.', 'serve');
    const host = flags.host ?? '127.0.0.1';
    const reach = await readReach(flags, { host, io, configFolder: pathsOf(io).config, now: Date.now() });
    if (!reach.ok) return reportFailure(reach.error, io);
    for (const warning of reach.value.warnings) io.stderr.write(`halter: ${warning}\n`);
    const webApp = ensureWebApp(io);
    const progress = progressLine(io.stderr);
    let loading: Loading | undefined;
    const opened = await openHalter({
      flags,
      io,
      onAsk: 'wait',
      mcp: { askInSessions: true },
      documents: true,
      // A flag names the model of new sessions; one that was with another goes on with that.
      resumeWith: 'own',
      onLoading(message, fraction) {
        loading = { message, fraction };
        progress.show(message, fraction);
      },
    });
    if (!opened.ok) return reportFailure(opened.error, io);
    const served = await withWorkers(opened.value, flags, io);
    if (!served.ok) return reportFailure(served.error, io);
    try {
      await webApp;
      const at = { host, port, reach: reach.value, loading: () => loading };
      return await serve({ ...rest, flags, io }, served.value, log, at);
    } finally {
      await served.value.close();
    }
  },
};

const ONE_PERSON =
  'everybody who has the token of a server on this database is one person: they share all sessions, rules and changes';

const serve = async (
  { flags, io }: Invocation,
  halter: AppOptions['halter'],
  log: Log,
  { host, port, reach, loading }: { host: string; port: number; reach: Reach; loading(): Loading | undefined },
): Promise<ExitCode> => {
  const { token, tls, trustedProxies } = reach;
  const key = await readPageKey(pathsOf(io).config, Date.now());
  if (!key.ok) io.stderr.write(`halter: ${key.error.message}\n`);
  if (halter.storage.address) io.stderr.write(`halter: ${ONE_PERSON}\n`);
  const onDefect = (error: unknown): void => {
    const details = error instanceof Error ? (error.stack ?? error.message) : thrownText(error);
    io.stderr.write(`halter: this is a defect of halter. Please report it with these lines:\n${details}\n`);
  };
  let listeningOn: number | undefined;
  const app = createApp({
    halter,
    token,
    ...(reach.laterToken ? { laterToken: reach.laterToken } : {}),
    version: readVersion(),
    hosts: reach.hosts,
    anyAddress: EVERY_ADDRESS.has(host),
    tls: tls !== undefined,
    trustsProxy: trustedProxies.length > 0,
    port: () => listeningOn,
    invitation: () => {
      const url = listeningOn === undefined ? undefined : pageUrl(reach, host, listeningOn);
      return url === undefined || !isReachedByOthers(reach, host) ? undefined : { url, squares: qrSquares(url) };
    },
    loading,
    settings: await settingsPort(halter.root, flags, io),
    modelKey: modelKeyPort(flags, io, () => serverInUse(halter)),
    mcpLogins: mcpLogins(halter.root, io),
    resume: () =>
      key.ok && listeningOn !== undefined
        ? { key: key.value, place: [halter.root, host, String(listeningOn)] }
        : undefined,
    ...(flags['log-format'] === 'json'
      ? { onRequest: ({ id, ...request }) => log.tell('request', undefined, { request_id: id, ...request }) }
      : {}),
    onGateway: ({ done, ...record }) =>
      log.tell('gateway', done === '' ? undefined : `${record.client}: ${done}`, record),
    onDefect,
  });
  const listening = await listen(app, { host, port, tls, trustedProxies, ownProcess: true });
  if (!listening.ok) {
    await app.close();
    return reportFailure(listening.error, io);
  }
  listeningOn = listening.value.port;
  const url = pageUrl(reach, host, listening.value.port);
  const told = untilTold(io);
  // What is no terminal is often the log of a service. A token that was made now stands nowhere else.
  const isTold = io.stdout.isTTY || !reach.isTokenGiven || !isReachedByOthers(reach, host);
  io.stdout.write(`${isTold ? url : `${addressOf(reach, host, listening.value.port)}/`}\n`);
  if (isReachedByOthers(reach, host)) {
    const isOpen = tls === undefined && trustedProxies.length === 0;
    io.stderr.write(
      `halter: others on the network can reach this server. Whoever has the token is the same person to it and can run the tools${isOpen ? '; the connection is not encrypted (--tls-cert, --tls-key)' : ''}.\n`,
    );
    if (io.stderr.isTTY) io.stderr.write(`${qrLines(url).join('\n')}\n`);
  }
  const ending = new AbortController();
  missingModel(halter.models, ending.signal).then((text) => text && io.stderr.write(`halter: ${text}\n`), onDefect);
  const forget = flags.open ? await openPage(url, pathsOf(io).data, io) : undefined;
  const code = await told;
  ending.abort();
  await forget?.();
  await app.close();
  await listening.value.close();
  return code;
};

/** The address of the model server that was found; undefined: none is open, or the model runs in this process. */
const serverInUse = async ({ models }: AppOptions['halter']): Promise<string | undefined> => {
  const opened = await models.opened();
  if (!opened?.ok) return undefined;
  const { name, endpoint } = opened.value.provider;
  return name === 'embedded' ? undefined : endpoint;
};

/** What stands behind `#` is sent to nobody, so that the log of a proxy does not hold it. */
const pageUrl = (reach: Reach, host: string, port: number): string =>
  `${addressOf(reach, host, port)}/${isReachedByOthers(reach, host) ? '#' : '?'}token=${reach.token}`;

const isReachedByOthers = ({ hosts, trustedProxies }: Reach, host: string): boolean =>
  !LOOPBACK.has(host) || hosts.length > 1 || trustedProxies.length > 0;

const mcpLogins = (folder: string, io: Io): McpLoginPorts => {
  const file = createLoginFile(pathsOf(io).config);
  return {
    async isKept(name) {
      const kept = await file.read(name);
      return kept.ok && kept.value !== undefined;
    },
    async logIn(name, { open, typed, signal }) {
      const { answerIn, logInAt, serverToLogInAt } = await import('../mcp-login.ts');
      const found = await serverToLogInAt(name, folder, io);
      if (!found.ok) return found;
      return logInAt(found.value, io, {
        open,
        signal,
        elsewhere: (url) =>
          new Promise((resolve) => {
            typed((address) => {
              const answer = answerIn(address, url);
              if (answer) resolve(answer);
              return answer !== undefined;
            });
          }),
      });
    },
    forget: (name) => file.write(name, undefined),
  };
};
