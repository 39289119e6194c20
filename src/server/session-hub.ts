/** The sessions of a server: read from the store until somebody wants something of them, open from then on. */

import type { Agent } from '../agent/create-agent.ts';
import type { Command, Event, SessionFace } from '../core/events.ts';
import { LIMITS } from '../core/limits.ts';
import { ApiError, fromFailure, fromModelError } from './api-error.ts';
import { createLiveSession, type LiveSession } from './live-session.ts';
import { createSessionWatch } from './session-watch.ts';

export type SessionHub = {
  /** A new session, open. */
  create(model?: string): Promise<LiveSession>;
  /** The session of this id, begun where there is none yet; a new one without an id. */
  ensure(id: string | undefined, model: string | undefined): Promise<LiveSession>;
  /** A session to look at. Throws an ApiError where there is none. */
  get(id: string): Promise<LiveSession>;
  /** The same session, open for commands. */
  open(id: string, model?: string): Promise<Opened>;
  send(id: string, command: Command): Promise<void>;
  remove(id: string): Promise<void>;
  /** In a while, unless something was said in it or somebody looked at it by then. */
  removeIfLeft(id: string): Promise<void>;
  /** What goes on in a session here. */
  stateOf(id: string): { running: boolean; waiting: boolean };
  counts(): { open: number; readers: number; running: number };
  close(): Promise<void>;
};

/** With the face that takes commands. */
type Opened = { session: LiveSession; face: SessionFace };

