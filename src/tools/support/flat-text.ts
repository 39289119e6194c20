import { TOOL_LIMITS } from '../limits.ts';

/**
 * A file's text with every `\r\n` seen as `\n`, as a model sees it, and the way back: a text is searched in the flat
 * form and replaced in the original one, so that all other bytes stay what they were.
 */
export type FlatText = {
  readonly original: string;
  readonly text: string;
  /** Offset in `text` → offset in `original`. */
  toOriginal(offset: number): number;
};

export const createFlatText = (original: string): FlatText => {
  if (!original.includes('\r\n')) return { original, text: original, toOriginal: (offset) => offset };
  // Where, in the flat text, a `\r` was taken out: at the `\n` that followed it.
  const removed: number[] = [];
  for (let at = original.indexOf('\r\n'); at !== -1; at = original.indexOf('\r\n', at + 2)) {
    removed.push(at - removed.length);
  }
  const before = (offset: number): number => {
    let low = 0;
    let high = removed.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((removed[middle] as number) < offset) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return { original, text: original.replaceAll('\r\n', '\n'), toOriginal: (offset) => offset + before(offset) };
};

/** Where `wanted` stands. Overlapping places count too, up to a limit, unless each is to be replaced. */
export const findAll = (text: string, wanted: string, forReplacing: boolean): number[] => {
  const offsets: number[] = [];
  const step = forReplacing ? wanted.length : 1;
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + step)) {
    offsets.push(at);
    if (!forReplacing && offsets.length >= TOOL_LIMITS.editPlacesCounted) break;
  }
  return offsets;
};

/** The new text's newlines become those of the lines it replaces, then those that the place has round it. */
const withEndings = (flat: FlatText, start: number, end: number, replacement: string): string => {
  if (!replacement.includes('\n')) return replacement;
  const old = flat.original.slice(start, end).match(/\r?\n/g) ?? [];
  const next = /\r?\n/.exec(flat.original.slice(end, end + 1000))?.[0];
  const previous = flat.original
    .slice(Math.max(0, start - 1000), start)
    .match(/\r?\n/g)
    ?.at(-1);
  const usual = next ?? previous ?? (flat.text === flat.original ? '\n' : '\r\n');
  let index = 0;
  return replacement.replace(/\n/g, () => {
    const ending = old[index] ?? old.at(-1) ?? usual;
    index += 1;
    return ending;
  });
};

export const replaceFlat = (
  flat: FlatText,
  offsets: readonly number[],
  wanted: string,
  replacement: string,
): string => {
  const parts: string[] = [];
  let done = 0;
  for (const offset of offsets) {
    const start = flat.toOriginal(offset);
    const end = flat.toOriginal(offset + wanted.length);
    parts.push(flat.original.slice(done, start), withEndings(flat, start, end, replacement));
    done = end;
  }
  parts.push(flat.original.slice(done));
  return parts.join('');
};
