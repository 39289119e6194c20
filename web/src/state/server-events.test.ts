import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createEventReader, openEvents, type ServerEvent } from './server-events.ts';

const TEXT =
  ': still here\n\nid: 1\ndata: {"a":1}\n\nevent: ready\ndata: {}\n\ndata: one\ndata: two\n\nid: 7\nevent: end\ndata: x\n\n';
const EVENTS: ServerEvent[] = [
  { type: 'message', data: '{"a":1}', id: '1' },
  { type: 'ready', data: '{}', id: '1' },
  { type: 'message', data: 'one\ntwo', id: '1' },
  { type: 'end', data: 'x', id: '7' },
];

it('reads the same events however the text is cut', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(TEXT.length)), (cuts) => {
      const events: ServerEvent[] = [];
      const push = createEventReader((event) => events.push(event));
      const places = [0, ...cuts.sort((a, b) => a - b), TEXT.length];
      for (let index = 1; index < places.length; index += 1) push(TEXT.slice(places[index - 1], places[index]));
      expect(events).toEqual(EVENTS);
    }),
  );
});

it('takes a piece without text between the halves of an end', () => {
  const events: ServerEvent[] = [];
  const push = createEventReader((event) => events.push(event));
  for (const piece of ['data: one\n', '', '\n']) push(piece);
  expect(events.map(({ data }) => data)).toEqual(['one']);
});

it('says once when nothing more comes, and not where it was closed', async () => {
  const ended = (send: typeof fetch) =>
    new Promise<number>((resolve) => {
      openEvents(send, '/x', { onEvent: () => {}, onEnd: () => resolve(1) });
    });
  expect(await ended(async () => new Response(TEXT))).toBe(1);
  expect(await ended(async () => new Response('', { status: 401 }))).toBe(1);
  expect(await ended(() => Promise.reject(new TypeError('nobody')))).toBe(1);
});
