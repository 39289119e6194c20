/** The files that a session changed, each once, with what became of it. Pure. */
import type { ChangeView } from './view.ts';

export type ChangedFile = { path: string; state: 'new' | 'changed' | 'deleted' | 'undone' };

export const changedFiles = (changes: readonly ChangeView[]): readonly ChangedFile[] =>
  [...Map.groupBy(changes, ({ path }) => path)].map(([path, all]) => ({ path, state: stateOf(all) }));

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
