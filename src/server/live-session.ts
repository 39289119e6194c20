/**
 * One session as its readers see it. Every line has an id, so that a reader who was cut off goes on exactly behind the last
 * one it got: out of a bounded memory of what was sent last, else out of the kept log with what is under way put together.
 *
 * Ids: `7` is the last line of the kept event 7, `6+1` the first of several lines of it, `7.42~e` the 42nd line of
 * progress of this process, sent after the event 7.
 */

import type { PermissionRequest, StreamLine } from '../agent/loop/call-model/stream-lines.ts';
import type { Event, SessionFace, SessionUpdate } from '../core/events.ts';
import { LIMITS, type Limits } from '../core/limits.ts';
import { openQuestions, type ServerQuestion } from '../core/server-question.ts';
import { activePath } from '../core/session-tree.ts';
import type { State } from '../core/state.ts';
import { createInFlight } from './in-flight.ts';
import { createSessionLines } from './session-lines.ts';
import { createBroadcast } from './stream-budget.ts';

export type SessionReader = {
  /** One or more whole events in the form of server-sent events. */
  send(frame: Uint8Array): void;
  /** The session is gone, or the server ends. */
  end(): void;
  /** Comes back when what was sent has been taken: a long log is not put together for who does not read it. */
  room?(): Promise<void>;
};

/** A line with what to resume behind; `id` belongs to what the line is about. */
export type IdentifiedLine = StreamLine & { event_id: string };

export type SessionFollower = (update: SessionUpdate, lines: readonly { line: StreamLine; id: string }[]) => void;

export type LiveSession = {
  readonly id: string;
  /** Follows an open session from now on. */
  attach(face: SessionFace): void;
  detach(): void;
  /** A fact that was kept while the session was not open here; one that is known already changes nothing. */
  append(event: Event): void;
  face(): SessionFace | undefined;
  log(): readonly Event[];
  state(): State;
  permissionRequest(): PermissionRequest | undefined;
  /** What MCP servers ask and nobody answered yet. */
  serverQuestions(): ServerQuestion[];
  /** Sends what came after `lastId`, then everything as it comes. Returns how to stop. */
  read(lastId: string | undefined, reader: SessionReader): () => void;
  /** Keeps the session open as a reader does; `end` is called when it is gone. Returns how to stop. */
  attend(end: () => void): () => void;
  /** Hears every update with its lines, for the surfaces of this server. */
  follow(listener: SessionFollower): () => void;
  /** Lines of the events that count, so many of them before a `seq`, or the last ones. */
  page(limit: number, before?: number): { lines: IdentifiedLine[]; hasMore: boolean };
  /** What is under way, in as few lines as possible. */
  inFlight(): StreamLine[];
  readers(): number;
  /** When it was last of use to anyone. */
  touchedAt(): number;
  touch(): void;
  end(): void;
};

export type LiveSessionOptions = { id: string; events: readonly Event[]; limits: Limits; epoch: string; now(): number };

const POSITION = /^(\d+)(?:\+(\d+)|\.\d+~\w+)?$/;
const encoder = new TextEncoder();

