/** The facts of one session in memory: its events, those that count, and the state that they come to. */
import type { Effect } from '../../core/effects.ts';
import type { Event, EventBody } from '../../core/events.ts';
import type { Limits } from '../../core/limits.ts';
import { activePath } from '../../core/session-tree.ts';
import { accepts, initialState, type State } from '../../core/state.ts';
import { fold, type Step, step, stepBranch } from '../../core/step.ts';

/** An event with what it leads to, before it is a fact. */
export type Prepared = { event: Event; path: Event[]; next: Step };

export class SessionFacts {
  readonly events: Event[];
  readonly #limits: Limits;
  #path: Event[];
  #state: State;

  constructor(limits: Limits, events: readonly Event[]) {
    this.#limits = limits;
    this.events = [...events];
    this.#path = [...activePath(this.events)];
    this.#state = events.length > 0 ? fold(limits, this.events) : initialState(limits);
  }

  get state(): State {
    return this.#state;
  }

  /** Another array after a branch, the same one, grown, otherwise. */
  get path(): readonly Event[] {
    return this.#path;
  }

  /** Undefined where the event can be no fact now. Throws where the core has a defect; then nothing has changed. */
  prepare(body: EventBody, at: number): Prepared | undefined {
    if (!accepts(this.#state, body)) return undefined;
    const event: Event = { seq: this.#nextSeq(), at, ...body };
    if (event.type !== 'branch_selected') return { event, path: this.#path, next: step(this.#state, event) };
    const path = [...activePath([...this.events, event])];
    return { event, path, next: stepBranch(this.#limits, path) };
  }

  /** Makes the event a fact; returns what the core wants done. */
  apply({ event, path, next }: Prepared): readonly Effect[] {
    this.events.push(event);
    if (event.type === 'branch_selected') this.#path = path;
    else this.#path.push(event);
    this.#state = next.state;
    return next.effects;
  }

  /** The last resort after a defect of the core itself: nothing is open any more, and the log is left as it is. */
  forceIdle(): void {
    this.#state = { ...this.#state, phase: 'idle', entries: [], round: [], polling: [], modelRunning: false };
  }

  /** Damaged lines of a log are left out, so the number of events says nothing about their numbers. */
  #nextSeq(): number {
    return (this.events.at(-1)?.seq ?? 0) + 1;
  }
}
