/** The indexing thread: one request after the other, and each can be called off before its turn. */
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { putFiles, scratchFolder } from '../../tests/support/scratch.ts';
import type { IndexProgress } from '../core/retrieval-port.ts';
import { type IndexThread, openIndexThread } from './index-thread.ts';

const FILES = 300;

const world = () => {
  const root = scratchFolder();
  const text = 'export const value = (input: number) => input + 1;\n'.repeat(20);
  putFiles(root, Object.fromEntries(Array.from({ length: FILES }, (_none, at) => [`f${at}.ts`, text])));
  const thread = openIndexThread({ file: path.join(scratchFolder(), 'index.sqlite'), root });
  onTestFinished(() => thread.close());
  return thread;
};

describe('the indexing thread', () => {
  it('stops in the middle when it is told to, and goes on from there', async () => {
    verifies('Z20', 'E11');
    const stop = async (thread: IndexThread) => {
      const controller = new AbortController();
      const onProgress = ({ phase }: IndexProgress): void => {
        if (phase === 'reading') controller.abort();
      };
      const stopped = await thread.index(undefined, { signal: controller.signal, onProgress });
      return stopped.ok && stopped.value.cancelled ? stopped.value.indexed : FILES;
    };
    // The thread may be done before it hears that it should stop.
    let thread = world();
    let before = await stop(thread);
    for (let tries = 1; tries < 50 && before === FILES; tries += 1) {
      thread = world();
      before = await stop(thread);
    }
    expect(before).toBeLessThan(FILES);
    const rest = await thread.index(undefined);
    expect(rest).toMatchObject({ value: { cancelled: false, indexed: FILES - before, unchanged: before } });
  });

  it('does nothing of what was called off while it waited', async () => {
    const thread = world();
    const controller = new AbortController();
    const first = thread.index(undefined);
    const second = thread.index(['f1.ts'], { signal: controller.signal });
    controller.abort();
    expect(await first).toMatchObject({ value: { indexed: FILES } });
    expect(await second).toMatchObject({ value: { cancelled: true, indexed: 0 } });
  });

  it('is one for the whole process, and is kept when an index is closed', async () => {
    const started: unknown[] = [];
    const count = (worker: unknown): void => void started.push(worker);
    process.on('worker', count);
    onTestFinished(() => void process.off('worker', count));
    // The first one may start it, where no test did before.
    const [one, other] = [world(), world()];
    expect((await one.index(['f1.ts'])).ok).toBe(true);
    const before = started.length;
    expect(before).toBeLessThanOrEqual(1);
    await one.close();
    expect(await one.index(['f2.ts'])).toMatchObject({ value: { indexed: 1 } });
    expect(await other.index(['f1.ts'])).toMatchObject({ value: { indexed: 1 } });
    const third = world();
    expect(await third.index(['f1.ts'])).toMatchObject({ value: { indexed: 1 } });
    expect(started.length).toBe(before);
  });

  it('closes an index in the middle of its work, and what was written stays readable', async () => {
    const thread = world();
    let told: (() => void) | undefined;
    const began = new Promise<void>((resolve) => {
      told = resolve;
    });
    const running = thread.index(undefined, {
      onProgress: ({ phase }) => {
        if (phase === 'reading') told?.();
      },
    });
    await began;
    await thread.close();
    expect(await running).toMatchObject({ ok: true, value: { cancelled: true } });
  });
});
