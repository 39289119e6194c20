/** What `tools validate` would say of a text that was read as a call in a dialect that is strict; undefined where nothing. */
import { isObject } from '../../core/json.ts';
import type { UnreadCall } from '../unread-call.ts';

/** Its calls have exactly two keys, and are JSON as it is. */
export const EXACT_DIALECT = 'edison';
const KEYS = ['args', 'tool'];
/** Where names are resolved by their letters, such a name would be another's. */
const UNSEEN = /\p{Cf}/u;

/** `read`: the name that the parser took it for. */
export const exactFault = (
  reads: unknown,
  read: string,
  whole: string,
  findUnread: (text: string, dialect: string) => UnreadCall | undefined,
): UnreadCall | undefined => {
  const call = reads === EXACT_DIALECT ? findUnread(whole, reads) : undefined;
  if (call === undefined || call.problem !== undefined) return call;
  const problem = faultOf(call.text, call.name);
  // A name that is spelled otherwise is no tool's.
  if (problem === undefined && call.name !== read) return call;
  return problem === undefined ? undefined : { ...call, problem };
};

const faultOf = (text: string, name: string): string | undefined => {
  let payload: unknown;
  try {
    payload = JSON.parse(text);
  } catch (error) {
    return `this is not valid JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
  if (!isObject(payload)) return 'a call must be one JSON object, with the keys tool and args';
  const keys = Object.keys(payload).sort();
  if (keys.join() === KEYS.join()) {
    if (payload['tool'] !== name || UNSEEN.test(name))
      return `tool must be the name of a tool as it is: ${JSON.stringify(name)}`;
    return isObject(payload['args']) ? undefined : 'args must be an object';
  }
  return `a call must have exactly the keys tool and args, and has: ${keys.join(', ')}`;
};
