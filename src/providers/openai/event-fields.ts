/** What the fields of an event say, in the spellings of all the servers that speak this protocol. */
import type { Usage } from '../../core/message.ts';
import type { ModelPart } from '../../core/model-port.ts';
import { countOf, type Fields, listOf, objectOf, oneOrMore, textOf } from '../json-values.ts';

export const REASONING_FIELDS = ['reasoning_content', 'reasoning', 'reasoning_text', 'thinking'] as const;

export const isNothing = (value: unknown): boolean => value === null || value === undefined || value === '';

/** Content is text, or a list of parts, or one of them. */
export const contentText = (value: unknown): string => {
  if (typeof value === 'string') return value;
  return oneOrMore(value)
    .map((part) => textOf(part) ?? textOf(objectOf(part)['text']) ?? '')
    .join('');
};

/** Some servers put the thought into a list of parts of the content. */
const thoughtText = (value: unknown): string =>
  listOf(value)
    .map((part) => contentText(objectOf(part)['thinking']))
    .join('');

export const reasoningText = (message: Fields): string => {
  for (const field of REASONING_FIELDS) {
    const text = textOf(message[field]);
    if (text !== undefined && text !== '') return text;
  }
  return thoughtText(message['content']) || detailsText(message['reasoning_details']);
};

/** Some servers have thoughts, or a summary of them, in a list of their own. */
const detailsText = (value: unknown): string =>
  listOf(value)
    .map((part) => textOf(objectOf(part)['text']) ?? textOf(objectOf(part)['summary']) ?? '')
    .join('');

export type TokenUsage = Omit<Usage, 'seconds'>;

export const readUsage = (value: unknown): TokenUsage | undefined => {
  const usage = objectOf(value);
  const prompt = countOf(usage['prompt_tokens']);
  const completion = countOf(usage['completion_tokens']);
  if (prompt === undefined && completion === undefined) return undefined;
  const cached =
    countOf(objectOf(usage['prompt_tokens_details'])['cached_tokens']) ?? countOf(usage['prompt_cache_hit_tokens']);
  return {
    prompt_tokens: prompt ?? 0,
    completion_tokens: completion ?? 0,
    ...(cached === undefined ? {} : { cached_tokens: cached }),
  };
};

/** llama.cpp's own figures: `cache_n` tokens came from the cache, `prompt_n` were evaluated. */
export const readTimings = (value: unknown): TokenUsage | undefined => {
  const timings = objectOf(value);
  const cached = countOf(timings['cache_n']);
  const evaluated = countOf(timings['prompt_n']);
  const completion = countOf(timings['predicted_n']);
  if (cached === undefined || evaluated === undefined || completion === undefined) return undefined;
  const milliseconds = timings['prompt_ms'];
  return {
    prompt_tokens: cached + evaluated,
    completion_tokens: completion,
    cached_tokens: cached,
    ...(typeof milliseconds === 'number' && milliseconds > 0 ? { prompt_seconds: milliseconds / 1_000 } : {}),
  };
};

/** How much of the prompt llama.cpp has read. */
export const readProgress = (value: unknown): ModelPart | undefined => {
  const progress = objectOf(value);
  const processed = countOf(progress['processed']);
  const total = countOf(progress['total']);
  if (processed === undefined || total === undefined) return undefined;
  const cached = countOf(progress['cache']);
  return { type: 'prefill', processed, total, ...(cached === undefined ? {} : { cached }) };
};
