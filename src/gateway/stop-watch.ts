/** Ends a text at the first of several stop sequences, however it is cut into pieces. */
export type StopWatch = {
  /** The part of what came so far that is surely before any stop sequence, and was not handed out yet. */
  push(text: string): string;
  /** What is left when nothing more comes. */
  end(): string;
  /** The stop sequence that was met. */
  readonly stoppedBy: string | undefined;
};

export const createStopWatch = (stops: readonly string[]): StopWatch => {
  const wanted = stops.filter((stop) => stop !== '');
  let held = '';
  let stoppedBy: string | undefined;

  /** From where on what is held could be the beginning of a stop sequence. */
  const safeUntil = (): number => {
    for (let at = 0; at < held.length; at += 1) {
      if (wanted.some((stop) => stop.startsWith(held.slice(at)))) return at;
    }
    return held.length;
  };

  return {
    push(text) {
      if (stoppedBy !== undefined) return '';
      if (wanted.length === 0) return text;
      held += text;
      const [first] = wanted
        .map((stop) => ({ stop, at: held.indexOf(stop) }))
        .filter(({ at }) => at >= 0)
        .sort((one, other) => one.at - other.at);
      if (first !== undefined) {
        stoppedBy = first.stop;
        const before = held.slice(0, first.at);
        held = '';
        return before;
      }
      const until = safeUntil();
      const out = held.slice(0, until);
      held = held.slice(until);
      return out;
    },
    end() {
      const rest = stoppedBy === undefined ? held : '';
      held = '';
      return rest;
    },
    get stoppedBy() {
      return stoppedBy;
    },
  };
};
