/**
 * V8 flags of the program `halter`. They hold for a whole process, so only the program sets them; the library leaves the
 * engine of its host as it is. `tests/architecture.test.ts` refuses `setFlagsFromString` elsewhere in `src/`.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Before anything is compiled that they are about. Each call costs some microseconds. */
export const setEngineFlags = (): void => {
  // The lexer of the shell grammar is one function of many thousand branches. V8's optimising compiler takes half a
  // gigabyte and a second for it, and wins a few microseconds a line. The baseline compiler is enough.
  setFlagsFromString('--no-wasm-dynamic-tiering');
  setFlagsFromString('--no-wasm-tier-up');
  exposeCollector();
};

/**
 * The space for young objects stays small instead of growing to 128 MB: a session of 200 MB takes 220 MB instead of 310,
 * and a flood leaves room for a model on the same machine. It costs a few collections of a millisecond more.
 */
export const limitYoungGeneration = (): void => setFlagsFromString('--semi-space-growth-factor=1');

/** `globalThis.gc`, as under `node --expose-gc`. It is looked for at the first call, which takes a millisecond. */
const exposeCollector = (): void => {
  if (globalThis.gc !== undefined) return;
  let collect: NodeJS.GCFunction | undefined;
  const lazy = (options: NodeJS.GCOptions & { execution?: 'sync' }): void => {
    collect ??= findCollector();
    collect(options);
  };
  globalThis.gc = lazy as NodeJS.GCFunction;
};

/** A context that is made while the flag is set has the collector. */
const findCollector = (): NodeJS.GCFunction => {
  setFlagsFromString('--expose-gc');
  const found: unknown = runInNewContext('globalThis.gc');
  setFlagsFromString('--no-expose-gc');
  return found as NodeJS.GCFunction;
};
