/** Says that something in a folder changed: a file of it was made, written or removed. Also where the folder comes later. */
import { type FSWatcher, statSync, watch } from 'node:fs';

/** Where the system tells nothing, the folder is looked at this often. */
const LOOK_MS = 2_000;

/** `onChange` gets the name of the file where the system says it, and may come more often than changes. Returns how to stop. */
export const watchFolder = (folder: string, onChange: (name?: string) => void): (() => void) => {
  let watcher: FSWatcher | undefined;
  let seen = Number.NaN;
  const modifiedAt = (): number => statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? Number.NaN;
  const look = (): void => {
    try {
      watcher ??= begin();
    } catch {
      // It is not there yet, or the system watches no more folders.
    }
    const now = modifiedAt();
    if (watcher === undefined && !Object.is(now, seen)) onChange();
    seen = now;
  };
  const begin = (): FSWatcher => {
    const begun = watch(folder, { persistent: false }, (_event, name) => onChange(name ?? undefined));
    begun.on('error', () => {
      begun.close();
      watcher = undefined;
    });
    return begun;
  };
  seen = modifiedAt();
  look();
  const timer = setInterval(look, LOOK_MS);
  timer.unref();
  return () => {
    clearInterval(timer);
    watcher?.close();
  };
};
