/** Who may send a request to a model server now: one table over the places of one process and those of a shared database. */
import { describe, expect, it, onTestFinished, type TestContext, vi } from 'vitest';
import { LIMITS } from '../../src/core/limits.ts';
import type { ModelPlaces, Place } from '../../src/core/model-places.ts';
import { createPlaces } from '../../src/providers/index.ts';
import { openPostgres } from '../../src/storage/postgres.ts';
import { verifies } from '../requirements.ts';
import { describePostgres, NO_POSTGRES, usePostgres } from '../support/postgres.ts';

const postgres = usePostgres();
let databases = 0;

/** One queue, as several processes see it. */
const QUEUES: readonly [string, (perServer: number, context: TestContext) => Promise<() => Promise<ModelPlaces>>][] = [
  [
    'one process',
    async (perServer) => {
      const places = createPlaces(perServer);
      return async () => places;
    },
  ],
  [
    'a shared database',
    async (perServer, context) => {
      if (NO_POSTGRES !== undefined) context.skip(NO_POSTGRES);
      databases += 1;
      const url = await postgres().url(`places_${databases}`);
      return async () => {
        const storage = await openPostgres({ url });
        if (!storage.ok) throw new Error(storage.error.message);
        onTestFinished(() => storage.value.close());
        return storage.value.places(perServer);
      };
    },
  ],
];

type Asked = { conversation?: string; servers?: () => readonly string[]; signal?: AbortSignal };
/** A request, and what is known of it. */
const request = (places: ModelPlaces, { conversation = 'c', servers = () => ['a'], signal }: Asked = {}) => {
  const seen: { place?: Place; told: number[]; isOver: boolean } = { told: [], isOver: false };
  const taken = places
    .take({
      servers,
      conversation,
      signal: signal ?? new AbortController().signal,
      onWaiting: (before) => void seen.told.push(before),
    })
    .then((outcome) => {
      if (!outcome.ok) throw new Error(outcome.error.message);
      seen.place = outcome.value;
      seen.isOver = true;
      return outcome.value;
    });
  const waits = (before: number): Promise<unknown> =>
    vi.waitUntil(() => seen.told.at(-1) === before, { timeout: 20_000, interval: 5 });
  return { seen, taken, waits };
};

