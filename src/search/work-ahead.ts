/**
 * The next files are read and parsed while one is written: a disk and two threads can work at the same time. As many files
 * and bytes are prepared ahead as fill the time of a commit.
 */
import { SEARCH_LIMITS } from './limits.ts';

/** Returns what prepares the item of a position; positions are asked for in order. */
export const workAhead = <T>(
  sizes: readonly number[],
  work: (at: number) => Promise<T>,
): ((at: number) => Promise<T>) => {
  const started: Promise<T>[] = [];
  let ahead = 0;
  return (at) => {
    while (
      started.length < sizes.length &&
      (started.length <= at ||
        (started.length < at + SEARCH_LIMITS.indexFilesAhead && ahead < SEARCH_LIMITS.indexBytesAhead))
    ) {
      ahead += sizes[started.length] as number;
      const own = work(started.length);
      // Where the run is stopped, nobody waits for it any more.
      own.catch(() => undefined);
      started.push(own);
    }
    const wanted = started[at] as Promise<T>;
    ahead -= sizes[at] as number;
    // What was handed out is not held any longer.
    delete started[at];
    return wanted;
  };
};
