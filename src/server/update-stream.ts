/**
 * A session's updates as they are, for halter's own page: it folds them with the same code that the program folds its log
 * with. Facts carry their `seq` as the id of the event, so a connection that broke off goes on behind the last fact that
 * arrived; what is under way and no fact yet begins again, put together, after `progress_reset`. Of a session that is not
 * open, `opens_with` tells what its next message would run with: the mode at once, the model as soon as it is known.
 * `session_removed` is the last word where the session was deleted here: nothing was in it that was not told.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Opening } from '../agent/create-agent/sessions.ts';
import type { StreamLine } from '../agent/loop/call-model/stream-lines.ts';
import type { Progress, SessionUpdate } from '../core/events.ts';
import { SERVER_LIMITS } from './limits.ts';
import type { LiveSession, SessionReader } from './live-session.ts';
import { createBroadcast } from './stream-budget.ts';

const encoder = new TextEncoder();
const frameOf = (update: SessionUpdate): string =>
  `${update.seq === undefined ? '' : `id: ${update.seq}\n`}data: ${JSON.stringify(update)}\n\n`;
const signal = (name: 'progress_reset' | 'opens_with' | 'ready' | 'session_removed', data: object = {}): string =>
  `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

type Feed = { join(reader: SessionReader): void; leave(reader: SessionReader): void; flush(): void };
const feeds = new WeakMap<LiveSession, Feed>();

/** What is under way, begun again. */
const underWay = (session: LiveSession): string => {
  const lines = session.inFlight();
  const spoken = lines.filter(({ type }) => type === 'text_delta' || type === 'tool_call_delta');
  const thoughtUntil = Math.min(session.now(), ...spoken.map(({ at }) => at));
  return (
    signal('progress_reset') +
    lines
      .flatMap((line) => progressOf(line, thoughtUntil) ?? [])
      .map(frameOf)
      .join('')
  );
};

/** What comes, for all who have caught up with a session: put into bytes once. */
const feedOf = (session: LiveSession): Feed => {
  const known = feeds.get(session);
  if (known) return known;
  const broadcast = createBroadcast<SessionReader>();
  let stop: (() => void) | undefined;
  const feed: Feed = {
    flush: broadcast.flush,
    join(reader) {
      broadcast.flush();
      broadcast.readers.add(reader);
      stop ??= session.follow((update, lines) => {
        const isAnew = lines[0]?.line.type === 'progress_reset';
        broadcast.add(encoder.encode(isAnew ? underWay(session) : frameOf(update)));
      });
    },
    leave(reader) {
      broadcast.readers.delete(reader);
      if (broadcast.readers.size > 0) return;
      stop?.();
      stop = undefined;
    },
  };
  feeds.set(session, feed);
  return feed;
};

/** Sends what came after the fact `lastId`, then everything as it comes. Returns how to stop. */
export const readUpdates = (
  session: LiveSession,
  lastId: string | undefined,
  reader: SessionReader,
  opensWith: () => Opening | undefined = () => undefined,
): (() => void) => {
  const known = Number.parseInt(lastId ?? '', 10);
  let place = 0;
  const feed = feedOf(session);
  let isOver = false;
  /** All that was. */
  let isTold = false;

  const tellModel = (model: string | undefined): void => {
    if (isOver || model === undefined || session.face()) return;
    reader.send(encoder.encode(signal('opens_with', { model })));
  };
  /** A long log goes out in pieces, each when the one before was taken, so that others are served in between. */
  const replay = (): void => {
    if (isOver) return;
    const log = session.log();
    let text = '';
    for (; place < log.length && text.length < SERVER_LIMITS.replayCharacters; place += 1) {
      const event = log[place];
      if (event) text += frameOf(event);
    }
    if (place < log.length) {
      reader.send(encoder.encode(text));
      void (reader.room?.() ?? nextTurn()).then(replay);
      return;
    }
    feed.join(reader);
    const opening = opensWith();
    isTold = true;
    text += underWay(session);
    if (opening) text += signal('opens_with', { mode: opening.mode });
    reader.send(encoder.encode(text + signal('ready')));
    void opening?.model.then(tellModel, () => {});
  };
  const leave = session.attend((isRemoved) => {
    feed.flush();
    if (isRemoved && isTold) reader.send(encoder.encode(signal('session_removed')));
    reader.end();
  });
  const stopWaiting = session.whenReached(Number.isNaN(known) ? 0 : known, () => {
    if (!Number.isNaN(known)) place = session.log().findLastIndex(({ seq }) => seq <= known) + 1;
    replay();
  });
  return () => {
    isOver = true;
    stopWaiting();
    feed.leave(reader);
    leave();
  };
};

/** The progress that a line stands for. */
const progressOf = (
  { type, at, seq: _seq, ...fields }: StreamLine,
  thoughtUntil: number,
): ({ seq?: undefined } & Progress) | undefined => {
  switch (type) {
    case 'model_start':
      return { type: 'model_started', ...fields } as Progress;
    case 'tool_output_delta': {
      const { id, ...rest } = fields;
      return { type, tool_call_id: String(id), ...rest } as Progress;
    }
    case 'loading':
    case 'queue_changed':
    case 'prefill':
    case 'text_delta':
    case 'tool_call_delta':
      return { type, ...fields } as Progress;
    case 'reasoning_delta':
      return { type, ...fields, seconds: Math.max(0, thoughtUntil - at) / 1_000 } as Progress;
    default:
      return undefined;
  }
};
