/** `halter search`: asks this folder's index, brought up to date first. */

import type { SearchHit } from '../../core/retrieval-port.ts';
import { SEARCH_LIMITS } from '../../search/limits.ts';
import { sanitizeLine } from '../../terminal/sanitize.ts';
import type { CommandCode } from '../command-code.ts';
import { EXIT } from '../exit-codes.ts';
import { UsageError } from '../io.ts';
import { openIndexHere } from '../open-index.ts';
import { progressLine } from '../progress-line.ts';
import { createEnding } from '../run/ending.ts';
import { reportFailure } from '../settings.ts';

const LINES_SHOWN = 3;

export const searchCommand: CommandCode = {
  async execute({ words, flags, io }) {
    const limit = flags.limit ?? SEARCH_LIMITS.searchLimitDefault;
    if (limit < 1 || limit > SEARCH_LIMITS.searchLimitMax) {
      throw new UsageError(`--limit is between 1 and ${SEARCH_LIMITS.searchLimitMax}.`, 'search');
    }
    if (words.join('').trim() === '') throw new UsageError('There is nothing to search for.', 'search');
    const opened = await openIndexHere(flags, io);
    if (!opened.ok) return reportFailure(opened.error, io);
    const retrieval = opened.value;
    const ending = createEnding(io, undefined);
    const line = progressLine(io.stderr);
    try {
      const refreshed = await retrieval.index({
        signal: ending.signal,
        onProgress: ({ path, done, total }) =>
          line.show(`reading ${path ?? 'the folder'}`, total === 0 ? undefined : done / total),
      });
      line.clear();
      // What is there can be asked, even if it could not be brought up to date.
      if (!refreshed.ok) io.stderr.write(`halter: ${refreshed.error.message}\n`);
      else for (const note of refreshed.value.notes) io.stderr.write(`halter: ${note}\n`);
      if (ending.reason() === 'interrupted') return EXIT.interrupted;
      const found = await retrieval.search(words.join(' '), { limit, signal: ending.signal });
      if (!found.ok) return reportFailure(found.error, io);
      io.stdout.write(flags.json ? `${JSON.stringify({ results: found.value })}\n` : hitsText(found.value));
      return EXIT.answered;
    } finally {
      line.clear();
      ending.release();
      await retrieval.close();
    }
  },
};

export const hitsText = (hits: readonly SearchHit[]): string =>
  hits.length === 0
    ? 'Nothing was found.\n'
    : hits
        .map((hit) => {
          const name = hit.symbol === undefined ? '' : `  ${hit.symbol}`;
          const head = `${hit.path}:${hit.line_start}-${hit.line_end}${name}`;
          const shown = hit.text
            .split('\n')
            .filter((line) => line.trim() !== '')
            .slice(0, LINES_SHOWN);
          return `${[sanitizeLine(head), ...shown.map((line) => `    ${sanitizeLine(line)}`)].join('\n')}\n`;
        })
        .join('\n');
