/** In whatever form an answer is read while it comes: the words since the last reset are the answer. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { createRemoteSession } from '../src/cluster/remote-session.ts';
import type { Event, EventBody, Progress, SessionFace, SessionUpdate } from '../src/core/events.ts';
import { DEFAULT_LIMITS } from '../src/core/limits.ts';
import { succeed } from '../src/core/outcome.ts';
import { LiveSession } from '../src/server/live-session.ts';
import { readUpdates } from '../src/server/update-stream.ts';
import { verifies } from './requirements.ts';

const WORDS = Array.from({ length: 8 }, (_, index) => `w${index} `);
const ANSWER = WORDS.join('');
const FORMS = ['stream-json', 'updates', 'chat', 'in_flight'] as const;
type Form = (typeof FORMS)[number];

/** Joins the words that a reader is told of; `break` and `join` are what a client does whose connection broke off. */
type Reader = { words(): string; break(): void; join(): void };

const wordsOf = () => {
  let text = '';
  return {
    words: () => text,
    take({ type, delta }: { type?: unknown; delta?: unknown }): void {
      if (type === 'progress_reset') text = '';
      if (type === 'text_delta') text += String(delta);
    },
  };
};

const readerOf = (session: LiveSession, form: Form): Reader => {
  const { words, take } = wordsOf();
  let lastId: string | undefined;
  let stop = (): void => {};
  const sink = {
    end: () => {},
    send(frames: Uint8Array) {
      for (const block of new TextDecoder().decode(frames).split('\n\n').filter(Boolean)) {
        const fields = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s)));
        const { id, event, data = '{}' } = fields as { id?: string; event?: string; data?: string };
        lastId = id ?? lastId;
        take({ type: event, ...JSON.parse(data) });
      }
    },
  };
  const join = (): void => {
    if (form === 'stream-json') stop = session.read(lastId, sink);
    if (form === 'updates') stop = readUpdates(session, lastId, sink);
    if (form === 'chat')
      stop = session.follow((_update, lines) => {
        for (const { line } of lines) take(line);
      });
  };
  join();
  return { words, join, break: () => stop() };
};

/** A session that is read on a server. `here`: it runs in the same process; `workers`: another one runs it. */
const scene = (where: 'here' | 'workers') => {
  const kept: Event[] = [];
  let seq = 0;
  const made = (body: EventBody): Event => {
    seq += 1;
    return { ...body, seq, at: seq } as Event;
  };
  kept.push(
    made({ type: 'session_started', version: 1, session_id: 's', workspace: '/w', model: 'm' }),
    made({ type: 'user_message_added', content: 'go' }),
  );
  const opened = (): { session: LiveSession; keep(event: Event): void; tell: typeof told } => {
    let onEvents: (events: readonly Event[]) => void = () => {};
    let tell: typeof told = () => {};
    const log = [...kept];
    const listeners = new Set<(update: SessionUpdate) => void>();
    const publish = (update: SessionUpdate): void => {
      for (const listen of listeners) listen(update);
    };
    const face: SessionFace =
      where === 'workers'
        ? createRemoteSession({
            id: 's',
            events: [...kept],
            limits: DEFAULT_LIMITS,
            queue: {
              add: async () => succeed('job'),
              cancelWaiting: async () => succeed(0),
              messagesWaiting: async () => succeed(0),
            },
            served: async () => succeed(new Set<string>()),
            tellWorker: () => {},
            cancelHere: async () => {},
            feed: {
              follow(_id, _after, follower) {
                onEvents = follower.onEvents;
                return () => {};
              },
            },
            subscribe(listener) {
              tell = listener;
              return () => {};
            },
          })
        : {
            id: 's',
            send: async () => ({ ok: true }),
            subscribe(listener) {
              listeners.add(listener);
              return () => listeners.delete(listener);
            },
            log: () => log,
            idle: async () => {},
            close: async () => {},
          };
    const session = new LiveSession({
      id: 's',
      events: [...kept],
      limits: DEFAULT_LIMITS,
      tools: () => [],
      epoch: 'e',
      now: () => 5,
      lastKept: async () => seq,
    });
    session.attach(face);
    return {
      session,
      tell: where === 'workers' ? (...progress) => tell(...progress) : (_after, update) => publish(update),
      keep(event) {
        if (where === 'workers') return onEvents([event]);
        log.push(event);
        publish(event);
      },
    };
  };
  const told = (_after: number, _update: Progress, _at?: number): void => {};
  let now = opened();
  return {
    session: () => now.session,
    /** Another server opens it now. */
    reopen: (): void => {
      now = opened();
    },
    begin: (after = seq): void => now.tell(after, { type: 'model_started', model: 'm', iteration: 1 }),
    tell: (update: Progress, after = seq): void => now.tell(after, update),
    /** Words `from` to `to` (without it) come as progress. */
    say(from: number, to: number, after = seq, words = WORDS): void {
      for (let place = from; place < to; place += 1)
        now.tell(after, { type: 'text_delta', delta: words[place] ?? '' }, words.slice(0, place).join('').length);
    },
    keep(from: number, to: number, words = WORDS): void {
      const event = made({
        type: 'answer_streamed',
        text: words.slice(from, to).join(''),
        ...(from === 0 ? { begins: true } : {}),
      });
      kept.push(event);
      now.keep(event);
    },
    answer(): void {
      const message = { role: 'assistant', content: ANSWER, tool_calls: [], finish: 'stop' } as const;
      now.keep(made({ type: 'assistant_message_added', message: { ...message, tool_calls: [] } }));
    },
    seq: () => seq,
  };
};
type Scene = ReturnType<typeof scene>;

