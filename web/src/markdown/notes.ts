/**
 * Footnotes: a text is drawn in blocks, and its notes once behind all of them. A block that refers to a note is given a
 * stub of its definition, so that Markdown says where a reference is one; the stub is taken out again. Pure.
 */
import type { Block } from './blocks.ts';

export const NOTE_SCHEME = 'halter-note:';
const REFERENCE = /\[\^([^\]\s]{1,200})\]/g;
/** Nobody writes it, so that what was defined within a list or a quote is told from a stub. */
const STUB = '\u{E0F7}';

export type Note = { label: string; isReferred: boolean; blocks: readonly (Block & { kind: 'prose' })[] };

/** Closed blocks stay the same objects. */
const known = new WeakMap<Block, readonly string[]>();
const labelsIn = (block: Block): readonly string[] => {
  if (block.kind === 'code') return [];
  const before = known.get(block);
  if (before) return before;
  const labels = [...block.text.matchAll(REFERENCE)].map(([, label]) => (label as string).toLowerCase());
  known.set(block, labels);
  return labels;
};

/** In the order in which they are first referred to; a note that nobody refers to is not lost. */
export const notesOf = (blocks: readonly Block[]): Note[] => {
  const parts = new Map<string, (Block & { kind: 'prose' })[]>();
  for (const block of blocks) {
    if (block.kind !== 'prose' || block.note === undefined) continue;
    parts.set(block.note, [...(parts.get(block.note) ?? []), block]);
  }
  if (parts.size === 0) return [];
  const referred = new Set(blocks.flatMap(labelsIn).filter((label) => parts.has(label)));
  return [...new Set([...referred, ...parts.keys()])].map((label) => ({
    label,
    isReferred: referred.has(label),
    blocks: parts.get(label) ?? [],
  }));
};

/** What is put behind a block, for the notes that it refers to. */
export const stubsFor = (block: Block, defined: ReadonlySet<string>): string =>
  defined.size === 0
    ? ''
    : [...new Set(labelsIn(block))]
        .filter((label) => defined.has(label))
        .map((label) => `[^${label}]: ${STUB}`)
        .join('\n');

type TreeNode = {
  type: string;
  value?: string;
  url?: string;
  label?: string;
  identifier?: string;
  children?: TreeNode[];
};

const text = (value: string): TreeNode => ({ type: 'text', value });

const isStub = ({ children = [] }: TreeNode): boolean => children[0]?.children?.[0]?.value === STUB;

/** A note that was defined where no reader of lines sees it stays there, as it was written. */
const inPlace = ({ label = '', children = [] }: TreeNode): TreeNode[] => {
  const [first, ...others] = children;
  const mark = text(`[^${label}]: `);
  return first?.type === 'paragraph'
    ? [{ ...first, children: [mark, ...(first.children ?? [])] }, ...others]
    : [{ type: 'paragraph', children: [mark] }, ...children];
};

const walk = (node: TreeNode, stubs: ReadonlySet<string>): void => {
  node.children = node.children?.flatMap((child) => {
    if (child.type === 'footnoteDefinition') return isStub(child) ? [] : inPlace(child);
    if (child.type !== 'footnoteReference') return [child];
    const label = child.label ?? child.identifier ?? '';
    if (!stubs.has(child.identifier ?? '')) return [text(`[^${label}]`)];
    return [{ type: 'link', url: NOTE_SCHEME + label.toLowerCase(), children: [text(label)] }];
  });
  for (const child of node.children ?? []) walk(child, stubs);
};

/** References become links of their own, and stubs go. A remark plugin. */
export const noteMarks = () => (tree: TreeNode) => {
  const stubs = (tree.children ?? []).filter((child) => child.type === 'footnoteDefinition' && isStub(child));
  walk(tree, new Set(stubs.map(({ identifier = '' }) => identifier)));
};
