/** Ends a text at the first of several stop sequences, however it is cut into pieces. */
export type StopWatch = {
  /** The part of what came so far that is surely before any stop sequence, and was not handed out yet. */
  push(text: string): string;
  /** What is left when nothing more comes. */
  end(): string;
  readonly stopped: boolean;
};

export const createStopWatch = (stops: readonly string[]): StopWatch => {
  const wanted = stops.filter((stop) => stop !== '');
  let held = '';
  let stopped = false;

  /** From where on what is held could be the beginning of a stop sequence. */
  const safeUntil = (): number => {
    for (let at = 0; at < held.length; at += 1) {
      if (wanted.some((stop) => stop.startsWith(held.slice(at)))) return at;
    }
    return held.length;
  };

  return {
    push(text) {
      if (stopped) return '';
      if (wanted.length === 0) return text;
      held += text;
      const places = wanted.map((stop) => held.indexOf(stop)).filter((at) => at >= 0);
      if (places.length > 0) {
        stopped = true;
        const before = held.slice(0, Math.min(...places));
        held = '';
        return before;
      }
      const until = safeUntil();
      const out = held.slice(0, until);
      held = held.slice(until);
      return out;
    },
    end() {
      const rest = stopped ? '' : held;
      held = '';
      return rest;
    },
    get stopped() {
      return stopped;
    },
  };
};
