/** What ends a run from outside: signals, the clock, and a reader of its output that goes away. The first one counts. */

import { LIMITS } from '../../core/limits.ts';
import { EXIT } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { CLI_LIMITS } from '../limits.ts';

export type Ending = {
  /** Aborts when the run is to end. */
  readonly signal: AbortSignal;
  reason(): 'interrupted' | 'limit' | undefined;
  /** The person's own Ctrl-C, or nobody reads on; any other signal ends the program whatever it does. */
  isByPerson(): boolean;
  /** Resolves when an ended run has had long enough to put things in order. */
  graceOver(): Promise<void>;
  release(): void;
};

export const createEnding = (io: Io, maxSeconds: number | undefined): Ending => {
  const controller = new AbortController();
  const timers: NodeJS.Timeout[] = [];
  let reason: 'interrupted' | 'limit' | undefined;
  let interruptedAt: number | undefined;
  let by: NodeJS.Signals | undefined;

  const end = (why: 'interrupted' | 'limit'): void => {
    reason ??= why;
    controller.abort();
  };
  const stopListening = io.onSignal((signal) => {
    const now = performance.now();
    // One Ctrl-C can come twice, from the terminal and from a parent that passes it on. A later one means "now".
    const isSecond = interruptedAt !== undefined && now - interruptedAt > CLI_LIMITS.secondInterruptMs;
    if (isSecond && signal === 'SIGINT') process.exit(EXIT.interrupted);
    interruptedAt ??= now;
    by ??= signal;
    end('interrupted');
  });
  // What goes on without a reader is seen by nobody, and costs all the same.
  const gone = io.stdout.gone;
  const endUnread = (): void => end('interrupted');
  gone?.addEventListener('abort', endUnread, { once: true });
  // An aborted signal calls no new listener.
  if (gone?.aborted) endUnread();
  if (maxSeconds !== undefined)
    timers.push(setTimeout(() => end('limit'), Math.min(maxSeconds * 1000, LIMITS.timerMsMax)));

  return {
    signal: controller.signal,
    reason: () => reason,
    isByPerson: () => by === 'SIGINT' || (by === undefined && gone?.aborted === true),
    graceOver: () =>
      new Promise((resolve) => {
        const wait = (): void => {
          timers.push(setTimeout(resolve, CLI_LIMITS.interruptGraceMs));
        };
        if (controller.signal.aborted) wait();
        else controller.signal.addEventListener('abort', wait, { once: true });
      }),
    release() {
      for (const timer of timers) clearTimeout(timer);
      stopListening();
      gone?.removeEventListener('abort', endUnread);
    },
  };
};
