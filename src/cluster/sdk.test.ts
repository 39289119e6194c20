import { expect, test } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { firstJobId, laterJobId } from './jobs.ts';
import { loadSdk, sdkFailure } from './sdk.ts';

test('where the queue is not installed the command that installs it is said', async () => {
  verifies('B12');
  const missing = await loadSdk(() => Promise.reject(Object.assign(new Error('no'), { code: 'ERR_MODULE_NOT_FOUND' })));
  expect(missing).toMatchObject({ ok: false, error: { reason: 'not_installed' } });
  if (!missing.ok) expect(missing.error.message).toContain('npm install @dbos-inc/dbos-sdk@');
  const broken = await loadSdk(() => Promise.reject(new Error('broken')));
  if (!broken.ok) expect(broken.error.message).toContain('broken');
});

test('a job that is put off again and again has an id that does not grow', () => {
  expect(laterJobId('s/1')).toBe('s/1+1');
  expect(laterJobId(laterJobId('s/1'))).toBe('s/1+2');
  expect(firstJobId('s/1+2')).toBe('s/1');
  expect(firstJobId('s/1')).toBe('s/1');
});

test('a database that is away is told apart from one that refuses', () => {
  const away = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  for (const [error, reason] of [
    [away, 'unreachable'],
    [new AggregateError([away, away]), 'unreachable'],
    [Object.assign(new Error('no right'), { code: '42501' }), 'database_error'],
  ] as const)
    expect(sdkFailure('It was not added', error).error.reason).toBe(reason);
});
