/** What `auto` calls the notation of a text: its own name, or that of one which writes the very same. */
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../core/json.ts';
import { createParser, dialectNames, dialectsAlike, renderCall } from './index.ts';
import { GRAMMARS } from './registry.ts';

const names = dialectNames().filter((name) => name !== 'auto' && name !== 'native');
const tools = [
  { name: 'ls', description: '', parameters: { type: 'object', properties: { path: { type: 'string' } } } },
];
const nameOf = (text: string, size = text.length): string => {
  const parser = createParser({ dialect: 'auto', tools });
  for (let at = 0; at < text.length; at += size) parser.push(text.slice(at, at + size));
  return parser.end().result.dialect;
};
const written = (dialect: string, args: JsonObject = { path: 'a' }): string =>
  renderCall(dialect, { name: 'ls', arguments: args });

test('every dialect of the registry is looked at', () => expect(names).toHaveLength(GRAMMARS.length - 1));

describe.each(names)('%s', (dialect) => {
  test.each([1, 7, 999])('a call in pieces of %s', (size) => {
    for (const text of [written(dialect), written(dialect, {})]) {
      const name = nameOf(text, size);
      expect([name, ...dialectsAlike(name)], text).toContain(dialect);
    }
  });

  test('what is alike writes the same text', () => {
    for (const other of dialectsAlike(dialect)) {
      expect(written(other)).toBe(written(dialect));
      expect(dialectsAlike(other)).toContain(dialect);
    }
  });
});

test('nothing that has a text of its own is alike', () => {
  const texts = Map.groupBy(names, (name) => written(name));
  for (const same of texts.values())
    for (const name of same) expect([name, ...dialectsAlike(name)].sort()).toEqual([...same].sort());
});
