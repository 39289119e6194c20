/** Which of many names a person means by a few letters. Pure. */

/** How well the letters fit; undefined where they are not all there in their order. Lower is better. */
const distance = (name: string, query: string): number | undefined => {
  const file = name.slice(name.lastIndexOf('/', name.length - 2) + 1);
  if (file.startsWith(query)) return name.length / 1_000;
  const within = file.indexOf(query);
  if (within >= 0) return 1 + within / 100 + name.length / 1_000;
  const anywhere = name.indexOf(query);
  if (anywhere >= 0) return 2 + anywhere / 1_000 + name.length / 1_000;
  let at = -1;
  let gaps = 0;
  for (const letter of query) {
    const next = name.indexOf(letter, at + 1);
    if (next < 0) return undefined;
    gaps += next - at - 1;
    at = next;
  }
  return 4 + gaps / 100 + name.length / 1_000;
};

export const bestMatches = (names: readonly string[], query: string, most: number): string[] => {
  const wanted = query.toLowerCase();
  if (wanted === '') return names.slice(0, most);
  return names
    .flatMap((name) => {
      const found = distance(name.toLowerCase(), wanted);
      return found === undefined ? [] : [{ name, found }];
    })
    .sort((one, other) => one.found - other.found)
    .slice(0, most)
    .map(({ name }) => name);
};

/** The folders of these files, each once, the shallow ones first; with a slash at their end. */
export const foldersOf = (paths: readonly string[]): string[] => {
  const found = new Set<string>();
  for (const path of paths)
    for (let end = path.indexOf('/'); end > 0; end = path.indexOf('/', end + 1)) found.add(path.slice(0, end + 1));
  return [...found].sort((one, other) => one.split('/').length - other.split('/').length || (one < other ? -1 : 1));
};
