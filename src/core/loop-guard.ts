/**
 * Notices a model that goes round in circles (B9): the same calls with the same results, one after the other (A, A) or
 * in turns (A, B, A, B). A call whose result changes is no loop, and tools that poll or tell the time do not count.
 * Looked at over iterations, never inside one.
 */
import type { JsonValue } from './json.ts';
import type { ToolCall } from './message.ts';
import type { ToolResult } from './tool-result.ts';

/** At so many equal rounds the model is told; at so many the run is stopped. */
export const ROUNDS_TOLD = 2;
export const ROUNDS_STOPPED = 3;
/** Circles of up to so many different rounds are seen. */
const PERIOD_MAX = 3;
const HISTORY_MAX = PERIOD_MAX * ROUNDS_STOPPED;

type Counted = { readonly call: ToolCall; readonly result: ToolResult };
/** What happened in one iteration; null where nothing in it counts. */
export type Round = readonly Counted[] | null;

export const roundOf = (calls: readonly { call: ToolCall; result: ToolResult; polling: boolean }[]): Round => {
  const counted = calls.filter(({ polling }) => !polling).map(({ call, result }) => ({ call, result }));
  return counted.length === 0 ? null : counted;
};

/** The same calls with the same results, in whatever order. Long results are read only where everything else is equal. */
export const sameRound = (one: Round, other: Round): boolean => {
  if (one === null || other === null) return one === other;
  if (one === other) return true;
  const [call, another] = [one[0], other[0]];
  if (one.length === 1 && other.length === 1 && call && another) return sameCall(call, another);
  return one.length === other.length && glance(one) === glance(other) && inFull(one) === inFull(other);
};

/** Most rounds are of one call, and most calls differ from the last one in what is looked at first. */
const sameCall = (one: Counted, other: Counted): boolean =>
  one.call.name === other.call.name &&
  one.result.success === other.result.success &&
  one.result.error_type === other.result.error_type &&
  one.result.error_message === other.result.error_message &&
  one.result.data === other.result.data &&
  canonical(one.call.arguments) === canonical(other.call.arguments);

const glance = (round: readonly Counted[]): string =>
  round
    .map(({ call, result }) => `${call.name} ${result.success} ${result.data?.length} ${result.error_message?.length}`)
    .sort()
    .join('\n');

const digests = new WeakMap<Counted, string>();
const digestOf = (counted: Counted): string => {
  const known = digests.get(counted);
  if (known !== undefined) return known;
  const { call, result } = counted;
  const made = digest(
    canonical([call.name, call.arguments, result.success, result.data, result.error_type, result.error_message]),
  );
  digests.set(counted, made);
  return made;
};
const inFull = (round: readonly Counted[]): string => round.map(digestOf).sort().join(' ');

export const withRound = (history: readonly Round[], round: Round): Round[] => [...history, round].slice(-HISTORY_MAX);

/** How often the last round, or the last circle of rounds, happened in a row; 1 where it is new. */
export const timesRepeated = (history: readonly Round[]): number => {
  let most = 1;
  for (let period = 1; period <= PERIOD_MAX; period += 1) {
    const last = history.slice(-period);
    if (last.length < period || last.includes(null)) continue;
    let times = 1;
    while (times < ROUNDS_STOPPED && sameBlock(history, last, times * period)) times += 1;
    most = Math.max(most, times);
  }
  return most;
};

/** Whether the block that ends `back` rounds before the end is the last block again. */
const sameBlock = (history: readonly Round[], last: readonly Round[], back: number): boolean => {
  const start = history.length - back - last.length;
  return start >= 0 && last.every((round, index) => sameRound(history[start + index] ?? null, round));
};

/** What the model reads beside the result of a call that brought nothing new. */
export const repeatNote = (result: ToolResult): string =>
  result.success
    ? 'You have made this very call before and the result is the same. Use it: answer, or do something else. Once more and the run is stopped.'
    : 'You have made this very call before and it failed in the same way. Change the arguments, use another tool, or say what is missing. Once more and the run is stopped.';

/** JSON with its keys in one order. */
const canonical = (value: JsonValue): string => {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key] as JsonValue)}`);
  return `{${entries.join(',')}}`;
};

/** 53 bits (cyrb53's mixing): two different rounds look equal once in 10^15, and then only a note is wrong. */
export const digest = (text: string): string => {
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    a = Math.imul(a ^ code, 2654435761);
    b = Math.imul(b ^ code, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return (4294967296 * (2097151 & b) + (a >>> 0)).toString(36);
};
