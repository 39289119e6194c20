/** How much does it read, and who counts it? */

import { LIMITS } from '../../../../core/limits.ts';
import { counted } from '../../../../core/number-text.ts';
import { leastPromptTokens } from '../../../../core/window/least-tokens.ts';
import { estimateTokens } from '../../../../core/window/tokens.ts';
import { wasCut } from '../../../../core/window.ts';
import { AGENT_LIMITS } from '../../../limits.ts';
import type { Asker } from '../ask.ts';
import { type Check, type Findings, failed, passed, said, system, user, type Verdict } from '../check.ts';
import { FILLER } from './questions.ts';

const CODE_WORD = 'KESTREL-47';
/** Instructions of about so many tokens that begin with the code word. */
const longInstructions = (tokens: number): string => {
  const each = estimateTokens(FILLER);
  return `The code word is ${CODE_WORD}.\n${FILLER.repeat(Math.max(1, Math.floor(tokens / each)))}`;
};

/** As much as is worth reading: most of the window, and what this machine reads within the time for one check. */
const tryTokens = (asker: Asker, findings: Findings): number => {
  const window = asker.info.context_length ?? AGENT_LIMITS.probeWindowTokens;
  const rate = findings.speed.prefill_tokens_per_second;
  const inTime = rate === undefined ? AGENT_LIMITS.probeWindowTokens : rate * AGENT_LIMITS.probeWindowSeconds;
  const room = window - AGENT_LIMITS.probeAnswerTokens - AGENT_LIMITS.answerTokensMin;
  return Math.max(
    LIMITS.windowSmallestTokens,
    Math.floor(Math.min(room * 0.8, AGENT_LIMITS.probeWindowTokens, inTime)),
  );
};

/** The beginning of a long prompt is what a server drops in silence; the count tells of it, and so does the code word. */
const codeWord = async (asker: Asker, findings: Findings): Promise<Verdict> => {
  const tokens = tryTokens(asker, findings);
  const messages = [system(longInstructions(tokens)), user('What is the code word? Answer with it alone.')];
  const asked = await asker.ask({ messages, maxTokens: 32 });
  if (!asked.ok) {
    if (asked.error.code === 'context_overflow') return failed(`a prompt of ${tokens} tokens is refused`);
    return failed(asked.error.message);
  }
  const { usage, text } = asked.answer;
  const expected = {
    expected: tokens * (findings.tokenRatio ?? 1),
    least: leastPromptTokens(messages, []),
    calibrated: findings.tokenRatio !== undefined,
  };
  if (usage && wasCut(usage.prompt_tokens, expected)) {
    findings.windowTokens = usage.prompt_tokens;
    return failed(
      `only ${usage.prompt_tokens} of about ${tokens} tokens were read: the server cuts prompts in silence`,
    );
  }
  return text.includes('KESTREL')
    ? passed(`${tokens} tokens read`)
    : failed(`not found in ${tokens} tokens: ${said(asked.answer)}`);
};

export const WINDOW_CHECKS: readonly Check[] = [
  {
    id: 'window_known',
    group: 'window',
    title: 'the server tells its window',
    run: async ({ info }) =>
      info.context_length === undefined
        ? failed('it does not; `--context-length` sets it by hand where the server takes one')
        : passed(`${info.context_length} tokens`),
  },
  {
    id: 'tokenizer',
    group: 'window',
    title: 'the server counts a prompt before it is sent',
    skip: ({ provider }) => (provider.countTokens ? undefined : 'this kind of server has no way to ask'),
    run: async ({ provider, info, signal }) => {
      const tokens = await provider.countTokens?.({ model: info.id, messages: [user(FILLER)], tools: [] }, signal);
      return tokens === undefined
        ? failed('it does not answer that')
        : passed(`${counted(tokens, 'token')} for a sentence`);
    },
  },
  { id: 'code_word', group: 'window', title: 'reads the very beginning of a long prompt', run: codeWord },
];
