/** The sessions of a server: read from the store until somebody wants something of them, open from then on. */

import type { Opening } from '../agent/create-agent/sessions.ts';
import type { Agent } from '../agent/create-agent.ts';
import { hasToolState, openToolState, type ToolState } from '../agent/session/tool-state.ts';
import type { Command, Event, SessionFace } from '../core/events.ts';
import { ownModelOf } from '../core/model-roles.ts';
import type { OwnSettings } from '../core/own-settings.ts';
import { followMode } from '../core/policy/overrides.ts';
import { refusedHere } from '../core/session-folder.ts';
import { settingsOf } from '../core/settings-of.ts';
import { systemClock } from '../io/clock.ts';
import { watchFolder } from '../io/watch-folder.ts';
import { ApiError, fromFailure, fromModelError, notNow } from './api-error.ts';
import { LeftSessions } from './left-sessions.ts';
import { SERVER_LIMITS } from './limits.ts';
import { LiveSession } from './live-session.ts';
import { openLoaded } from './open-loaded.ts';
import { SessionActivity } from './session-activity.ts';
import { SessionOpener } from './session-opener.ts';
import { createSessionWatch, type SessionWatch } from './session-watch.ts';

const NEVER = new AbortController().signal;

/** Throws an ApiError where a run goes on. */
const idle = (session: LiveSession): LiveSession => {
  if (session.state().phase === 'idle') return session;
  throw new ApiError(409, 'not_now', 'A run is going on. Change the model when it is done.');
};

/** With the face that takes commands. */
type Opened = { session: LiveSession; face: SessionFace };

export class SessionHub {
  /** What goes on in all of them. */
  readonly activity: SessionActivity;
  readonly #agent: Agent;
  readonly #now: () => number;
  readonly #epoch = crypto.randomUUID().slice(0, 8);
  readonly #known = new Map<string, LiveSession>();
  readonly #reading = new Map<string, Promise<LiveSession>>();
  readonly #opening = new Map<string, Promise<Opened>>();
  readonly #takenUp = new Set<string>();
  readonly #left = new LeftSessions();
  /** A message that was just sent may not be in the log yet. */
  readonly #spokenTo = new WeakSet<LiveSession>();
  readonly #opener: SessionOpener;
  readonly #watch: SessionWatch;

  /** By the session: the model that is waited for. */
  readonly #choosing = new Map<string, AbortController>();

