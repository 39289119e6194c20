import { expect, test } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import type { Event, EventBody } from '../core/events.ts';
import { DEFAULT_LIMITS } from '../core/limits.ts';
import { succeed } from '../core/outcome.ts';
import type { JobRecords, SessionStore } from '../core/storage-port.ts';
import { standingOf } from './poison.ts';

const eventsOf = (...bodies: EventBody[]): Event[] => bodies.map((body, index) => ({ seq: index + 1, at: 0, ...body }));
const WORDS: EventBody = { type: 'answer_streamed', text: 'some words ' };
const BEGUN = { ...WORDS, begins: true } as EventBody;

/** The places that the records hear of, where a worker dies at the end of each of these logs. */
const placesOf = async (...logs: Event[][]): Promise<string[]> => {
  const places: string[] = [];
  const records = {
    deaths: async () => succeed(1),
    notePlace: async (_job: string, place: string) => {
      places.push(place);
      return succeed({ here: 1, own: 0, others: 0 });
    },
  } as unknown as JobRecords;
  for (const events of logs) {
    const sessions = { read: async () => succeed({ events, warnings: [] }) } as unknown as SessionStore;
    const clock = { now: () => 0 } as never;
    const parts = { sessions, limits: DEFAULT_LIMITS, clock, verdict: async () => '' };
    const command = { type: 'send_message', content: 'go' } as const;
    expect(await standingOf(records, parts, 's/1', { session: 's', command })).toMatchObject({ ok: true });
  }
  return places;
};

const MESSAGE: EventBody = { type: 'user_message_added', content: 'go' };
const ANSWER = { type: 'model_failed', code: 'cancelled', message: 'no' } as EventBody;

test.each([
  [
    'each try brings words of its answer',
    [
      [MESSAGE, BEGUN],
      [MESSAGE, BEGUN, WORDS, BEGUN],
    ],
    1,
  ],
  ['one try brought words and another one none', [[MESSAGE], [MESSAGE, BEGUN, WORDS]], 1],
  [
    'the conversation went on in between',
    [
      [MESSAGE, BEGUN],
      [MESSAGE, BEGUN, ANSWER, MESSAGE],
    ],
    2,
  ],
] as const)('deaths are at so many places: %s', async (_what, logs, count) => {
  verifies('B12');
  const places = await placesOf(...logs.map((bodies) => eventsOf(...bodies)));
  expect(new Set(places).size).toBe(count);
});
