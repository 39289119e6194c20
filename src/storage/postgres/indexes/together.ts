/** Questions that are asked in the same moment, asked together: the way to the database is what takes the time. */

type Waiting<Key, Value> = { key: Key; resolve(value: Value): void; reject(error: unknown): void };

/** `ask` gives an answer for each key, in their order. */
export const together = <Key, Value>(
  ask: (keys: readonly Key[]) => Promise<readonly Value[]>,
): ((key: Key) => Promise<Value>) => {
  let waiting: Waiting<Key, Value>[] = [];
  const send = async (): Promise<void> => {
    const sent = waiting;
    waiting = [];
    try {
      const answers = await ask(sent.map(({ key }) => key));
      for (const [at, { resolve }] of sent.entries()) resolve(answers[at] as Value);
    } catch (error) {
      for (const { reject } of sent) reject(error);
    }
  };
  return (key) =>
    new Promise((resolve, reject) => {
      waiting.push({ key, resolve, reject });
      // What the same answer led to is asked in a few more turns of the queue of promises.
      if (waiting.length === 1) setImmediate(() => void send());
    });
};
