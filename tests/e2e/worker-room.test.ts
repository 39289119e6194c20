/** How many conversations one worker runs: its own number, over all the queues that it takes jobs from. */
import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openJobQueue } from '../../src/cluster/job-queue.ts';
import { loadSdk } from '../../src/cluster/sdk.ts';
import type { ScriptedTurn } from '../../src/testing/index.ts';
import { verifies } from '../requirements.ts';
import { timeLimit } from '../support/long.ts';
import { describePostgres, usePostgres } from '../support/postgres.ts';
import { scratchFolder } from '../support/scratch.ts';
import { team, until } from '../support/workers.ts';

const postgres = usePostgres();
const LIMIT = { timeout: timeLimit(120_000) };
const WAIT_MS = 60_000;
/** How long the model takes, so that answers of different queues meet. */
const MODEL_MS = 300;

/** A model that answers nobody before so many have asked it at once, and counts how many did. */
const counting = (atLeast: number) => {
  let together = 0;
  let most = 0;
  const enough = Promise.withResolvers<void>();
  const turn = async (): Promise<ScriptedTurn> => {
    together += 1;
    most = Math.max(most, together);
    if (together >= atLeast) enough.resolve();
    await enough.promise;
    await sleep(MODEL_MS);
    together -= 1;
    return { text: 'done' };
  };
  return { turn, most: () => most };
};

const ask = { type: 'send_message', content: 'go' } as const;

describePostgres('the room of a worker', () => {
  test('is one for all names of its folder, and for jobs that say none', LIMIT, async () => {
    verifies('B6', 'B12');
    const url = await postgres().url('room_queues');
    const { turn, most } = counting(2);
    const t = await team(url, turn);
    // A server of another machine, where the link is the folder itself.
    const link = join(scratchFolder(), 'shared');
    mkdirSync(link);
    const elsewhere = await team(url, turn, {}, link);
    const named = await Promise.all([1, 2, 3].map((one) => t.session(`named${one}`)));
    const linked = await Promise.all([1, 2, 3].map((one) => elsewhere.session(`linked${one}`)));
    const before = await Promise.all([1, 2, 3].map((one) => t.session(`before${one}`)));
    rmSync(link, { recursive: true });
    symlinkSync(t.folder, link);
    for (const session of [...named, ...linked]) expect(await session.send(ask)).toEqual({ ok: true });
    // A server of before hands its jobs out without their folder.
    const sdk = await loadSdk();
    const opened = sdk.ok ? await openJobQueue(sdk.value, url) : sdk;
    if (!opened.ok) throw new Error(opened.error.message);
    onTestFinished(() => opened.value.queue.close());
    for (const { id } of before) {
      const command = { ...ask, idempotency_key: id };
      expect((await opened.value.queue.add({ session: id, command })).ok).toBe(true);
    }
    await t.workerIn(link, '--concurrency', '2');
    await Promise.all([...named, ...linked, ...before].map((session) => until(session, 'run_completed')));
    expect(most()).toBe(2);
  });

  test('is what it was told itself, whichever worker was started last', LIMIT, async () => {
    verifies('B12');
    const { turn, most } = counting(3);
    const t = await team(await postgres().url('room_own'), turn);
    await t.worker('--concurrency', '3');
    const last = await t.worker('--concurrency', '1');
    last.child.kill('SIGTERM');
    await last.finished;
    const sessions = await Promise.all([1, 2, 3, 4, 5, 6].map((one) => t.session(`own${one}`)));
    for (const session of sessions) expect(await session.send(ask)).toEqual({ ok: true });
    await vi.waitUntil(() => most() === 3, { timeout: WAIT_MS, interval: 50 });
    await Promise.all(sessions.map((session) => until(session, 'run_completed')));
    expect(most()).toBe(3);
  });
});
