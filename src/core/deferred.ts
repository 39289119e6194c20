/** A promise that is settled from outside. `Promise.withResolvers` is the same, and newer than Node 20. */
export type Deferred<T> = { promise: Promise<T>; resolve(value: T | PromiseLike<T>): void };

export const createDeferred = <T>(): Deferred<T> => {
  let resolve: Deferred<T>['resolve'] = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
};
