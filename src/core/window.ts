/** What fills the model's window: the size of a prompt before it is sent, held against what the server counted. */
import type { Event, EventOf } from './events.ts';
import { LIMITS } from './limits.ts';
import type { ModelMessage, Usage, UserMessage } from './message.ts';
import { counted } from './number-text.ts';
import { activePath } from './session-tree.ts';
import type { ToolSchema } from './tool.ts';
import { type CachedCounts, createCachedCounts } from './window/cached-counts.ts';
import { createGrowthWatch, type GrowthWatch } from './window/growth-watch.ts';
import { leastMessageTokens, leastToolsTokens } from './window/least-tokens.ts';
import { callsTokens, estimateTokens, messageTokens } from './window/tokens.ts';

/** Schemas repeat the same signs in the same order, which tokenizers merge: counted, they are 7 % under the estimate. */
const SCHEMA_RATIO = 0.93;

export const toolsTokens = (tools: readonly ToolSchema[]): number =>
  tools.length === 0 ? 0 : Math.ceil(estimateTokens(JSON.stringify(tools)) * SCHEMA_RATIO);

export type PromptSize = {
  tokens: number;
  /** The server has counted a prompt of this model before, so the figure is near. */
  calibrated: boolean;
};

export type PromptMeter = {
  size(model: string, messages: readonly ModelMessage[]): PromptSize;
  /** How many tokens the server counts for one that is estimated; 1 where it has not counted yet. */
  ratio(model: string): number;
  /** What the server counted for these messages. True when it must have cut something off. */
  counted(model: string, messages: readonly ModelMessage[], usage: Usage, how?: CountedHow): boolean;
  /** Room was made: the next prompt goes on from none of those before, so no growth is measured from them. */
  restarted(): void;
  /** The last count did not grow with its prompt. */
  readonly isStalled: boolean;
  /** The last count is lower than any tokenizer's. */
  readonly isImpossible: boolean;
  /** What the model's own tokenizer counts for them, sent or not. */
  measured(model: string, messages: readonly ModelMessage[], tokens: number): void;
};

export type CountedHow = {
  /** The tools that went out with the messages, where they are others than usual. */
  sent?: readonly ToolSchema[] | undefined;
  /** What the server or the person says of the window. */
  told?: number | undefined;
};

/** A list that has grown is counted on from where it was. */
const summed = (sizeOf: (message: ModelMessage) => number): ((messages: readonly ModelMessage[]) => number) => {
  let last: { messages: readonly ModelMessage[]; count: number; tokens: number } | undefined;
  return (messages) => {
    if (last?.messages !== messages || last.count > messages.length) last = { messages, count: 0, tokens: 0 };
    for (; last.count < messages.length; last.count += 1) last.tokens += sizeOf(messages[last.count] as ModelMessage);
    return last.tokens;
  };
};

