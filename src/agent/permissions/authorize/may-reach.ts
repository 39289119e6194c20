/** Whether what let a call pass also covers an address that it is redirected to. */

import type { JsonObject } from '../../../core/json.ts';
import { hostPattern } from '../../../core/policy/places.ts';
import type { Authorization, Judgement } from '../authorize.ts';

/**
 * A rule is asked about each address. A person who said yes saw one address: they meant its host. Undefined for tools that
 * go to no address they are given.
 */
export const mayReach = (
  { tool, verdict, arguments: args }: Pick<Judgement, 'tool' | 'verdict' | 'arguments'>,
  again: (args: JsonObject) => Promise<Authorization>,
): ((url: string) => Promise<boolean>) | undefined => {
  const { main_argument: name, effects } = tool;
  const first = name === undefined ? undefined : args[name];
  if (effects !== 'network' || name === undefined || typeof first !== 'string') return undefined;
  return async (url) => {
    const answer = await again({ ...args, [name]: url });
    if (answer.kind !== 'evaluated' || answer.verdict === 'deny') return false;
    return answer.verdict === 'allow' || (verdict === 'ask' && sameHost(first, url));
  };
};

const sameHost = (one: string, other: string): boolean => {
  const host = (url: string): string | undefined => hostPattern(url)?.replace(/^https?:/, '');
  return host(one) !== undefined && host(one) === host(other);
};
