/** `halter worker`: runs the conversations of a shared database, until it is told to end. */

import { startWorker } from '../../cluster/index.ts';
import { CLUSTER_LIMITS } from '../../cluster/limits.ts';
import type { CommandCode } from '../command-code.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { type Io, UsageError } from '../io.ts';
import { openHalter } from '../open-halter.ts';
import { databaseOf } from '../session-access.ts';
import { readConfig, reportFailure } from '../settings.ts';
import { untilTold } from '../until-told.ts';

export const workerCommand: CommandCode = {
  async execute({ flags, io }) {
    const concurrency = flags.concurrency ?? CLUSTER_LIMITS.workerConcurrency;
    if (concurrency < 1 || concurrency > CLUSTER_LIMITS.workerConcurrencyMax) {
      throw new UsageError(`--concurrency is a number from 1 to ${CLUSTER_LIMITS.workerConcurrencyMax}.`, 'worker');
    }
    const config = await readConfig(io);
    if (!config.ok) return reportFailure(config.error, io);
    const url = databaseOf(flags, config.value, io);
    if (url === undefined) {
      throw new UsageError(
        'A worker runs the conversations of a database. Name it: `halter worker --database postgres://user@host/name`, HALTER_DATABASE_URL, or `halter config set database …`.',
        'worker',
      );
    }
    quietDriver();
    const opened = await openHalter({ flags, io, onAsk: 'wait', mcp: { askInSessions: true }, documents: true });
    if (!opened.ok) return reportFailure(opened.error, io);
    try {
      return await work(io, { halter: opened.value, url, concurrency });
    } finally {
      await opened.value.close();
    }
  },
};

type Work = Pick<Parameters<typeof startWorker>[0], 'halter' | 'url' | 'concurrency'>;

const work = async (io: Io, { halter, url, concurrency }: Work): Promise<ExitCode> => {
  const say = (text: string): void => io.stderr.write(`halter: ${text}\n`);
  const told = untilTold(io);
  const worker = await startWorker({
    halter,
    url,
    concurrency,
    onProgress: (what, about) => say(`${WORDS[what]} ${about}`),
    onWarning: seldom(say),
  });
  if (!worker.ok) return reportFailure(worker.error, io);
  say(`working in ${halter.root}, at most ${concurrency} conversations at a time; commands: ${halter.sandbox}`);
  const code = await told;
  const running = worker.value.running();
  if (running > 0) say(`ending; ${running} conversations finish their step, and others go on with them`);
  // Whoever ends it waits for so long and no longer; what is in hand then is taken over as from one that was killed.
  const late = setTimeout(() => process.exit(EXIT.error), CLUSTER_LIMITS.workerEndMs);
  await worker.value.close();
  clearTimeout(late);
  return code === EXIT.interrupted ? code : EXIT.answered;
};

/** While the database is away the same is found out many times a second, by every part that asks it something. */
const seldom = (say: (text: string) => void): ((message: string) => void) => {
  const said = new Map<string, number>();
  return (message) => {
    const kind = message.slice(message.lastIndexOf(': ') + 1).trim();
    const now = performance.now();
    const last = said.get(kind);
    if (last !== undefined && now - last < CLUSTER_LIMITS.workerSayAgainMs) return;
    if (said.size >= CLUSTER_LIMITS.workerKindsSaid) said.clear();
    said.set(kind, now);
    say(message);
  };
};

const WORDS = {
  began: 'began with',
  ended: 'done with',
  recovered: 'taking over from a worker that is gone:',
  failed: 'giving up, as workers died with it:',
} as const;

/** What the makers of the queue's driver say to one another. */
const quietDriver = (): void => {
  process.noDeprecation = true;
};
