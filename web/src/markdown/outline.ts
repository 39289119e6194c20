/**
 * The levels of headings for who listens: an answer's first heading stands below the title of the page, and none is more than
 * one level below the one before it, however deep the model wrote it. How a heading looks says how it was written.
 */
import type { Block } from './blocks.ts';

/** The depths, as written, of the headings that what follows stands under: `'13'` for `#` and `###` below it. */
export type Open = string;

const WRITTEN = /^ {0,3}(#{1,6})(?=[ \t]|$)/;
const UNDERLINE = /^ {0,3}(=+|-+)[ \t]*$/;
/** The title of the page is one already. */
const FIRST_LEVEL = 2;

/** Under which headings stands what follows a heading of this depth. */
export const opened = (open: Open, depth: number): Open => {
  let kept = open;
  while (Number(kept.at(-1)) >= depth) kept = kept.slice(0, -1);
  return kept + depth;
};

const depthOf = (line: string, before: string): number | undefined => {
  const mark = WRITTEN.exec(line)?.[1];
  if (mark !== undefined) return mark.length;
  const rule = before.trim() === '' ? undefined : UNDERLINE.exec(line)?.[1];
  if (rule === undefined) return undefined;
  return rule.startsWith('=') ? 1 : 2;
};

const depths = new WeakMap<Block, readonly number[]>();

const depthsOf = (block: Block): readonly number[] => {
  const known = depths.get(block);
  if (known) return known;
  const lines = block.kind === 'code' ? [] : block.text.split('\n');
  const found = lines.flatMap((line, index) => depthOf(line, lines[index - 1] ?? '') ?? []);
  depths.set(block, found);
  return found;
};

/** Under which headings stands what follows these blocks. */
export const openAfter = (blocks: readonly Block[], open: Open): Open => blocks.flatMap(depthsOf).reduce(opened, open);

type TreeNode = {
  type: string;
  depth?: number;
  children?: TreeNode[];
  data?: { hProperties?: Record<string, unknown> };
};

/** A remark plugin for a block that stands under these headings. */
export const outlined = (open: Open) => (tree: TreeNode) => {
  let now = open;
  const walk = (node: TreeNode): void => {
    if (node.type === 'heading' && node.depth !== undefined) {
      now = opened(now, node.depth);
      node.data = { ...node.data, hProperties: { ariaLevel: now.length - 1 + FIRST_LEVEL } };
    }
    for (const child of node.children ?? []) walk(child);
  };
  walk(tree);
};
