/**
 * Cuts a text as a server streams it. A marker that is one token of a model's vocabulary arrives in one piece; some
 * engines rely on that, so whatever looks like a marker is kept whole here, to their advantage. Everything else comes
 * in pieces of four characters.
 */

const PIECE_LENGTH = 4;

/** Tags without attributes, tokens between bars, Mistral's brackets, MiniMax's prefix. */
const MARKER = /<[|｜/]?[^<>\s="']{1,60}>|\[\/?[A-Z_]{4,30}\]|\]<\]minimax\[>\[/gu;

const inPieces = (text: string): string[] => {
  const characters = [...text];
  return Array.from({ length: Math.ceil(characters.length / PIECE_LENGTH) }, (_, i) =>
    characters.slice(i * PIECE_LENGTH, (i + 1) * PIECE_LENGTH).join(''),
  );
};

export const tokenLikePieces = (text: string): string[] => {
  const pieces: string[] = [];
  let from = 0;
  for (const match of text.matchAll(MARKER)) {
    pieces.push(...inPieces(text.slice(from, match.index)), match[0]);
    from = match.index + match[0].length;
  }
  return [...pieces, ...inPieces(text.slice(from))];
};
