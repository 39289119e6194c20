import { describe, expect, it, vi } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { asOnlySender, heldWhile, keysUnderWay, whenSent } from './one-sender.ts';

type Mode = 'exclusive' | 'shared';
type Request = { name: string; mode: Mode; run(isGranted: boolean): Promise<void> };

/** As the standard has it: first come, first served; with `ifAvailable` what cannot be granted at once is not. */
const lockManager = () => {
  const held: Request[] = [];
  const waiting: Request[] = [];
  const fits = ({ name, mode }: Request, others: readonly Request[]): boolean =>
    others.every((other) => other.name !== name || (mode === 'shared' && other.mode === 'shared'));
  const pump = (): void => {
    for (const [index, request] of waiting.entries()) {
      if (!fits(request, [...held, ...waiting.slice(0, index)])) continue;
      waiting.splice(index, 1);
      held.push(request);
      void request.run(true).finally(() => {
        held.splice(held.indexOf(request), 1);
        pump();
      });
      pump();
      return;
    }
  };
  const request = (name: string, given: unknown, then?: unknown): Promise<unknown> => {
    const options = (then === undefined ? {} : given) as { mode?: Mode; ifAvailable?: boolean };
    const work = (then ?? given) as (lock: object | null) => unknown;
    return new Promise((resolve, reject) => {
      const own: Request = {
        name,
        mode: options.mode ?? 'exclusive',
        run: async (isGranted) => {
          await Promise.resolve(isGranted ? {} : null)
            .then(work)
            .then(resolve, reject);
        },
      };
      if (options.ifAvailable && !fits(own, [...held, ...waiting])) void own.run(false);
      else {
        waiting.push(own);
        pump();
      }
    });
  };
  return { request, query: async () => ({ held: held.map(({ name, mode }) => ({ name, mode })), pending: [] }) };
};

/** Until what is under way at the locks has come to rest. */
const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
};

describe('one window that sends a message', () => {
  for (const how of ['its first sending', 'a sending once more'] as const)
    it(`is known to the others until its end, and keeps nobody from sending after it: ${how}`, async () => {
      verifies('L8');
      vi.stubGlobal('navigator', { locks: lockManager() });
      const work = Promise.withResolvers<string>();
      const sent = how === 'its first sending' ? heldWhile('k', work.promise) : asOnlySender('k', () => work.promise);
      await settled();
      expect(await keysUnderWay()).toEqual(new Set(['k']));
      expect(await asOnlySender('k', async () => 'twice')).toBeUndefined();
      const over = new AbortController();
      const ends: string[] = [];
      // Several windows wait for the end; in that very moment one of them sends it again.
      let again: Promise<string | undefined> | undefined;
      for (const window of ['one', 'other'])
        whenSent(
          'k',
          () => {
            ends.push(window);
            again ??= asOnlySender('k', async () => 'again');
          },
          over.signal,
        );
      await settled();
      expect(ends).toEqual([]);
      work.resolve('sent');
      expect(await sent).toBe('sent');
      await settled();
      expect(ends).toEqual(['one', 'other']);
      expect(await again).toBe('again');
      await settled();
      expect(await keysUnderWay()).toEqual(new Set());
    });
});
