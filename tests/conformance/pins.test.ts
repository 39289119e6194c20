/** What every store of pinned sessions keeps to: in memory, in files, in PostgreSQL. */
import { describe, expect, it, type TestContext } from 'vitest';
import type { Outcome } from '../../src/core/outcome.ts';
import { STORAGE_LIMITS } from '../../src/storage/limits.ts';
import { halterPaths } from '../../src/storage/paths.ts';
import { openStorage, type Storage } from '../../src/storage/storage.ts';
import { verifies } from '../requirements.ts';
import { NO_POSTGRES, usePostgres } from '../support/postgres.ts';
import { scratchFolder } from '../support/scratch.ts';

const postgres = usePostgres();
let databases = 0;
const must = <T>(outcome: Outcome<T>): T => {
  if (!outcome.ok) throw new Error(outcome.error.message);
  return outcome.value;
};
const folders = () => halterPaths({ HOME: scratchFolder() }, 'linux');

/** Opens a store on the same place, as another program would; in memory that is the one there is. */
const PLACES: readonly [string, (context: TestContext) => Promise<() => Promise<Storage>>][] = [
  [
    'memory',
    async () => {
      const storage = must(await openStorage({}));
      return async () => storage;
    },
  ],
  [
    'files',
    async () => {
      const own = folders();
      return async () => must(await openStorage({ folders: own }));
    },
  ],
  [
    'PostgreSQL',
    async (context) => {
      if (NO_POSTGRES !== undefined) context.skip(NO_POSTGRES);
      databases += 1;
      const database = await postgres().url(`pins_${databases}`);
      // Each of them is another machine: it has folders of its own.
      return async () => must(await openStorage({ folders: folders(), database }));
    },
  ],
];

describe.each(PLACES)('pins in %s', (_place, open) => {
  const opened = async (context: TestContext): Promise<[Storage, Storage]> => {
    const next = await open(context);
    const stores: [Storage, Storage] = [await next(), await next()];
    context.onTestFinished(async () => {
      for (const store of stores) await store.close();
    });
    return stores;
  };
  const pinsOf = async (store: Storage): Promise<string[]> => [...must(await store.pins.read())].sort();

  it('are the same for whoever looks', async (context) => {
    verifies('B12');
    const [one, other] = await opened(context);
    expect(await pinsOf(one)).toEqual([]);
    must(await one.pins.set('a', true));
    must(await other.pins.set('b', true));
    must(await other.pins.set('a', true));
    expect([await pinsOf(one), await pinsOf(other)]).toEqual([
      ['a', 'b'],
      ['a', 'b'],
    ]);
    must(await other.pins.set('a', false));
    must(await other.pins.set('never', false));
    expect([await pinsOf(one), await pinsOf(other)]).toEqual([['b'], ['b']]);
  });

  it('are all there after two at once', async (context) => {
    const stores = await opened(context);
    const ids = Array.from({ length: 12 }, (_, at) => `s${at}`);
    await Promise.all(ids.map(async (id, at) => must(await stores[at % 2 === 0 ? 0 : 1].pins.set(id, true))));
    expect(await pinsOf(stores[0])).toEqual(ids.sort());
  });

  it('are so many at the most, and the oldest give way', async (context) => {
    const [one] = await opened(context);
    const ids = Array.from({ length: STORAGE_LIMITS.pinnedSessions + 2 }, (_, at) => `s${at}`);
    for (const id of ids) must(await one.pins.set(id, true));
    expect(await pinsOf(one)).toEqual(ids.slice(2).sort());
  });
});