/** Corrects the estimate by what each model's server counted; a session keeps one. */
export const createPromptMeter = (tools: readonly ToolSchema[]): PromptMeter => {
  const head = toolsTokens(tools);
  const ratios = new Map<string, number>();
  /** Where the server counted fewest tokens for one that is estimated. */
  const lowest = new Map<string, CountedPrompt>();
  const last = new Map<string, CountedPrompt>();
  /** Of tools that go out besides the usual ones. */
  const besides = new Map<string, number>();
  const growths = new Map<string, GrowthWatch>();
  const cached = new Map<string, CachedCounts>();
  const sizeOf = remembered(messageTokens);
  const leastOf = remembered(leastMessageTokens);
  const headOf = remembered(toolsTokens);
  const leastHeadOf = remembered(leastToolsTokens);
  let isStalled = false;
  let isTooLow = false;
  const estimatedOf = summed(sizeOf);
  const leastSum = summed(leastOf);
  const estimate = (messages: readonly ModelMessage[]): number => head + estimatedOf(messages);

  return {
    size(model, messages) {
      const ratio = ratios.get(model);
      const estimated = estimate(messages) + (besides.get(model) ?? 0);
      return { tokens: Math.ceil(estimated * (ratio ?? 1)), calibrated: ratio !== undefined };
    },
    ratio: (model) => ratios.get(model) ?? 1,
    get isStalled() {
      return isStalled;
    },
    get isImpossible() {
      return isTooLow;
    },
    restarted() {
      for (const growth of growths.values()) growth.restart();
    },
    measured(model, messages, tokens) {
      ratios.set(model, tokens / Math.max(1, estimate(messages) + (besides.get(model) ?? 0)));
    },
    counted(model, messages, usage, { sent = tools, told } = {}) {
      const beside = headOf(sent) - head;
      besides.set(model, Math.max(0, beside));
      const estimated = estimate(messages) + beside;
      const known = ratios.get(model);
      const expected = estimated * (known ?? 1);
      const counting = cached.get(model) ?? createCachedCounts();
      cached.set(model, counting);
      const read = counting.read(usage, expected);
      const written = leastSum(messages);
      const now: CountedPrompt = { estimated, least: written + leastHeadOf(sent), read };
      const growth = growths.get(model) ?? createGrowthWatch();
      growths.set(model, growth);
      const grew = growth.see({ ...now, begins: messages.at(-1)?.role === 'user' });
      isStalled = grew === 'not';
      isTooLow = isImpossible(read, expected, written);
      if (isStalled) return true;
      const before = lowest.get(model);
      // What was left out meanwhile may have had more tokens than the rest.
      const likely = isRoundWindow(read) ? expected : estimated * (before ? ratioOf(before) : 1);
      const base = isRoundWindow(read) ? last.get(model) : before;
      const least = leastAfter(base, now) * (told !== undefined && told >= expected ? LEAST_SHARE_TOLD : 1);
      if (wasCut(read, { expected: likely, least, calibrated: known !== undefined })) return true;
      if (isTooLow) return true;
      // What may have been cut says nothing of the model's tokens.
      if (grew !== 'less' && read >= LIMITS.windowSmallestTokens) {
        const ratio = Math.min(RATIO_MOST, Math.max(0.5, ratioOf(now)));
        ratios.set(model, ratio);
        last.set(model, now);
        if (before === undefined || ratio < ratioOf(before)) lowest.set(model, now);
      }
      return false;
    },
  };
};

const remembered = <Key extends object>(measure: (key: Key) => number): ((key: Key) => number) => {
  const known = new WeakMap<Key, number>();
  return (key) => {
    const tokens = known.get(key) ?? measure(key);
    known.set(key, tokens);
    return tokens;
  };
};

type CountedPrompt = { estimated: number; least: number; read: number };
const ratioOf = ({ read, estimated }: CountedPrompt): number => read / Math.max(1, estimated);

/** What a prompt takes at least: what an earlier one took that it goes on from, and at least what came since. */
const leastAfter = (before: CountedPrompt | undefined, { estimated, least }: CountedPrompt): number =>
  before === undefined || estimated < before.estimated ? least : Math.max(least, before.read + least - before.least);
/** A window that is said to hold the prompt speaks against a cut: the count has to be lower by so much. */
const LEAST_SHARE_TOLD = 0.85;

/** However a tokenizer joins words: looked at where a count is far below what is expected. */
const isImpossible = (read: number, expected: number, written: number): boolean =>
  read >= LIMITS.windowSmallestTokens && read < expected * LOW_COUNT && read < written * JOINED_WORDS;
const JOINED_WORDS = 0.5;
const LOW_COUNT = 0.6;

/** A tokenizer that knows nothing of a script makes several tokens of what is estimated as one. */
const RATIO_MOST = 5;

export type ExpectedPrompt = {
  expected: number;
  /** Any tokenizer makes so many tokens of it (see window/least-tokens.ts). */
  least: number;
  calibrated: boolean;
};

/**
 * A server that cuts a prompt says nothing of it but the count. Counts below any real window are of servers that count
 * only what was new; they prove nothing. An estimate that no count has confirmed may be far too high for some languages,
 * so it proves little, but for a count as round as windows are. A count that some tokenizer could have made of the whole
 * prompt proves nothing at all.
 */
export const wasCut = (counted: number, { expected, least, calibrated }: ExpectedPrompt): boolean => {
  if (counted < LIMITS.windowSmallestTokens) return false;
  if (isRoundWindow(counted) && counted < expected * (calibrated ? 0.97 : 0.7) && expected - counted > CUT_LEAST)
    return counted < least;
  const isFarBelow = counted < expected * (calibrated ? 0.7 : 0.35);
  return isFarBelow && expected - counted > LIMITS.windowSmallestTokens && counted < least * CLEARLY;
};
const CLEARLY = 0.9;
const CUT_LEAST = 64;
/** As windows are set: whole thousands of 1,024, or one less. */
export const isRoundWindow = (counted: number): boolean =>
  counted >= ROUND_WINDOW_LEAST && (counted % 1_024 === 0 || counted % 1_024 === 1_023);
