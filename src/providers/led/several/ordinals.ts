/**
 * A request that tells of a first and a second thing: each goes to a call of its own, with what is said of all. "The first
 * ball falls for 3 s, the second for 5 s. How fast is each?"
 */

const NUMBERED = 'first second third fourth fifth sixth seventh eighth'.split(' ');
/** "the second car", "in the second round"; no "first time", "first 5 years", "second-degree", "from the first one". */
const MARK = new RegExp(
  String.raw`(?<!\b(?:from|of|than|as|to)\s)(?:\b(?:in|for|at|on|with|and|,)\s+)*\b(?:(?:the|my|our)\s+(${NUMBERED.join('|')}|last|other)\b(?!-|\s+(?:time|\d))|another\b|one\b)(?:\s+(\p{L}+))?`,
  'giu',
);
/** What is wanted of some of them is not wanted of each. */
const SOME_OF_THEM = /\b(?:one|either|neither|none|any|some|only)\s+(?:of|the)\b|\b(?:larger|smaller|better)\s+of\b/iu;
const SENTENCE = /(?<=[.?!;])\s+/u;
/** A sentence that goes on about the thing before it. */
const GOES_ON = /^["'“]?(?:it|its|he|his|she|her|they|their|this|that|there)\b/iu;

/** A piece of the request: of one thing by its number, or of all of them. */
type Piece = { of: number | undefined; text: string };

/** The request of each thing; empty where it does not tell of several. `hasValue`: whether a piece says a value. */
export const ordinalRequests = (request: string, hasValue: (piece: string) => boolean): string[] => {
  if (SOME_OF_THEM.test(request)) return [];
  const pieces = piecesOf(request);
  const count = Math.max(0, ...pieces.map(({ of }) => of ?? 0));
  const own = Array.from({ length: count }, (_, index) => pieces.filter(({ of }) => of === index + 1));
  if (count < 2 || !own.every((parts) => parts.some(({ text }) => hasValue(text)))) return [];
  return own.map((_, index) =>
    pieces
      .filter(({ of }) => of === undefined || of === index + 1)
      .map(({ text }) => text)
      .join(' '),
  );
};

const piecesOf = (request: string): Piece[] => {
  const pieces: Piece[] = [];
  let reached = 0;
  for (const sentence of request.split(SENTENCE)) {
    let from = 0;
    let of = reached > 0 && GOES_ON.test(sentence) ? reached : undefined;
    const close = (end: number): void => {
      const text = sentence.slice(from, end).trim();
      if (text !== '') pieces.push({ of, text });
      from = end;
    };
    for (const mark of sentence.matchAll(MARK)) {
      const number = numberOf(mark, reached);
      if (number === undefined) continue;
      close(mark.index);
      of = number;
      reached = Math.max(reached, number);
    }
    close(sentence.length);
  }
  return pieces;
};

/** Things are counted from the first, and none is left out. */
const numberOf = ([whole, word]: RegExpMatchArray, reached: number): number | undefined => {
  const name = word?.toLowerCase();
  if (name === undefined) return /\bone\b/iu.test(whole) ? (reached === 0 ? 1 : undefined) : Math.max(2, reached + 1);
  const index = NUMBERED.indexOf(name);
  const number = index < 0 ? reached + 1 : index + 1;
  return number <= reached + 1 && number > 0 ? number : undefined;
};
