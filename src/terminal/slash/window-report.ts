/** `/context`: what fills the window, part by part. */
import type { ContextReport } from '../../agent/loop/window/report.ts';
import type { Event } from '../../core/events.ts';
import { LIMITS } from '../../core/limits.ts';
import { projectForModel } from '../../core/project.ts';
import { activePath } from '../../core/session-tree.ts';
import { type Tool, toolSchema } from '../../core/tool.ts';
import { lastCompaction } from '../../core/window/compaction.ts';
import { headOf } from '../../core/window/prefix.ts';
import { windowParts } from '../../core/window.ts';
import { besideEach, formatNumber, wrapSpans } from '../text.ts';
import type { Paint, Theme } from '../theme.ts';

const BAR_COLUMNS = 20;
const LABEL_COLUMNS = 22;
/** Of a line with a bar, besides both. */
const AROUND_COLUMNS = 20;

/** What of a report is shown. The parts are together the tokens. */
export type ShownWindow = Pick<ContextReport, 'parts' | 'total_tokens' | 'counted_tokens'>;

/** What the next prompt would hold, as far as the log alone tells. */
export const windowOfLog = (log: readonly Event[], tools: readonly Tool[]): ShownWindow => {
  const system = headOf(log)?.system ?? '';
  const messages = projectForModel(log, { system, results: 'full', summaryCharacters: LIMITS.summaryCharacters });
  const parts = windowParts(messages, tools.map(toolSchema), lastCompaction(activePath(log))?.summary);
  return { parts, total_tokens: parts.reduce((sum, part) => sum + part.tokens, 0), counted_tokens: null };
};

export const windowLines = (
  { parts, total_tokens: total, counted_tokens: counted }: ShownWindow,
  facts: { window: number | undefined; width: number },
  theme: Theme,
): string[] => {
  const bars = facts.width >= LABEL_COLUMNS + BAR_COLUMNS + AROUND_COLUMNS;
  const wrapped = (text: string, paint?: Paint): string[] =>
    wrapSpans([{ text, paint }], facts.width, '  ').map((line) => line.text);
  const share = facts.window ? ` of ${formatNumber(facts.window)} (${Math.round((total / facts.window) * 100)} %)` : '';
  return [
    ...wrapped(`About ${formatNumber(total)} tokens${share} in the next prompt.`),
    ...parts
      .filter(({ tokens }) => tokens > 0)
      .flatMap((part) => {
        const tokens = `about ${formatNumber(part.tokens)}`;
        const label = besideEach(part.label, LABEL_COLUMNS - 1, theme.marks);
        if (!bars || !theme.marks.isAligned) return wrapped(`  ${label}${tokens}`);
        const filled = Math.min(BAR_COLUMNS, Math.round((part.tokens / Math.max(1, total)) * BAR_COLUMNS));
        const bar = theme.marks.filled.repeat(filled) + theme.marks.empty.repeat(BAR_COLUMNS - filled);
        return [`  ${label}${theme.dim(bar)} ${tokens}`];
      }),
    ...wrapped(
      counted === null
        ? '  The server has not counted this conversation as it stands.'
        : `  The server counted ${formatNumber(counted)} in the last prompt.`,
      theme.dim,
    ),
    ...(facts.window ? [] : wrapped('  The server does not say how large its window is.', theme.dim)),
  ];
};
