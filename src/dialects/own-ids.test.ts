/** Ids that a program makes for calls without one: whatever its `makeId` does, each call has an id of its own. */
import { describe, expect, it } from 'vitest';
import { createParser, dialectNames, renderCalls } from './index.ts';

const tools = [{ name: 'look', parameters: { type: 'object', properties: { at: { type: 'string' } } } }] as const;
const CALLS = ['a', 'b', 'c'].map((at) => ({ name: 'look', arguments: { at } }));

const MAKERS: readonly (readonly [string, (number: number) => unknown])[] = [
  ['throws', () => raise(new Error('no ids left'))],
  ['throws nothing', () => raise(undefined)],
  ['gives nothing', () => undefined],
  ['gives null', () => null],
  ['gives empty text', () => ''],
  ['gives a number', (number) => number],
  ['gives a promise', async (number) => `id_${number}`],
  ['gives an object', () => ({})],
  ['gives the same text always', () => 'id'],
  ['gives what a call of a number has', () => 'call_2'],
];
const raise = (thrown: unknown): never => {
  throw thrown;
};

describe.each(['hermes', 'auto', 'mistral-json', 'plain-json'])('calls in %s', (dialect) => {
  const text = renderCalls(dialect === 'auto' ? 'hermes' : dialect, CALLS as never);
  const read = (makeId?: unknown) => {
    const parser = createParser({ dialect, tools, ...(makeId ? { makeId: makeId as () => string } : {}) } as never);
    for (const piece of text) parser.push(piece);
    return parser.end().result.calls;
  };

  it('have the ids that are made', () => {
    expect(dialectNames()).toContain(dialect);
    expect(read((number: number) => `id_${number}`).map(({ id }) => id)).toEqual(['id_1', 'id_2', 'id_3']);
  });

  it.each(MAKERS)('have one each where makeId %s', (_what, makeId) => {
    const calls = read(makeId);
    expect(calls.map(({ arguments: args }) => args['at'])).toEqual(['a', 'b', 'c']);
    const ids = calls.map(({ id }) => id);
    expect(ids.every((id) => typeof id === 'string' && id !== '')).toBe(true);
    expect(new Set(ids).size).toBe(3);
  });
});
