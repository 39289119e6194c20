/** Reads git's configuration as strictly as it can be read. */

export type Entry = { section: string; key: string; value: string };

const BLANK_OR_COMMENT = /^\s*(?:[#;][^\\]*)?$/;
const SECTION = /^\s*\[([A-Za-z][A-Za-z0-9-]*)(?: "([^"\\\n]*)")?\]\s*$/;
const VALUE = /^\s*([A-Za-z][A-Za-z0-9-]*)\s*=\s*([^"\\#;\n]*|"[^"\\\n]*")\s*$/;

/** Undefined where a line is of another form than the plain ones. */
export const readPlainConfig = (text: string): Entry[] | undefined => {
  const entries: Entry[] = [];
  let section: string | undefined;
  for (const line of text.split('\n')) {
    if (BLANK_OR_COMMENT.test(line)) continue;
    const head = SECTION.exec(line);
    const pair = VALUE.exec(line);
    if (head) {
      section = (head[1] ?? '').toLowerCase() + (head[2] === undefined ? '' : `.${head[2]}`);
    } else if (pair && section !== undefined) {
      entries.push({ section, key: (pair[1] ?? '').toLowerCase(), value: (pair[2] ?? '').trim().replaceAll('"', '') });
    } else return undefined;
  }
  return entries;
};

export const nameOf = ({ section, key }: Entry): string => `${section}.${key}`;

/** Values of a name in their order; for most names the last one counts. */
export const valuesOf = (entries: readonly Entry[]): Map<string, string[]> => {
  const values = new Map<string, string[]>();
  for (const entry of entries) values.set(nameOf(entry), [...(values.get(nameOf(entry)) ?? []), entry.value]);
  return values;
};
