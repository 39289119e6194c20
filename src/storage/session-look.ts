/** One look at the folder of the sessions. Requests that come before it begins share it, since it shows them no less. */
import { statSync } from 'node:fs';

/** What tells that a file changed. */
export type FileState = { size: number; modifiedMs: number };

export type SessionLook = {
  ids: readonly string[];
  /** Of the files that are there. Thousands of files take a while, so only who needs them asks. */
  states(): ReadonlyMap<string, FileState>;
};

export type SessionLookPorts = { ids(): Promise<string[]>; pathOf(id: string): string };

export const createSessionLooks = ({ ids, pathOf }: SessionLookPorts): (() => Promise<SessionLook>) => {
  let next: Promise<SessionLook> | undefined;
  const begin = async (): Promise<SessionLook> => {
    await Promise.resolve();
    next = undefined;
    const found = await ids();
    let states: Map<string, FileState> | undefined;
    return {
      ids: found,
      states() {
        states ??= statesOf(found, pathOf);
        return states;
      },
    };
  };
  return () => {
    next ??= begin();
    return next;
  };
};

const statesOf = (ids: readonly string[], pathOf: (id: string) => string): Map<string, FileState> => {
  const states = new Map<string, FileState>();
  for (const id of ids) {
    // Asynchronous calls for thousands of files cost many times this.
    const stat = statSync(pathOf(id), { throwIfNoEntry: false });
    if (stat) states.set(id, { size: stat.size, modifiedMs: stat.mtimeMs });
  }
  return states;
};
