import fc from 'fast-check';
import { expect, test } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { type Round, roundOf, sameRound, timesRepeated, withRound } from './loop-guard.ts';
import type { ToolCall } from './message.ts';
import type { ToolResult } from './tool-result.ts';

const call = (name: string, args: ToolCall['arguments'] = {}): ToolCall => ({
  id: name,
  name,
  arguments: args,
  source: 'native',
  repairs: [],
});
const result = (data: string, execution_time_ms = 1): ToolResult => ({
  success: true,
  data,
  error_message: null,
  error_type: 'none',
  metadata: { execution_time_ms, data_size_bytes: 1, timestamp: execution_time_ms },
});
const round = (name: string, data = 'same', polling = false): Round =>
  roundOf([{ call: call(name), result: result(data), polling }]);
const repeated = (rounds: readonly Round[]): number =>
  timesRepeated(rounds.reduce<Round[]>((history, next) => withRound(history, next), []));

test('counts the same calls with the same results, whatever their time and order', () => {
  verifies('B9');
  const one = { call: call('a', { x: 1, y: 2 }), result: result('r', 1), polling: false };
  const two = { call: call('b'), result: result('s', 9), polling: false };
  const again = { ...one, call: call('a', { y: 2, x: 1 }), result: result('r', 7) };
  expect(sameRound(roundOf([one, two]), roundOf([two, again]))).toBe(true);
  expect(repeated([round('a'), round('a'), round('a')])).toBe(3);
});

test('sees circles of two and of three', () => {
  verifies('B9');
  const [a, b, c] = [round('a'), round('b'), round('c')];
  expect(repeated([a, b, a, b])).toBe(2);
  expect(repeated([a, b, a, b, a, b])).toBe(3);
  expect(repeated([a, b, c, a, b, c, a, b, c])).toBe(3);
  expect(repeated([a, b, a, c])).toBe(1);
});

test('a result that changes, or a tool that polls, is no loop', () => {
  verifies('B9');
  expect(repeated([round('a', '1'), round('a', '2'), round('a', '3')])).toBe(1);
  const poll = round('time', 'noon', true);
  expect(repeated([poll, poll, poll, poll])).toBe(1);
});

test('rounds that are all different never repeat, however long the history', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string(), { maxLength: 40 }), (names) => {
      expect(repeated(names.map((name) => round('a', name)))).toBe(1);
    }),
  );
});
