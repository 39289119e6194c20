/** A loop is seen in what a client sends, also where its results carry times and ids. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import type { ModelMessage } from '../core/message.ts';
import { loopState } from './guards.ts';

/** So many rounds of one call, each with its own result. */
const conversation = (results: readonly string[]): ModelMessage[] => [
  { role: 'user', content: 'Is the build done?' },
  ...results.flatMap((data, index): ModelMessage[] => [
    {
      role: 'assistant',
      content: '',
      tool_calls: [{ id: `c${index}`, name: 'bash', arguments: { command: 'make' }, source: 'native', repairs: [] }],
      finish: 'tool_calls',
    },
    {
      role: 'tool',
      tool_call_id: `c${index}`,
      name: 'bash',
      content: data,
      result: {
        success: true,
        data,
        error_message: null,
        error_type: 'none',
        metadata: { execution_time_ms: 1, data_size_bytes: 1, timestamp: 1 },
      },
    },
  ]),
];
const isLoop = (results: readonly string[]): boolean => loopState(conversation(results)).isLoop;

describe('a loop in the conversation of another program', () => {
  it('is seen at the second equal result', () => {
    verifies('B9');
    expect(isLoop(['one', 'one'])).toBe(true);
    expect(isLoop(['one', 'two', 'three', 'four'])).toBe(false);
  });

  it.each([
    ['an id and a duration', (n: number) => `Chunk ID: a1b2c${n}\nWall time: 0.${n}12 seconds\nThe same words.`],
    [
      'an id of digits or of letters alone',
      (n: number) => `Chunk ID: ${['', '123456', 'abcdef', '00a1b2'][n]}\nThe same words.`,
    ],
    ['a date', (n: number) => `[2026-11-2${n}T10:00:0${n}.5Z] The same words.`],
    ['a clock', (n: number) => `10:0${n}:59 The same words (took ${n} ms)`],
    ['a long id', (n: number) => `run 0123456${n}-abcd-4ef0-9abc-0123456789ab: the same words`],
  ])('is seen at the third result that differs in %s alone', (_what, result) => {
    verifies('B9');
    expect(isLoop([result(1), result(2)])).toBe(false);
    expect(isLoop([result(1), result(2), result(3)])).toBe(true);
  });

  it.each([
    ['a count', (n: number) => `${n} of 40 files compiled`],
    ['a percentage', (n: number) => `${n * 10} %`],
    ['a word', (n: number) => ['waiting', 'running', 'testing', 'done'][n] ?? 'gone'],
    ['a size', (n: number) => `${n} MB`],
  ])('is none where results go on with %s', (_what, result) => {
    verifies('B9');
    expect(isLoop([result(1), result(2), result(3), result(4)])).toBe(false);
  });
});
