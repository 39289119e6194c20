/**
 * A session whose model is not there yet. It shows what was said before and holds what the person says; from the moment
 * its model can be opened it is the session itself.
 */

import { withHint } from '../../core/error-text.ts';
import type { Command, Event, SessionFace } from '../../core/events.ts';
import type { ModelError } from '../../core/model-port.ts';
import type { Outcome } from '../../core/outcome.ts';
import { isMode, type Mode } from '../../core/policy/modes.ts';
import { AGENT_LIMITS } from '../limits.ts';
import { Listeners } from './listeners.ts';

export type WaitingSessionPorts = {
  /** As it will be called. */
  id: string;
  /** What its log holds; empty for one that begins. */
  past: readonly Event[];
  /** Why its model is not there. */
  problem: ModelError;
  /** Opens it, with its own model or with the one that the person names. */
  open(model?: string): Promise<Outcome<SessionFace, ModelError>>;
  /** Until it is tried again. */
  pause(signal: AbortSignal): Promise<unknown>;
};

/** Whether the model may be there later without anything said anew: its server is started, or gets over what it has. */
export const mayPass = ({ code, reason }: { code: string; reason?: string | undefined }): boolean =>
  reason === 'no_server' || PASSING.has(code);
const PASSING: ReadonlySet<string> = new Set([
  'unreachable',
  'timeout',
  'disconnected',
  'server_error',
  'rate_limited',
] satisfies ModelError['code'][]);

type Reply = Awaited<ReturnType<SessionFace['send']>>;
type Held = { command: Command; taken: Promise<Reply>; reply(reply: Reply): void };

export const waitingSession = (ports: WaitingSessionPorts): SessionFace => new WaitingSession(ports).face();

class WaitingSession {
  readonly #ports: WaitingSessionPorts;
  readonly #listeners = new Listeners();
  readonly #over = new AbortController();
  /** In the order in which they were said. */
  #held: Held[] = [];
  #mode: Mode | undefined;
  #problem: ModelError;
  #trying: Promise<void> | undefined;
  /** The session itself. What was held is handed to it first. */
  #session: SessionFace | undefined;
  #isHandedOver = false;

  constructor(ports: WaitingSessionPorts) {
    this.#ports = ports;
    this.#problem = ports.problem;
    if (mayPass(ports.problem)) this.#try('later');
  }

  face(): SessionFace {
    const session = (): SessionFace | undefined => this.#session;
    const { id, past } = this.#ports;
    return {
      get id() {
        return session()?.id ?? id;
      },
      get jobs() {
        return session()?.jobs;
      },
      send: (command) => this.#send(command),
      subscribe: (listener) => this.#listeners.add(listener),
      log: () => session()?.log() ?? past,
      idle: async () => {
        await Promise.all(this.#held.map(({ taken }) => taken));
        await session()?.idle();
      },
      close: async (why) => {
        this.#over.abort();
        this.#giveBack(CLOSED);
        await session()?.close(why);
      },
    };
  }

  async #send(command: Command): Promise<Reply> {
    if (this.#session !== undefined && this.#isHandedOver) return this.#session.send(command);
    if (this.#over.signal.aborted) return CLOSED;
    switch (command.type) {
      case 'send_message':
      case 'steer':
        return this.#hold(command);
      case 'cancel':
        this.#giveBack(refused('Not sent: the model is not there yet.'));
        return TAKEN;
      case 'change_model':
        return this.#open(command.model);
      case 'change_mode':
        if (!isMode(command.mode)) return refused(`There is no mode ${JSON.stringify(command.mode)}.`);
        this.#mode = command.mode;
        return TAKEN;
      default:
        return refused(`This can be done when the model is there. ${withHint(this.#problem)}`);
    }
  }

  #hold(command: Command): Promise<Reply> | Reply {
    if (this.#held.length >= AGENT_LIMITS.queuedMessages)
      return refused(`${AGENT_LIMITS.queuedMessages} messages are waiting already.`);
    const { promise: taken, resolve: reply } = Promise.withResolvers<Reply>();
    this.#held.push({ command, taken, reply });
    this.#listeners.publish({ type: 'loading', message: 'Waiting for the model server' });
    this.#try('now');
    return taken;
  }

  #giveBack(reply: Reply): void {
    for (const held of this.#held.splice(0)) held.reply(reply);
  }

  /** One at a time: what is said meanwhile goes with it. */
  #try(when: 'now' | 'later'): void {
    this.#trying ??= this.#keepTrying(when).finally(() => {
      this.#trying = undefined;
    });
  }

  async #keepTrying(when: 'now' | 'later'): Promise<void> {
    const { signal } = this.#over;
    if (when === 'later') await this.#ports.pause(signal);
    while (!signal.aborted && this.#session === undefined) {
      const opened = await this.#open();
      if (opened.ok) return;
      if (!mayPass(this.#problem)) return this.#giveBack(opened);
      await this.#ports.pause(signal);
    }
  }

  async #open(model?: string): Promise<Reply> {
    const opened = await this.#ports.open(model);
    if (!opened.ok) return this.#refuse(opened.error, model);
    if (this.#over.signal.aborted || this.#session !== undefined) {
      await opened.value.close();
      return this.#over.signal.aborted ? CLOSED : refused('The model is there already; change it again.');
    }
    await this.#handOver(opened.value);
    return TAKEN;
  }

  /** A model that was named and is not there changes nothing. Another reason than before is told. */
  #refuse(error: ModelError, model: string | undefined): Reply {
    const message = withHint(error);
    if (model === undefined && message !== withHint(this.#problem)) {
      this.#problem = error;
      if (mayPass(error)) this.#listeners.publish({ type: 'warning', code: 'model_waits', message });
    }
    return refused(message);
  }

  async #handOver(session: SessionFace): Promise<void> {
    this.#session = session;
    const known = this.#ports.past.at(-1)?.seq ?? 0;
    session.subscribe((update) => this.#listeners.publish(update));
    for (const event of session.log()) if (event.seq > known) this.#listeners.publish(event);
    if (this.#held.length === 0)
      this.#listeners.publish({ type: 'warning', code: 'model_there', message: 'The model is there now.' });
    if (this.#mode !== undefined) await session.send({ type: 'change_mode', mode: this.#mode });
    for (let held = this.#held.shift(); held !== undefined; held = this.#held.shift())
      held.reply(await session.send(held.command));
    this.#isHandedOver = true;
  }
}

const refused = (message: string): Reply => ({ ok: false, message });
const TAKEN: Reply = { ok: true };
const CLOSED = refused('This session is closed.');
