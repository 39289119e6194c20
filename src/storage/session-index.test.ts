/** The index beside many session files says what the files say, whatever happened to either. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { scratchFolder } from '../../tests/support/scratch.ts';
import type { Event } from '../core/events.ts';
import type { SessionStore } from '../core/storage-port.ts';
import { STORAGE_LIMITS } from './limits.ts';
import { SessionFiles } from './session-files.ts';
import { encodeSession } from './session-format.ts';

const COUNT = STORAGE_LIMITS.sessionIndexFrom + 20;

const eventsOf = (number: number): Event[] => [
  {
    seq: 1,
    at: number,
    type: 'session_started',
    version: 1,
    session_id: `s${number}`,
    workspace: number % 2 ? '/odd' : '/even',
    model: 'm',
  },
  { seq: 2, at: number + 1, type: 'user_message_added', content: `Question number${number} about whales` },
];

const world = async () => {
  const folder = path.join(scratchFolder(), 'sessions');
  fs.mkdirSync(folder);
  const store = new SessionFiles({ folder });
  for (let number = 0; number < COUNT; number += 1) {
    const made = await store.create(`s${number}`, eventsOf(number));
    if (!made.ok) throw new Error(made.error.message);
  }
  return { folder, store, index: path.join(folder, '.index', 'sessions.sqlite') };
};
const titles = async (store: SessionStore, options?: { workspace?: string; limit?: number }): Promise<string[]> => {
  const listed = await store.list(options);
  if (!listed.ok) throw new Error(listed.error.message);
  return listed.value.map(({ id, title, message_count }) => `${id} ${title} ${message_count}`);
};
const holding = async (store: SessionStore, ...words: string[]): Promise<string[] | undefined> => {
  const found = await store.holding?.(words);
  return found?.ok && found.value ? [...found.value].sort() : undefined;
};

describe('the index of many sessions', () => {
  it('lists and finds what the files hold, also after they changed, came and went', async () => {
    const { store, folder, index } = await world();
    const listed = await titles(store);
    expect(listed).toHaveLength(COUNT);
    expect(fs.existsSync(index)).toBe(true);
    expect(listed[0]).toBe(`s${COUNT - 1} Question number${COUNT - 1} about whales 1`);
    expect(await titles(store, { workspace: '/odd', limit: 1 })).toEqual([
      listed.find((line) => /^s\d*[13579] /.test(line)),
    ]);
    expect(await holding(store, 'number7', 'whale')).toContain('s7');
    expect(await holding(store, 'umber77')).toEqual(['s77']);

    const opened = await store.open('s5');
    if (!opened.ok) throw new Error(opened.error.message);
    await opened.value.log.append({ seq: 3, at: COUNT + 10, type: 'user_message_added', content: 'And a walrus?' });
    await opened.value.log.close();
    await store.remove('s7');
    fs.copyFileSync(path.join(folder, 's8.jsonl'), path.join(folder, 'copy.jsonl'));
    const again = await titles(store);
    expect(again).toHaveLength(COUNT);
    expect(again[0]).toBe('s5 Question number5 about whales 2');
    expect(again.some((line) => line.startsWith('s7 '))).toBe(false);
    expect(await holding(store, 'walrus')).toEqual(['s5']);
    expect(await holding(store, 'number8 ')).toEqual(['copy', 's8']);
    expect(await holding(store, 'number7 ')).toEqual([]);
    // A short word narrows nothing down.
    expect(await holding(store, 'a')).toHaveLength(COUNT);
  });

  it('says what the files say to two programs that write it in turn', async () => {
    const { folder, store } = await world();
    const other = new SessionFiles({ folder });
    await titles(store);
    await holding(store, 'whale');
    for (const [number, [writer, word]] of [[other, 'walrus'] as const, [store, 'narwhal'] as const].entries()) {
      const opened = await writer.open('s5');
      if (!opened.ok) throw new Error(opened.error.message);
      const at = COUNT + 10 + number;
      await opened.value.log.append({ seq: 3 + number, at, type: 'user_message_added', content: `And a ${word}?` });
      await opened.value.log.close();
      for (const reader of [writer, writer === store ? other : store]) {
        expect((await titles(reader))[0]).toBe(`s5 Question number5 about whales ${2 + number}`);
        expect(await holding(reader, word)).toEqual(['s5']);
      }
    }
    await other.remove('s9');
    await titles(other);
    expect((await titles(store)).some((line) => line.startsWith('s9 '))).toBe(false);
    expect(await holding(store, 'number9 ')).toEqual([]);
  });

  it('hands out what a caller may change', async () => {
    const { store } = await world();
    const listed = await store.list();
    if (listed.ok && listed.value[0]) listed.value[0].title = 'Changed';
    expect((await titles(store))[0]).not.toContain('Changed');
  });

  it.each([
    [
      'no database',
      (file: string) => fs.writeFileSync(file, 'not a database at all, and long enough to be read as one'.repeat(100)),
    ],
    ['a database with other tables', (file: string) => fs.writeFileSync(file, '')],
    [
      'a folder',
      (file: string) => {
        fs.rmSync(file, { force: true });
        fs.mkdirSync(file);
      },
    ],
  ])('is made again where its file is %s', async (_what, damage) => {
    const { folder, store, index } = await world();
    const before = await titles(store);
    for (const suffix of ['', '-wal', '-shm']) fs.rmSync(index + suffix, { force: true });
    damage(index);
    const fresh = new SessionFiles({ folder });
    expect(await titles(fresh)).toEqual(before);
    expect(await titles(fresh)).toEqual(before);
  });

  it('tells how far it is where so many are read that a person waits', async () => {
    const folder = path.join(scratchFolder(), 'sessions');
    fs.mkdirSync(folder);
    const many = STORAGE_LIMITS.sessionIndexToldFrom;
    for (let number = 0; number < many; number += 1)
      fs.writeFileSync(path.join(folder, `s${number}.jsonl`), encodeSession(`s${number}`, 1, eventsOf(number)));
    const store = new SessionFiles({ folder });
    const told: number[] = [];
    const onReading = (done: number, total: number) => told.push(done / total);
    for (const read of [() => store.list({ onReading }), () => store.holding(['whales'], onReading)]) {
      await read();
      expect(told.length).toBeGreaterThan(10);
      expect(told).toEqual([...told].sort((one, other) => one - other));
      expect([told[0], (told.at(-1) as number) < 1]).toEqual([0, true]);
      told.length = 0;
      await read();
      expect(told).toEqual([]);
    }
    const few = await world();
    await few.store.list({ onReading });
    expect(told).toEqual([]);
  });

  it('is nothing that few sessions need', async () => {
    const folder = path.join(scratchFolder(), 'sessions');
    fs.mkdirSync(folder);
    const store = new SessionFiles({ folder });
    await store.create('s1', eventsOf(1));
    expect(await titles(store)).toEqual(['s1 Question number1 about whales 1']);
    expect(await holding(store, 'whales')).toBeUndefined();
    expect(fs.readdirSync(folder).filter((name) => name.startsWith('.'))).toEqual([]);
  });
});
