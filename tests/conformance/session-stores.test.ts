/** What every store of sessions keeps to, whatever it keeps them in: one table over files and PostgreSQL. */
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, type TestContext } from 'vitest';
import type { Event, EventBody } from '../../src/core/events.ts';
import type { SessionStore } from '../../src/core/storage-port.ts';
import { openPostgres } from '../../src/storage/postgres.ts';
import { SessionFiles } from '../../src/storage/session-files.ts';
import { verifies } from '../requirements.ts';
import { rounds } from '../support/long.ts';
import { describePostgres, NO_POSTGRES, usePostgres } from '../support/postgres.ts';
import { scratchFolder } from '../support/scratch.ts';

const postgres = usePostgres();
let databases = 0;

/** A place for sessions, and the way to one more store on it, as another process would have. */
type Place = { open(options?: { now?(): number }): Promise<SessionStore>; close(): Promise<void> };
const PLACES: readonly [string, (context: TestContext) => Promise<Place>][] = [
  [
    'files',
    async () => {
      const folder = path.join(scratchFolder(), 'sessions');
      return { open: async (options = {}) => new SessionFiles({ folder, ...options }), close: async () => {} };
    },
  ],
  [
    'PostgreSQL',
    async (context) => {
      if (NO_POSTGRES !== undefined) context.skip(NO_POSTGRES);
      databases += 1;
      const url = await postgres().url(`store_${databases}`);
      const opened: { close(): Promise<void> }[] = [];
      return {
        async open(options = {}) {
          const storage = await openPostgres({ url, ...options });
          if (!storage.ok) throw new Error(storage.error.message);
          opened.push(storage.value);
          return storage.value.sessions;
        },
        async close() {
          for (const storage of opened) await storage.close();
        },
      };
    },
  ],
];

const event = (seq: number, body: EventBody = { type: 'user_message_added', content: `message ${seq}` }): Event => ({
  seq,
  at: 1_000 + seq,
  ...body,
});
const started = (seq: number, workspace = '/w'): Event =>
  event(seq, { type: 'session_started', version: 1, session_id: 's', workspace, model: 'ollama/qwen3' });
const answered = (seq: number, content = 'hi'): Event =>
  event(seq, {
    type: 'assistant_message_added',
    message: { role: 'assistant', content, tool_calls: [], finish: 'stop' },
  });

const must = <T>(outcome: { ok: true; value: T } | { ok: false; error: { message: string } }): T => {
  if (!outcome.ok) throw new Error(outcome.error.message);
  return outcome.value;
};
const write = async (store: SessionStore, events: readonly Event[], id = 's'): Promise<void> => {
  const { log } = must(await store.open(id));
  for (const one of events) must(await log.append(one));
  await log.close();
};

