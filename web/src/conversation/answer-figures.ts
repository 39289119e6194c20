/** What an answer took, in words. One that no model wrote, as the starter's own, has no tokens. Pure. */
import type { Usage } from '../../../src/core/message.ts';
import { counted, duration, tokens } from '../parts/format.ts';

/** Of a shorter answer the pace says nothing. */
const MEASURED_SECONDS = 0.2;

type Figures = Pick<Usage, 'completion_tokens' | 'seconds'>;

export const answerFigures = ({ completion_tokens: count, seconds }: Figures): string => {
  const took = duration(seconds * 1_000);
  if (count === 0) return took;
  return `${count === 1 ? counted(count, 'token') : `${tokens(count)} tokens`} · ${took}`;
};

export const answerRate = ({ completion_tokens: count, seconds }: Figures): string | undefined => {
  if (count === 0 || seconds < MEASURED_SECONDS) return undefined;
  const rate = count / seconds;
  return `${rate.toFixed(rate < 10 ? 1 : 0)} tok/s`;
};

/** The part of the prompt that the server says it did not read again. What halter itself knows to be alike is no such word. */
export const reusedShare = ({ cached_tokens: cached, prompt_tokens: all }: Usage): number | undefined =>
  cached === undefined || all === 0 ? undefined : cached / all;
