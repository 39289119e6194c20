/** The sessions of a server that runs none of them: workers do, and this looks on and hands on what is asked. */

import type { Agent } from '../agent/create-agent.ts';
import type { SessionUpdate } from '../core/events.ts';
import { failure, type Outcome, succeed } from '../core/outcome.ts';
import { openDesk } from './job-queue.ts';
import { wordsIn } from './passing-words.ts';
import { createRemoteSession } from './remote-session.ts';
import { loadSdk, type Sdk } from './sdk.ts';

export type HandOverOptions = {
  /** Put together with the database that holds the sessions. */
  halter: Agent;
  /** The address of that database. */
  url: string;
  load?: () => Promise<Sdk>;
};

type Listener = (after: number, update: SessionUpdate) => void;

/** The same halter, whose sessions are run by workers. It is closed like the other one. */
export const handToWorkers = async ({ halter, url, load }: HandOverOptions): Promise<Outcome<Agent>> => {
  const { members, feed } = halter.storage;
  if (members === undefined || feed === undefined) {
    return failure('validation_failed', 'Workers share a database, and none was named.');
  }
  const sdk = await loadSdk(load);
  if (!sdk.ok) return sdk;
  const opened = await openDesk(sdk.value, url);
  if (!opened.ok) return opened;
  const { desk } = opened.value;
  const listeners = new Map<string, Set<Listener>>();
  const stopListening = members.subscribe((text) => {
    for (const [session, after, update] of wordsIn(text)) {
      for (const listener of listeners.get(session) ?? []) listener(after, update);
    }
  });
  const listen = (session: string, listener: Listener): (() => void) => {
    const others = listeners.get(session) ?? new Set();
    listeners.set(session, others.add(listener));
    return () => {
      others.delete(listener);
      if (others.size === 0) listeners.delete(session);
    };
  };
  const { sessions } = halter;

  const openSession: Agent['openSession'] = async (options = {}) => {
    let { id } = options;
    const known = id === undefined ? undefined : await sessions.read(id);
    let events = known?.ok ? known.value.events : [];
    if (id === undefined || events.length === 0) {
      // Its beginning is made here, so that whoever opens it next finds what it began with.
      const begun = await halter.openSession(options);
      if (!begun.ok) return begun;
      id = begun.value.id;
      events = [...begun.value.log()];
      await begun.value.leave();
    }
    const { model } = options;
    const session = id;
    return succeed(
      createRemoteSession({
        id,
        events,
        ...(model === undefined ? {} : { model }),
        limits: halter.limits,
        desk,
        feed,
        say: members.publish,
        listen: (listener) => listen(session, listener),
      }),
    );
  };
  return succeed({
    ...halter,
    looksOn: true,
    get tools() {
      return halter.tools;
    },
    openSession,
    sessions: {
      ...sessions,
      async remove(id) {
        const dropped = await desk.dropWaiting(id, () => true);
        return dropped.ok ? sessions.remove(id) : dropped;
      },
    },
    async close() {
      stopListening();
      await desk.close();
      await halter.close();
    },
  });
};
