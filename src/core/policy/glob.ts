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
      if (segment === '**') {
        next.fill(true, column);
        break;
      }
      if (column < text.length && matchesWildcard(segment, text[column] as string)) next[column + 1] = true;
    }
    reachable = next;
  }
  return reachable[text.length] === true;
};

/** `*` any run of characters, `?` one. */
export const matchesWildcard = (pattern: string, text: string): boolean => matchesRun(pattern, text, WILDCARD);

const WILDCARD: RunRules<string, string> = {
  isStar: (part) => part === '*',
  matches: (part, character) => part === '?' || part === character,
};

export type RunRules<Part, Thing> = {
  /** It stands for any number of things. */
  isStar(part: Part): boolean;
  matches(part: Part, thing: Thing): boolean;
  /** A star at the end stands for one thing at least. */
  lastStarNeedsOne?: boolean;
};

/** The classic two-pointer match. It goes back to the last star only, which is enough: an earlier one could not find more. */
export const matchesRun = <Part, Thing>(
  parts: ArrayLike<Part>,
  things: ArrayLike<Thing>,
  rules: RunRules<Part, Thing>,
): boolean => {
  let part = 0;
  let thing = 0;
  let star = -1;
  let resume = 0;
  while (thing < things.length) {
    if (part < parts.length && rules.isStar(parts[part] as Part)) {
      star = part;
      resume = thing;
      part += 1;
    } else if (part < parts.length && rules.matches(parts[part] as Part, things[thing] as Thing)) {
      part += 1;
      thing += 1;
    } else if (star >= 0) {
      part = star + 1;
      resume += 1;
      thing = resume;
    } else return false;
  }
  if (!rules.lastStarNeedsOne) while (part < parts.length && rules.isStar(parts[part] as Part)) part += 1;
  return part === parts.length;
};
