/**
 * A session that a worker runs, with the same face as one that runs here. What is asked of it becomes an order; what
 * happens in it is read from where the worker keeps it, and the words in between are heard in passing.
 */

import type { OpenSession } from '../agent/session.ts';
import type { Command, Event, SessionFace, SessionUpdate } from '../core/events.ts';
import { LIMITS, type Limits } from '../core/limits.ts';
import { type Outcome, succeed } from '../core/outcome.ts';
import { parseDecision } from '../core/permission-decision.ts';
import { fold, step } from '../core/step.ts';
import type { SessionFeed } from '../core/storage-port.ts';
import type { Desk } from './job-queue.ts';
import { isToRun, waitsForIdle } from './jobs.ts';
import { CLUSTER_LIMITS } from './limits.ts';

export type RemoteParts = {
  id: string;
  events: readonly Event[];
  model?: string;
  limits: Limits;
  desk: Desk;
  feed: SessionFeed;
  /** To the worker that has the session in hand, if one has. */
  say(words: string): void;
  /** Words of this session, and the event that they come after. */
  listen(listener: (after: number, update: SessionUpdate) => void): () => void;
};

type Reply = Awaited<ReturnType<SessionFace['send']>>;

export const createRemoteSession = (parts: RemoteParts): OpenSession => {
  const { id, limits, desk } = parts;
  const log: Event[] = [...parts.events];
  const listeners = new Set<(update: SessionUpdate) => void>();
  const idleWaiters = new Set<() => void>();
  let state = fold(limits, log);
  /** Handed in and not in the log yet. */
  let messages = 0;
  let held: [after: number, update: SessionUpdate][] = [];
  let closed = false;

  const lastSeq = (): number => log.at(-1)?.seq ?? 0;
  const isIdle = (): boolean => state.phase === 'idle' && messages === 0;
  const publish = (update: SessionUpdate): void => {
    for (const listener of [...listeners]) listener(update);
  };
  const settle = (): void => {
    if (!isIdle() && !closed) return;
    for (const resolve of idleWaiters) resolve();
    idleWaiters.clear();
  };
  /** Words that ran ahead of their event wait for it; those that it overtook are in it. */
  const hear = (after: number, update: SessionUpdate): void => {
    if (after === lastSeq()) publish(update);
    else if (after > lastSeq() && held.length < CLUSTER_LIMITS.workerHeldWords) held.push([after, update]);
  };
  const stopFollowing = parts.feed.follow(id, lastSeq(), {
    onEvents(events) {
      for (const event of events) {
        log.push(event);
        if (event.type === 'user_message_added') messages = Math.max(0, messages - 1);
        state = event.type === 'branch_selected' ? fold(limits, log) : step(state, event).state;
        publish(event);
        const now = held;
        held = [];
        for (const [after, update] of now) hear(after, update);
      }
      settle();
    },
  });
  const stopListening = parts.listen(hear);

  /** What the worker would refuse is refused here, where somebody waits for the answer. */
  const objection = (command: Command): string | undefined => {
    if (command.type === 'send_message') {
      if (typeof command.content === 'string' && command.content.trim() === '') return 'The message is empty.';
      return messages >= LIMITS.queuedMessages ? `${LIMITS.queuedMessages} messages are waiting already.` : undefined;
    }
    if (command.type === 'resolve_permission') {
      const entry = state.entries.find(({ call }) => call.id === command.tool_call_id);
      return entry?.awaited === 'permission' ? undefined : 'Nothing is asked about this call now.';
    }
    if (waitsForIdle(command) && !isIdle()) return 'A run is going on. Stop it, or wait until it is done.';
    return undefined;
  };
  const dropWaiting = async (): Promise<Outcome<void>> => {
    const dropped = await desk.dropWaiting(id, ({ command }) => command.type === 'send_message');
    if (!dropped.ok) return dropped;
    messages = 0;
    if (dropped.value > 0) {
      const text = `${dropped.value} waiting messages were not sent.`;
      publish({ type: 'warning', code: 'queue_dropped', message: text });
    }
    return succeed(undefined);
  };
  const send = async (command: Command): Promise<Reply> => {
    if (closed) return { ok: false, message: 'This session is closed.' };
    const message = objection(command);
    if (message !== undefined) return { ok: false, message };
    const known = command.type === 'resolve_permission' ? parseDecision(command.decision) : undefined;
    if (command.type === 'resolve_permission' && known?.ok === false) {
      const { message: reason } = known.error;
      const denied = await send({ ...command, decision: 'deny', reason });
      return denied.ok ? { ok: false, message: `Denied: ${reason}.` } : denied;
    }
    const dropped = command.type === 'cancel' ? await dropWaiting() : succeed(undefined);
    if (!dropped.ok) return { ok: false, message: dropped.error.message };
    if (command.type === 'send_message') messages += 1;
    const { model } = parts;
    const ordered = await desk.order({ session: id, command, ...(model === undefined ? {} : { model }) });
    if (!ordered.ok) {
      if (command.type === 'send_message') messages -= 1;
      return { ok: false, message: ordered.error.message };
    }
    if (isToRun(command)) parts.say(`to ${id} ${ordered.value}`);
    return { ok: true };
  };
  /** The run goes on; only this look at it ends. */
  const close = async (): Promise<void> => {
    if (closed) return;
    closed = true;
    stopFollowing();
    stopListening();
    settle();
  };
  const idle = (): Promise<void> => (isIdle() ? Promise.resolve() : new Promise((resolve) => idleWaiters.add(resolve)));

  return {
    id,
    send,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    log: () => log,
    idle,
    close,
    leave: close,
    async settled() {
      await idle();
      return state.phase === 'idle' ? 'idle' : 'waiting';
    },
  };
};
