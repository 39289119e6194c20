/** What a program cost, in one line. */
import { counted, percent, tokens } from '../parts/format.ts';
import type { ClientRow } from '../state/api.ts';

export type Cost = Pick<ClientRow, 'requests' | 'prompt_tokens' | 'cached_tokens' | 'completion_tokens'>;

/** `12 requests · 31k tokens · 87 % of the prompts reused`. Servers that do not say what they reuse are not spoken for. */
export const costWords = ({ requests, prompt_tokens, cached_tokens, completion_tokens }: Cost): string =>
  [
    counted(requests, 'request'),
    `${tokens(prompt_tokens + completion_tokens)} tokens`,
    ...(cached_tokens > 0 ? [`${percent(cached_tokens / Math.max(1, prompt_tokens))} of the prompts reused`] : []),
  ].join(' · ');

export const sumOf = (clients: readonly Cost[]): Cost =>
  clients.reduce(
    (sum, one) => ({
      requests: sum.requests + one.requests,
      prompt_tokens: sum.prompt_tokens + one.prompt_tokens,
      cached_tokens: sum.cached_tokens + one.cached_tokens,
      completion_tokens: sum.completion_tokens + one.completion_tokens,
    }),
    { requests: 0, prompt_tokens: 0, cached_tokens: 0, completion_tokens: 0 },
  );
