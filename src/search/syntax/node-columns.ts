/**
 * A syntax tree as columns: one row for each named node, an outer one before those inside it. A question to a node of
 * tree-sitter's is a step into its WebAssembly and back; a question to a column is a number out of an array.
 */
import type { Tree } from 'web-tree-sitter';

export type NodeColumns = {
  count: number;
  /** The node's type as a number of its grammar. */
  symbol: Uint16Array;
  /** The field that it stands in; 0 is none. */
  field: Uint16Array;
  /** Places in the text, as JavaScript counts them. */
  start: Uint32Array;
  end: Uint32Array;
  /** Lines, from 0. */
  startRow: Uint32Array;
  endRow: Uint32Array;
  /** The row after the last one inside this node: its next sibling's, where it has one. */
  after: Uint32Array;
};

export const createColumns = (room: number): NodeColumns => ({
  count: 0,
  symbol: new Uint16Array(room),
  field: new Uint16Array(room),
  start: new Uint32Array(room),
  end: new Uint32Array(room),
  startRow: new Uint32Array(room),
  endRow: new Uint32Array(room),
  after: new Uint32Array(room),
});

/** By the library's own means: slow, and right whatever its version. */
export const fillByCursor = (tree: Tree, columns: NodeColumns): void => {
  const cursor = tree.walk();
  const open: number[] = [];
  columns.count = 0;
  const enter = (): boolean => {
    // Keywords and signs are no part of any pattern, and nothing stands inside them.
    if (!cursor.nodeIsNamed) return false;
    const row = columns.count++;
    columns.symbol[row] = cursor.nodeTypeId;
    columns.field[row] = cursor.currentFieldId;
    columns.start[row] = cursor.startIndex;
    columns.end[row] = cursor.endIndex;
    columns.startRow[row] = cursor.startPosition.row;
    columns.endRow[row] = cursor.endPosition.row;
    open.push(row);
    return true;
  };
  const leave = (): void => {
    columns.after[open.pop() as number] = columns.count;
  };
  try {
    let entered = enter();
    for (;;) {
      if (entered && cursor.gotoFirstChild()) {
        entered = enter();
        continue;
      }
      if (entered) leave();
      while (!cursor.gotoNextSibling()) {
        if (!cursor.gotoParent()) return;
        leave();
      }
      entered = enter();
    }
  } finally {
    cursor.delete();
  }
};
