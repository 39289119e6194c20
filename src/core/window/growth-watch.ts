/**
 * A prompt that grows while the server's count of it does not is cut somewhere. Each count is held against all earlier
 * ones of the same conversation, so that many short messages show it as one long one does, and a count that goes up and
 * down by whole messages does too.
 */

export type SeenPrompt = {
  estimated: number;
  /** No tokenizer makes fewer tokens of it. */
  least: number;
  /** What the server counted. */
  read: number;
  /** Its last message is the person's: templates leave out what the model thought in the turns before. */
  begins: boolean;
};

/** `less`: the count says nothing of the model's tokens; `not`: it does not grow with the prompt. */
export type Growth = 'well' | 'less' | 'not';
export type GrowthWatch = {
  see(seen: SeenPrompt): Growth;
  /** The next prompt begins otherwise: it goes on from none of those before. */
  restart(): void;
};

type Point = SeenPrompt & { turn: number };

export const createGrowthWatch = (): GrowthWatch => {
  let points: Point[] = [];
  let before: number | undefined;
  let largest = 0;
  let stalls = 0;
  let turn = 0;
  const isStalled = ({ least, read }: SeenPrompt, earlier: Point): boolean => {
    if (!earlier.begins && earlier.turn !== turn) return false;
    const ratio = earlier.read / Math.max(1, earlier.estimated);
    const grown = (least - earlier.least) * Math.min(1, ratio);
    return grown >= GROWTH_LEAST && read - earlier.read < grown * GROWTH_SHARE_LEAST;
  };
  const forget = (): void => {
    points = [];
    stalls = 0;
  };
  return {
    restart: forget,
    see(seen) {
      const { estimated, read, begins } = seen;
      if (begins) turn += 1;
      const grown = estimated - (before ?? estimated);
      before = estimated;
      // A shorter prompt was compacted.
      if (grown < 0) forget();
      else if (read < largest * DROP_LARGE && read <= grown * NEW_ALONE + GROWTH_LEAST) return 'less';
      largest = Math.max(largest, read);
      if (!points.some((earlier) => isStalled(seen, earlier))) {
        points = [...points.slice(1 - POINTS_MAX), { ...seen, turn }];
        stalls = 0;
        return 'well';
      }
      stalls += isSamePlace(seen, points.at(-1)) ? STALLS_MAX : 1;
      return stalls >= STALLS_MAX ? 'not' : 'less';
    },
  };
};
/** Of the tokens that are new, so many are counted at least, whatever the tokenizer is. */
const GROWTH_SHARE_LEAST = 0.25;
const GROWTH_LEAST = 64;
const POINTS_MAX = 64;
/** The same count for clearly more is of the place where the prompt is cut. */
const isSamePlace = ({ least, read }: SeenPrompt, before: SeenPrompt | undefined): boolean =>
  before?.read === read && least - before.least >= Math.max(GROWTH_LEAST, read * CLEARLY_MORE_SHARE);
const CLEARLY_MORE_SHARE = 0.01;
/** A single time may be chance. */
const STALLS_MAX = 2;
/** A count that falls so far, and is about what is new, is of a server that counts only that. */
const DROP_LARGE = 0.6;
const NEW_ALONE = 2;