describe.each(PLACES)('a store of sessions in %s', (_name, placeOf) => {
  const check = (name: string, test: (place: Place) => Promise<void>): void =>
    it(name, async (context) => {
      verifies('B5', 'B12');
      const place = await placeOf(context);
      try {
        await test(place);
      } finally {
        await place.close();
      }
    });

  check('gives back what was appended, over a close and over any character', async (place) => {
    const store = await place.open();
    const events = [
      started(1),
      event(2, { type: 'user_message_added', content: 'a\u2028b\u2029c\n\0\ud800 ✓ 😀 \r\n\\u0000 "' }),
    ];
    await write(store, events);
    expect(await store.read('s')).toEqual({ ok: true, value: { events, warnings: [] } });
    const again = must(await (await place.open()).open('s'));
    expect(again.events).toEqual(events);
    must(await again.log.append(event(3)));
    await again.log.close();
    expect(must(await store.read('s')).events).toEqual([...events, event(3)]);
  });

  check('keeps the text of every event as it was written, with the order of its keys', async (place) => {
    const store = await place.open();
    let seq = 0;
    const { log } = must(await store.open('s'));
    const all: Event[] = [];
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()), async (args) => {
        seq += 1;
        const call = { id: `c${seq}`, name: 'ls', arguments: args, source: 'native' as const, repairs: [] };
        const message = { role: 'assistant' as const, content: '', tool_calls: [call], finish: 'tool_calls' as const };
        const one = JSON.parse(JSON.stringify(event(seq, { type: 'assistant_message_added', message } as EventBody)));
        must(await log.append(one));
        all.push(one);
      }),
      { numRuns: rounds(6, 300) },
    );
    await log.close();
    const { events, warnings } = must(await store.read('s'));
    expect(warnings).toEqual([]);
    expect(events.map((one) => JSON.stringify(one))).toEqual(all.map((one) => JSON.stringify(one)));
  });

  check('puts appends that come together one after the other', async (place) => {
    const store = await place.open();
    const { log } = must(await store.open('s'));
    const events = Array.from({ length: 50 }, (_, index) => event(index + 1));
    await Promise.all(events.map((one) => log.append(one)));
    await log.close();
    expect(must(await store.read('s')).events).toEqual(events);
    expect(await log.append(event(51))).toMatchObject({ ok: false, error: { reason: 'closed' } });
  });

  check('refuses ids that are no ids, and says what is not there', async (place) => {
    const store = await place.open();
    for (const id of ['', '.', '..', '../x', 'a/b', 'a\\b', '.hidden', 'a\0', 'x'.repeat(200), "a'b", 'a b']) {
      for (const outcome of [await store.open(id), await store.read(id), await store.remove(id)]) {
        expect([id, outcome]).toMatchObject([id, { ok: false, error: { error_type: 'validation_failed' } }]);
      }
    }
    for (const outcome of [await store.read('none'), await store.remove('none')]) {
      expect(outcome).toMatchObject({ ok: false, error: { error_type: 'not_found' } });
    }
  });

  check('is open once at a time, here and in another store of the same place', async (place) => {
    const store = await place.open();
    const other = await place.open();
    const first = must(await store.open('s'));
    must(await first.log.append(started(1)));
    const refused = { ok: false, error: { reason: 'in_use' } };
    expect(await store.open('s')).toMatchObject(refused);
    expect(await other.open('s')).toMatchObject(refused);
    expect(await other.remove('s')).toMatchObject(refused);
    expect(must(await other.read('s')).events).toEqual([started(1)]);
    await (await other.open('another').then(must)).log.close();
    await first.log.close();
    await (await other.open('s').then(must)).log.close();
    expect(await store.remove('s')).toMatchObject({ ok: true });
    expect(await other.read('s')).toMatchObject({ ok: false, error: { error_type: 'not_found' } });
  });

  check('refuses an event that is too large, and goes on behind it', async (place) => {
    const store = await place.open();
    const { log } = must(await store.open('s'));
    must(await log.append(started(1)));
    const large = event(2, { type: 'user_message_added', content: 'x'.repeat(64 * 1024 * 1024) });
    expect(await log.append(large)).toMatchObject({ ok: false, error: { reason: 'too_large' } });
    must(await log.append(event(2)));
    await log.close();
    expect(must(await store.read('s')).events).toEqual([started(1), event(2)]);
  });

  check('begins a session as a copy, whole, once', async (place) => {
    const store = await place.open();
    const events = [started(1), ...Array.from({ length: 1_200 }, (_, index) => event(index + 2))];
    must(await store.create('copy', events));
    expect(must(await store.read('copy')).events).toEqual(events);
    expect(await store.create('copy', [started(1)])).toMatchObject({ ok: false, error: { reason: 'exists' } });
    expect(must(await store.list())).toMatchObject([{ id: 'copy', title: 'message 2', message_count: 1_200 }]);
    const { log } = must(await store.open('copy'));
    must(await log.append(event(1_202)));
    await log.close();
    expect(must(await store.read('copy')).events).toHaveLength(1_202);
  });

  check(
    'lists the newest first, with the first words or the name, the model in use and the messages',
    async (place) => {
      const store = await place.open({ now: () => 900 });
      const long = `What   files\nare here? ${'long '.repeat(40)}`;
      await write(store, [started(1), event(2, { type: 'user_message_added', content: long })], 'older');
      await write(
        store,
        [
          started(1, '/elsewhere'),
          event(2),
          answered(3),
          event(4, { type: 'model_changed', model: 'openai/gpt' }),
          event(5, { type: 'run_completed', sources: [] }),
        ],
        'newer',
      );
      await (await store.open('never-written').then(must)).log.close();
      const [newer, older, ...others] = must(await store.list());
      expect(others).toEqual([]);
      expect(newer).toEqual({
        id: 'newer',
        title: 'message 2',
        workspace: '/elsewhere',
        model: 'openai/gpt',
        created_at: 900,
        updated_at: 1_005,
        message_count: 2,
      });
      expect(older).toMatchObject({ id: 'older', message_count: 1, updated_at: 1_002 });
      expect(older?.title).toMatch(/^What files are here\? long .*…$/);
      expect(must(await store.list({ workspace: '/w' })).map(({ id }) => id)).toEqual(['older']);
      expect(must(await store.list({ workspace: '/w', alias: '/elsewhere' })).map(({ id }) => id)).toEqual([
        'newer',
        'older',
      ]);
      expect(must(await store.list({ workspace: '/none', alias: '/w' })).map(({ id }) => id)).toEqual(['older']);
      expect(must(await store.list({ limit: 1 })).map(({ id }) => id)).toEqual(['newer']);
      expect(
        must(await store.ids())
          .filter((id) => id !== 'never-written')
          .sort(),
      ).toEqual(['newer', 'older']);
    },
  );

  check('shows a name until it is taken back, and counts the messages of the branch that counts', async (place) => {
    const store = await place.open();
    await write(store, [started(1), event(2), answered(3), event(4, { type: 'session_renamed', title: 'mine' })]);
    expect(must(await store.list())).toMatchObject([{ title: 'mine', message_count: 2 }]);
    await write(store, [event(5, { type: 'branch_selected', at_seq: 1, model: 'm' }), event(6)]);
    expect(must(await store.list())).toMatchObject([{ title: 'mine', message_count: 1, model: 'ollama/qwen3' }]);
    await write(store, [event(7, { type: 'session_renamed', title: '' })]);
    expect(must(await store.list())).toMatchObject([{ title: 'message 2', message_count: 1 }]);
  });

  check('keeps many sessions apart while they are written at once', async (place) => {
    const store = await place.open();
    const ids = Array.from({ length: 12 }, (_, index) => `s${index}`);
    await Promise.all(
      ids.map((id, index) => write(store, [started(1), ...Array.from({ length: index }, (_, n) => event(n + 2))], id)),
    );
    for (const [index, id] of ids.entries()) expect(must(await store.read(id)).events).toHaveLength(index + 1);
  });
});

