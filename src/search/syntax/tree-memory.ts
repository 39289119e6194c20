/**
 * Reads a syntax tree where tree-sitter keeps it: in the memory of its WebAssembly, which JavaScript sees as an array of
 * numbers. A walk by the library's cursor costs half as much as the parse; this costs a twentieth of it.
 *
 * The places of things in that memory are those of the version in package.json and no promise of the library's. So the
 * first text of each grammar is read both ways (`grammars.ts`), and where the two differ in anything the cursor is used
 * from then on. Nothing is written, and nothing is read by an address that is not in the memory.
 */
import { createColumns, type NodeColumns } from './node-columns.ts';

/** What the library's start fills in, and renews when its memory grows. */
export type LibraryMemory = { HEAPU8?: Uint8Array; HEAPU16?: Uint16Array; HEAPU32?: Uint32Array };

/** Bytes from the beginning of a grammar's table. */
const GRAMMAR = {
  symbols: 4,
  aliasNames: 8,
  productions: 28,
  aliasesEach: 36,
  fieldSlices: 64,
  fieldEntries: 68,
  symbolFlags: 72,
  publicSymbols: 76,
  aliases: 84,
} as const;
const FIELD_SLICE_BYTES = 4;
const FIELD_ENTRY_BYTES = 4;
const SYMBOL_FLAGS_BYTES = 3;

/** A tree is a slot of two words: a small leaf itself, or the address of a node, whose children's slots end there. */
const SLOT_WORDS = 2;
const INLINE = { is: 1, visible: 2, named: 4, extra: 8 } as const;
/** Words from the address of a node. */
const NODE = { padding: 1, paddingRows: 2, size: 4, sizeRows: 5, children: 9, symbol: 10, flags: 11, production: 16 };
const FLAG = { visible: 1, named: 2, extra: 4 } as const;
/** Symbols of errors are no grammar's. */
const FIRST_BUILT_IN = 0xfffe;

/** What a grammar says of its productions: copied once, since it does not change. */
export type GrammarTables = {
  publicSymbols: Uint16Array;
  visible: Uint8Array;
  named: Uint8Array;
  /** For each production and each place in it: the name that the child there goes by; 0 is its own. */
  aliases: Uint16Array;
  aliasesEach: number;
  /** As above: the field that the child there stands in. */
  fields: Uint16Array;
  fieldsEach: number;
};

export const readTables = (memory: LibraryMemory, root: number): GrammarTables | undefined => {
  const { HEAPU8: bytes, HEAPU16: halves, HEAPU32: words } = memory;
  if (!bytes || !halves || !words) return undefined;
  // A tree begins with its root's slot; the grammar's address follows.
  const base = words[(root >> 2) + SLOT_WORDS] ?? 0;
  const word = (offset: number): number => words[(base + offset) >> 2] ?? 0;
  // Names that are given to a node in some places only come after the others.
  const symbols = word(GRAMMAR.symbols) + word(GRAMMAR.aliasNames);
  const productions = word(GRAMMAR.productions);
  if (symbols > FIRST_BUILT_IN || productions > FIRST_BUILT_IN) return undefined;
  const aliasesEach = halves[(base + GRAMMAR.aliasesEach) >> 1] ?? 0;
  const publicAt = word(GRAMMAR.publicSymbols) >> 1;
  const aliasesAt = word(GRAMMAR.aliases) >> 1;
  const flagsAt = word(GRAMMAR.symbolFlags);
  const flag = (symbol: number, which: number): number => bytes[flagsAt + symbol * SYMBOL_FLAGS_BYTES + which] ?? 0;

  const slices = word(GRAMMAR.fieldSlices);
  const entries = word(GRAMMAR.fieldEntries);
  const fieldRows: { production: number; child: number; field: number }[] = [];
  for (let production = 0; production < productions && slices !== 0; production += 1) {
    const slice = (slices + production * FIELD_SLICE_BYTES) >> 1;
    const from = halves[slice] ?? 0;
    const count = halves[slice + 1] ?? 0;
    for (let index = from; index < from + count; index += 1) {
      const entry = entries + index * FIELD_ENTRY_BYTES;
      const inherited = bytes[entry + 3] ?? 0;
      if (inherited === 0) fieldRows.push({ production, child: bytes[entry + 2] ?? 0, field: halves[entry >> 1] ?? 0 });
    }
  }
  const fieldsEach = fieldRows.reduce((most, { child }) => Math.max(most, child + 1), 0);
  const fields = new Uint16Array(productions * fieldsEach);
  for (const { production, child, field } of fieldRows) fields[production * fieldsEach + child] ||= field;
  return {
    publicSymbols: halves.slice(publicAt, publicAt + symbols),
    visible: Uint8Array.from({ length: symbols }, (_none, symbol) => flag(symbol, 0)),
    named: Uint8Array.from({ length: symbols }, (_none, symbol) => flag(symbol, 1)),
    aliases: halves.slice(aliasesAt, aliasesAt + productions * aliasesEach),
    aliasesEach,
    fields,
    fieldsEach,
  };
};

