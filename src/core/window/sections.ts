/** Lists of lines in what is kept of turns that are left out. */
export const ITEM_CHARACTERS = 120;

export const section = (title: string, items: readonly string[]): string[] =>
  items.length === 0 ? [] : [`${title}:`, ...items.map((item) => `- ${item}`)];

/** As many as there is room for, the first ones first. */
export const fitting = (items: readonly string[], characters: number): string[] => {
  const kept: string[] = [];
  let left = characters;
  for (const item of items) {
    if (item.length + 3 > left) break;
    left -= item.length + 3;
    kept.push(item);
  }
  return kept;
};
