/**
 * Writes the events of a session in their order. What could not be written, as on a full disk, is written before the next
 * event once that is possible.
 */
import type { Event } from '../../core/events.ts';
import { counted } from '../../core/number-text.ts';
import type { SessionLog } from '../../core/storage-port.ts';
import { defectText } from '../close-all.ts';

export class EventWriter {
  readonly #log: SessionLog;
  readonly #warn: (code: string, message: string) => void;
  #waiting: Event[] = [];
  #problem: string | undefined;

  constructor(log: SessionLog, warn: (code: string, message: string) => void) {
    this.#log = log;
    this.#warn = warn;
  }

  /** Some of it is in memory alone. */
  get isBehind(): boolean {
    return this.#waiting.length > 0;
  }

  /** Whether what was written is kept, and another process does not go on with the session. */
  async holds(): Promise<boolean> {
    if (this.#problem !== undefined) return false;
    try {
      return (await this.#log.holds?.()) !== false;
    } catch {
      return false;
    }
  }

  /** Why the last event could not be written. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** `late` is written in its place where all that waited before it could be written first. Says which one counts. */
  async write(event: Event, late: Event = event): Promise<Event> {
    this.#waiting.push(event);
    const problem = await this.#writeWaiting(late);
    const counts = this.#waiting.length > 0 ? event : late;
    if (problem !== undefined && this.#problem === undefined)
      this.#warn('session_not_written', `This session can no longer be saved: ${problem}`);
    else if (problem === undefined && this.#problem !== undefined)
      this.#warn('session_written_again', 'This session is saved again, with what was said meanwhile.');
    this.#problem = problem;
    return counts;
  }

  /** A last try, before the log is closed. */
  async close(): Promise<void> {
    const problem = await this.#writeWaiting();
    await this.#log.close();
    if (problem !== undefined)
      throw new Error(
        `the last ${counted(this.#waiting.length, 'event')} of this session could not be saved: ${problem}`,
      );
  }

  /** Why the first of them could not be written; undefined where nothing waits any more. */
  async #writeWaiting(late?: Event): Promise<string | undefined> {
    try {
      while (this.#waiting.length > 0) {
        const isLast = this.#waiting.length === 1;
        const kept = await this.#log.append(isLast && late ? late : (this.#waiting[0] as Event));
        if (!kept.ok) return kept.error.message;
        this.#waiting.shift();
      }
    } catch (defect) {
      return defectText(defect);
    }
    return undefined;
  }
}
