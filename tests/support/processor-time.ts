/** What a piece of work costs, whatever else the machine does meanwhile. */

/** Milliseconds that the processors worked for this process while `work` ran. */
export const processorMs = async (work: () => unknown): Promise<number> => {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
};

const TIMES = 16;
/** Between sixteen, what is linear (28 were seen, where memory is collected), and 256, the square of it. */
const RATIO_MAX = 80;
/** What takes less than that is neither, and the clock says nothing of less than the other. */
const LEAST_MS = 100;
const SHORTEST_MS = 0.5;
const TRIES = 3;

/**
 * How many times as long something takes for sixteen times its size, where that is more than what grows in proportion;
 * undefined otherwise. The least of some tries: a collection of memory or a compilation meanwhile is no square.
 */
export const steepness = async (
  least: number,
  work: (size: number) => unknown,
): Promise<`${number} times as long` | undefined> => {
  let ratio = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < TRIES; tries += 1) {
    const longer = await processorMs(() => work(least * TIMES));
    if (longer < LEAST_MS) return undefined;
    ratio = Math.min(ratio, longer / Math.max(SHORTEST_MS, await processorMs(() => work(least))));
    if (ratio <= RATIO_MAX) return undefined;
  }
  return `${Math.round(ratio)} times as long`;
};
