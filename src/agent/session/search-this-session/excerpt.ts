/** The part of a long text that a search shows: with every word that was found, in pieces where these stand apart. */

const EXCERPT_CHARACTERS = 500;
const PIECES_MAX = 4;
/** Of a piece; the rest stands around the words. */
const WORDS_SHARE = 0.7;
/** Of one word in one text. */
const PLACES_MAX = 20_000;

/** Without accents and case, so that a word is found however it was written. */
export const foldedWord = (text: string): string =>
  text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toUpperCase().toLowerCase();

/** What was found, and where in a folded text; the more it weighs, the rather it is shown. */
export type Sought = { weight: number; placesIn: (folded: string) => Iterable<number> };

export const excerptOf = (whole: string, sought: readonly Sought[]): string => {
  const text = whole.replaceAll(/\s+/g, ' ').trim();
  if (text.length <= EXCERPT_CHARACTERS) return text;
  const places = placesOf(text, sought);
  let pieces: Piece[] = [];
  for (let count = 1; count <= PIECES_MAX; count += 1) {
    const size = Math.floor(EXCERPT_CHARACTERS / count);
    const { chosen, isAll } = piecesOf(places, { count, size, weights: sought.map(({ weight }) => weight) });
    pieces = chosen.map((span) => around(span, size, text.length));
    if (isAll) break;
  }
  if (pieces.length === 0) pieces = [{ start: 0, end: EXCERPT_CHARACTERS }];
  return joined(pieces)
    .map(({ start, end }) => wholeWords(text, start, end))
    .join(' ');
};

type Place = { at: number; of: number };
type Piece = { start: number; end: number };

/** In the text as it is, in its order. Folding changes lengths, so each word keeps its place. */
const placesOf = (text: string, sought: readonly Sought[]): Place[] => {
  const starts: number[] = [];
  const foldedStarts: number[] = [];
  const words: string[] = [];
  let length = 0;
  for (const { 0: word, index } of text.matchAll(/\S+/gu)) {
    const folded = foldedWord(word);
    starts.push(index);
    foldedStarts.push(length);
    words.push(folded);
    length += folded.length + 1;
  }
  const folded = words.join(' ');
  const placeIn = (at: number): number => {
    let [low, high] = [0, foldedStarts.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((foldedStarts[middle] ?? 0) <= at) low = middle;
      else high = middle - 1;
    }
    return Math.min(text.length, (starts[low] ?? 0) + at - (foldedStarts[low] ?? 0));
  };
  const places = sought.flatMap(({ placesIn }, of) => {
    const found: Place[] = [];
    for (const at of placesIn(folded)) {
      if (found.length >= PLACES_MAX) break;
      found.push({ at: placeIn(at), of });
    }
    return found;
  });
  return places.sort((one, other) => one.at - other.at);
};

type Wanted = { count: number; size: number; weights: readonly number[] };
/** Each time the part with most of what no piece shows yet; of the same, the one that shows more of the rest too. */
const piecesOf = (places: readonly Place[], { count, size, weights }: Wanted): { chosen: Piece[]; isAll: boolean } => {
  const left = new Set(places.map(({ of }) => of));
  const chosen: Piece[] = [];
  while (left.size > 0 && chosen.length < count) {
    const wanted = weights.map((weight, of) => (left.has(of) ? weight : weight * SHOWN_SHARE));
    const { start, end } = heaviest(places, size * WORDS_SHARE, wanted);
    for (const { at, of } of places) if (at >= start && at <= end) left.delete(of);
    chosen.push({ start, end });
  }
  return { chosen, isAll: left.size === 0 };
};
const SHOWN_SHARE = 0.001;

/** Of all parts of that length; the first of the same weight. */
const heaviest = (places: readonly Place[], length: number, weights: readonly number[]): Piece => {
  const times = weights.map(() => 0);
  let [weight, most, from] = [0, -1, 0];
  let best: Piece = { start: 0, end: 0 };
  for (const { at, of } of places) {
    if (times[of] === 0) weight += weights[of] ?? 0;
    times[of] = (times[of] ?? 0) + 1;
    for (; at - (places[from]?.at ?? at) > length; from += 1) {
      const gone = places[from]?.of ?? 0;
      times[gone] = (times[gone] ?? 0) - 1;
      if (times[gone] === 0) weight -= weights[gone] ?? 0;
    }
    if (weight > most + 1e-9) [most, best] = [weight, { start: places[from]?.at ?? at, end: at }];
  }
  return best;
};

/** A third of what is left stands before the words. */
const around = ({ start, end }: Piece, size: number, length: number): Piece => {
  const from = Math.max(0, Math.min(start - Math.floor((size - (end - start)) / 3), length - size));
  return { start: from, end: Math.min(length, from + size) };
};

/** In their order; what touches is one piece. */
const joined = (pieces: readonly Piece[]): Piece[] => {
  const all: Piece[] = [];
  for (const piece of pieces.toSorted((one, other) => one.start - other.start)) {
    const last = all.at(-1);
    if (last && piece.start <= last.end) last.end = Math.max(last.end, piece.end);
    else all.push({ ...piece });
  }
  return all;
};

/** Without the halves of words at its ends, which would be read as words; where it is cut is marked. */
const wholeWords = (text: string, start: number, end: number): string => {
  let part = text.slice(start, end).toWellFormed();
  if (start > 0 && !isBetweenWords(text, start)) part = part.replace(FIRST_HALF, '');
  if (end < text.length && !isBetweenWords(text, end)) part = part.replace(LAST_HALF, '');
  return `${start > 0 ? '…' : ''}${part.trim()}${end < text.length ? '…' : ''}`;
};
const isBetweenWords = (text: string, at: number): boolean => text[at] === ' ' || text[at - 1] === ' ';
/** What is longer than this is no word that has to stay whole, as in scripts without spaces. */
const FIRST_HALF = /^\S{1,40} /u;
const LAST_HALF = / \S{1,40}$/u;
