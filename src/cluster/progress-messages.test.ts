import fc from 'fast-check';
import { expect, test } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { STORAGE_LIMITS } from '../storage/limits.ts';
import { ProgressPublisher, readMessage } from './progress-messages.ts';

const itemsIn = (text: string) => {
  const message = readMessage(text);
  return message?.type === 'progress' ? message.items : [];
};

type Said = { session: string; after: number; text: string };

const heard = (said: readonly Said[]): { payloads: string[]; words: Said[] } => {
  const payloads: string[] = [];
  const publisher = new ProgressPublisher((payload) => payloads.push(payload));
  for (const { session, after, text } of said) publisher.add(session, after, { type: 'text_delta', delta: text });
  publisher.close();
  const words = payloads.flatMap(itemsIn).map(([session, after, update]) => {
    if (update.type !== 'text_delta') throw new Error(update.type);
    return { session, after, text: update.delta };
  });
  return { payloads, words };
};
const textOf = (words: readonly Said[], session: string): string =>
  words.flatMap((word) => (word.session === session ? [word.text] : [])).join('');

test('words arrive whole and in order, in notifications that are not too long', () => {
  verifies('B12');
  const word = fc.record({
    session: fc.constantFrom('a', 'b'),
    after: fc.nat(3),
    text: fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.string({ unit: 'grapheme', minLength: 500, maxLength: 4_000, size: 'max' }),
    ),
  });
  fc.assert(
    fc.property(fc.array(word, { maxLength: 6 }), (said) => {
      const { payloads, words } = heard(said);
      for (const payload of payloads) {
        expect(Buffer.byteLength(payload)).toBeLessThanOrEqual(STORAGE_LIMITS.databaseNotificationBytes);
        expect(payload.isWellFormed()).toBe(true);
      }
      for (const session of ['a', 'b']) expect(textOf(words, session)).toBe(textOf(said, session));
    }),
    { numRuns: 40 },
  );
});

test('pieces of one answer that come together go together', () => {
  const { payloads, words } = heard(['he', 'll', 'o'].map((text) => ({ session: 'a', after: 2, text })));
  expect(payloads).toHaveLength(1);
  expect(words).toEqual([{ session: 'a', after: 2, text: 'hello' }]);
});

test('a piece that is parted still says where in its answer each part stands', () => {
  verifies('B12');
  const text = '🐳 and so on, '.repeat(2_000);
  const payloads: string[] = [];
  const publisher = new ProgressPublisher((payload) => payloads.push(payload));
  publisher.add('a', 2, { type: 'text_delta', delta: text }, 7);
  publisher.add('a', 2, { type: 'text_delta', delta: 'end' }, 7 + text.length);
  publisher.close();
  let place = 7;
  const items = payloads.flatMap(itemsIn);
  expect(items.length).toBeGreaterThan(1);
  for (const [, , update, at] of items) {
    expect(at).toBe(place);
    if (update.type === 'text_delta') place += update.delta.length;
  }
  expect(place).toBe(7 + text.length + 3);
});

test('what somebody else notifies is passed over', () => {
  verifies('B12');
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      for (const [session, after, update] of itemsIn(text)) {
        expect([typeof session, typeof after, typeof update]).toEqual(['string', 'number', 'object']);
      }
    }),
  );
  expect(itemsIn('[["a",1,{"type":"tool_finished"}]]')).toEqual([]);
  expect(readMessage('to a a/1')).toEqual({ type: 'job_added', session: 'a', job: 'a/1' });
  expect(readMessage('to nobody')).toBeUndefined();
});