describe.each(QUEUES)('the places at model servers, in %s', (_name, open) => {
  const check = (name: string, perServer: number, work: (queue: () => Promise<ModelPlaces>) => Promise<void>): void =>
    it(name, { timeout: 60_000 }, async (context) => {
      verifies('B12');
      await work(await open(perServer, context));
    });

  check('are as many as the limit, whoever asks', 2, async (queue) => {
    const [one, other] = [await queue(), await queue()];
    const first = await request(one).taken;
    const second = await request(other).taken;
    expect([first?.server, second?.server]).toEqual(['a', 'a']);
    const third = request(one);
    await third.waits(0);
    expect(third.seen.isOver).toBe(false);
    second?.giveBack();
    expect((await third.taken)?.server).toBe('a');
  });

  check('go to each conversation in turn, and everybody is told the place in the queue', 1, async (queue) => {
    const [one, other] = [await queue(), await queue()];
    const running = await request(one, { conversation: 'many' }).taken;
    const many = [];
    for (let count = 0; count < 3; count += 1) {
      const next = request(one, { conversation: 'many' });
      await next.waits(count);
      many.push(next);
    }
    const single = request(other, { conversation: 'single' });
    await single.waits(0);
    // Those of the conversation that has had its turn come after it.
    await many[0]?.waits(1);
    await many[2]?.waits(3);
    running?.giveBack();
    const place = await single.taken;
    expect(many.map(({ seen }) => seen.isOver)).toEqual([false, false, false]);
    place?.giveBack();
    (await many[0]?.taken)?.giveBack();
    (await many[1]?.taken)?.giveBack();
    (await many[2]?.taken)?.giveBack();
  });

  check('are left by whoever does not want one any more', 1, async (queue) => {
    const [one, other] = [await queue(), await queue()];
    const running = await request(one).taken;
    const cancel = new AbortController();
    const second = request(one, { conversation: 'second', signal: cancel.signal });
    await second.waits(0);
    const third = request(other, { conversation: 'third' });
    await third.waits(1);
    cancel.abort();
    expect(await second.taken).toBeUndefined();
    await third.waits(0);
    running?.giveBack();
    expect((await third.taken)?.server).toBe('a');
  });

  check('are at the preferred server, else at the next one, and at none that is gone', 1, async (queue) => {
    const [one, other] = [await queue(), await queue()];
    let up = ['a', 'b'];
    const servers = () => up;
    expect((await request(one, { servers }).taken)?.server).toBe('a');
    expect((await request(other, { servers }).taken)?.server).toBe('b');
    const waiting = request(one, { servers });
    await waiting.waits(0);
    up = [];
    one.changed();
    expect(await waiting.taken).toBeUndefined();
  });

  check(
    'are waited for by so many of all processes, and by no more; at another server there is room',
    1,
    async (queue) => {
      const [one, other] = [await queue(), await queue()];
      const leaving = new AbortController();
      const { signal } = leaving;
      const running = await request(one, { conversation: 'c0' }).taken;
      const from = [one, other];
      const many = Array.from({ length: LIMITS.waitingForModelServer }, (_, count) =>
        request(from[count % 2] as ModelPlaces, { conversation: `c${count + 1}`, signal }),
      );
      await vi.waitUntil(() => many.every(({ seen }) => seen.told.length > 0), { timeout: 30_000, interval: 20 });
      const onWaiting = (): void => {};
      for (const [number, places] of from.entries()) {
        const refused = await places.take({ servers: () => ['a'], conversation: 'late', signal, onWaiting });
        expect(refused).toMatchObject({ ok: false, error: { reason: 'too_busy' } });
        expect((await request(places, { servers: () => ['a', `b${number}`] }).taken)?.server).toMatch(/^b/);
      }
      // Whoever leaves makes room, and who was let in stays.
      leaving.abort();
      await Promise.all(many.map(({ taken }) => taken));
      const late = request(other, { conversation: 'late' });
      await late.waits(0);
      running?.giveBack();
      expect((await late.taken)?.server).toBe('a');
    },
  );

  check('are counted by server', 1, async (queue) => {
    const [one, other] = [await queue(), await queue()];
    await request(one).taken;
    const waiting = request(other);
    await waiting.waits(0);
    expect(await one.counts()).toEqual({ ok: true, value: [{ server: 'a', running: 1, waiting: 1 }] });
  });
});

describePostgres('the places of a process that was killed', () => {
  it('are free before its lease is over, also where it waited for more of them', async () => {
    const name = 'places_of_the_dead';
    const url = await postgres().url(name);
    const storage = await openPostgres({ url });
    if (!storage.ok) throw new Error(storage.error.message);
    onTestFinished(() => storage.value.close());
    const isOld = "SELECT clock_timestamp() - pg_postmaster_start_time() > interval '13 s'";
    await vi.waitUntil(async () => (await postgres().sql(isOld, name)) === 'true', { timeout: 30_000, interval: 200 });
    const dead = 4_000;
    await postgres().sql(
      `INSERT INTO halter.leases VALUES (${dead}, clock_timestamp() - interval '2 s');
       INSERT INTO halter.model_requests (id, process, conversation, turn, servers, server) VALUES
         ('has', ${dead}, 'x', 0, '{a}', 'a'), ('waits', ${dead}, 'y', 0, '{a}', NULL)`,
      name,
    );
    const asked = request(storage.value.places(1));
    expect((await asked.taken)?.server).toBe('a');
    expect(asked.seen.told).toEqual([]);
  });
});