/** Rows that the columns hold at first; they grow with the largest file. */
const ROOM = 16_384;
/** Deeper trees, and those with more children in one node, are not this program's to hurry with. */
const DEPTH = 4_096;

export type TreeReader = {
  /** False where the memory is not what it is thought to be; the columns are then of no use. */
  fill(root: number): boolean;
  readonly columns: NodeColumns;
};

/** The columns are used again for every tree, so they are done with before the next one is read. */
export const createTreeReader = (memory: LibraryMemory, tables: GrammarTables): TreeReader => {
  const { publicSymbols, visible, named, aliases, aliasesEach, fields, fieldsEach } = tables;
  let room = ROOM;
  let columns = createColumns(room);

  const grow = (): void => {
    const before = columns;
    room *= 2;
    columns = createColumns(room);
    for (const name of ['symbol', 'field', 'start', 'end', 'startRow', 'endRow', 'after'] as const)
      columns[name].set(before[name]);
    columns.count = before.count;
  };

  // What is open on the way down: where the next child's slot is, which child it is, and what it is called there.
  const nextSlot = new Uint32Array(DEPTH);
  const lastSlot = new Uint32Array(DEPTH);
  const place = new Uint32Array(DEPTH);
  const production = new Uint32Array(DEPTH);
  const fieldOfHidden = new Uint16Array(DEPTH);
  const rowOf = new Int32Array(DEPTH);

  const fill = (root: number): boolean => {
    const words = memory.HEAPU32;
    if (words === undefined) return false;
    columns.count = 0;
    let at = 0;
    let line = 0;
    let depth = 0;
    nextSlot[0] = root >> 2;
    lastSlot[0] = (root >> 2) + SLOT_WORDS;
    place[0] = 0;
    production[0] = 0;
    fieldOfHidden[0] = 0;
    rowOf[0] = -1;
    for (;;) {
      const slot = nextSlot[depth] as number;
      if (slot >= (lastSlot[depth] as number)) {
        const row = rowOf[depth] as number;
        if (row !== -1) columns.after[row] = columns.count;
        if (depth === 0) return true;
        depth -= 1;
        continue;
      }
      nextSlot[depth] = slot + SLOT_WORDS;
      const head = words[slot];
      const tail = words[slot + 1];
      if (head === undefined || tail === undefined) return false;
      const inline = (head & INLINE.is) !== 0;
      const node = head >>> 2;
      const flags = inline ? head >>> 1 : (words[node + NODE.flags] as number);
      const extra = (flags & FLAG.extra) !== 0;
      let symbol = inline ? (head >>> 8) & 0xff : (words[node + NODE.symbol] as number) & 0xffff;
      let isVisible = (flags & FLAG.visible) !== 0;
      let isNamed = (flags & FLAG.named) !== 0;
      let field = 0;
      if (!extra) {
        const child = place[depth] as number;
        place[depth] = child + 1;
        const made = production[depth] as number;
        if (made !== 0 && child < aliasesEach) {
          const alias = aliases[made * aliasesEach + child] as number;
          if (alias !== 0) {
            symbol = alias;
            isVisible = visible[alias] === 1;
            isNamed = named[alias] === 1;
          }
        }
        field = child < fieldsEach ? (fields[made * fieldsEach + child] as number) : 0;
        if (field === 0) field = fieldOfHidden[depth] as number;
      }
      const padding = inline ? (tail >>> 16) & 0xff : (words[node + NODE.padding] as number);
      const paddingRows = inline ? (tail >>> 8) & 0xf : (words[node + NODE.paddingRows] as number);
      const size = inline ? tail >>> 24 : (words[node + NODE.size] as number);
      const sizeRows = inline ? 0 : (words[node + NODE.sizeRows] as number);
      const children = inline ? 0 : words[node + NODE.children];
      if (children === undefined || children * SLOT_WORDS > node) return false;

      const shown = isVisible && isNamed;
      const row = columns.count;
      if (shown) {
        if (row >= room) grow();
        columns.count = row + 1;
        columns.symbol[row] = symbol >= FIRST_BUILT_IN ? symbol : (publicSymbols[symbol] as number);
        columns.field[row] = field;
        columns.start[row] = (at + padding) >>> 1;
        columns.end[row] = (at + padding + size) >>> 1;
        columns.startRow[row] = line + paddingRows;
        columns.endRow[row] = line + paddingRows + sizeRows;
        columns.after[row] = row + 1;
      }
      if (children === 0 || (isVisible && !isNamed)) {
        at += padding + size;
        line += paddingRows + sizeRows;
        continue;
      }
      depth += 1;
      if (depth >= DEPTH) return false;
      nextSlot[depth] = node - children * SLOT_WORDS;
      lastSlot[depth] = node;
      place[depth] = 0;
      production[depth] = (words[node + NODE.production] as number) >>> 16;
      fieldOfHidden[depth] = shown ? 0 : field;
      rowOf[depth] = shown ? row : -1;
    }
  };
  return {
    fill,
    get columns() {
      return columns;
    },
  };
};
