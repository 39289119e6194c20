/** Texts of people, cut into sentences. */

/**
 * In any script; what has no end is cut between words, or where there are none, between signs. A short sentence stays with
 * the one before it on its line, since it mostly speaks of that.
 */
export const sentencesOf = (text: string): string[] =>
  text
    .split(/\n+/u)
    .flatMap(sentencesOfLine)
    .flatMap((sentence) => (sentence.length <= SENTENCE_CHARACTERS ? [sentence] : (sentence.match(PIECES) ?? [])))
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '');

const SEGMENTER = new Intl.Segmenter('und', { granularity: 'sentence' });
const sentencesOfLine = (line: string): string[] => {
  const sentences: string[] = [];
  // Of the sentence before; to look at all of a long one for each segment would be the square of its length.
  let end = '';
  for (const { segment } of SEGMENTER.segment(line)) {
    const before = sentences.at(-1);
    const isJoined = before !== undefined && (isNoEnd(end, segment) || belongsTo(before, segment));
    if (isJoined) sentences[sentences.length - 1] = before + segment;
    else sentences.push(segment);
    end = `${isJoined ? end : ''}${segment.slice(-LAST_WORD_CHARACTERS)}`.slice(-LAST_WORD_CHARACTERS);
  }
  return sentences;
};

/**
 * What is cut short, numbered or dotted within ends no sentence: "Prof.", "Nr.", "z.B.", "3." before a month. A word as
 * short at a true end keeps two sentences together, which loses nothing.
 */
const isNoEnd = (before: string, next: string): boolean => {
  const word = LAST_DOTTED.exec(before)?.[1];
  if (word === undefined) return false;
  return (
    ORDINAL.test(word) || SHORT_NAME.test(word) || NO_VOWEL.test(word) || DOTTED.test(word) || isShortFor(word, next)
  );
};
/** In small letters, before a number or a name: "ca. 300", "ул. Ленина". */
const isShortFor = (word: string, next: string): boolean =>
  /^\p{Ll}{1,6}$/u.test(word) && (/^\p{N}/u.test(next) || (word.length <= 2 && /^\p{Lu}/u.test(next)));
const LAST_WORD_CHARACTERS = 64;
const LAST_DOTTED = /(?:^|[\s("'«„“])([\p{L}\p{M}\p{N}.]+)\.\s*$/u;
const ORDINAL = /^(?:\p{N}{1,2}|\p{L})$/u;
const SHORT_NAME = /^\p{Lu}\p{Ll}{1,3}$/u;
const NO_VOWEL = /^[b-df-hj-np-tv-xzß]{2,5}$/iu;
const DOTTED = /\p{L}\.\p{L}/u;

/** It is too short to say by itself what it speaks of. */
const belongsTo = (before: string, next: string): boolean => {
  if (before.length + next.length > TOGETHER_CHARACTERS) return false;
  const widthOf = ENDS_IN_SIGN.test(before) ? widthInLetters : ({ length }: string) => length;
  return widthOf(next.trim()) < OWN_CHARACTERS && widthOf(before) + widthOf(next) <= TOGETHER_CHARACTERS;
};
const OWN_CHARACTERS = 24;
/** A sign of Chinese or Japanese says as much as three letters. */
const widthInLetters = (text: string): number => text.length + 2 * (text.match(SIGN)?.length ?? 0);
const SIGN = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]/gu;
const ENDS_IN_SIGN = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}][。！？｡!?]?$/u;
const TOGETHER_CHARACTERS = 200;
const SENTENCE_CHARACTERS = 300;
/** Between words, else between what people see as characters. */
const PIECES = /.{1,200}(?:\s|$)|.{1,200}(?<!\u200D)(?![\u200D\p{M}\p{Emoji_Modifier}\u{E0020}-\u{E007F}])|.{1,200}/gsu;
