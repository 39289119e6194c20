import { expect, it } from 'vitest';
import { failureWord, refusedBecause } from './failure-word.ts';

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

it.each([
  ['a rule', { reason: 'rule' }, undefined, 'Not allowed: plan mode is read-only.'],
  ['nobody there', { reason: 'permission_required' }, undefined, 'Not allowed: plan mode is read-only.'],
  ['no reason at all', {}, undefined, 'Not allowed: plan mode is read-only.'],
  ['a person who says why', { reason: 'person' }, 'not now', 'not now'],
  ['a person who says nothing', { reason: 'person' }, undefined, undefined],
])('a call that was refused by %s says so where it needs saying', (_, metadata, said, shown) => {
  const facts = { execution_time_ms: 0, data_size_bytes: 0, timestamp: 0 };
  const result = { error_message: 'Not allowed: plan mode is read-only.', metadata: { ...facts, ...metadata } };
  expect(refusedBecause(result, said)).toBe(shown);
});
