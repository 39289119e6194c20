import { expect, test } from 'vitest';
import { type Call, completeCalls, differenceOf, sameCalls, verdictByExpectation } from './compare.ts';
import { tokenLikePieces } from './deltas.ts';
import type { EngineOutcome } from './drive-engine.ts';
import { type Reason, reasonFor } from './reasons.ts';

const call = (name: string, args: Call['arguments']): Call => ({ name, arguments: args });
const reported = (...calls: Call[]): EngineOutcome => ({
  content: '',
  reasoning: '',
  calls: calls.map((one) => ({ ...one, argumentsText: JSON.stringify(one.arguments) })),
});
const weather = call('weather', { city: 'Graz', days: 2 });

test('the order of arguments makes no difference, that of calls does', () => {
  expect(sameCalls([weather], [call('weather', { days: 2, city: 'Graz' })])).toBe(true);
  expect(sameCalls([weather, call('ping', {})], [call('ping', {}), weather])).toBe(false);
});

test('a call whose arguments stop in the middle is not one', () => {
  const cut: EngineOutcome = {
    content: '',
    reasoning: '',
    calls: [{ name: 'weather', argumentsText: '{"city": "Gr' }],
  };
  expect(completeCalls(cut)).toEqual([]);
  expect(differenceOf([], cut)).toBeUndefined();
  expect(differenceOf([weather], cut)).toBe('no call');
});

test.each([
  ['call where none', [], reported(weather)],
  ['more calls', [weather], reported(weather, weather)],
  ['fewer calls', [weather, weather], reported(weather)],
  ['name', [weather], reported(call('Weather', weather.arguments))],
  ['argument names', [weather], reported(call('weather', { city: 'Graz' }))],
  ['not an object', [weather], reported(call('weather', '{"city": "Graz"}'))],
  ['type', [weather], reported(call('weather', { city: 'Graz', days: '2' }))],
  ['white space', [weather], reported(call('weather', { city: 'Graz\n', days: 2 }))],
  ['value', [weather], reported(call('weather', { city: 'Linz', days: 2 }))],
  ['raised', [], { error: 'ValueError: too many values to unpack' }],
] as const)('names a difference: %s', (difference, ours, theirs) => {
  expect(differenceOf(ours, theirs)).toBe(difference);
});

test('the expectation decides, against halter too', () => {
  const other = call('weather', { city: 'Linz', days: 2 });
  expect(verdictByExpectation([weather], [weather], reported(other))).toBe('halter right');
  expect(verdictByExpectation([weather], [other], reported(weather))).toBe('upstream right');
  expect(verdictByExpectation([weather], [other], reported())).toBe('neither right');
  expect(verdictByExpectation([], [weather], { error: 'IndexError' })).toBe('neither right');
});

test('the narrowest reason holds, and none is made up', () => {
  const wide: Reason = { engine: 'sglang', formats: ['hermes'], differences: ['no call'], reason: 'wide' };
  const tagged: Reason = { ...wide, tags: ['repair'], reason: 'tagged' };
  const named: Reason = { ...wide, cases: ['hermes/a'], reason: 'named' };
  const question = { engine: 'sglang', id: 'hermes/a', format: 'hermes', tags: ['repair'], mode: 'whole' } as const;
  const find = (id: string, difference: 'no call' | 'value' = 'no call'): string | undefined =>
    reasonFor([wide, tagged, named], { ...question, id, difference })?.reason;
  expect(find('hermes/a')).toBe('named');
  expect(find('hermes/b')).toBe('tagged');
  expect(find('hermes/b', 'value')).toBeUndefined();
});

test('a marker arrives whole and everything else in pieces of four characters, with nothing lost', () => {
  const text = 'Now <tool_call>{"a": "😀 <b"}</tool_call>[TOOL_CALLS]<｜tool▁sep｜>x';
  const pieces = tokenLikePieces(text);
  expect(pieces.join('')).toBe(text);
  expect(pieces).toEqual(expect.arrayContaining(['<tool_call>', '</tool_call>', '[TOOL_CALLS]', '<｜tool▁sep｜>']));
  expect(pieces.filter((piece) => [...piece].length > 4 && !/^[<[]/.test(piece))).toEqual([]);
});
