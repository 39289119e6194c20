/** `/context`: what fills the window, part by part, against the count the server gave. */
import type { Event } from '../core/events.ts';
import { messageText } from '../core/message.ts';
import { type Tool, toolSchema } from '../core/tool.ts';
import { formatNumber, padEnd } from './text.ts';
import type { Theme } from './theme.ts';

/** A rule of thumb over languages and code; shown as "about". */
const CHARACTERS_A_TOKEN = 4;
const BAR_COLUMNS = 20;
const LABEL_COLUMNS = 22;

type Part = { label: string; tokens: number };

export const windowParts = (log: readonly Event[], tools: readonly Tool[]): Part[] => {
  const characters = { user: 0, answers: 0, reasoning: 0, calls: 0, results: 0 };
  for (const event of log) {
    if (event.type === 'user_message_added') characters.user += messageText(event.content).length;
    else if (event.type === 'assistant_message_added') {
      characters.answers += event.message.content.length;
      characters.reasoning += event.message.reasoning?.length ?? 0;
      characters.calls += JSON.stringify(event.message.tool_calls.map((call) => call.arguments)).length;
    } else if (event.type === 'tool_finished' || event.type === 'arguments_rejected') {
      characters.results += (event.result.data ?? event.result.error_message ?? '').length;
    }
  }
  const schemas = tools.reduce((sum, tool) => sum + JSON.stringify(toolSchema(tool)).length, 0);
  return [
    { label: `${tools.length} tools`, tokens: schemas },
    { label: 'your messages', tokens: characters.user },
    { label: 'answers', tokens: characters.answers },
    { label: 'reasoning', tokens: characters.reasoning },
    { label: 'calls', tokens: characters.calls },
    { label: 'tool results', tokens: characters.results },
  ].map((part) => ({ label: part.label, tokens: Math.ceil(part.tokens / CHARACTERS_A_TOKEN) }));
};

export const windowLines = (
  parts: readonly Part[],
  facts: { used: number | undefined; window: number | undefined; width: number },
  theme: Theme,
): string[] => {
  const estimated = parts.reduce((sum, part) => sum + part.tokens, 0);
  const rest = facts.used === undefined ? 0 : Math.max(0, facts.used - estimated);
  const all = [...parts, ...(rest > 0 ? [{ label: 'instructions, the rest', tokens: rest }] : [])].filter(
    (part) => part.tokens > 0,
  );
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
