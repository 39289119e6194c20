/** How fast does it read and write here, and does it read the same prompt twice? */
import { LIMITS } from '../../../../core/limits.ts';
import { estimateTokens } from '../../../../core/window/tokens.ts';
import type { Asker } from '../ask.ts';
import { type Check, type Findings, failed, judged, passed, said, system, user, type Verdict } from '../check.ts';
import { FILLER } from './questions.ts';

/** Reads a prompt that the server cannot have, twice: how fast, and whether the second time costs less. */
const readingSpeed = async (asker: Asker, findings: Findings): Promise<Verdict> => {
  const messages = [system(`Notes of the day:\n${FILLER.repeat(40)}`), user('Say ok.')];
  const asked = await asker.ask({ messages, maxTokens: 4 });
  if (!asked.ok) return failed(asked.error.message);
  const { usage, firstSeconds } = asked.answer;
  const estimated = estimateTokens(FILLER.repeat(40));
  if (usage && usage.prompt_tokens > estimated / 2) findings.tokenRatio = usage.prompt_tokens / estimated;
  const read = (usage?.prompt_tokens || estimated) - (usage?.cached_tokens ?? 0);
  const seconds = usage?.prompt_seconds ?? firstSeconds;
  if (read < LIMITS.speedSampleTokens || seconds <= 0) return failed('the server had this prompt in its cache');
  findings.speed.prefill_tokens_per_second = round(read / seconds);
  return passed(`${findings.speed.prefill_tokens_per_second} tokens/s`);
};

const writingSpeed = (asker: Asker, findings: Findings): Promise<Verdict> =>
  judged(asker, { messages: [user('Tell a story about a lighthouse.')], maxTokens: 96 }, (answer) => {
    const seconds = answer.seconds - answer.firstSeconds;
    const tokens = answer.usage?.completion_tokens || answer.pieces;
    if (tokens < 8 || seconds <= 0) return failed(said(answer));
    findings.speed.decode_tokens_per_second = round(tokens / seconds);
    return passed(`${findings.speed.decode_tokens_per_second} tokens/s`);
  });

const round = (value: number): number => Math.max(0.1, Math.round(value * 10) / 10);

const cacheUsed = async (asker: Asker): Promise<Verdict> => {
  const messages = [system(`A list to keep:\n${FILLER.repeat(30)}`), user('Say ok.')];
  const first = await asker.ask({ messages, maxTokens: 4 });
  const again = first.ok ? await asker.ask({ messages, maxTokens: 4 }) : first;
  if (!first.ok || !again.ok) return failed(again.ok ? 'no answer' : again.error.message);
  const { usage } = again.answer;
  if (usage?.cached_tokens !== undefined && usage.prompt_tokens > 0) {
    const share = usage.cached_tokens / usage.prompt_tokens;
    return share > 0.5
      ? passed(`${Math.round(share * 100)} % reused`)
      : failed(`only ${Math.round(share * 100)} % reused`);
  }
  return again.answer.firstSeconds < first.answer.firstSeconds * 0.6
    ? passed('the second time is faster')
    : failed('the second time is no faster');
};

export const SPEED_CHECKS: readonly Check[] = [
  { id: 'prefill', group: 'speed', title: 'reads a prompt', run: readingSpeed },
  { id: 'decode', group: 'speed', title: 'writes an answer', run: writingSpeed },
  { id: 'cache', group: 'speed', title: 'reads a prompt it knows at once', run: cacheUsed },
];
