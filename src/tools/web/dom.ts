/** As much of a document as reading a page needs. */
export type PageNode = {
  readonly nodeType: number;
  readonly nodeName: string;
  readonly textContent: string | null;
  readonly parentNode: PageNode | null;
  readonly firstChild: PageNode | null;
  readonly nextSibling: PageNode | null;
};
export type PageElement = PageNode & {
  innerHTML: string;
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
  querySelector(selector: string): PageElement | null;
  querySelectorAll(selector: string): Iterable<PageElement>;
  replaceWith(...nodes: (PageNode | string)[]): void;
  remove(): void;
};
export type PageDocument = PageElement & {
  readonly documentElement: PageElement | null;
  readonly body: PageElement | null;
  readonly title: string;
};

const ELEMENT = 1;

/** Elements within elements, counted without recursion, up to one more than `atMost`. */
export const depthOf = (root: PageNode, atMost: number): number => {
  let depth = 0;
  let deepest = 0;
  let node: PageNode | null = root;
  while (node !== null && deepest <= atMost) {
    if (node.firstChild !== null) {
      node = node.firstChild;
      depth += 1;
      if (node.nodeType === ELEMENT) deepest = Math.max(deepest, depth);
      continue;
    }
    while (node !== null && node !== root && node.nextSibling === null) {
      node = node.parentNode;
      depth -= 1;
    }
    if (node === null || node === root) break;
    node = node.nextSibling;
  }
  return deepest;
};