export const frameOf = (line: StreamLine, id: string | undefined): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${line.type}\ndata: ${JSON.stringify(line)}\n\n`;

export const createLiveSession = (options: LiveSessionOptions): LiveSession => {
  const { id: sessionId, limits, epoch, now } = options;
  const broadcast = createBroadcast<SessionReader>();
  const { readers } = broadcast;
  /** Who keeps the session open: readers, also those that are told what was, and those that follow in another form. */
  const attendees = new Set<{ end(): void }>();
  const followers = new Set<SessionFollower>();
  const lines = createSessionLines(sessionId, limits);
  const inFlight = createInFlight();
  let log: readonly Event[] = options.events;
  let seen = 0;
  let progressCount = 0;
  let face: SessionFace | undefined;
  let unsubscribe: (() => void) | undefined;
  let touched = now();
  const questions = new Map(openQuestions(options.events).map((question) => [question.question_id, question]));
  /** What was sent last, by id, oldest first. */
  const recent = new Map<string, Uint8Array>();
  let recentBytes = 0;

  const remember = (id: string, frame: Uint8Array): void => {
    recent.set(id, frame);
    recentBytes += frame.byteLength;
    for (const [oldest, bytes] of recent) {
      if (recent.size <= LIMITS.serverRecentFrames && recentBytes <= LIMITS.serverRecentBytes) break;
      recent.delete(oldest);
      recentBytes -= bytes.byteLength;
    }
  };
  const publish = (update: SessionUpdate): void => {
    touched = now();
    if (update.type === 'server_asked') questions.set(update.question.question_id, update.question);
    if (update.type === 'server_answered') questions.delete(update.question_id);
    const made = lines.add(update, touched);
    inFlight.add(update, made);
    if (update.seq !== undefined) seen = update.seq;
    const identified = made.map((line, index) => ({
      line,
      id: update.seq === undefined ? `${seen}.${++progressCount}~${epoch}` : keptId(update.seq, index, made.length),
    }));
    for (const { line, id } of identified) {
      const frame = encoder.encode(frameOf(line, id));
      remember(id, frame);
      broadcast.add(frame);
    }
    for (const follower of [...followers]) follower(update, identified);
  };
  const keptLines = (events: readonly Event[], wanted: (event: Event) => boolean): IdentifiedLine[] => {
    const again = createSessionLines(sessionId, limits);
    const found: IdentifiedLine[] = [];
    for (const event of events) {
      const made = again.add(event, event.at);
      if (!wanted(event)) continue;
      made.forEach((line, index) => {
        found.push({ event_id: keptId(event.seq, index, made.length), ...line });
      });
    }
    return found;
  };
  /** Everything after `lastId` that is still remembered as it was sent; undefined where that is not known. */
  const remembered = (lastId: string): Uint8Array[] | undefined => {
    if (!recent.has(lastId)) return undefined;
    const frames: Uint8Array[] = [];
    let found = false;
    for (const [id, frame] of recent) {
      if (found) frames.push(frame);
      else found = id === lastId;
    }
    return frames;
  };
  /** Out of the kept log, as long as it is and as it grows meanwhile, in pieces; then what is under way, put together. */
  const rebuilt = function* (lastId: string | undefined): Generator<string, string> {
    const [, kept = '0', part] = POSITION.exec(lastId ?? '') ?? [];
    const after = Math.min(Number(kept), seen);
    const again = createSessionLines(sessionId, limits);
    let skipped = Number(part ?? 0);
    let text = '';
    for (let place = 0; place < log.length; place += 1) {
      const event = log[place] as Event;
      const made = again.add(event, event.at);
      if (event.seq <= after) continue;
      made.forEach((line, index) => {
        if (skipped > 0) skipped -= 1;
        else text += frameOf(line, keptId(event.seq, index, made.length));
      });
      if (text.length < LIMITS.serverReplayCharacters) continue;
      yield text;
      text = '';
    }
    const pending = inFlight.lines();
    // Whoever saw a part of what is under way begins it again, so that nothing stands there twice.
    if (lastId !== undefined) text += frameOf({ type: 'progress_reset', at: now(), seq: seen }, undefined);
    pending.forEach((line, index) => {
      const isLast = index === pending.length - 1;
      text += frameOf(line, isLast && progressCount > 0 ? `${seen}.${progressCount}~${epoch}` : undefined);
    });
    return text;
  };

  for (const event of log) {
    lines.add(event, event.at);
    seen = event.seq;
  }

  return {
    id: sessionId,
    attach(opened) {
      face = opened;
      // What opening it added to the log, such as the end of a run that a crash cut off.
      log = opened.log();
      for (const event of log.slice(seen)) publish(event);
      unsubscribe = opened.subscribe(publish);
    },
    detach() {
      unsubscribe?.();
      unsubscribe = undefined;
      if (face) log = [...face.log()];
      face = undefined;
    },
    append(event) {
      if (event.seq <= seen) return;
      log = [...log, event];
      publish(event);
    },
    face: () => face,
    log: () => log,
    state: lines.state,
    permissionRequest: lines.permissionRequest,
    serverQuestions: () => [...questions.values()],
    read(lastId, reader) {
      touched = now();
      let isOver = false;
      const attendee = { end: reader.end };
      attendees.add(attendee);
      const follow = (): void => {
        // What is on its way to the others is in what this one was told.
        broadcast.flush();
        readers.add(reader);
      };
      const missed = lastId === undefined ? undefined : remembered(lastId);
      if (missed) {
        for (const frame of missed) reader.send(frame);
        follow();
      } else {
        const pieces = rebuilt(lastId);
        const goOn = (): void => {
          for (;;) {
            if (isOver) return;
            const { value, done } = pieces.next();
            if (value !== '') reader.send(encoder.encode(value));
            // At once, so that nothing comes in between.
            if (done) {
              follow();
              return;
            }
            if (reader.room) {
              void reader.room().then(goOn);
              return;
            }
          }
        };
        goOn();
      }
      return () => {
        isOver = true;
        attendees.delete(attendee);
        readers.delete(reader);
        touched = now();
      };
    },
    attend(end) {
      touched = now();
      const attendee = { end };
      attendees.add(attendee);
      return () => {
        attendees.delete(attendee);
        touched = now();
      };
    },
    follow(listener) {
      followers.add(listener);
      return () => followers.delete(listener);
    },
    page(limit, before = Number.POSITIVE_INFINITY) {
      const path = activePath(log).filter(({ seq }) => seq < before);
      const first = path.at(-limit)?.seq ?? 0;
      return { lines: keptLines(path, ({ seq }) => seq >= first), hasMore: path.length > limit };
    },
    inFlight: inFlight.lines,
    readers: () => attendees.size,
    touchedAt: () => touched,
    touch() {
      touched = now();
    },
    end() {
      broadcast.flush();
      for (const { end } of [...attendees]) end();
      attendees.clear();
      readers.clear();
    },
  };
};

const keptId = (seq: number, index: number, count: number): string =>
  index === count - 1 ? `${seq}` : `${seq - 1}+${index + 1}`;
