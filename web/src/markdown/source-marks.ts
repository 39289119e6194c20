/** `[source:web_search]` in a text → a reference to the calls of that tool (E9). A remark plugin over text nodes. */
const MARK = /\[source:([\w.-]{1,100})\]/g;
export const SOURCE_SCHEME = 'halter-source:';

type Node = { type: string; value?: string; url?: string; children?: Node[] };

const split = (node: Node): Node[] => {
  const text = node.value ?? '';
  const parts: Node[] = [];
  let from = 0;
  for (const match of text.matchAll(MARK)) {
    if (match.index > from) parts.push({ type: 'text', value: text.slice(from, match.index) });
    parts.push({ type: 'link', url: SOURCE_SCHEME + match[1], children: [{ type: 'text', value: match[1] ?? '' }] });
    from = match.index + match[0].length;
  }
  if (from === 0) return [node];
  if (from < text.length) parts.push({ type: 'text', value: text.slice(from) });
  return parts;
};

const walk = (node: Node): void => {
  if (!node.children || node.type === 'link') return;
  node.children = node.children.flatMap((child) => (child.type === 'text' ? split(child) : [child]));
  for (const child of node.children) walk(child);
};

export const sourceMarks = () => (tree: Node) => walk(tree);
