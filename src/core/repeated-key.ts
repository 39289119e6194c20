/** A key twice in one object: JSON.parse takes the last value in silence, and nobody knows which one was meant. */

import { endOfString } from './written-numbers.ts';

type Open = { readonly values: Map<string, string> | undefined; key: string | undefined; begin: number };

/**
 * The first key in a JSON text that stands twice in an object, with different values. Of a text that
 * JSON.parse does not take, what comes before its fault is looked at.
 */
export const repeatedKey = (json: string): string | undefined => {
  const open: Open[] = [];
  const close = (end: number): string | undefined => {
    const top = open.at(-1);
    if (top?.values === undefined || top.key === undefined || top.begin < 0) return undefined;
    const value = json.slice(top.begin, end).trim();
    const before = top.values.get(top.key);
    top.values.set(top.key, value);
    const { key } = top;
    [top.key, top.begin] = [undefined, -1];
    return before === undefined || before === value ? undefined : key;
  };
  for (let at = 0; at < json.length; at += 1) {
    const character = json[at];
    const top = open.at(-1);
    if (character === '"') {
      const end = endOfString(json, at);
      if (end < 0) return undefined;
      if (top?.values !== undefined && top.begin < 0) top.key = JSON.parse(json.slice(at, end + 1)) as string;
      at = end;
      continue;
    }
    if (character === ':' && top !== undefined) {
      // Other quotation marks, or none: it is no JSON.
      if (top.values !== undefined && top.key === undefined) return undefined;
      top.begin = at + 1;
    } else if (character === '{' || character === '[')
      open.push({ values: character === '{' ? new Map() : undefined, key: undefined, begin: -1 });
    else if (character === ',' || character === '}' || character === ']') {
      const repeated = close(at);
      if (repeated !== undefined) return repeated;
      if (character !== ',') open.pop();
    }
  }
  return undefined;
};

export const repeatedKeyText = (key: string): string =>
  `the key ${JSON.stringify(key)} stands twice, with different values`;
