/** What two readings of one text have in common, and what speaks for which of them. */
import { isDeepStrictEqual } from 'node:util';
import type { JsonObject, JsonValue } from '../../src/core/json.ts';
import type { EngineOutcome } from './drive-engine.ts';

export type Call = { name: string; arguments: JsonValue };
export type Verdict = 'halter right' | 'upstream right' | 'both defensible' | 'neither right';

/** What kind of difference it is, seen from the engine: worked out from the two readings alone, never from a wish. */
export type Difference =
  | 'raised'
  | 'no call'
  | 'call where none'
  | 'fewer calls'
  | 'more calls'
  | 'name'
  | 'argument names'
  | 'not an object'
  | 'type'
  | 'white space'
  | 'value';

/** The calls of an engine that a client could execute; one whose arguments stop in the middle counts as incomplete. */
export const completeCalls = (outcome: EngineOutcome): Call[] =>
  'error' in outcome
    ? []
    : outcome.calls.flatMap(({ name, arguments: args }) => (args === undefined ? [] : [{ name, arguments: args }]));

export const sameCalls = (left: readonly Call[], right: readonly Call[]): boolean =>
  left.length === right.length &&
  left.every((call, i) => call.name === right[i]?.name && isDeepStrictEqual(call.arguments, right[i]?.arguments));

const isObject = (value: JsonValue): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const asText = (value: JsonValue): string => (typeof value === 'string' ? value : JSON.stringify(value));

const valueDifference = (ours: JsonValue, theirs: JsonValue): Difference => {
  if (typeof ours !== typeof theirs || (ours === null) !== (theirs === null)) return 'type';
  if (Array.isArray(ours) !== Array.isArray(theirs)) return 'type';
  const bare = (value: JsonValue): string => asText(value).replaceAll(/\s+/g, '');
  return bare(ours) === bare(theirs) ? 'white space' : 'value';
};

const argumentsDifference = (ours: JsonValue, theirs: JsonValue): Difference => {
  if (!isObject(ours) || !isObject(theirs)) return 'not an object';
  const names = Object.keys(ours);
  if (!isDeepStrictEqual([...names].sort(), Object.keys(theirs).sort())) return 'argument names';
  const differing = names.find((name) => !isDeepStrictEqual(ours[name], theirs[name]));
  return differing === undefined ? 'value' : valueDifference(ours[differing] ?? null, theirs[differing] ?? null);
};

export const differenceOf = (ours: readonly Call[], upstream: EngineOutcome): Difference | undefined => {
  if ('error' in upstream) return 'raised';
  const theirs = completeCalls(upstream);
  if (sameCalls(ours, theirs)) return undefined;
  if (theirs.length === 0) return 'no call';
  if (ours.length === 0) return 'call where none';
  if (theirs.length < ours.length) return 'fewer calls';
  if (theirs.length > ours.length) return 'more calls';
  const at = ours.findIndex((call, i) => !sameCalls([call], theirs.slice(i, i + 1)));
  const [mine, other] = [ours[at], theirs[at]];
  if (mine === undefined || other === undefined || mine.name !== other.name) return 'name';
  return argumentsDifference(mine.arguments, other.arguments);
};

/** What the expectation says. An engine that raised is not right, whatever was expected. */
export const verdictByExpectation = (
  expected: readonly Call[],
  ours: readonly Call[],
  upstream: EngineOutcome,
): Verdict => {
  if (sameCalls(ours, expected)) return 'halter right';
  return !('error' in upstream) && sameCalls(completeCalls(upstream), expected) ? 'upstream right' : 'neither right';
};
