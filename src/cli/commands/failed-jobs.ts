/** `halter worker failed`, `retry` and `discard`: messages that workers died with, and that are not tried again by themselves. */

import { noWorkerText, readDepth, retryJob } from '../../cluster/index.ts';
import { messageText } from '../../core/message.ts';
import { counted } from '../../core/number-text.ts';
import { type Failure, failure, type Outcome, succeed } from '../../core/outcome.ts';
import { quotedName } from '../../core/quoted-name.ts';
import { folderOf } from '../../core/session-folder.ts';
import type { FailedJob, JobRecords } from '../../core/storage-port.ts';
import { didYouMean } from '../../core/tool/nearest-names.ts';
import type { Storage } from '../../storage/storage.ts';
import type { CommandCode, Invocation } from '../command-code.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { FlagValues } from '../flags.ts';
import { type Io, UsageError } from '../io.ts';
import { databaseOf, onStorage } from '../session-access.ts';
import { readConfig, reportFailure } from '../settings.ts';
import { columns } from '../table.ts';

const TEXT_SHOWN = 60;

const NO_DATABASE =
  'Workers share a database. Name it with --database, HALTER_DATABASE_URL or `halter config set database …`.';

const withRecords = (
  name: string,
  work: (invocation: Invocation, records: JobRecords, storage: Storage) => Promise<ExitCode>,
): CommandCode =>
  onStorage((invocation, storage) => {
    if (storage.jobs === undefined) throw new UsageError(NO_DATABASE, name);
    return work(invocation, storage.jobs, storage);
  });

/** Which message of which session. */
const said = (job: FailedJob): string =>
  `${quotedName(textOf(job).slice(0, TEXT_SHOWN))} of the session ${job.session}`;

const textOf = ({ command }: FailedJob): string =>
  command.type === 'send_message' ? messageText(command.content) : command.type.replaceAll('_', ' ');

export const workerFailedCommand: CommandCode = withRecords(
  'worker failed',
  async ({ flags, io }, records, storage) => {
    const listed = await records.failed();
    if (!listed.ok) return reportFailure(listed.error, io);
    await tellUnserved(flags, io, storage);
    const rows = listed.value.map((job) => ({ ...job, text: textOf(job) }));
    if (flags.json) {
      const shown = rows.map(({ job, session, text, message, deaths, at }) => ({
        job,
        session,
        text,
        message,
        deaths,
        at,
      }));
      io.stdout.write(`${JSON.stringify(shown)}\n`);
      return EXIT.answered;
    }
    if (rows.length === 0) io.stderr.write('No message was given up.\n');
    io.stdout.write(
      columns(
        rows.map(({ job, session, text, message, at }) => [
          new Date(at).toISOString().slice(0, 16).replace('T', ' '),
          session,
          text.slice(0, TEXT_SHOWN),
          message,
          job,
        ]),
      ),
    );
    return EXIT.answered;
  },
);

/** What waits for a worker that is not there is not given up, and nobody else would say it. */
const tellUnserved = async (flags: FlagValues, io: Io, { members }: Storage): Promise<void> => {
  const config = await readConfig(io);
  const url = config.ok ? databaseOf(flags, config.value, io) : undefined;
  if (members === undefined || url === undefined) return;
  const depth = await readDepth(members, url);
  if (!depth.ok) io.stderr.write(`Whether messages wait for a worker is not known: ${depth.error.message}\n`);
  for (const { folder, jobs } of depth.ok ? depth.value.unserved : []) {
    io.stderr.write(`${counted(jobs, 'job')} waiting. ${noWorkerText(folder)}\n`);
  }
};

export const workerRetryCommand: CommandCode = withRecords(
  'worker retry',
  async ({ words, flags, io }, records, storage) => {
    const config = await readConfig(io);
    if (!config.ok) return reportFailure(config.error, io);
    const url = databaseOf(flags, config.value, io);
    const found = await jobNamed(records, words[0]);
    if (!found.ok) return reportFailure(found.error, io);
    if (url === undefined) throw new UsageError(NO_DATABASE, 'worker retry');
    const { job, session } = found.value;
    const read = await storage.sessions.read(session);
    if (!read.ok) return reportFailure(read.error.error_type === 'not_found' ? goneOf(job) : read.error, io);
    const folder = folderOf(read.value.events);
    const retried = await retryJob(found.value, folder, url);
    if (!retried.ok) return reportFailure(retried.error, io);
    const discarded = await records.discard(job);
    if (!discarded.ok) return reportFailure(discarded.error, io);
    io.stderr.write(`Tried again: ${said(found.value)}.\n`);
    await tellUnserved(flags, io, storage);
    return EXIT.answered;
  },
);

const goneOf = (job: string): Failure => ({
  error_type: 'not_found',
  message: `The session of this message is gone, so it cannot be tried again. \`halter worker discard ${job}\` takes it off the list.`,
});

export const workerDiscardCommand: CommandCode = withRecords('worker discard', async ({ words, io }, records) => {
  const found = await jobNamed(records, words[0]);
  if (!found.ok) return reportFailure(found.error, io);
  const discarded = await records.discard(found.value.job);
  if (!discarded.ok) return reportFailure(discarded.error, io);
  io.stderr.write(`Taken off the list, and not tried again: ${said(found.value)}.\n`);
  return EXIT.answered;
});

const noneText = (word: string, jobs: readonly FailedJob[]): string => {
  const guess = didYouMean(word, [...new Set(jobs.flatMap(({ job, session }) => [job, session]))]);
  return `No message that was given up has the job or the session ${quotedName(word)}.${guess} \`halter worker failed\` shows what there is.`;
};

/** By its id or by its session. */
const jobNamed = async (records: JobRecords, word: string | undefined): Promise<Outcome<FailedJob>> => {
  const listed = await records.failed();
  if (!listed.ok) return listed;
  const found = listed.value.find(({ job }) => job === word) ?? listed.value.find(({ session }) => session === word);
  return found ? succeed(found) : failure('not_found', noneText(word ?? '', listed.value));
};
