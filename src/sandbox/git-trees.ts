/** Commits and trees of git, and in which entries a tree differs from all trees that it comes from. */

/** `key`: the bytes of the name, one character each. */
export type TreeEntry = { mode: string; key: string; oid: string };
/** A file or a link that a tree brings. `path` has slashes. */
export type BroughtEntry = { path: string; mode: string; oid: string };
/** The same for entries that are the same. */
export const entryKey = ({ path, mode, oid }: BroughtEntry): string => `${path}\0${mode}\0${oid}`;

/** Git looks at these bits alone, whatever else a mode says. */
const kindOf = (mode: string): number => Number.parseInt(mode, 8) & 0o170000;
const isFolder = ({ mode }: TreeEntry): boolean => kindOf(mode) === 0o040000;
export const isLinkMode = (mode: string): boolean => kindOf(mode) === 0o120000;
export const isFileMode = (mode: string): boolean => kindOf(mode) === 0o100000;
export const isProgramMode = (mode: string): boolean => isFileMode(mode) && (Number.parseInt(mode, 8) & 0o100) !== 0;

/** The names of the tree and of the parents of a commit; undefined for what is none. */
export const readCommit = (content: Buffer): { tree: string; parents: string[] } | undefined => {
  const end = content.indexOf('\n\n');
  const header = content.toString('latin1', 0, end < 0 ? content.length : end).split('\n');
  const tree = /^tree ([0-9a-f]{40,64})$/.exec(header[0] ?? '')?.[1];
  if (tree === undefined) return undefined;
  const parents: string[] = [];
  for (const line of header.slice(1)) {
    const parent = /^parent ([0-9a-f]{40,64})$/.exec(line)?.[1];
    if (parent === undefined) break;
    parents.push(parent);
  }
  return { tree, parents };
};

/** Throws for what is no tree. `nameBytes`: of the name of an object. */
export const readTree = (content: Buffer, nameBytes: number): TreeEntry[] => {
  const entries: TreeEntry[] = [];
  for (let at = 0; at < content.length; ) {
    const space = content.indexOf(0x20, at);
    const zero = content.indexOf(0, space);
    const end = zero + 1 + nameBytes;
    if (space < 0 || zero < 0 || end > content.length) throw new Error('it is no tree of git');
    entries.push({
      mode: content.toString('latin1', at, space),
      key: content.toString('latin1', space + 1, zero),
      oid: content.toString('hex', zero + 1, end),
    });
    at = end;
  }
  return entries;
};

export type TreeDifference = {
  /** The entries of a tree. */
  read(oid: string): Promise<readonly TreeEntry[]>;
  /** Those of a tree that it is compared with; empty where that is not there. */
  readOther(oid: string): Promise<readonly TreeEntry[]>;
  /** Called for each entry that none of the other trees has at this path. */
  emit(entry: BroughtEntry): void;
};

export const diffTree = async (
  difference: TreeDifference,
  tree: string,
  others: readonly string[],
  prefix = '',
): Promise<void> => {
  if (others.includes(tree)) return;
  const entries = await difference.read(tree);
  const tables: Map<string, TreeEntry>[] = [];
  for (const other of others) {
    const there = await difference.readOther(other);
    tables.push(new Map(there.map((entry) => [entry.key, entry])));
  }
  for (const entry of entries) {
    const theirs = tables.flatMap((table) => table.get(entry.key) ?? []);
    if (theirs.some(({ mode, oid }) => mode === entry.mode && oid === entry.oid)) continue;
    const path = prefix + Buffer.from(entry.key, 'latin1').toString('utf8');
    if (!isFolder(entry)) difference.emit({ path, mode: entry.mode, oid: entry.oid });
    else {
      const below = theirs.filter(isFolder).map(({ oid }) => oid);
      await diffTree(difference, entry.oid, below, `${path}/`);
    }
  }
};
