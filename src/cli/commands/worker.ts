/** `halter worker`: runs the conversations of a shared database, until it is told to end. */

import { startWorker, type Worker, type WorkerProgress } from '../../cluster/index.ts';
import { CLUSTER_LIMITS } from '../../cluster/limits.ts';
import { type Outcome, succeed } from '../../core/outcome.ts';
import { createProbes, type Listening, listen } from '../../server/index.ts';
import type { CommandCode } from '../command-code.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { FlagValues } from '../flags.ts';
import { type Io, UsageError } from '../io.ts';
import { type Log, openLog } from '../log.ts';
import { openHalter } from '../open-halter.ts';
import { EVERY_ADDRESS, LOOPBACK, readGivenToken } from '../serve-options.ts';
import { databaseOf } from '../session-access.ts';
import { pathsOf, readConfig, reportFailure } from '../settings.ts';
import { untilTold } from '../until-told.ts';
import { readVersion } from '../version.ts';

export const workerCommand: CommandCode = {
  async execute({ flags, io }) {
    const concurrency = flags.concurrency ?? CLUSTER_LIMITS.workerConcurrency;
    if (concurrency < 1 || concurrency > CLUSTER_LIMITS.workerConcurrencyMax) {
      throw new UsageError(`--concurrency is a number from 1 to ${CLUSTER_LIMITS.workerConcurrencyMax}.`, 'worker');
    }
    const log = openLog(io, flags);
    const config = await readConfig(io);
    if (!config.ok) return reportFailure(config.error, log.io);
    const url = databaseOf(flags, config.value, io);
    if (url === undefined) {
      throw new UsageError(
        'A worker runs the conversations of a database. Name it: `halter worker --database postgres://user@host/name`, HALTER_DATABASE_URL, or `halter config set database …`.',
        'worker',
      );
    }
    quietDriver();
    const probes = await readProbes(flags, log.io);
    if (!probes.ok) return reportFailure(probes.error, log.io);
    const opened = await openHalter({
      flags,
      io: log.io,
      onAsk: 'wait',
      mcp: { askInSessions: true },
      documents: true,
    });
    if (!opened.ok) return reportFailure(opened.error, log.io);
    try {
      return await work(log, { halter: opened.value, url, concurrency }, probes.value);
    } finally {
      await opened.value.close();
    }
  },
};

type Work = Pick<Parameters<typeof startWorker>[0], 'halter' | 'url' | 'concurrency'>;

const work = async (
  log: Log,
  { halter, url, concurrency }: Work,
  probes: ProbesPlace | undefined,
): Promise<ExitCode> => {
  const { io } = log;
  const told = untilTold(io);
  const events = Object.keys(WORDS).map((event) => ({ event }));
  const jobs = halter.metrics.counter('halter_jobs', 'Jobs of this worker, by what became of them.', events);
  const worker = await startWorker({
    halter,
    url,
    concurrency,
    onProgress(what, about) {
      jobs.add({ event: what });
      log.tell(what, `${WORDS[what]} ${about}`, { [ABOUT[what]]: about });
    },
    onWarning: seldom((message) => log.tell('warning', message)),
    onOutage: (message) => log.tell('database', message),
  });
  if (!worker.ok) return reportFailure(worker.error, io);
  const answering = probes && (await answerProbes(probes, halter, worker.value, log));
  if (answering && !answering.ok) {
    await worker.value.close();
    return reportFailure(answering.error, io);
  }
  const text = `working in ${halter.root}, at most ${concurrency} conversations at a time; commands: ${halter.sandbox}`;
  log.tell('working', text, { folder: halter.root, concurrency });
  const code = await told;
  const running = worker.value.running();
  if (running > 0) {
    log.tell('ending', `ending; ${running} conversations finish their step, and others go on with them`, { running });
  }
  // Whoever ends it waits for so long and no longer; what is in hand then is taken over as from one that was killed.
  const late = setTimeout(() => process.exit(EXIT.error), CLUSTER_LIMITS.workerEndMs);
  await worker.value.close();
  await answering?.value.close();
  clearTimeout(late);
  return code === EXIT.interrupted ? code : EXIT.answered;
};

/** Where the probes listen, and who may read the figures. */
type ProbesPlace = { host: string; port: number; token: string | undefined; hosts: readonly string[] };

const readProbes = async (flags: FlagValues, io: Io): Promise<Outcome<ProbesPlace | undefined>> => {
  const port = flags['http-port'];
  if (port === undefined) return succeed(undefined);
  if (port < 0 || port > 65_535) throw new UsageError('--http-port is a number from 0 to 65535.', 'worker');
  const { host = '127.0.0.1', 'allowed-host': hosts = [] } = flags;
  const token = await readGivenToken(flags, io, pathsOf(io).config);
  if (!token.ok) return token;
  if (token.value === undefined && !LOOPBACK.has(host)) {
    throw new UsageError(
      `On ${host} others can reach the figures. Give the token that reads them: --token-file FILE or HALTER_TOKEN.`,
      'worker',
    );
  }
  return succeed({ host, port, token: token.value, hosts });
};

const answerProbes = async (
  { host, port, token, hosts }: ProbesPlace,
  halter: Work['halter'],
  worker: Worker,
  log: Log,
): Promise<Outcome<Listening>> => {
  const answer = createProbes({
    halter,
    depth: () => worker.depth(),
    running: () => worker.running(),
    version: readVersion(),
    token,
    hosts: [host, ...hosts],
    anyAddress: EVERY_ADDRESS.has(host),
  });
  const listening = await listen(answer, { host, port, portFlag: '--http-port' });
  if (!listening.ok) return listening;
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${listening.value.port}`;
  log.tell('listening', `answering at ${url}/healthz, /readyz and /metrics`, { url });
  return listening;
};

/** While the database is away the same is found out many times a second, by every part that asks it something. */
const seldom = (say: (text: string) => void): ((message: string) => void) => {
  const said = new Map<string, number>();
  return (message) => {
    // Tries are counted and timed: the number makes no other kind.
    const kind = message.slice(message.lastIndexOf(': ') + 1).replace(/\d+/g, '0');
    const now = performance.now();
    const last = said.get(kind);
    if (last !== undefined && now - last < CLUSTER_LIMITS.workerSayAgainMs) return;
    if (said.size >= CLUSTER_LIMITS.workerKindsSaid) said.clear();
    said.set(kind, now);
    say(message);
  };
};

const WORDS: Readonly<Record<WorkerProgress, string>> = {
  began: 'began with',
  ended: 'done with',
  took_over: 'taking over from a worker that is gone:',
  recovered: 'taking up again',
  failed: 'giving up, as workers died with it:',
};

const ABOUT: Readonly<Record<WorkerProgress, string>> = {
  began: 'session_id',
  ended: 'session_id',
  took_over: 'worker',
  recovered: 'job_id',
  failed: 'session_id',
};

/** What the makers of the queue's driver say to one another. */
const quietDriver = (): void => {
  process.noDeprecation = true;
};