export const createSessionHub = (halter: Agent, now: () => number): SessionHub => {
  const known = new Map<string, LiveSession>();
  const opening = new Map<string, Promise<Opened>>();
  const reading = new Map<string, Promise<LiveSession>>();
  const epoch = crypto.randomUUID().slice(0, 8);
  /** Those that a page left before anything was said in them. */
  const left = new Map<string, { timer: NodeJS.Timeout; giveUp(): Promise<void> }>();
  const spokenTo = new WeakSet<LiveSession>();
  let closed = false;

  const live = (id: string, events: readonly Event[]): LiveSession => {
    const session = createLiveSession({ id, events, limits: halter.limits, epoch, now });
    known.set(id, session);
    return session;
  };
  const forget = (session: LiveSession): void => {
    if (known.get(session.id) === session) known.delete(session.id);
    watch.end(session.id);
    session.end();
  };
  const watch = createSessionWatch(halter.storage.feed, forget);
  const read = async (id: string): Promise<LiveSession> => {
    const found = await halter.sessions.read(id);
    if (!found.ok) throw fromFailure(found.error);
    const session = known.get(id) ?? live(id, found.value.events);
    // A run that halter was ended in is brought to its end, and what it asked is asked no longer. Where another halter works
    // on it, or no model is to be had, it stays as it stands.
    if (halter.looksOn || session.state().phase !== 'idle') takeUp(session);
    watch.begin(session);
    await tidy();
    return session;
  };
  const takenUp = new Set<string>();
  const takeUp = ({ id }: LiveSession): void => {
    if (takenUp.has(id)) return;
    takenUp.add(id);
    void hub
      .open(id)
      .catch(() => {})
      .finally(() => takenUp.delete(id));
  };
  /** With another model than the usual one, until the server ends. */
  const chosen = new Map<string, string>();

  const openFace = async (id: string | undefined, model = id && chosen.get(id)): Promise<SessionFace> => {
    if (closed) throw new ApiError(503, 'shutting_down', 'halter is ending.');
    if (id !== undefined) await closing.get(id);
    const opened = await halter.openSession({ ...(id ? { id } : {}), ...(model ? { model } : {}) });
    if (!opened.ok) {
      const busy = opened.error.code === 'bad_request' && opened.error.message.includes('another halter');
      throw busy ? new ApiError(409, 'in_use', opened.error.message) : fromModelError(opened.error);
    }
    return opened.value;
  };
  /** Whoever opens it next waits until it is closed. */
  const closing = new Map<string, Promise<void>>();
  const closeFace = (face: SessionFace): Promise<void> => {
    const done = face.close().finally(() => closing.delete(face.id));
    closing.set(face.id, done);
    return done;
  };
  const attach = (session: LiveSession, face: SessionFace): Opened => {
    watch.end(session.id);
    session.attach(face);
    if (halter.storage.feed) letGoWhenLost(session, face);
    return { session, face };
  };
  /**
   * What cannot be kept is not shown to others either: another server may have the session by now, and would give the
   * same numbers to other events. Its readers come back and see what is kept.
   */
  const letGoWhenLost = (session: LiveSession, face: SessionFace): void => {
    const stop = session.follow((update) => {
      if (update.type !== 'warning' || update.code !== 'session_not_written') return;
      stop();
      forget(session);
      void closeFace(face);
    });
  };
  /** Sessions that nobody reads and that have nothing to do are closed, oldest first, when there are many. */
  const tidy = async (): Promise<void> => {
    const idle = [...known.values()]
      .filter((session) => session.readers() === 0 && session.state().phase === 'idle' && !opening.has(session.id))
      .sort((a, b) => a.touchedAt() - b.touchedAt());
    for (const session of idle.slice(0, Math.max(0, known.size - LIMITS.serverOpenSessions))) {
      if (now() - session.touchedAt() < LIMITS.serverSessionIdleMs) return;
      known.delete(session.id);
      const face = session.face();
      session.detach();
      watch.end(session.id);
      if (face) await closeFace(face);
    }
  };

  /** A name needs no model. */
  const rename = async (id: string, title: string): Promise<void> => {
    const session = await hub.get(id);
    const opened = await halter.sessions.open(id);
    if (!opened.ok) throw fromFailure(opened.error);
    const { log, events } = opened.value;
    const event: Event = { seq: (events.at(-1)?.seq ?? 0) + 1, at: now(), type: 'session_renamed', title };
    const kept = await log.append(event);
    await log.close();
    if (!kept.ok) throw fromFailure(kept.error);
    session.append(event);
  };
  /** A model brings its provider, its window and its form of calls, so the session is opened anew with it. */
  const changeModel = async (session: LiveSession, model: string): Promise<Opened> => {
    if (session.state().phase !== 'idle') {
      throw new ApiError(409, 'not_now', 'A run is going on. Change the model when it is done.');
    }
    const found = await halter.models.open(model);
    if (!found.ok) throw fromModelError(found.error);
    const { id } = session;
    const face = session.face();
    session.detach();
    await face?.close();
    chosen.set(id, model);
    const opened = openFace(id).then((next) => attach(session, next));
    opening.set(id, opened);
    return opened.finally(() => opening.delete(id));
  };

  const hub: SessionHub = {
    async create(model) {
      const face = await openFace(undefined, model);
      if (model) chosen.set(face.id, model);
      const { session } = attach(live(face.id, []), face);
      await tidy();
      return session;
    },
    async ensure(id, model) {
      if (id === undefined) return hub.create(model);
      try {
        return await hub.get(id);
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== 404) throw error;
      }
      // Two requests with the same new id begin one session.
      const started =
        opening.get(id) ?? openFace(id, model).then((face) => attach(known.get(id) ?? live(id, []), face));
      opening.set(id, started);
      if (model) chosen.set(id, model);
      const { session } = await started.finally(() => opening.delete(id));
      return session;
    },
    get(id) {
      // Somebody came back to it.
      clearTimeout(left.get(id)?.timer);
      left.delete(id);
      const session = known.get(id);
      if (session) {
        // Whoever worked on it may have ended in the middle.
        if (halter.storage.feed && !session.face() && session.state().phase !== 'idle') takeUp(session);
        return Promise.resolve(session);
      }
      const started = reading.get(id) ?? read(id).finally(() => reading.delete(id));
      reading.set(id, started);
      return started;
    },
    async open(id, model) {
      const session = await hub.get(id);
      const face = session.face();
      if (model !== undefined && model !== chosen.get(id)) return changeModel(session, model);
      if (face) {
        session.touch();
        return { session, face };
      }
      const started =
        opening.get(id) ??
        openFace(id)
          .then((opened) => attach(session, opened))
          .finally(() => opening.delete(id));
      opening.set(id, started);
      return started;
    },
    async send(id, command) {
      if (command.type === 'change_model') {
        await changeModel(await hub.get(id), command.model);
        return;
      }
      if (command.type === 'rename' && !(await hub.get(id)).face()) return rename(id, command.title);
      const { session, face } = await hub.open(id);
      if (command.type === 'send_message') spokenTo.add(session);
      const sent = await face.send(command);
      if (!sent.ok) throw new ApiError(409, 'not_now', sent.message);
    },
    async removeIfLeft(id) {
      const session = await hub.get(id);
      // A message that was just sent may not be in the log yet.
      const isUsed = (): boolean =>
        spokenTo.has(session) || session.log().some(({ type }) => type === 'user_message_added');
      if (isUsed()) return;
      const giveUp = async (): Promise<void> => {
        left.delete(id);
        if (!isUsed()) await hub.remove(id);
      };
      const timer = setTimeout(() => void giveUp().catch(() => {}), LIMITS.serverLeftSessionMs);
      timer.unref();
      left.set(id, { timer, giveUp });
    },
    async remove(id) {
      const session = known.get(id);
      known.delete(id);
      const face = session?.face();
      session?.detach();
      watch.end(id);
      session?.end();
      await face?.close();
      await halter.documents.forget(id);
      const removed = await halter.sessions.remove(id);
      if (!removed.ok) throw fromFailure(removed.error);
    },
    stateOf(id) {
      const session = known.get(id);
      return {
        running: session !== undefined && session.state().phase !== 'idle',
        waiting: session?.permissionRequest() !== undefined || (session?.serverQuestions() ?? []).length > 0,
      };
    },
    counts() {
      const all = [...known.values()];
      return {
        open: all.filter((session) => session.face() !== undefined).length,
        readers: all.reduce((sum, session) => sum + session.readers(), 0),
        running: all.filter((session) => session.state().phase !== 'idle').length,
      };
    },
    async close() {
      closed = true;
      for (const { timer } of left.values()) clearTimeout(timer);
      await Promise.allSettled([...left.values()].map(({ giveUp }) => giveUp()));
      await Promise.allSettled([...opening.values()]);
      const all = [...known.values()];
      await Promise.all(all.map((session) => session.face()?.close()));
      watch.close();
      for (const session of all) session.end();
      known.clear();
    },
  };
  return hub;
};
