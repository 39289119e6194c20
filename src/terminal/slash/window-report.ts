/** `/context`: what fills the window, part by part, against the count the server gave. */
import type { Event } from '../../core/events.ts';
import { LIMITS } from '../../core/limits.ts';
import { projectForModel } from '../../core/project.ts';
import { type Tool, toolSchema } from '../../core/tool.ts';
import { windowParts as partsOf, type WindowPart } from '../../core/window.ts';
import { formatNumber, padEnd } from '../text.ts';
import type { Theme } from '../theme.ts';

const BAR_COLUMNS = 20;
const LABEL_COLUMNS = 22;

/** What the next prompt would hold, as far as the log tells: after a compaction that is less than was said. */
export const windowParts = (log: readonly Event[], tools: readonly Tool[]): WindowPart[] => {
  const [first] = log;
  const system = first?.type === 'session_started' ? (first.head?.system ?? '') : '';
  const messages = projectForModel(log, { system, results: 'full', summaryCharacters: LIMITS.summaryCharacters });
  return partsOf(messages, tools.map(toolSchema));
};

export const windowLines = (
  parts: readonly WindowPart[],
  facts: { used: number | undefined; window: number | undefined; width: number },
  theme: Theme,
): string[] => {
  const estimated = parts.reduce((sum, part) => sum + part.tokens, 0);
  const rest = facts.used === undefined ? 0 : Math.max(0, facts.used - estimated);
  const all = [...parts, ...(rest > 0 ? [{ label: 'the rest', tokens: rest }] : [])].filter((part) => part.tokens > 0);
  const total = Math.max(1, facts.used ?? estimated);
  const head =
    facts.used === undefined
      ? `About ${formatNumber(estimated)} tokens so far; the server has not counted yet.`
      : `${formatNumber(facts.used)} tokens by the server's count${facts.window ? ` of ${formatNumber(facts.window)}` : ''}.`;
  const bars = facts.width >= LABEL_COLUMNS + BAR_COLUMNS + 12;
  return [
    head,
    ...all.map((part) => {
      const filled = Math.min(BAR_COLUMNS, Math.round((part.tokens / total) * BAR_COLUMNS));
      const bar = bars ? theme.marks.filled.repeat(filled) + theme.marks.empty.repeat(BAR_COLUMNS - filled) : '';
      return `  ${padEnd(part.label, LABEL_COLUMNS)} ${theme.dim(bar)} about ${formatNumber(part.tokens)}`;
    }),
    ...(facts.window ? [] : [theme.dim('  The server does not say how large its window is.')]),
  ];
};
