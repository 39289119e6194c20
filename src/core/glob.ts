/** `*` within a segment, `**` over segments, `?` one character; everything else is itself. Linear in practice, no backtracking regex. */
export const matchesGlob = (pattern: string, text: string): boolean =>
  matchSegments(pattern.split('/'), 0, text.split('/'), 0);

const matchSegments = (pattern: readonly string[], p: number, text: readonly string[], t: number): boolean => {
  // Row by row: reachable[i] says that pattern[0..p) can match text[0..i).
  let reachable = text.map((_, index) => index === t);
  reachable.push(t === text.length);
  for (let row = p; row < pattern.length; row += 1) {
    const segment = pattern[row] as string;
    const next = reachable.map(() => false);
    for (let column = 0; column <= text.length; column += 1) {
      if (!reachable[column]) continue;
      if (segment === '**') for (let rest = column; rest <= text.length; rest += 1) next[rest] = true;
      else if (column < text.length && matchesWildcard(segment, text[column] as string)) next[column + 1] = true;
    }
    reachable = next;
  }
  return reachable[text.length] === true;
};

/** The classic two-pointer match: `*` any run of characters, `?` one. */
export const matchesWildcard = (pattern: string, text: string): boolean => {
  let p = 0;
  let t = 0;
  let star = -1;
  let mark = 0;
  while (t < text.length) {
    if (p < pattern.length && pattern[p] === '*') {
      star = p;
      mark = t;
      p += 1;
    } else if (p < pattern.length && (pattern[p] === '?' || pattern[p] === text[t])) {
      p += 1;
      t += 1;
    } else if (star >= 0) {
      p = star + 1;
      mark += 1;
      t = mark;
    } else return false;
  }
  while (pattern[p] === '*') p += 1;
  return p === pattern.length;
};