describePostgres('files and PostgreSQL', () => {
  it('say the same, whatever is done to them in whatever order', async () => {
    verifies('B12');
    const id = fc.constantFrom('a', 'b', 'c');
    const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 30 }), fc.constantFrom('', ' \0 ', 'a\ud800'));
    const body: fc.Arbitrary<EventBody> = fc.oneof(
      text.map((content): EventBody => ({ type: 'user_message_added', content })),
      text.map((title): EventBody => ({ type: 'session_renamed', title: title.replaceAll('\0', '').toWellFormed() })),
      fc.constantFrom<EventBody>(
        { type: 'model_changed', model: 'other' },
        { type: 'iteration_completed', iteration: 1 },
        { type: 'branch_selected', at_seq: 1, model: 'm' },
      ),
    );
    const bodies = fc.array(body, { minLength: 1, maxLength: 5 });
    const action = fc.record({ what: fc.constantFrom('append', 'append', 'create', 'read', 'remove'), id, bodies });
    type Action = typeof action extends fc.Arbitrary<infer Value> ? Value : never;
    const url = await postgres().url('same');
    const storage = await openPostgres({ url, now: () => 900 });
    const kept = must(storage);
    const after = (events: readonly Event[], added: readonly EventBody[]): Event[] => {
      const last = events.at(-1)?.seq ?? 1;
      return [...(events.length > 0 ? [] : [started(1)]), ...added.map((one, index) => event(last + index + 1, one))];
    };
    const play = async (store: SessionStore, { what, id, bodies }: Action) => {
      if (what === 'read') return store.read(id);
      if (what === 'remove') return store.remove(id);
      if (what === 'create') return store.create(id, after([], bodies));
      const { log, events, warnings } = must(await store.open(id));
      const appended = [];
      for (const next of after(events, bodies)) appended.push(await log.append(next));
      await log.close();
      return { events, warnings, appended };
    };
    /** Words may differ; what a program goes by may not. */
    const plain = (said: Awaited<ReturnType<typeof play>>): unknown =>
      'ok' in said && !said.ok ? { ...said.error, message: '' } : said;
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 12 }), async (actions) => {
        for (const one of must(await kept.sessions.ids())) must(await kept.sessions.remove(one));
        const files = new SessionFiles({ folder: path.join(scratchFolder(), 'sessions'), now: () => 900 });
        for (const one of actions) {
          expect([one.what, plain(await play(kept.sessions, one))]).toEqual([one.what, plain(await play(files, one))]);
        }
        const [there, here] = [must(await kept.sessions.list()), must(await files.list())];
        expect(there.map((one) => ({ ...one, title: one.title.replaceAll('\ufffd', '') }))).toEqual(
          here.map((one) => ({
            ...one,
            title: one.title.replaceAll('\0', '').toWellFormed().replaceAll('\ufffd', ''),
          })),
        );
        expect(must(await kept.sessions.ids()).sort()).toEqual(must(await files.ids()).sort());
      }),
      // Many short runs where the machine is quiet, and some at least where it is busy.
      { numRuns: rounds(4, 100), interruptAfterTimeLimit: rounds(3_000, 60_000) },
    );
    await kept.close();
  });
});
