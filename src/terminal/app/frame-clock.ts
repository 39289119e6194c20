/** When to draw: soon after something changed, never more often than the eye needs, steadily while something turns. */
import { TERMINAL_LIMITS } from '../limits.ts';

export class FrameClock {
  readonly #draw: () => void;
  readonly #now: () => number;
  #frameTimer: ReturnType<typeof setTimeout> | undefined;
  #laterTimer: ReturnType<typeof setTimeout> | undefined;
  #ticker: ReturnType<typeof setInterval> | undefined;
  #lastDrawn = 0;
  #heldUntil = 0;
  #isStopped = false;
  /** Counts the turns of the spinner. */
  turn = 0;

  constructor(now: () => number, draw: () => void) {
    this.#now = now;
    this.#draw = draw;
  }

  request(): void {
    if (!this.#frameTimer) this.#drawAfter(TERMINAL_LIMITS.frameMs);
  }

  /** A key is answered sooner than what streams: a person waits for it. */
  requestForKey(): void {
    clearTimeout(this.#frameTimer);
    this.#drawAfter(TERMINAL_LIMITS.keyFrameMs);
  }

  #drawAfter(distanceMs: number): void {
    if (this.#isStopped) return;
    // Where the clock was set back the last frame lies in the future, and nothing may wait for that.
    const wait = Math.max(
      Math.min(distanceMs, Math.max(0, this.#lastDrawn + distanceMs - this.#now())),
      Math.min(TERMINAL_LIMITS.resizeQuietMs, this.#heldUntil - this.#now()),
    );
    this.#frameTimer = setTimeout(() => {
      this.#frameTimer = undefined;
      this.#lastDrawn = this.#now();
      this.#draw();
    }, wait);
  }

  /** After a resize nothing is drawn until the window keeps its size: a frame for an earlier width lands on wrong rows. */
  requestAfterResize(): void {
    this.#heldUntil = this.#now() + TERMINAL_LIMITS.resizeQuietMs;
    clearTimeout(this.#frameTimer);
    this.#drawAfter(TERMINAL_LIMITS.frameMs);
  }

  /** Once more after so long, because the frame will look different by then without anything having happened. */
  requestAfter(ms: number): void {
    clearTimeout(this.#laterTimer);
    if (!this.#isStopped) this.#laterTimer = setTimeout(() => this.request(), ms);
  }

  spin(isOn: boolean): void {
    if (isOn === (this.#ticker !== undefined) || this.#isStopped) return;
    clearInterval(this.#ticker);
    this.#ticker = undefined;
    if (!isOn) return;
    this.#ticker = setInterval(() => {
      this.turn += 1;
      this.request();
    }, TERMINAL_LIMITS.spinnerMs);
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#frameTimer);
    clearTimeout(this.#laterTimer);
    clearInterval(this.#ticker);
  }
}
