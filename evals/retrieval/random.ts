/** Numbers from 0 to 1 that look like chance and are the same every time. */
export const createRandom = (seed: number): (() => number) => {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
};

/** In its place; the list itself comes back. */
export const shuffle = <T>(list: T[], random: () => number): T[] => {
  for (let at = list.length - 1; at > 0; at -= 1) {
    const other = Math.floor(random() * (at + 1));
    [list[at], list[other]] = [list[other] as T, list[at] as T];
  }
  return list;
};