const ROUND_WINDOW_LEAST = 2_047;

/** Room for the answer: a quarter of the window, at most 4,096 tokens. */
export const answerReserve = (contextTokens: number): number =>
  Math.min(Math.floor(contextTokens / 4), LIMITS.answerReserveTokens);

export const toolsLabel = (tools: readonly ToolSchema[]): string => counted(tools.length, 'tool');

export type WindowPart = { label: string; tokens: number };

/**
 * What fills the window, part by part; `messages` is what the model reads. `summary`: what stands in one of the user's
 * messages for turns that were left out.
 */
export const windowParts = (
  messages: readonly ModelMessage[],
  tools: readonly ToolSchema[],
  summary = '',
): WindowPart[] => {
  const sums = { instructions: 0, user: 0, summary: 0, answers: 0, calls: 0, results: 0 };
  for (const message of messages) {
    if (message.role === 'system') sums.instructions += messageTokens(message);
    else if (message.role === 'user') {
      const tokens = messageTokens(message);
      const short = beginsWith(message, summary) ? Math.min(tokens, estimateTokens(summary)) : 0;
      sums.summary += short;
      sums.user += tokens - short;
    } else if (message.role === 'tool') sums.results += messageTokens(message);
    else {
      const calls = callsTokens(message);
      sums.calls += calls;
      sums.answers += messageTokens(message) - calls;
    }
  }
  return [
    { label: 'instructions', tokens: sums.instructions },
    { label: toolsLabel(tools), tokens: toolsTokens(tools) },
    ...(summary === '' ? [] : [{ label: 'left out, in short', tokens: sums.summary }]),
    { label: 'your messages', tokens: sums.user },
    { label: 'answers', tokens: sums.answers },
    { label: 'calls', tokens: sums.calls },
    { label: 'tool results', tokens: sums.results },
  ];
};

const beginsWith = ({ content }: UserMessage, summary: string): boolean => {
  const text = typeof content === 'string' ? content : content[0]?.type === 'text' ? content[0].text : '';
  return summary !== '' && text.startsWith(summary);
};

/** The same parts, scaled so that together they are exactly so many tokens: estimates that agree with a count. */
export const partsTogether = <Part extends { tokens: number }>(parts: readonly Part[], tokens: number): Part[] => {
  const sum = parts.reduce((all, part) => all + part.tokens, 0);
  if (sum === 0) return [...parts];
  let exact = 0;
  let given = 0;
  return parts.map((part) => {
    exact += (part.tokens * tokens) / sum;
    const share = Math.round(exact) - given;
    given += share;
    return { ...part, tokens: share };
  });
};

/** How much of the window a conversation takes: as the server counted, or about so, where room was made since. */
export type ContextUse = { tokens: number; isEstimated: boolean };

/** Undefined where nothing was counted yet. */
export const contextUse = (events: readonly Event[]): ContextUse | undefined => {
  const log = activePath(events);
  for (let index = log.length - 1; index >= 0; index -= 1) {
    const event = log[index] as Event;
    if (event.type === 'context_compacted') return plannedUse(event);
    const usage = countedIn(event);
    if (usage) return countedUse(usage);
  }
  return undefined;
};

/** What the server counted of the conversation: nothing, where the request was another, as a reminder is. */
export const countedIn = (
  event: Event | Pick<EventOf<'assistant_message_added'>, 'type' | 'message' | 'prompt'>,
): Usage | undefined =>
  event.type === 'assistant_message_added' && !event.prompt?.other_usage ? event.message.usage : undefined;

export const countedUse = ({ prompt_tokens, completion_tokens }: Usage): ContextUse => ({
  tokens: prompt_tokens + completion_tokens,
  isEstimated: false,
});

/** Room was made: the next prompt is as large as was planned. */
export const plannedUse = ({ report }: EventOf<'context_compacted'>): ContextUse | undefined =>
  report && { tokens: report.after_tokens, isEstimated: true };

/** The server's last count of a prompt of this session. */
export const lastCounted = (events: readonly Event[]): Usage | undefined => {
  const log = activePath(events);
  for (let index = log.length - 1; index >= 0; index -= 1) {
    const event = log[index];
    if (event?.type === 'context_compacted') return undefined;
    const usage = event && countedIn(event);
    if (usage) return usage;
  }
  return undefined;
};
