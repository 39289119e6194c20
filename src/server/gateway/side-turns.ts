/** When a request beside the conversation may go to the model: not while a turn of somebody's conversation is under way. */
import { GATEWAY_LIMITS } from '../../gateway/limits.ts';

export type SideTurns = {
  /** A request of a conversation begins; call the result with whether its turn goes on when it is over. */
  begin(model: string): (goesOn: boolean) => void;
  /** Resolves when no turn is under way, after a bounded time at the latest: whether it had to wait for one. */
  idle(model: string, signal: AbortSignal): Promise<boolean>;
  /** Calls when a turn begins; call the result when nobody has to know it any more. */
  onBegin(model: string, then: () => void): () => void;
};

/** Calls after so many milliseconds, unless it is cancelled before. */
export type After = (ms: number, then: () => void) => () => void;

export const afterTimeout: After = (ms, then) => {
  const timer = setTimeout(then, ms);
  timer.unref();
  return () => clearTimeout(timer);
};

type Turn = {
  running: number;
  /** The last request ended in calls, whose results will come. */
  isOpen: boolean;
  cancel(): void;
  waiting: Set<() => void>;
  /** Side requests that are at the model now. */
  aside: Set<() => void>;
};

export const createSideTurns = (after: After = afterTimeout): SideTurns => {
  const turns = new Map<string, Turn>();
  const turnOf = (model: string): Turn => {
    const known = turns.get(model) ?? {
      running: 0,
      isOpen: false,
      cancel: () => {},
      waiting: new Set(),
      aside: new Set(),
    };
    turns.set(model, known);
    return known;
  };
  const isBusy = ({ running, isOpen }: Turn): boolean => running > 0 || isOpen;
  const settle = (model: string, turn: Turn): void => {
    if (isBusy(turn)) return;
    for (const go of [...turn.waiting]) go();
    if (turn.waiting.size === 0 && turn.aside.size === 0) turns.delete(model);
  };
  return {
    begin(model) {
      const turn = turnOf(model);
      turn.cancel();
      turn.running += 1;
      turn.isOpen = false;
      for (const then of [...turn.aside]) then();
      return (goesOn) => {
        turn.running -= 1;
        turn.isOpen = goesOn && turn.running === 0;
        if (turn.isOpen)
          turn.cancel = after(GATEWAY_LIMITS.sideGapMs, () => {
            turn.isOpen = false;
            settle(model, turn);
          });
        settle(model, turn);
      };
    },
    onBegin(model, then) {
      const turn = turnOf(model);
      turn.aside.add(then);
      return () => {
        turn.aside.delete(then);
        settle(model, turn);
      };
    },
    async idle(model, signal) {
      // Clients ask for a title a moment before the conversation itself.
      const turn = turnOf(model);
      if (!isBusy(turn)) await pause(after, GATEWAY_LIMITS.sideGraceMs, signal);
      if (!isBusy(turn) || signal.aborted) {
        settle(model, turn);
        return false;
      }
      await new Promise<void>((resolve) => {
        const go = (): void => {
          cancel();
          signal.removeEventListener('abort', go);
          turn.waiting.delete(go);
          resolve();
        };
        const cancel = after(GATEWAY_LIMITS.sideWaitMs, go);
        signal.addEventListener('abort', go, { once: true });
        turn.waiting.add(go);
      });
      return true;
    },
  };
};

const pause = (after: After, ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const go = (): void => {
      cancel();
      signal.removeEventListener('abort', go);
      resolve();
    };
    const cancel = after(ms, go);
    signal.addEventListener('abort', go, { once: true });
    if (signal.aborted) go();
  });
