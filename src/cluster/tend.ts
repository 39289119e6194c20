/**
 * What a worker does with one order. The log of the session says what is to be done; this opens it, hands the command
 * over, and lets go of it when nothing runs any more: at the end of the run, or where an answer of the person is waited
 * for. Nothing of a conversation that waits is in the memory of any process.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import type { OpenSessionOptions } from '../agent/session/open-session.ts';
import type { OpenSession } from '../agent/session.ts';
import type { Command, Event, SessionUpdate } from '../core/events.ts';
import type { Limits } from '../core/limits.ts';
import type { ModelError } from '../core/model-port.ts';
import { isResting } from '../core/open-work.ts';
import type { Outcome } from '../core/outcome.ts';
import { isToRun, type Order, waitsForIdle, wasTaken } from './jobs.ts';
import { CLUSTER_LIMITS } from './limits.ts';

/** What was found when the order was taken up for the first time: kept, so that a second time does not decide anew. */
export type Begun = { kind: 'go'; seq: number } | { kind: 'later'; seconds: number } | { kind: 'told' };

export type TendPorts = {
  openSession(options: OpenSessionOptions): Promise<Outcome<OpenSession, ModelError>>;
  /** Runs and keeps what it found; a second time it hands out what was kept. */
  once(work: () => Promise<Begun>): Promise<Begun>;
  /** Puts the order off. */
  later(seconds: number): Promise<void>;
  /** Orders of this session that were put off come again. */
  wake(): Promise<void>;
  /** The model cannot be used: that is said in the log. */
  tellUnusable(error: ModelError): Promise<Outcome<void>>;
  /** A session runs here now. Returns what to call when it does not any more. */
  running(session: OpenSession): () => void;
  publish(session: string, afterSeq: number, update: SessionUpdate): void;
  limits: Limits;
};

/** `left`: the session was let go in the middle of a run. `lost`: its log could not be written any more. */
export type Tended = 'done' | 'left' | 'lost';

export const tend = async (order: Order, ports: TendPorts): Promise<Tended> => {
  let held: Held | undefined;
  try {
    const begun = await ports.once(async () => {
      const opened = await ports.openSession(openingOf(order));
      if (!opened.ok) return isBusyElsewhere(opened.error) ? SOON : tellOrWait(order, opened.error, ports);
      held = hold(opened.value, ports);
      if (waitsForIdle(order.command) && (await opened.value.settled()) === 'waiting') return LATER;
      return { kind: 'go', seq: opened.value.log().at(-1)?.seq ?? 0 };
    });
    if (begun.kind === 'later') await ports.later(begun.seconds);
    if (begun.kind !== 'go') return 'done';
    held ??= hold(await openAgain(order, ports), ports);
    const { session } = held;
    await take(order.command, session, begun.seq, ports);
    const settled = await session.settled();
    if (held.isLost()) return 'lost';
    if (!isResting(ports.limits, session.log())) return 'left';
    if (settled === 'idle' && isToRun(order.command)) await ports.wake();
    return 'done';
  } finally {
    await held?.letGo();
  }
};

type Held = { session: OpenSession; isLost(): boolean; letGo(): Promise<void> };

/** From here on it hears what is said to it while it runs, and others hear what it says. */
const hold = (session: OpenSession, ports: TendPorts): Held => {
  const stop = ports.running(session);
  let after = session.log().at(-1)?.seq ?? 0;
  let isLost = false;
  session.subscribe((update) => {
    if (update.seq !== undefined) after = update.seq;
    else if (update.type === 'warning' && update.code === 'session_not_written') isLost = true;
    else ports.publish(session.id, after, update);
  });
  return {
    session,
    isLost: () => isLost,
    async letGo() {
      stop();
      await session.leave();
    },
  };
};

const SOON: Begun = { kind: 'later', seconds: CLUSTER_LIMITS.workerRetryMs / 1000 };
const LATER: Begun = { kind: 'later', seconds: CLUSTER_LIMITS.workerLaterS };

const openingOf = ({ session, model }: Order): OpenSessionOptions => ({
  id: session,
  goesOn: true,
  ...(model === undefined ? {} : { model }),
});

const isBusyElsewhere = ({ reason }: ModelError): boolean => reason === 'in_use';

/** A message is answered with what is wrong; anything else can wait until the model is back. */
const tellOrWait = async (order: Order, error: ModelError, ports: TendPorts): Promise<Begun> => {
  if (order.command.type !== 'send_message') return SOON;
  return (await ports.tellUnusable(error)).ok ? { kind: 'told' } : SOON;
};

/** After another worker began and ended in the middle. */
const openAgain = async (order: Order, ports: TendPorts): Promise<OpenSession> => {
  for (let tries = 1; ; tries += 1) {
    const opened = await ports.openSession(openingOf(order));
    if (opened.ok) return opened.value;
    if (tries >= CLUSTER_LIMITS.workerRetries) throw new Error(opened.error.message);
    await sleep(CLUSTER_LIMITS.workerRetryMs);
  }
};

const take = async (command: Command, session: OpenSession, began: number, ports: TendPorts): Promise<void> => {
  if (wasTaken(command, session.log(), began)) return;
  await say(command, session, ports.publish);
};

/** What is not taken is said, unless it had been taken before. */
export const say = async (command: Command, session: OpenSession, publish: TendPorts['publish']): Promise<void> => {
  const sent = await session.send(command);
  if (sent.ok || (isToRun(command) && !isStillAsked(command, session.log()))) return;
  publish(session.id, session.log().at(-1)?.seq ?? 0, { type: 'warning', code: 'not_now', message: sent.message });
};

const isStillAsked = (command: Command, log: readonly Event[]): boolean => {
  if (command.type !== 'resolve_permission') return false;
  const last = log.findLast(({ type }) => type === 'permission_requested' || type === 'permission_resolved');
  return last?.type === 'permission_requested' && last.tool_call_id === command.tool_call_id;
};
