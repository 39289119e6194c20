/** Words that are the same with another ending. */
import { UNSPACED } from '../distinctive.ts';

/** Both begin alike, for most of the shorter one: "owns" and "owner", "signs" and "signed". */
export const isSameWord = (one: string, other: string): boolean => {
  if (one === other) return true;
  // Most words differ at once.
  if (one.charCodeAt(0) !== other.charCodeAt(0) || one.charCodeAt(2) !== other.charCodeAt(2)) return false;
  if (/[\p{N}./]/u.test(one + other) || UNSPACED.test(one) || UNSPACED.test(other)) return false;
  const shorter = Math.min(one.length, other.length);
  const least = Math.max(ALIKE_LEAST, Math.ceil(shorter * ALIKE_SHARE));
  return shorter >= ALIKE_LEAST && one.slice(0, least) === other.slice(0, least);
};
const ALIKE_LEAST = 3;
const ALIKE_SHARE = 0.7;

/** Those of the first that the others have too. */
export const sharedWords = (words: readonly string[], others: readonly string[]): string[] =>
  words.filter((word) => others.some((other) => isSameWord(word, other)));

/** Shorter words are in every sentence, and so are some longer ones. */
export const isTelling = (key: string): boolean =>
  (key.length >= TELLING_CHARACTERS || /\p{N}/u.test(key) || UNSPACED.test(key)) && !COMMON.has(key);
const TELLING_CHARACTERS = 3;
const COMMON = new Set(
  `the and for are was were has have had will shall should would could can may must this that these those with from into onto our your their his her its you they them who what when where which there here then than also just only now not all any some more most very still again yet but please don
  der die das den dem des ein eine einen einem einer und ist sind war waren wird werden wurde mit für von vom zum zur auf aus bei nach über unter auch nur noch doch schon jetzt nicht kein keine dass wenn ich wir sie ihr mein meine dein deine unser unsere bitte hat sondern haben
  les des une est sont était avec pour dans sur par que qui pas plus aux mon ton son notre votre
  los las una unos con para por que del está son fue más muy nuestro
  uma com para dos das não mais está são
  gli una con per che del della non più sono
  это что как для или его она они уже ещё есть был была было
  jest są dla nie się jak
  het een van met voor niet zijn
  的 是 在 了 用 为 為 和 与 與 也 就 把 被 吗 嗎`.split(/\s+/u),
);
