/** `halter index`: brings this folder's index up to date, or says what is in it. */
import { counted, grouped } from '../../core/number-text.ts';
import type { IndexReport, IndexStatus } from '../../core/retrieval-port.ts';
import { sanitizeLine } from '../../terminal/sanitize.ts';
import type { CommandCode } from '../command-code.ts';
import { EXIT } from '../exit-codes.ts';
import { openIndexHere } from '../open-index.ts';
import { progressLine } from '../progress-line.ts';
import { createEnding } from '../run/ending.ts';
import { reportFailure } from '../settings.ts';
import { columns } from '../table.ts';

const SKIPPED_SHOWN = 10;

export const indexCommand: CommandCode = {
  async execute({ flags, io }) {
    const opened = await openIndexHere(flags, io);
    if (!opened.ok) return reportFailure(opened.error, io);
    const retrieval = opened.value;
    const ending = createEnding(io, undefined);
    const line = progressLine(io.stderr);
    try {
      if (flags.status) {
        const status = await retrieval.status();
        io.stdout.write(flags.json ? `${JSON.stringify(status)}\n` : statusText(status));
        return EXIT.answered;
      }
      const done = await retrieval.index({
        signal: ending.signal,
        onProgress: ({ phase, done: finished, total, path }) =>
          line.show(`${phase} ${path ?? 'the folder'}`, total === 0 ? undefined : finished / total),
      });
      line.clear();
      if (!done.ok) return reportFailure(done.error, io);
      for (const note of [...done.value.notes, ...done.value.warnings]) io.stderr.write(`halter: ${note}\n`);
      const status = await retrieval.status();
      io.stdout.write(
        flags.json
          ? `${JSON.stringify({ ...done.value, ...status, files: done.value.files })}\n`
          : reportText(done.value, status),
      );
      return done.value.cancelled ? EXIT.interrupted : EXIT.answered;
    } finally {
      line.clear();
      ending.release();
      await retrieval.close();
    }
  },
};

const statusText = (status: IndexStatus): string =>
  status.exists
    ? columns([
        ['files', grouped(status.files)],
        ['parts', grouped(status.chunks)],
        ['symbols', grouped(status.symbols)],
        ['vectors', grouped(status.vectors)],
        ['changed', status.updated_at === 0 ? 'never' : new Date(status.updated_at).toISOString()],
        ['kept in', status.file],
      ])
    : 'There is no index of this folder yet. `halter index` makes one.\n';

const reportText = (report: IndexReport, status: IndexStatus): string => {
  const rows = [
    `${counted(report.files, 'file')} looked at in ${report.seconds.toFixed(1)} s: ${grouped(report.indexed)} read, ` +
      `${grouped(report.unchanged)} unchanged, ${grouped(report.removed)} gone.`,
    `${counted(status.chunks, 'part')} and ${counted(status.symbols, 'symbol')} are in the index.`,
    ...report.skipped.slice(0, SKIPPED_SHOWN).map(({ path, reason }) => `left out: ${sanitizeLine(path)} (${reason})`),
    ...(report.skipped.length > SKIPPED_SHOWN ? [`… and ${report.skipped.length - SKIPPED_SHOWN} more left out`] : []),
    ...(report.truncated ? ['There are more files than an index takes: .halterignore can leave some out.'] : []),
    ...(report.cancelled ? ['Stopped before the end; the next time goes on from here.'] : []),
  ];
  return `${rows.join('\n')}\n`;
};
