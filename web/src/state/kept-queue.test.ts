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
  const turns = async (count: number): Promise<void> => {
    for (let turn = 0; turn < count; turn += 1) await Promise.resolve();
  };
  return {
    stored,
    words: {
      getItem: (key) => words.get(key) ?? null,
      setItem: (key, value) => void words.set(key, value),
      removeItem: (key) => void words.delete(key),
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
    kept.add('s', message('one', 'A'), 1);
    kept.add('s', message('two', 'B', 'C'), 1);
    kept.add('s', 'three', 1);
    expect(kept.all('s').map(({ text }) => text)).toEqual(['one', 'two', 'three']);
    expect(await kept.partsOf('s', { text: 'two', after: 1 })).toEqual([picture('B'), picture('C')]);
    expect(await kept.partsOf('s', { text: 'three', after: 1 })).toEqual([]);
    expect(await kept.partsOf('s', { text: 'one', after: 1 })).toEqual([picture('A')]);
  });

  it('lose nothing where one is taken back, changed and sent again at once', async () => {
    const kept = createKeptQueue(slowPorts());
    kept.add('s', message('what is on it', 'old'), 7);
    kept.forget('s', 'what is on it');
    kept.add('s', message('what is on it', 'new'), 7);
    // What the page saw a moment before.
    kept.keepOnly('s', kept.all('s'));
    expect(await kept.partsOf('s', { text: 'what is on it', after: 7 })).toEqual([picture('new')]);
  });

  it('have nothing beside them where it was taken out', async () => {
    const kept = createKeptQueue(slowPorts());
    kept.add('s', message('what is on it', 'old'), 7);
    kept.forget('s', 'what is on it');
    kept.add('s', 'what is on it', 7);
    expect(await kept.partsOf('s', { text: 'what is on it', after: 7 })).toEqual([]);
  });

  it('are forgotten where somebody took them out, and only those', () => {
    const kept = createKeptQueue(slowPorts());
    for (const text of ['one', 'again', 'again', 'two']) kept.add('s', text, 1);
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
    kept.add('s', message('one', 'A'), 1);
    kept.forget('s', 'one');
    expect(await kept.partsOf('s', { text: 'one', after: 1 })).toEqual([]);
    expect(kept.all('s')).toEqual([]);
    expect(ports.stored.size).toBe(0);
  });
});
