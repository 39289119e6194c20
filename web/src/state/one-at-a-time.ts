/** One that gets no answer, such as over a network that is gone, holds up the next no longer. */
const PATIENCE_MS = 20_000;

/**
 * A task of which one is under way at most. Whoever wants it meanwhile gets one more behind it, for all of them: what it
 * finds is as new as the last wish.
 */
export const oneAtATime = (task: () => Promise<void>): (() => void) => {
  let isUnderWay = false;
  let isWanted = false;
  return () => {
    isWanted = true;
    if (isUnderWay) return;
    isUnderWay = true;
    const run = async (): Promise<void> => {
      while (isWanted) {
        isWanted = false;
        await Promise.race([task(), new Promise((resolve) => setTimeout(resolve, PATIENCE_MS))]);
      }
    };
    void run().finally(() => {
      isUnderWay = false;
    });
  };
};
