/** What a copy of a session is called, so that nobody takes it for its original or for another copy. */

const NUMBERED = / \(fork(?: \d+)?\)$/;

/** `taken`: names that others have. The name stays as long as `characters` allow, before the mark. */
export const forkName = (original: string, taken: ReadonlySet<string>, characters: number): string => {
  const base = original.replace(NUMBERED, '');
  for (let number = 1; ; number += 1) {
    const mark = number === 1 ? ' (fork)' : ` (fork ${number})`;
    const name = `${base
      .slice(0, characters - mark.length)
      .toWellFormed()
      .trimEnd()}${mark}`;
    if (!taken.has(name)) return name;
  }
};
