/** The places of formulas in a text → nodes of their own. A remark plugin over text nodes. */
import { PLACE } from './math.ts';

type TreeNode = {
  type: string;
  value?: string;
  children?: TreeNode[];
  data?: { hName: string; hProperties: Record<string, unknown> };
};

export const FORMULA = 'halter-formula';

const split = (node: TreeNode): TreeNode[] => {
  const text = node.value ?? '';
  const parts: TreeNode[] = [];
  let from = 0;
  for (const match of text.matchAll(PLACE)) {
    if (match.index > from) parts.push({ type: 'text', value: text.slice(from, match.index) });
    parts.push({ type: 'formula', data: { hName: FORMULA, hProperties: { place: match[1] } } });
    from = match.index + match[0].length;
  }
  if (from === 0) return [node];
  if (from < text.length) parts.push({ type: 'text', value: text.slice(from) });
  return parts;
};

const walk = (node: TreeNode): void => {
  if (!node.children) return;
  node.children = node.children.flatMap((child) => (child.type === 'text' ? split(child) : [child]));
  for (const child of node.children) walk(child);
};

export const formulaPlaces = () => (tree: TreeNode) => walk(tree);
