/**
 * The HTML that models write among their words. Line breaks and pairs of tags that only say how words look are drawn;
 * everything else stands as it was written. A remark plugin: no HTML reaches the page.
 */

type TreeNode = {
  type: string;
  value?: string;
  children?: TreeNode[];
  data?: { hName: string; hProperties?: Record<string, unknown> };
};

const BREAK = /^<br\s*\/?>$/i;
const BREAKS_ALONE = /^\s*(?:<br\s*\/?>\s*)+$/i;
const TAG = /^<(\/?)([a-z]+)\s*>$/i;
const DRAWN: ReadonlySet<string> = new Set(
  'abbr b cite code del dfn em i ins kbd mark q s samp small strong sub sup u var'.split(' '),
);

/** Undefined: not one of those that are drawn. */
const tagOf = (node: TreeNode): { name: string; closes: boolean } | undefined => {
  const [, slash, name] = (node.type === 'html' && TAG.exec(node.value ?? '')) || [];
  const known = name?.toLowerCase() ?? '';
  return DRAWN.has(known) ? { name: known, closes: slash === '/' } : undefined;
};

const shownAsWritten = (value: string): TreeNode => ({ type: 'text', value });

/** Pairs that stand among the same words; a tag without its other one stays in sight. */
const inline = (nodes: readonly TreeNode[]): TreeNode[] => {
  type Open = { name: string; tag: TreeNode; inside: TreeNode[] };
  const open: Open[] = [{ name: '', tag: { type: 'root' }, inside: [] }];
  const add = (...added: TreeNode[]): void => void open.at(-1)?.inside.push(...added);
  const leaveOpen = (): void => {
    const { tag, inside } = open.pop() as Open;
    add(shownAsWritten(tag.value ?? ''), ...inside);
  };
  for (const node of nodes) {
    const tag = tagOf(node);
    if (tag === undefined) {
      if (node.type !== 'html') add(node);
      else add(BREAK.test(node.value ?? '') ? { type: 'break' } : shownAsWritten(node.value ?? ''));
    } else if (!tag.closes) {
      open.push({ name: tag.name, tag: node, inside: [] });
    } else if (!open.some(({ name }) => name === tag.name)) {
      add(shownAsWritten(node.value ?? ''));
    } else {
      while (open.at(-1)?.name !== tag.name) leaveOpen();
      const { inside } = open.pop() as Open;
      add({ type: 'drawnHtml', children: inside, data: { hName: tag.name } });
    }
  }
  while (open.length > 1) leaveOpen();
  return open[0]?.inside ?? [];
};

/** What stands in lines of its own, such as `<details>`, keeps them. */
const ownLines = (node: TreeNode): TreeNode =>
  BREAKS_ALONE.test(node.value ?? '')
    ? { type: 'paragraph', children: [{ type: 'break' }] }
    : {
        type: 'paragraph',
        children: [
          {
            type: 'asWritten',
            children: [shownAsWritten(node.value ?? '')],
            data: { hName: 'span', hProperties: { className: ['whitespace-pre-wrap'] } },
          },
        ],
      };

const HOLDS_BLOCKS: ReadonlySet<string> = new Set(['root', 'blockquote', 'listItem', 'footnoteDefinition']);

const walk = (node: TreeNode): void => {
  if (!node.children) return;
  node.children = HOLDS_BLOCKS.has(node.type)
    ? node.children.map((child) => (child.type === 'html' ? ownLines(child) : child))
    : inline(node.children);
  for (const child of node.children) walk(child);
};

export const writtenHtml = () => (tree: TreeNode) => walk(tree);
