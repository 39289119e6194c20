/** When keys and pointers were pressed last: what comes on at the same pace was not meant for a question that is new. */

/** A question that nobody was pressing at may be answered after this time. */
const ARM_MS = 300;
/** After a press. Who taps quickly at one place leaves less between two taps. */
const QUIET_MS = 700;

export class Presses {
  #isDown = false;
  #lastAt = Number.NEGATIVE_INFINITY;

  /** Takes the name of a browser's event. */
  note(name: string, now: number): void {
    this.#isDown = name === 'pointerdown';
    this.#lastAt = now;
  }

  /** How long until a press can only be meant for a question that appeared at `since`; 0: now. */
  restMs(since: number, now: number): number {
    return this.#isDown ? QUIET_MS : Math.max(0, since + ARM_MS - now, this.#lastAt + QUIET_MS - now);
  }
}

/** A pointer that the browser takes for scrolling, or that left the window, is up as well. */
export const PRESSES = ['keydown', 'pointerdown', 'pointerup', 'pointercancel', 'blur'] as const;