  /** `now` tells milliseconds since 1970. */
  constructor(agent: Agent, now: () => number) {
    this.#agent = agent;
    this.activity = new SessionActivity((onChange) => this.#watchList(onChange));
    this.#now = now;
    this.#opener = new SessionOpener(agent);
    const { feed, fileFeed } = agent.storage;
    this.#watch = createSessionWatch(feed ?? fileFeed, (session) => this.#forget(session));
  }

  /** A new session, open. */
  async create(model?: string, settings?: OwnSettings): Promise<LiveSession> {
    const face = await this.#opener.open(undefined, model, settings);
    const { session } = this.#attach(this.#hold(face.id, []), face);
    await this.#tidy();
    return session;
  }

  /** The session of this id, begun where there is none yet; a new one without an id. */
  async ensure(id: string | undefined, model: string | undefined): Promise<LiveSession> {
    if (id === undefined) return this.create(model);
    try {
      return await this.get(id);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 404) throw error;
    }
    // Two requests with the same new id begin one session.
    const { session } = await this.#openOnce(id, async () => {
      const face = await this.#opener.open(id, model);
      return this.#attach(this.#known.get(id) ?? this.#hold(id, []), face);
    });
    return session;
  }

  /** A session to look at. Throws an ApiError where there is none. */
  async get(id: string): Promise<LiveSession> {
    this.#left.comeBack(id);
    const session = this.#known.get(id);
    if (session) {
      // Who worked on it elsewhere may have ended in the middle.
      if (!session.face() && session.state().phase !== 'idle') this.#takeUp(session);
      return session;
    }
    const reading = this.#reading.get(id) ?? this.#read(id).finally(() => this.#reading.delete(id));
    this.#reading.set(id, reading);
    return reading;
  }

  /** The same session, open for commands. */
  async open(id: string, model?: string): Promise<Opened> {
    const session = await this.get(id);
    this.#checkFolder(session);
    if (model !== undefined && model !== this.#opener.chosenModel(id)) return this.#changeModel(session, model);
    const face = session.face();
    if (face) {
      session.touch();
      return { session, face };
    }
    return this.#openOnce(id, async () => this.#attach(session, await this.#opener.open(id)));
  }

  /**
   * What its next message would run with, where the log does not say: of a session that is not open here. While another
   * halter is at work on it, what that one writes holds.
   */
  opensWith(session: LiveSession): Opening | undefined {
    if (session.face() || this.#agent.looksOn || session.state().phase !== 'idle') return undefined;
    const chosen = this.#opener.chosenModel(session.id);
    const opening = this.#agent.opensWith(session.log());
    return chosen === undefined ? opening : { ...opening, model: Promise.resolve(ownModelOf(session.log())) };
  }

  /** Work with the tasks and the standing of a session, open here or not; without a model. */
  async withToolState<T>(id: string, work: (state: ToolState & { sessionId: string }) => Promise<T>): Promise<T> {
    const { sessions, folder, limits } = this.#agent;
    const known = await this.get(id).catch((error: unknown) => {
      if (error instanceof ApiError && error.status === 404) return undefined;
      throw error;
    });
    const face = known?.face();
    if (face && !hasToolState(face)) throw new ApiError(409, 'not_now', `The session ${id} runs elsewhere.`);
    if (face) return work({ ...face.toolState(), sessionId: id });
    const onEvent = (event: Event): void => known?.append(event);
    const opened = await openToolState({ sessions, folder, limits, clock: systemClock, onEvent }, id);
    if (!opened.ok) throw notNow(opened.error);
    const done = await work({ ...opened.value, sessionId: id }).finally(opened.value.close);
    const kept = await opened.value.close();
    if (!kept.ok) throw fromFailure(kept.error);
    return done;
  }

  /** Throws an ApiError where the session does not take the command now. `signal`: nobody waits for its end any more. */
  async send(id: string, command: Command, signal: AbortSignal = NEVER): Promise<void> {
    if (command.type === 'change_model') {
      await this.#changeModel(await this.#readyFor(id, command.model, signal), command.model);
      return;
    }
    if (command.type === 'change_settings') return this.#changeSettings(await this.get(id), command.settings);
    if (command.type === 'rename' && !(await this.get(id)).face()) return this.#rename(id, command.title);
    const { session, face } = await this.open(id);
    if (command.type === 'send_message') this.#spokenTo.add(session);
    const sent = await face.send(command);
    if (!sent.ok) throw notNow(sent);
  }

  /** Its paths mean other files here. Whoever hands it to workers works in no folder. */
  #checkFolder(session: LiveSession): void {
    const { looksOn, folder } = this.#agent;
    const elsewhere = looksOn ? undefined : refusedHere(session.log(), session.id, folder);
    if (elsewhere !== undefined) throw new ApiError(409, 'other_folder', elsewhere.message);
  }

  async remove(id: string): Promise<void> {
    const session = this.#known.get(id);
    this.#known.delete(id);
    const face = session?.face();
    session?.detach();
    this.#watch.end(id);
    let isRemoved = false;
    try {
      if (face) await this.#opener.close(face);
      await this.#agent.documents.forget(id);
      const removed = await this.#agent.sessions.remove(id);
      if (!removed.ok) throw fromFailure(removed.error);
      // Another process may have said more in it than this one has heard.
      isRemoved = face !== undefined && !this.#agent.looksOn;
    } finally {
      // Whoever waits for its end may ask for it at once, and finds it gone.
      session?.end(isRemoved);
    }
    this.activity.forget(id);
  }

  /** Removes it after a while, unless something was said in it or somebody looked at it by then. */
  async removeIfLeft(id: string): Promise<void> {
    const session = await this.get(id);
    if (this.#isUsed(session)) return;
    this.#left.add(id, async () => {
      if (!this.#isUsed(session)) await this.remove(id);
    });
  }

  /** What goes on in a session here. */
  stateOf(id: string): { running: boolean; waiting: boolean } {
    const session = this.#known.get(id);
    return {
      running: session !== undefined && session.state().phase !== 'idle',
      waiting: session?.permissionRequest() !== undefined || (session?.serverQuestions() ?? []).length > 0,
    };
  }

  counts(): { open: number; readers: number; running: number } {
    const all = [...this.#known.values()];
    return {
      open: all.filter((session) => session.face() !== undefined).length,
      readers: all.reduce((sum, session) => sum + session.readers(), 0),
      running: all.filter((session) => session.state().phase !== 'idle').length,
    };
  }

  async close(): Promise<void> {
    this.#opener.end();
    await this.#left.close();
    await Promise.allSettled([...this.#opening.values()]);
    const all = [...this.#known.values()];
    await Promise.allSettled(all.map((session) => session.face()?.close()));
    this.#watch.close();
    this.activity.close();
    for (const session of all) session.end();
    this.#known.clear();
  }

  #isUsed(session: LiveSession): boolean {
    return this.#spokenTo.has(session) || session.log().some(({ type }) => type === 'user_message_added');
  }

  #hold(id: string, events: readonly Event[]): LiveSession {
    const session = new LiveSession({
      id,
      events,
      limits: this.#agent.limits,
      tools: () => this.#agent.tools.map(({ name }) => name),
      epoch: this.#epoch,
      now: this.#now,
      lastKept: async () => {
        const read = await this.#agent.sessions.read(id);
        return read.ok ? (read.value.events.at(-1)?.seq ?? 0) : undefined;
      },
    });
    this.#known.set(id, session);
    session.follow((update) => this.activity.note(session, update));
    return session;
  }

  #forget(session: LiveSession): void {
    if (this.#known.get(session.id) === session) this.#known.delete(session.id);
    this.#watch.end(session.id);
    session.end();
    this.activity.forget(session.id);
  }

  async #read(id: string): Promise<LiveSession> {
    const found = await this.#agent.sessions.read(id);
    if (!found.ok) throw fromFailure(found.error);
    const session = this.#known.get(id) ?? this.#hold(id, found.value.events);
    // A run that halter was ended in is brought to its end, and its permission request is withdrawn. Where another halter
    // works on it, or there is no model, it stays as it is.
    if (this.#agent.looksOn || session.state().phase !== 'idle') this.#takeUp(session);
    this.#watch.begin(session);
    await this.#tidy();
    return session;
  }

  #takeUp({ id }: LiveSession): void {
    if (this.#takenUp.has(id)) return;
    this.#takenUp.add(id);
    void this.open(id)
      .catch(() => {})
      .finally(() => this.#takenUp.delete(id));
  }

  /** Whoever wants it open while it is being opened gets the same. */
  #openOnce(id: string, open: () => Promise<Opened>): Promise<Opened> {
    const opening = this.#opening.get(id) ?? open().finally(() => this.#opening.delete(id));
    this.#opening.set(id, opening);
    return opening;
  }

  #attach(session: LiveSession, face: SessionFace): Opened {
    this.#watch.end(session.id);
    session.attach(face);
    if (this.#agent.storage.feed) this.#releaseWhenLost(session, face);
    return { session, face };
  }

  /**
   * An event that could not be kept is not shown to others either: another server may have the session by now, and would
   * give the same numbers to other events. Its readers reconnect and see what is kept.
   */
  #releaseWhenLost(session: LiveSession, face: SessionFace): void {
    const stop = session.follow((update) => {
      if (update.type !== 'warning' || update.code !== 'session_not_written') return;
      stop();
      this.#forget(session);
      void this.#opener.close(face);
    });
  }

  /** Sessions that nobody reads and that have nothing to do are closed, oldest first, when there are many. */
  async #tidy(): Promise<void> {
    const idle = [...this.#known.values()]
      .filter((session) => session.readers() === 0 && session.state().phase === 'idle')
      .filter(({ id }) => !this.#opening.has(id))
      .sort((a, b) => a.touchedAt() - b.touchedAt());
    for (const session of idle.slice(0, Math.max(0, this.#known.size - SERVER_LIMITS.openSessions))) {
      if (this.#now() - session.touchedAt() < SERVER_LIMITS.sessionIdleMs) return;
      this.#known.delete(session.id);
      const face = session.face();
      session.detach();
      this.#watch.end(session.id);
      if (face) await this.#opener.close(face);
    }
  }

  /** Of a session that is not open: a name needs no model. */
  async #rename(id: string, title: string): Promise<void> {
    const session = await this.get(id);
    const opened = await this.#agent.sessions.open(id);
    if (!opened.ok) throw fromFailure(opened.error);
    const { log, events } = opened.value;
    const event: Event = { seq: (events.at(-1)?.seq ?? 0) + 1, at: this.#now(), type: 'session_renamed', title };
    const kept = await log.append(event);
    await log.close();
    if (!kept.ok) throw fromFailure(kept.error);
    session.append(event);
  }

  /**
   * The session, when the model is there that it is to take. Its server may have to load it first; who chooses another one
   * meanwhile means that.
   */
  async #readyFor(id: string, model: string, signal: AbortSignal): Promise<LiveSession> {
    idle(await this.get(id));
    const other = new AbortController();
    this.#choosing.get(id)?.abort();
    this.#choosing.set(id, other);
    const found = await openLoaded(this.#agent.models, model, AbortSignal.any([signal, other.signal]));
    if (this.#choosing.get(id) === other) this.#choosing.delete(id);
    if (other.signal.aborted) throw new ApiError(409, 'not_now', 'Another model was chosen meanwhile.');
    if (!found.ok) throw fromModelError(found.error);
    return idle(await this.get(id));
  }

  /**
   * An open session takes another model as it is: its mode, what was allowed in it and what waits in it stay. One that is
   * not open, or is at work elsewhere, is opened with it.
   */
  async #changeModel(session: LiveSession, model: string): Promise<Opened> {
    const { id } = session;
    const face = session.face();
    if (face && !this.#agent.looksOn) {
      const sent = await face.send({ type: 'change_model', model });
      if (!sent.ok) throw notNow(sent);
      this.#opener.choose(id, model);
      return { session, face };
    }
    session.detach();
    await face?.close();
    this.#opener.choose(id, model);
    return this.#openOnce(id, async () => this.#attach(session, await this.#opener.open(id)));
  }

  /** Instructions stand at the beginning of every prompt, so the session is closed and opened with others. */
  async #changeSettings(session: LiveSession, settings: OwnSettings): Promise<void> {
    const { id } = session;
    const before = settingsOf(session.log()).instructions ?? '';
    const { face } = await this.open(id);
    const sent = await face.send({ type: 'change_settings', settings });
    if (!sent.ok) throw notNow(sent);
    if (before === (settings.instructions ?? '') || this.#agent.looksOn) return;
    const mode = followMode()(face.log());
    session.detach();
    await face.close();
    const again = await this.#openOnce(id, async () =>
      this.#attach(session, await this.#opener.open(id, undefined, settings)),
    );
    // A mode is given up with the session's hold on the log; here nobody let go of it but halter.
    if (mode !== undefined && followMode()(again.face.log()) !== mode)
      await again.face.send({ type: 'change_mode', mode });
  }

  /** Files are watched; a database that several servers share is looked at again and again. */
  #watchList(onChange: () => void): () => void {
    if (this.#agent.storage.feed === undefined) {
      return watchFolder(this.#agent.paths.sessions, (name = '') => {
        // What is written here is told by the session itself.
        const [id = ''] = name.split('.');
        if (this.#known.get(id)?.face() === undefined) onChange();
      });
    }
    const timer = setInterval(onChange, SERVER_LIMITS.sharedListMs);
    timer.unref();
    return () => clearInterval(timer);
  }
}
