/** What a plan for more room goes by: how much may stay, how large turns are, what a call left behind. */
import { type ModelMessage, messageText, type ToolCall } from '../../../core/message.ts';
import type { CallTrace } from '../../../core/window/traced-calls.ts';
import { answerReserve } from '../../../core/window.ts';
import { AGENT_LIMITS } from '../../limits.ts';
import { fileShownBy } from '../run-tool/tool-facts.ts';
import type { ToolRegistry } from '../run-tool/tool-registry.ts';

/** A share of the window stays free; where instructions and tools fill much of it, of what they leave. */
export const limitOf = (contextTokens: number, head: number): number => {
  const share = 1 - AGENT_LIMITS.compactionFreeShareMin;
  const most = contextTokens * share;
  if (head <= contextTokens / 3) return most;
  const behind = head + (contextTokens - head) * share;
  return Math.max(most, Math.min(behind, contextTokens - AGENT_LIMITS.answerTokensMin));
};

/**
 * How large a prompt may be for what the person said to stay in it word for word. In a small window all that has not to
 * stay free; in a larger one there has to be room for many turns, since making room has the server read it again.
 */
export const wordsLimit = (contextTokens: number, limitTokens: number, turn: number): number =>
  Math.min(
    limitTokens,
    Math.max(
      limitOf(AGENT_LIMITS.wordsWindowTokens, 0),
      contextTokens - answerReserve(contextTokens) - turn * AGENT_LIMITS.wordsTurns,
    ),
  );

/** 1 for text of which a token holds as many characters as of English; less where it holds fewer. */
export const densityOf = (messages: readonly ModelMessage[], tokens: number): number => {
  const characters = charactersOf(messages);
  return tokens <= 0 ? 1 : Math.min(1, Math.max(DENSITY_LEAST, characters / tokens / CHARACTERS_A_TOKEN_USUAL));
};
const charactersOf = (messages: readonly ModelMessage[]): number =>
  messages.reduce((sum, message) => sum + (message.role === 'system' ? 0 : written(message)), 0);

/** What a model writes into a file stands in the arguments of its call. */
const written = (message: ModelMessage): number =>
  messageText(message.content).length +
  (message.role === 'assistant' && message.tool_calls.length > 0 ? JSON.stringify(message.tool_calls).length : 0);

/** Where the model's tokenizer is far from the estimate, what a prompt will be is told better by its length. */
export const sizeByCharacters = (
  messages: readonly ModelMessage[],
  tokens: number,
  head: number,
): ((some: readonly ModelMessage[]) => number) => {
  const each = Math.max(0, tokens - head) / Math.max(1, charactersOf(messages));
  return (some) => head + charactersOf(some) * each;
};
const CHARACTERS_A_TOKEN_USUAL = 2.8;
const DENSITY_LEAST = 0.2;

/** A plan aims at more room for an answer; where it cannot be had, a prompt with this much is better than none. */
export const leastAnswer = (contextTokens: number): number =>
  Math.min(AGENT_LIMITS.answerTokensMin, Math.floor(contextTokens * AGENT_LIMITS.answerShareLeast));

/** So many of the last turns say how large the next one may be. */
const TURNS_LOOKED_AT = 3;
/** The largest of the last turns: from one message of the person to the next. */
export const largestTurn = (
  messages: readonly ModelMessage[],
  tokensOf: (messages: readonly ModelMessage[]) => number,
): number => {
  let largest = 0;
  let end = messages.length - 1;
  let seen = 0;
  for (let index = end - 1; index >= 0 && seen < TURNS_LOOKED_AT; index -= 1) {
    if (messages[index]?.role !== 'user') continue;
    largest = Math.max(largest, tokensOf(messages.slice(index + 1, end)));
    end = index;
    seen += 1;
  }
  return largest;
};

/** What a tool that looks for something is told. */
const SEARCHES: ReadonlySet<string> = new Set(['pattern', 'query', 'symbol', 'url']);

/** What a call leaves behind that should be named. */
export const traceOf =
  (registry: ToolRegistry) =>
  (call: ToolCall): CallTrace | undefined => {
    const tool = registry.get(call.name);
    const what = tool?.main_argument === undefined ? undefined : call.arguments[tool.main_argument];
    if (tool === undefined || typeof what !== 'string') return undefined;
    if (tool.effects === 'process') {
      const file = fileShownBy(tool, call);
      return file === undefined ? { kind: 'ran', what } : { kind: 'read', what: file, isPart: true };
    }
    // A search holds nothing but what was asked for. What other tools are told, a task or a picture, may be said there alone.
    if (tool.effects !== 'write' && SEARCHES.has(tool.main_argument ?? '')) return { kind: 'looked_for', what };
    if (tool.main_argument !== 'path') return undefined;
    return { kind: tool.effects === 'write' ? 'changed' : 'read', what };
  };
