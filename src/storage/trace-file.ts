/** Traces of sessions as JSON lines, one span a line: `traces/ID.jsonl` in the data folder. */
import { appendFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { failure, type Outcome, succeed } from '../core/outcome.ts';
import { diskFailure } from '../disk/disk-failure.ts';
import { makeFolder } from '../disk/make-folder.ts';
import { STORAGE_LIMITS } from './limits.ts';

const OWN_FILE = 0o600;

export const appendTrace = async (
  folder: string,
  spans: readonly { session: string; span: object }[],
): Promise<Outcome<void>> => {
  const traces = join(folder, 'traces');
  try {
    makeFolder(traces);
    for (const session of new Set(spans.map((entry) => entry.session))) {
      const file = join(traces, `${session.replaceAll(/[^\w-]/g, '_')}.jsonl`);
      const size = (await stat(file).catch(() => undefined))?.size ?? 0;
      if (size > STORAGE_LIMITS.traceFileBytes)
        return failure('io_error', `${file} is full; move it away to go on tracing`);
      const lines = spans.filter((entry) => entry.session === session).map(({ span }) => `${JSON.stringify(span)}\n`);
      await appendFile(file, lines.join(''), { mode: OWN_FILE });
    }
    return succeed(undefined);
  } catch (error) {
    return diskFailure(`Traces cannot be written to ${traces}`, error);
  }
};
