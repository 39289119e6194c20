/** Opens and closes sessions for commands, each with the model that was chosen for it. */
import type { Agent } from '../agent/create-agent.ts';
import type { SessionFace } from '../core/events.ts';
import type { OwnSettings } from '../core/own-settings.ts';
import { fromModelError, later } from './api-error.ts';
import { SERVER_LIMITS } from './limits.ts';

export class SessionOpener {
  readonly #agent: Agent;
  /** Other models than the usual one, by session, until the server ends. */
  readonly #chosen = new Map<string, string>();
  /** Whoever opens one of these waits until it is closed. */
  readonly #closing = new Map<string, Promise<void>>();
  #isEnded = false;

  constructor(agent: Agent) {
    this.#agent = agent;
  }

  chosenModel(id: string): string | undefined {
    return this.#chosen.get(id);
  }

  choose(id: string, model: string): void {
    this.#chosen.set(id, model);
  }

  /** A new session without an id. Throws an ApiError: `in_use`, `shutting_down` or what is wrong with the model. */
  async open(id: string | undefined, model = id && this.#chosen.get(id), settings?: OwnSettings): Promise<SessionFace> {
    if (this.#isEnded) throw later(503, 'shutting_down', 'halter is ending.', SERVER_LIMITS.askAgainS);
    if (id !== undefined) await this.#closing.get(id);
    const opened = await this.#agent.openSession({
      ...(id ? { id } : {}),
      ...(model ? { model } : {}),
      ...(settings ? { settings } : {}),
    });
    if (!opened.ok) throw fromModelError(opened.error);
    if (model) this.choose(opened.value.id, model);
    return opened.value;
  }

  close(face: SessionFace): Promise<void> {
    const done = face.close().finally(() => this.#closing.delete(face.id));
    this.#closing.set(face.id, done);
    return done;
  }

  /** From now on nothing is opened. */
  end(): void {
    this.#isEnded = true;
  }
}
