/** Link definitions that stand elsewhere in a text, for the blocks that refer to them. Pure, and linear in the text. */
import { type Block, linkLabel } from './blocks.ts';

const LABEL = /\[([^[\]]{1,200})\]/g;

/** Closed blocks stay the same objects. */
const known = new WeakMap<Block, ReadonlySet<string>>();
const labelsIn = (block: Block): ReadonlySet<string> => {
  const before = known.get(block);
  if (before) return before;
  const text = block.kind === 'prose' ? block.text : '';
  const labels = new Set([...text.matchAll(LABEL)].map(([, label]) => linkLabel(label as string)));
  known.set(block, labels);
  return labels;
};

/** The definitions that this block may need, a line each. */
export const linksFor = (block: Block, definitions: ReadonlyMap<string, string>): string =>
  definitions.size === 0 ? '' : [...labelsIn(block)].flatMap((label) => definitions.get(label) ?? []).join('\n');
