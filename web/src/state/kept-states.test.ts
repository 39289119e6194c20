/** What becomes of a message that this browser keeps, in every state that it can be in, whatever happens to its session. */
import { describe, expect, it } from 'vitest';
import type { Event } from '../../../src/core/events.ts';
import { verifies } from '../../../tests/requirements.ts';
import { createKeptQueue, type KeptMessage, type KeptQueue } from './kept-queue.ts';
import { unsentMessages } from './sending.ts';
import { EMPTY_VIEW, type View } from './view.ts';

const newQueue = (): KeptQueue => {
  const words = new Map<string, string>();
  let keys = 0;
  return createKeptQueue({
    newKey() {
      keys += 1;
      return `key ${keys}`;
    },
    tab: () => 'tab',
    words: {
      get: (name) => words.get(name) ?? null,
      set(name, value) {
        words.set(name, value);
        return true;
      },
      remove: (name) => void words.delete(name),
      names: () => [...words.keys()],
    },
    keep: async () => {},
    recall: async () => undefined,
  });
};

/** What the page has heard of it, and what is in its session, which the page need not have heard of. */
const STATES = {
  'was kept before it was sent': {},
  'nobody answered': { told: { isUnanswered: true } },
  'arrived, which nobody heard': { isSaid: true },
  'nobody answered and arrived': { told: { isUnanswered: true }, isSaid: true },
  'the server has taken': { told: { isTaken: true } },
  'waits for its turn': { told: { isTaken: true, queueId: 'q' }, waits: true },
  'had waited and was lost with its server': { told: { isTaken: true, queueId: 'q' } },
  'was taken and answered': { told: { isTaken: true }, isSaid: true },
  'had waited and was answered': { told: { isTaken: true, queueId: 'q' }, isSaid: true },
} as const satisfies Record<string, { told?: Partial<KeptMessage>; isSaid?: true; waits?: true }>;
type State = { told?: Partial<KeptMessage>; isSaid?: true; waits?: true };

const said = (text: string, key: string): Event => ({
  seq: 5,
  at: 0,
  type: 'user_message_added',
  content: text,
  idempotency_key: key,
});

type Shown = 'not sent' | 'may have been answered' | 'nothing' | 'waits';
type World = { kept: KeptQueue; log: readonly Event[]; view: View };

const inNew = ({ kept }: World): Shown => {
  const [message, another] = unsentMessages(kept.all('new'), EMPTY_VIEW, { coming: [], isLive: true, tab: 'other' });
  expect(another).toBeUndefined();
  if (message === undefined) return 'nothing';
  return message.perhapsIn === undefined ? 'not sent' : 'may have been answered';
};
const inSession = ({ kept, view }: World): Shown => {
  kept.arrive('s', 'new');
  const [message] = unsentMessages(kept.follow('s', view), view, { coming: [], isLive: true, tab: 'other' });
  expect(message?.perhapsIn).toBeUndefined();
  return message !== undefined ? 'not sent' : view.queue.length > 0 ? 'waits' : 'nothing';
};

const unless = (isSaid: boolean | undefined): Shown => (isSaid ? 'nothing' : 'not sent');
const perhaps = (): Shown => 'may have been answered';
const there = ({ isSaid, waits }: State): Shown => (waits ? 'waits' : unless(isSaid));

const EVENTS: Record<string, { happens(world: World): void; shows(world: World): Shown; wanted(state: State): Shown }> =
  {
    'nothing happens': { happens: () => {}, shows: inSession, wanted: there },
    'its session is deleted before the eyes of this window': {
      happens: ({ kept, log }) => void kept.release('s', log),
      shows: inNew,
      wanted: ({ isSaid }) => unless(isSaid),
    },
    'its session is deleted while nobody looks': {
      happens: ({ kept }) => void kept.release('s'),
      shows: inNew,
      wanted: perhaps,
    },
    'several windows find that out': {
      happens({ kept }) {
        kept.release('s');
        kept.release('s');
      },
      shows: inNew,
      wanted: perhaps,
    },
    'a window that did not follow finds it out before one that did': {
      happens({ kept, log }) {
        kept.release('s');
        kept.release('s', log);
      },
      shows: inNew,
      wanted: ({ isSaid }) => unless(isSaid),
    },
    'a window that did not follow finds it out behind one that did': {
      happens({ kept, log }) {
        kept.release('s', log);
        kept.release('s');
      },
      shows: inNew,
      wanted: ({ isSaid }) => unless(isSaid),
    },
    'another halter answers at its address': {
      happens: ({ kept }) => void kept.release('s'),
      shows: inNew,
      wanted: perhaps,
    },
    'another halter answers at its address, and then its own again': {
      happens({ kept }) {
        kept.release('s');
        kept.restore('s');
      },
      shows: inSession,
      wanted: there,
    },
    'it is sent once more and nobody answers': {
      happens({ kept }) {
        kept.release('s');
        const [message] = kept.all('new');
        if (message)
          kept.change('new', kept.add('new', message.text, { ...message, after: 0 }), { isUnanswered: true });
      },
      shows: inNew,
      wanted: perhaps,
    },
  };

describe('a message that this browser keeps', () => {
  for (const place of ['s', 'new'] as const)
    for (const [name, state] of Object.entries<State>(STATES))
      for (const [event, { happens, shows, wanted }] of Object.entries(EVENTS))
        it(`that ${name}, kept in ${place === 's' ? 'its session' : 'the page that began it'}: ${event}`, () => {
          verifies('L8');
          const kept = newQueue();
          const message = kept.add(place, 'do it', { after: 3 });
          kept.change(place, message, { ...state.told, ...(place === 'new' ? { session: 's' } : {}) });
          const log = state.isSaid ? [said('do it', message.key ?? '')] : [];
          const view: View = {
            ...EMPTY_VIEW,
            items: log.map(({ seq }) => ({
              kind: 'user',
              key: 'u',
              seq,
              after: 3,
              at: 0,
              content: 'do it',
              ...(message.key === undefined ? {} : { messageKey: message.key }),
            })),
            queue: state.waits ? [{ queue_id: 'q', content: 'do it', held: false }] : [],
          };
          const world = { kept, log, view };
          happens(world);
          expect(shows(world)).toBe(wanted(state));
        });
});
