/** A list that was cut within an item goes on without the mark of the item. A remark plugin. */
import { CARRIED } from './blocks.ts';

type TreeNode = {
  type: string;
  value?: string;
  children?: TreeNode[];
  data?: { hProperties: { className: string[] } };
};

const isEmpty = ({ type, children = [] }: TreeNode): boolean =>
  type === 'paragraph' && children.every((child) => child.type === 'text' && child.value === '');

const walk = (node: TreeNode): void => {
  const text = node.type === 'listItem' ? node.children?.[0]?.children?.[0] : undefined;
  if (text?.value?.startsWith(CARRIED)) {
    text.value = text.value.slice(CARRIED.length).trimStart();
    node.data = { hProperties: { className: ['carried'] } };
    node.children = node.children?.filter((child) => !isEmpty(child)) ?? [];
  }
  for (const child of node.children ?? []) walk(child);
};

export const carriedItems = () => (tree: TreeNode) => walk(tree);
