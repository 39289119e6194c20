import { expect, it } from 'vitest';
import { failureWord } from './failure-word.ts';

it.each([
  ['exit 1', { reason: 'exit_code', exit_code: 1 }],
  ['exit 137', { exit_code: 137 }],
  ['cancelled', { reason: 'cancelled' }],
  ['took too long', { reason: 'timeout' }],
  ['ended by a signal', { reason: 'signal' }],
  ['changed outside', { reason: 'changed_outside', exit_code: 0 }],
  ['io error', { reason: 'disk_full' }],
  ['io error', {}],
])('a call that failed is told as "%s"', (word, metadata) => {
  const facts = { execution_time_ms: 1, data_size_bytes: 0, timestamp: 0 };
  expect(failureWord({ error_type: 'io_error', metadata: { ...facts, ...metadata } })).toBe(word);
});
