/**
 * One session as its readers see it. Every line has an id (see `line-ids.ts`), so that a reader that was cut off goes on
 * exactly behind the last one it got: out of a bounded memory of what was sent last, else out of the kept log.
 */
import type { PermissionRequest, StreamLine } from '../agent/loop/call-model/stream-lines.ts';
import type { Event, SessionFace, SessionUpdate } from '../core/events.ts';
import type { Limits } from '../core/limits.ts';
import { openQuestions, type ServerQuestion } from '../core/server-question.ts';
import { activePath } from '../core/session-tree.ts';
import type { State } from '../core/state.ts';
import { createInFlight } from './in-flight.ts';
import { SERVER_LIMITS } from './limits.ts';
import { frameOf, type IdentifiedLine, identified, positionOf, progressLineId, reachedBy } from './line-ids.ts';
import { RecentFrames } from './recent-frames.ts';
import { createSessionLines } from './session-lines.ts';
import { createBroadcast } from './stream-budget.ts';

export type SessionReader = {
  /** One or more whole events in the form of server-sent events. */
  send(frame: Uint8Array): void;
  /** The session is gone, or the server ends. */
  end(): void;
  /** Resolves when what was sent has been taken. A long log is rebuilt only as fast as it is read. */
  room?(): Promise<void>;
};

/** A line with the id to resume behind. */
export type PageLine = StreamLine & { event_id: string };

export type SessionFollower = (update: SessionUpdate, lines: readonly IdentifiedLine[]) => void;

export type LiveSessionOptions = {
  id: string;
  events: readonly Event[];
  limits: Limits;
  /** The names of the tools that there are. */
  tools(): readonly string[];
  /** Tells the ids of this process's progress from those of another. */
  epoch: string;
  /** Milliseconds since 1970. */
  now(): number;
  /** `seq` of the last event in the store; undefined where that cannot be known now. */
  lastKept(): Promise<number | undefined>;
};

const encoder = new TextEncoder();
const lastSeq = (log: readonly Event[]): number => log.at(-1)?.seq ?? 0;

export class LiveSession {
  readonly id: string;
  readonly #options: LiveSessionOptions;
  readonly #broadcast = createBroadcast<SessionReader>();
  /** Who keeps the session open: readers, those that are still being told what was, and those that follow in another form. */
  readonly #attendees = new Set<{ end(isRemoved: boolean): void }>();
  /** With what is called when there is nothing more to hear. */
  readonly #followers = new Map<SessionFollower, (() => void) | undefined>();
  #isOver = false;
  /** Readers that are ahead of this server. They join after everybody was told of the event that they wait for. */
  readonly #waiting = new Set<{ seq: number; join(): void }>();
  readonly #lines: ReturnType<typeof createSessionLines>;
  readonly #inFlight = createInFlight();
  readonly #recent = new RecentFrames();
  readonly #questions: Map<string, ServerQuestion>;
  #log: readonly Event[];
  /** `seq` of the last event that was published. */
  #seen = 0;
  #progressCount = 0;
  #face: SessionFace | undefined;
  #unsubscribe: (() => void) | undefined;
  #touchedAt: number;

  constructor(options: LiveSessionOptions) {
    this.id = options.id;
    this.#options = options;
    this.#log = options.events;
    this.#touchedAt = options.now();
    this.#questions = new Map(openQuestions(options.events).map((question) => [question.question_id, question]));
    this.#lines = createSessionLines(options);
    for (const event of options.events) {
      this.#lines.add(event, event.at);
      this.#seen = event.seq;
    }
  }