const OTHER = WORDS.map((word) => word.toUpperCase());

/** What happens until all words were said, or kept. */
type Happening = {
  where: readonly ('here' | 'workers')[];
  run(s: Scene, reader: () => Reader): Promise<void> | void;
};
const HAPPENINGS: Record<string, Happening> = {
  'nothing else': {
    where: ['here', 'workers'],
    run(s) {
      s.begin();
      s.say(0, 4);
      s.keep(0, 4);
      s.say(4, 8);
    },
  },
  'a reader that breaks off and goes on behind its last id': {
    where: ['here', 'workers'],
    async run(s, reader) {
      s.begin();
      s.say(0, 3);
      await nextTurn();
      reader().break();
      s.say(3, 5);
      s.keep(0, 4);
      s.say(5, 6);
      reader().join();
      s.say(6, 8);
    },
  },
  'a part that is kept overtakes words that are in it and words that are not': {
    where: ['workers'],
    run(s) {
      s.begin();
      const before = s.seq();
      s.say(0, 3, before);
      s.keep(0, 4);
      s.say(3, 6, before);
      s.say(6, 8);
    },
  },
  'a part that is kept overtakes the beginning': {
    where: ['workers'],
    run(s) {
      const before = s.seq();
      s.keep(0, 4);
      s.begin(before);
      s.say(0, 6, before);
      s.say(6, 8);
    },
  },
  'words are lost between, and kept': {
    where: ['workers'],
    run(s) {
      s.begin();
      s.say(0, 2);
      s.say(4, 5);
      s.keep(0, 6);
      s.say(5, 8);
    },
  },
  'a warning of another job comes while words wait for what is kept': {
    where: ['workers'],
    run(s) {
      s.begin();
      s.say(0, 2);
      s.say(4, 6, s.seq() + 1);
      s.tell({ type: 'warning', code: 'not_now', message: 'No worker does this.' }, 0);
      s.keep(0, 4);
      s.say(6, 8);
    },
  },
  'room is made in the middle, and it is answered anew': {
    where: ['here', 'workers'],
    run(s) {
      s.begin();
      s.say(0, 5, s.seq(), OTHER);
      s.tell({ type: 'compaction', state: 'started' });
      s.tell({ type: 'compaction', state: 'finished' });
      s.begin();
      s.say(0, 8);
    },
  },
  'the worker is killed, and another one answers anew': {
    where: ['workers'],
    run(s) {
      s.begin();
      s.say(0, 5, s.seq(), OTHER);
      s.keep(0, 3, OTHER);
      s.begin();
      s.say(0, 8);
    },
  },
  'the worker is killed, and another one says the same': {
    where: ['workers'],
    run(s) {
      s.begin();
      s.say(0, 5);
      s.keep(0, 3);
      s.begin();
      s.say(0, 8);
    },
  },
  'the worker is killed, and the beginning of the next try is lost': {
    where: ['workers'],
    run(s) {
      s.begin();
      s.say(0, 5, s.seq(), OTHER);
      s.keep(0, 3, OTHER);
      s.say(2, 4);
      s.keep(0, 4);
      s.say(4, 8);
    },
  },
};

