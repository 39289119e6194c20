/** The files that a session changed, each once, with what became of it. Pure. */
import type { ChangeView } from './view.ts';

/** `elsewhere`: all that stands of it is of another branch. */
export type ChangedFile = { path: string; state: 'new' | 'changed' | 'deleted' | 'undone'; elsewhere: boolean };

/** What another branch changed is listed as long as it stands. */
export const changedFiles = (changes: readonly ChangeView[]): readonly ChangedFile[] => {
  const listed = changes.filter(({ elsewhere, undone }) => !elsewhere || !undone);
  return [...Map.groupBy(listed, ({ path }) => path)].map(([path, all]) => {
    const standing = all.filter(({ undone }) => !undone);
    return { path, state: stateOf(all), elsewhere: standing.length > 0 && standing.every((each) => each.elsewhere) };
  });
};

/** Those of which something still stands. */
export const standingFiles = (changes: readonly ChangeView[]): readonly ChangedFile[] =>
  changedFiles(changes).filter(({ state }) => state !== 'undone');

const stateOf = (changes: readonly ChangeView[]): ChangedFile['state'] => {
  const standing = changes.filter(({ undone }) => !undone);
  const [first] = standing;
  if (first === undefined) return 'undone';
  if (standing.at(-1)?.removed) return 'deleted';
  return first.created ? 'new' : 'changed';
};
