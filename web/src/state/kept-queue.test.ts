import { describe, expect, it } from 'vitest';
import type { ContentPart } from '../../../src/core/message.ts';
import { createKeptQueue, type KeptQueuePorts } from './kept-queue.ts';

const picture = (data_base64: string): ContentPart => ({ type: 'image', mime_type: 'image/png', data_base64 });
const message = (text: string, ...pictures: string[]): ContentPart[] => [
  { type: 'text', text },
  ...pictures.map(picture),
];

/** Writing takes much longer than reading, as it may. */
const slowPorts = (): KeptQueuePorts & { stored: Map<string, unknown> } => {
  const words = new Map<string, string>();
  const stored = new Map<string, unknown>();
  let keys = 0;
  const turns = async (count: number): Promise<void> => {
    for (let turn = 0; turn < count; turn += 1) await Promise.resolve();
  };
  return {
    stored,
    newKey() {
      keys += 1;
      return `key ${keys}`;
    },
    tab: () => 'tab',
    words: {
      get: (key) => words.get(key) ?? null,
      set: (key, value) => {
        words.set(key, value);
        return true;
      },
      remove: (key) => void words.delete(key),
      names: () => [...words.keys()],
    },
    async keep(name, value) {
      await turns(40);
      if (value === undefined) stored.delete(name);
      else stored.set(name, value);
    },
    async recall(name) {
      await turns(3);
      return stored.get(name);
    },
  };
};

describe('messages that wait, as the browser keeps them', () => {
  it('keep each what stood beside it, however quickly they come', async () => {
    const kept = createKeptQueue(slowPorts());
    const one = kept.add('s', message('one', 'A'), { after: 1 });
    const two = kept.add('s', message('two', 'B', 'C'), { after: 1 });
    const three = kept.add('s', 'three', { after: 1 });
    expect(kept.all('s').map(({ text }) => text)).toEqual(['one', 'two', 'three']);
    expect(await kept.partsOf(two)).toEqual([picture('B'), picture('C')]);
    expect(await kept.partsOf(three)).toEqual([]);
    expect(await kept.partsOf(one)).toEqual([picture('A')]);
  });

  it('lose nothing where one is taken back, changed and sent again at once', async () => {
    const kept = createKeptQueue(slowPorts());
    kept.forget('s', kept.add('s', message('what is on it', 'old'), { after: 7 }));
    const again = kept.add('s', message('what is on it', 'new'), { after: 7 });
    // What the page saw a moment before.
    kept.keepOnly('s', kept.all('s'));
    expect(await kept.partsOf(again)).toEqual([picture('new')]);
  });

  it('say so where what stood beside them was not kept, so that nobody sends them without it', async () => {
    const ports = slowPorts();
    const kept = createKeptQueue(ports);
    const one = kept.add('s', message('one', 'A'), { after: 1 });
    await kept.written();
    // A page that is loaded again has the words, and they say how much stood beside them.
    const again = createKeptQueue(ports);
    const [found = one] = again.all('s');
    expect(await again.partsOf(found)).toEqual([picture('A')]);
    ports.stored.clear();
    expect(await again.partsOf(found)).toBeUndefined();
    expect(await again.partsOf(again.add('s', 'two', { after: 1 }))).toEqual([]);
  });

  it('have nothing beside them where it was taken out', async () => {
    const kept = createKeptQueue(slowPorts());
    const { key = '' } = kept.add('s', message('what is on it', 'old'), { after: 7 });
    expect(await kept.partsOf(kept.add('s', 'what is on it', { after: 7, key }))).toEqual([]);
    expect(kept.all('s')).toHaveLength(1);
  });

  it('go with what stands beside them to the session that was begun for them', async () => {
    const kept = createKeptQueue(slowPorts());
    const moved = kept.add('new', message('one', 'A'), { after: 0 });
    kept.add('new', 'two', { after: 0 });
    kept.change('new', moved, { session: 's' });
    kept.arrive('s', 'new');
    expect(kept.all('new').map(({ text }) => text)).toEqual(['two']);
    expect(kept.all('s')).toEqual([moved]);
    expect(await kept.partsOf(moved)).toEqual([picture('A')]);
  });

  it('stay where they were where there is no room', () => {
    const ports = slowPorts();
    const kept = createKeptQueue(ports);
    kept.change('new', kept.add('new', 'one', { after: 0 }), { session: 's' });
    const before = kept.all('new');
    ports.words.set = () => false;
    kept.arrive('s', 'new');
    const two = kept.add('new', 'two', { after: 0 });
    expect(kept.all('new')).toEqual(before);
    expect(kept.all('s')).toEqual([]);
    // Whoever sends it knows that nothing but the page has it.
    expect(kept.change('new', two, { isUnanswered: true })).toBe(false);
  });

  it('are forgotten where somebody took them out, and only those', () => {
    const kept = createKeptQueue(slowPorts());
    for (const text of ['one', 'again', 'again', 'two']) kept.add('s', text, { after: 1 });
    const queued = (queue_id: string, content: string) => ({ queue_id, content, held: false });
    const queue = [queued('1', 'one'), queued('2', 'again'), queued('3', 'again'), queued('4', 'two')];
    const texts = (): string[] => kept.all('s').map(({ text }) => text);
    kept.follow('s', { queue, removed: [] });
    expect(texts()).toEqual(['one', 'again', 'again', 'two']);
    // Of the same words, the one that was taken out.
    kept.follow('s', { queue: queue.slice(2), removed: ['1', '2'] });
    expect(texts()).toEqual(['again', 'two']);
    // A server that was ended took nothing out.
    kept.follow('s', { queue: [], removed: [] });
    expect(texts()).toEqual(['again', 'two']);
    // Another window saw the rest, and looks again later.
    kept.follow('s', { queue: [], removed: ['1', '2', '3', '4', 'unknown'] });
    expect(texts()).toEqual([]);
  });

  it('leave nothing behind', async () => {
    const ports = slowPorts();
    const kept = createKeptQueue(ports);
    const one = kept.add('s', message('one', 'A'), { after: 1 });
    kept.forget('s', one);
    expect(kept.all('s')).toEqual([]);
    await kept.written();
    expect(ports.stored.size).toBe(0);
  });
});
