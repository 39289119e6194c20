/** Sets of marker strings as tries with failure links (Aho and Corasick), so that any text is searched in one pass. */

export type MarkerNode<T> = {
  /** What was read to get here. */
  text: string;
  next: Map<number, MarkerNode<T>>;
  /** Where to go on when the next character does not fit: the longest end of `text` that also begins a marker. */
  fail: MarkerNode<T> | undefined;
  /** Set where a marker ends. */
  meaning: T | undefined;
  /** This node or the nearest one before it on the path where a marker ends. */
  whole: MarkerNode<T> | undefined;
};

export type MarkerSet<T> = {
  readonly root: MarkerNode<T>;
  /** 1 for every code unit below 128 that begins a marker; at `OTHERS`, whether another one does. */
  readonly starts: Uint8Array;
};

/** The place in `starts` of all code units from 128 on. */
export const OTHERS = 128;

const node = <T>(text: string): MarkerNode<T> => ({
  text,
  next: new Map(),
  fail: undefined,
  meaning: undefined,
  whole: undefined,
});

/** Markers that mean the same. */
export type Markers<T> = readonly [meaning: T, texts: readonly string[] | undefined];

/**
 * A marker given twice keeps its first meaning. The trie is grown when it is first searched with: a parser for every dialect
 * knows hundreds of sets, and one text meets a handful of them.
 */
export const markerSet = <const T>(...markers: readonly Markers<T>[]): MarkerSet<T> => {
  let grown: MarkerSet<T> | undefined;
  const trie = (): MarkerSet<T> => {
    grown ??= grow(markers);
    return grown;
  };
  return {
    get root() {
      return trie().root;
    },
    get starts() {
      return trie().starts;
    },
  };
};

/** A tag with the blanks that some models put into it: `<name >`, `< name>`, `</ name>`, `<name =`. */
export const spellings = (marker: string): readonly string[] => {
  const [, before, slash, name, end] = /^(.*)<(\/?)([A-Za-z][\w:|-]*)([>= ])$/s.exec(marker) ?? [];
  if (name === undefined) return [marker];
  const begins = slash === '' ? ['<', '< '] : ['</', '</ ', '< /'];
  const ends = end === ' ' ? [' ', '\n'] : [end, ` ${end}`];
  return [marker, ...begins.flatMap((begin) => ends.map((one) => `${before}${begin}${name}${one}`))];
};

/** A set with each list of other markers behind its own, made once for each. */
export const markersBeside = <T, O extends object>(
  ...own: readonly Markers<T>[]
): ((others: readonly Markers<O>[]) => MarkerSet<T | O>) => {
  const sets = new WeakMap<readonly Markers<O>[], MarkerSet<T | O>>();
  return (others) => {
    const set = sets.get(others) ?? markerSet<T | O>(...own, ...others);
    sets.set(others, set);
    return set;
  };
};

const grow = <T>(markers: readonly Markers<T>[]): MarkerSet<T> => {
  const root = node<T>('');
  const starts = new Uint8Array(OTHERS + 1);
  for (const [meaning, texts = []] of markers) {
    for (const text of texts.flatMap(spellings)) {
      let at = root;
      for (let i = 0; i < text.length; i++) {
        const code = text.charCodeAt(i);
        let next = at.next.get(code);
        if (next === undefined) {
          next = node(text.slice(0, i + 1));
          at.next.set(code, next);
        }
        at = next;
      }
      at.meaning ??= meaning;
      starts[Math.min(text.charCodeAt(0), OTHERS)] = 1;
    }
  }
  link(root);
  return { root, starts };
};

const link = <T>(root: MarkerNode<T>): void => {
  const queue: MarkerNode<T>[] = [root];
  for (const at of queue) {
    for (const [code, next] of at.next) {
      let fail = at.fail;
      while (fail !== undefined && !fail.next.has(code)) fail = fail.fail;
      next.fail = fail?.next.get(code) ?? root;
      next.whole = next.meaning === undefined ? at.whole : next;
      queue.push(next);
    }
  }
};
