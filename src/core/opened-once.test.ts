import { expect, it } from 'vitest';
import { openedOnce } from './opened-once.ts';

it('shares what is open, and tries again what could not be opened', async () => {
  const answers: (() => Promise<string>)[] = [
    async () => Promise.reject(new Error('down')),
    async () => 'unusable',
    async () => 'open',
  ];
  let opened = 0;
  const once = openedOnce(
    () => (answers[opened++] as () => Promise<string>)(),
    (value) => value !== 'unusable',
  );
  expect(once.opened()).toBeUndefined();
  await expect(once.open()).rejects.toThrow('down');
  expect(once.opened()).toBeUndefined();
  expect(await once.open()).toBe('unusable');
  expect(await Promise.all([once.open(), once.open()])).toEqual(['open', 'open']);
  expect(await once.opened()).toBe('open');
  expect(opened).toBe(3);
});
