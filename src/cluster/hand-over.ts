/** The sessions of a server that runs none of them: workers do. The server follows them and adds jobs to the queue. */

import type { Agent } from '../agent/create-agent.ts';
import type { OpenSessionOptions } from '../agent/session/open-session.ts';
import type { OpenSession } from '../agent/session.ts';
import type { ModelError } from '../core/model-port.ts';
import { failure, type Outcome, succeed } from '../core/outcome.ts';
import type { Members, SessionFeed, SessionStore } from '../core/storage-port.ts';
import { systemClock } from '../io/clock.ts';
import { cancelRun } from './end-run.ts';
import { type JobQueue, openJobQueue } from './job-queue.ts';
import { jobAddedMessage, readMessage } from './progress-messages.ts';
import { queueDepth } from './queue-depth.ts';
import { createRemoteSession, type RemoteParts } from './remote-session.ts';
import { loadSdk, type Sdk } from './sdk.ts';

export type HandOverOptions = {
  /** Put together with the database that holds the sessions. */
  halter: Agent;
  /** The address of that database. */
  url: string;
  load?: () => Promise<Sdk>;
};

/** The same agent, whose sessions are run by workers. It is closed like the other one. */
export const handToWorkers = async ({ halter, url, load }: HandOverOptions): Promise<Outcome<Agent>> => {
  const { members, feed } = halter.storage;
  if (members === undefined || feed === undefined) {
    return failure('validation_failed', 'Workers share a database, and none was named.');
  }
  const sdk = await loadSdk(load);
  if (!sdk.ok) return sdk;
  const opened = await openJobQueue(sdk.value, url, { isToRun: true });
  if (!opened.ok) return opened;
  const sessions = new RemoteSessions({ halter, members, feed, queue: opened.value.queue });
  return succeed({
    ...halter,
    looksOn: true,
    queue: { depth: () => queueDepth(opened.value.queue, members) },
    get tools() {
      return halter.tools;
    },
    openSession: (options) => sessions.open(options),
    sessions: sessions.store(),
    close: () => sessions.close(),
  });
};

type Listener = Parameters<RemoteParts['subscribe']>[0];
type Parts = { halter: Agent; members: Members; feed: SessionFeed; queue: JobQueue };

class RemoteSessions {
  readonly #parts: Parts;
  /** By session. */
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #stopListening: () => void;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#stopListening = parts.members.subscribe((text) => this.#receive(text));
  }

  async open(options: OpenSessionOptions = {}): Promise<Outcome<OpenSession, ModelError>> {
    const { halter, queue, feed, members } = this.#parts;
    let { id } = options;
    const known = id === undefined ? undefined : await halter.sessions.read(id);
    let events = known?.ok ? known.value.events : [];
    if (id === undefined || events.length === 0) {
      // Its beginning is made here, so that whoever opens it next finds what it began with.
      const begun = await halter.openSession(options);
      if (!begun.ok) return begun;
      id = begun.value.id;
      events = [...begun.value.log()];
      await begun.value.leave();
    }
    const session = id;
    return succeed(
      createRemoteSession({
        id: session,
        events,
        model: options.model,
        limits: halter.limits,
        queue,
        feed,
        served: () => members.served(),
        tellWorker: (job) => members.publish(jobAddedMessage(session, job)),
        cancelHere: () => this.#cancelHere(session),
        handOver: (traceparent) => halter.handOver(session, traceparent),
        subscribe: (listener) => this.#subscribe(session, listener),
      }),
    );
  }

  store(): SessionStore {
    const { halter, queue } = this.#parts;
    const { sessions } = halter;
    return {
      open: (id) => sessions.open(id),
      create: (id, events) => sessions.create(id, events),
      ids: () => sessions.ids(),
      read: (id) => sessions.read(id),
      list: (options) => sessions.list(options),
      holding: async (words) => (await sessions.holding?.(words)) ?? succeed(undefined),
      async remove(id) {
        const dropped = await queue.cancelWaiting(id, () => true);
        return dropped.ok ? sessions.remove(id) : dropped;
      },
    };
  }

  async close(): Promise<void> {
    this.#stopListening();
    await this.#parts.queue.close();
    await this.#parts.halter.close();
  }

  /** A worker that has the session open does it; where none has, the run is cancelled here. */
  async #cancelHere(session: string): Promise<void> {
    const { sessions, limits, verdict } = this.#parts.halter;
    await cancelRun({ sessions, limits, clock: systemClock, verdict }, session);
  }

  #receive(text: string): void {
    const message = readMessage(text);
    if (message?.type !== 'progress') return;
    for (const [session, ...progress] of message.items) {
      for (const listener of this.#listeners.get(session) ?? []) listener(...progress);
    }
  }

  #subscribe(session: string, listener: Listener): () => void {
    const others = this.#listeners.get(session) ?? new Set();
    this.#listeners.set(session, others.add(listener));
    return () => {
      others.delete(listener);
      if (others.size === 0) this.#listeners.delete(session);
    };
  }
}
