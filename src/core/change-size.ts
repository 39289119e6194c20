/** How many lines a unified diff adds and takes away, for people. */

const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;

/** `+2 -1`. Undefined where the diff is not whole: what is left of a long one says nothing of the change. */
export const changeSize = (diff: string): string | undefined => {
  const total = { added: 0, removed: 0, hunks: 0 };
  /** Lines of a hunk that are still to come, by its heading. */
  const left = { before: 0, after: 0 };
  for (const line of diff.split('\n')) {
    if (left.before > 0 || left.after > 0) {
      // That no line feed follows is no line.
      if (line.startsWith('\\')) continue;
      if (line.startsWith('+')) total.added += 1;
      else left.before -= 1;
      if (line.startsWith('-')) total.removed += 1;
      else left.after -= 1;
      continue;
    }
    const [head, before = '1', after = '1'] = HUNK.exec(line) ?? [];
    if (head === undefined) continue;
    total.hunks += 1;
    Object.assign(left, { before: Number(before), after: Number(after) });
  }
  const isWhole = total.hunks > 0 && left.before === 0 && left.after === 0;
  return isWhole ? `+${total.added} -${total.removed}` : undefined;
};