/** What a worker said of events that it could not keep waits for them; the next try has other ones under these numbers. */
for (const [what, others] of [
  ['other words', OTHER],
  ['the same words', WORDS],
] as const)
  HAPPENINGS[`the log could not be written, and the next try begins where it ends, after ${what}`] = {
    where: ['workers'],
    run(s) {
      s.begin();
      s.say(0, 3, s.seq(), others);
      s.say(3, 6, s.seq() + 2, others);
      s.begin();
      s.say(0, 2);
      s.keep(0, 2);
      s.keep(2, 3);
      s.say(3, 8);
    },
  };

const ROWS = FORMS.flatMap((form) =>
  Object.entries(HAPPENINGS).flatMap(([what, { where }]) => where.map((place) => [form, place, what] as const)),
);

describe('the words of an answer', () => {
  test.each(ROWS)('in %s, run %s, with %s: are each told once', async (form, where, what) => {
    verifies('B12');
    const s = scene(where);
    const reader = readerOf(s.session(), form);
    // A chat that broke off is followed further in the stream of its session.
    const again = form === 'chat' || form === 'in_flight' ? { ...reader, break: () => {}, join: () => {} } : reader;
    await HAPPENINGS[what]?.run(s, () => again);
    if (form === 'in_flight') {
      expect(
        s
          .session()
          .inFlight()
          .filter(({ type }) => type === 'text_delta'),
      ).toMatchObject([{ delta: ANSWER }]);
      return;
    }
    s.answer();
    await nextTurn();
    expect(reader.words()).toBe(ANSWER);
  });

  test.each(['stream-json', 'updates', 'chat'] as const)(
    'in %s: what was lost with the database away comes with the message',
    async (form) => {
      verifies('B12');
      const s = scene('workers');
      const reader = readerOf(s.session(), form);
      s.begin();
      s.say(0, 3);
      s.answer();
      await nextTurn();
      expect(reader.words()).toBe(ANSWER);
    },
  );

  test.each(['stream-json', 'updates', 'chat'] as const)(
    'in %s: what was told of a try does not stand before the answer of the next one, of which nothing else is heard',
    async (form) => {
      verifies('B12');
      const s = scene('workers');
      const reader = readerOf(s.session(), form);
      s.begin();
      s.say(0, 5, s.seq(), OTHER);
      s.answer();
      await nextTurn();
      expect(reader.words()).toBe(ANSWER);
    },
  );

  test('are in the view of a server that opens the session in the middle', () => {
    verifies('B12');
    const s = scene('workers');
    s.begin();
    s.say(0, 4);
    s.keep(0, 4);
    s.reopen();
    s.say(5, 6);
    s.keep(4, 7);
    s.say(7, 8);
    expect(
      s
        .session()
        .inFlight()
        .filter(({ type }) => type === 'text_delta'),
    ).toMatchObject([{ delta: ANSWER }]);
  });

  test('a model that is asked for the next answer begins with no reset', () => {
    verifies('B12');
    const s = scene('workers');
    s.begin();
    s.say(0, 8);
    s.answer();
    s.begin();
    const types: string[] = [];
    s.session().follow((_update, lines) => types.push(...lines.map(({ line }) => line.type)));
    s.say(0, 1);
    expect(types).toEqual(['text_delta']);
  });
});