  /** Follows an open session from now on. */
  attach(face: SessionFace): void {
    this.#face = face;
    const log = face.log();
    // Opening may have added to the log, such as the end of a run that a crash cut off.
    if (lastSeq(log) >= this.#seen) this.#log = log;
    for (const event of log.slice(this.#seen)) this.#publish(event);
    this.#unsubscribe = face.subscribe((update) => this.#hear(update, log));
  }

  /** One that was opened with less than was heard here meanwhile tells of the rest again: it is taken over from there on. */
  #hear(update: SessionUpdate, log: readonly Event[]): void {
    if (update.seq !== undefined && update.seq >= this.#seen) this.#log = log;
    if (update.seq === undefined || update.seq > this.#seen) this.#publish(update);
  }

  detach(): void {
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
    if (this.#face) this.#log = [...this.log()];
    this.#face = undefined;
  }

  /** A fact that was kept while the session was not open here; one that is known already changes nothing. */
  append(event: Event): void {
    if (event.seq <= this.#seen) return;
    this.#log = [...this.#log, event];
    this.#publish(event);
  }

  face(): SessionFace | undefined {
    return this.#face;
  }

  /**
   * As far as it was published. An open session may hold more: each event is sent when it is published, so a reader that
   * joins in between and was told of it already would get it twice.
   */
  log(): readonly Event[] {
    const isPublished = lastSeq(this.#log) <= this.#seen;
    return isPublished ? this.#log : this.#log.filter(({ seq }) => seq <= this.#seen);
  }

  state(): State {
    return this.#lines.state();
  }

  permissionRequest(): PermissionRequest | undefined {
    return this.#lines.permissionRequest();
  }

  /** What MCP servers ask and nobody answered yet. */
  serverQuestions(): ServerQuestion[] {
    return [...this.#questions.values()];
  }

  /** Sends what came after `lastId`, then everything as it comes. Returns how to stop. */
  read(lastId: string | undefined, reader: SessionReader): () => void {
    const leave = this.attend(reader.end);
    let isOver = false;
    const follow = (): void => {
      // What is on its way to the others is in what this one was told.
      this.#broadcast.flush();
      this.#broadcast.readers.add(reader);
    };
    const missed = lastId === undefined ? undefined : this.#recent.after(lastId);
    if (missed) {
      for (const frame of missed) reader.send(frame);
      follow();
    }
    const stopWaiting = missed
      ? () => {}
      : this.whenReached(reachedBy(lastId), () => void this.#replay(lastId, reader, follow, () => isOver));
    return () => {
      isOver = true;
      stopWaiting();
      this.#broadcast.readers.delete(reader);
      leave();
    };
  }

  /** Keeps the session open as a reader does; `end` is called when it is gone, `isRemoved` as `end` has it. Returns how to stop. */
  attend(end: (isRemoved: boolean) => void): () => void {
    this.touch();
    const attendee = { end };
    this.#attendees.add(attendee);
    return () => {
      this.#attendees.delete(attendee);
      this.touch();
    };
  }

  /** Hears every update with its lines, for the surfaces of this server; `onEnd` when the session is gone. Returns how to stop. */
  follow(listener: SessionFollower, onEnd?: () => void): () => void {
    this.#followers.set(listener, onEnd);
    if (this.#isOver) onEnd?.();
    return () => this.#followers.delete(listener);
  }

  /**
   * Calls `then` once the log holds this event. A reader that comes from another server can be ahead of this one, and is
   * sent nothing twice while this one catches up, however long that takes. An id that nobody gave out (or that a restored
   * backup does not know) is waited for so long and no longer: for longer while a run is open, since a database that crashed
   * may have lost an event that follows from those before it, and whoever goes on with the run writes it again.
   */
  whenReached(seq: number, then: () => void): () => void {
    if (seq <= this.#seen) {
      then();
      return () => {};
    }
    let isOver = false;
    const stop = (): void => {
      isOver = true;
      clearTimeout(timer);
      this.#waiting.delete(waiting);
    };
    const go = (): void => {
      stop();
      then();
    };
    let looks = 0;
    const look = async (): Promise<void> => {
      const kept = await this.#options.lastKept();
      if (isOver) return;
      looks += 1;
      const mayStillCome = this.state().phase !== 'idle' && looks < SERVER_LIMITS.readerAheadLooks;
      if (kept !== undefined && kept < seq && !mayStillCome) go();
      else timer = wait();
    };
    const wait = (): NodeJS.Timeout => setTimeout(() => void look(), SERVER_LIMITS.readerAheadMs).unref();
    let timer = wait();
    const waiting = { seq, join: go };
    this.#waiting.add(waiting);
    return stop;
  }

  /** Lines of the events that count, at most `limit` events before a `seq`, or the last ones. */
  page(limit: number, before = Number.POSITIVE_INFINITY): { lines: PageLine[]; hasMore: boolean } {
    const path = activePath(this.log()).filter(({ seq, type }) => seq < before && type !== 'answer_streamed');
    const first = path.at(-limit)?.seq ?? 0;
    const again = createSessionLines(this.#options);
    const lines = path.flatMap((event) => {
      const made = identified(event.seq, again.add(event, event.at));
      return event.seq < first ? [] : made.map(({ line, id }): PageLine => ({ event_id: id, ...line }));
    });
    return { lines, hasMore: path.length > limit };
  }

  /** What is under way, in as few lines as possible. */
  inFlight(): StreamLine[] {
    return this.#inFlight.lines();
  }

  readers(): number {
    return this.#attendees.size;
  }

  /** When it was last of use to anyone, in milliseconds since 1970. */
  touchedAt(): number {
    return this.#touchedAt;
  }

  /** By the clock that its lines are stamped by. */
  now(): number {
    return this.#options.now();
  }

  touch(): void {
    this.#touchedAt = this.#options.now();
  }

  /** `isRemoved`: it was deleted here, and nothing was said in it that was not published. */
  end(isRemoved = false): void {
    this.#broadcast.flush();
    for (const { end } of [...this.#attendees]) end(isRemoved);
    this.#attendees.clear();
    // A run that is still open here tells its own end.
    if (this.#face === undefined) {
      this.#isOver = true;
      for (const onEnd of [...this.#followers.values()]) onEnd?.();
    }
    this.#broadcast.readers.clear();
  }

  #publish(update: SessionUpdate): void {
    this.touch();
    if (update.type === 'server_asked') this.#questions.set(update.question.question_id, update.question);
    if (update.type === 'server_answered') this.#questions.delete(update.question_id);
    // What was shown of a try that nobody finished does not count any more.
    const isAnew = update.type === 'model_started' && this.#inFlight.hasAnswer();
    const told = this.#lines.add(update, this.#touchedAt);
    this.#inFlight.add(update, told);
    const made = isAnew ? [this.#reset(), ...this.#inFlight.lines()] : told;
    if (update.seq !== undefined) this.#seen = update.seq;
    const lines =
      update.seq === undefined ? made.map((line) => ({ line, id: this.#nextId() })) : identified(update.seq, made);
    for (const { line, id } of lines) {
      const frame = encoder.encode(frameOf(line, id));
      this.#recent.add(id, frame);
      this.#broadcast.add(frame);
    }
    for (const follower of [...this.#followers.keys()]) follower(update, lines);
    for (const { seq, join } of [...this.#waiting]) if (seq <= this.#seen) join();
  }

  #reset(): StreamLine {
    return { type: 'progress_reset', at: this.#options.now(), seq: this.#seen };
  }

  #nextId(): string {
    this.#progressCount += 1;
    return progressLineId(this.#seen, this.#progressCount, this.#options.epoch);
  }

  /** The log in pieces, each when the one before was taken; `follow` is called in the same turn as the last piece. */
  async #replay(
    lastId: string | undefined,
    reader: SessionReader,
    follow: () => void,
    isOver: () => boolean,
  ): Promise<void> {
    for (const { text, isLast } of this.#rebuilt(lastId)) {
      if (text !== '') reader.send(encoder.encode(text));
      if (isLast) follow();
      else if (reader.room) await reader.room();
      if (isOver()) return;
    }
  }

  /** The kept log, as long as it is and as it grows meanwhile; then what is under way. */
  *#rebuilt(lastId: string | undefined): Generator<{ text: string; isLast: boolean }> {
    const position = positionOf(lastId);
    const after = Math.min(position.after, this.#seen);
    const again = createSessionLines(this.#options);
    let { skipped } = position;
    let text = '';
    for (let place = 0; place < this.#log.length; place += 1) {
      const event = this.#log[place] as Event;
      if (event.seq > this.#seen) break;
      const lines = identified(event.seq, again.add(event, event.at));
      if (event.seq <= after) continue;
      for (const { line, id } of lines.slice(skipped)) text += frameOf(line, id);
      skipped = Math.max(0, skipped - lines.length);
      if (text.length < SERVER_LIMITS.replayCharacters) continue;
      yield { text, isLast: false };
      text = '';
    }
    yield { text: text + this.#underWay(lastId !== undefined), isLast: true };
  }

  /** A reader that saw a part of what is under way begins it again, so that nothing stands there twice. */
  #underWay(sawSome: boolean): string {
    const { epoch } = this.#options;
    const pending = this.#inFlight.lines();
    const reset = sawSome ? frameOf(this.#reset(), undefined) : '';
    const lastId = this.#progressCount > 0 ? progressLineId(this.#seen, this.#progressCount, epoch) : undefined;
    return (
      reset + pending.map((line, index) => frameOf(line, index === pending.length - 1 ? lastId : undefined)).join('')
    );
  }
}
