/**
 * What the person said since in place of what a note tells: of the same thing another number, another person who does it
 * now, or that it is no more. What was said last holds.
 */
import { isFirstWord } from './first-words.ts';
import { clausesOf, type Passage } from './passages.ts';
import { isSameWord } from './same-words.ts';

export const createReplaced = (passages: () => readonly Passage[]): ((note: string) => boolean) => {
  let found: Since | undefined;
  const since = (): Since => {
    found ??= sinceIn(passages());
    return found;
  };
  return (note) =>
    !GONE.test(note) &&
    clausesOf(note).some(
      (clause) =>
        !clause.isDenied &&
        (hasLeft(clause, since()) ||
          isNoMore(clause, since()) ||
          isOtherNumber(clause, since()) ||
          isOtherNow(clause, since())),
    );
};

type Clause = ReturnType<typeof clausesOf>[number];
type Since = {
  all: readonly Passage[];
  /** Who left, in small letters, and what else was said in that message with somebody named. */
  left: readonly { name: string; at: number; beside: readonly (readonly string[])[] }[];
  noMore: readonly Passage[];
  numbered: readonly Passage[];
  now: readonly Passage[];
};
const sinceIn = (passages: readonly Passage[]): Since => {
  const byMessage = new Map<number, Passage[]>();
  for (const one of passages) byMessage.set(one.at, [...(byMessage.get(one.at) ?? []), one]);
  const told = passages.filter(({ isReply }) => !isReply);
  return {
    all: passages,
    left: [...byMessage].flatMap(([at, own]) => leftIn(own).map((one) => ({ ...one, at }))),
    noMore: told.filter(({ text }) => NO_MORE.test(text)),
    numbered: told.filter(({ isDenied, words }) => !isDenied && words.some((word) => NUMBER.test(word))),
    now: told.filter(({ isDenied, isNow, words }) => !isDenied && isNow && isThingWithNumber(words)),
  };
};
const NUMBER = /\p{N}|^one$/u;
const numbersOf = (words: readonly string[]): string[] => words.filter((word) => NUMBER.test(word));
const spokenOf = (words: readonly string[]): string[] =>
  words.filter((word) => !NUMBER.test(word) && !MONTHS.has(word));
const has = (words: readonly string[], word: string): boolean => words.some((one) => isSameWord(one, word));
const sharedOf = (words: readonly string[], others: readonly string[]): string[] =>
  words.filter((word) => has(others, word));
/** Of a date the day is what differs. */
const MONTHS = new Set(
  'january february march april june july august september october november december januar februar märz mai juni juli oktober dezember janvier février mars avril juin juillet août septembre octobre novembre décembre enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre'.split(
    ' ',
  ),
);

/** The last message that says all of it that the person ever said; found once, whatever asks for it. */
const saidAt = (clause: Clause, since: Since): number => {
  const before = places.get(clause);
  if (before !== undefined) return before;
  const at = placeOf(clause, since);
  places.set(clause, at);
  return at;
};
const places = new WeakMap<Clause, number>();
const placeOf = ({ words }: Clause, { all }: Since): number => {
  const known = words.filter((word) => all.some((one) => has(one.words, word)));
  let last = -1;
  let most = 0;
  for (const one of all) {
    const count = sharedOf(known, one.words).length;
    if (count < most || count === 0) continue;
    [most, last] = [count, one.at];
  }
  return last;
};

/** "Bernhard has left. Ill is now played by Konstantin." */
const leftIn = (own: readonly Passage[]): { name: string; beside: string[][] }[] => {
  const told = own.filter(({ isReply }) => !isReply);
  const text = told.map((one) => one.text).join(' . ');
  const names = [...text.matchAll(LEFT)].map(([, name = '']) => name).filter((name) => !isFirstWord(name));
  return names.map((name) => {
    const small = name.toLowerCase();
    const beside = told
      .filter((one) => !one.isDenied && !has(one.words, small))
      .filter((one) => (one.text.match(NAME) ?? []).some((other) => !isFirstWord(other) && !names.includes(other)));
    return { name: small, beside: beside.map(({ words }) => [...words]) };
  });
};
const NAME = /(?<!\p{L})\p{Lu}\p{Ll}+/gu;

const hasLeft = ({ words, text }: Clause, { left, all }: Since): boolean =>
  left.some(({ name, at, beside }) => {
    if (!words.includes(name) || !isTask(text, name)) return false;
    const task = words.filter((word) => word !== name);
    const isTakenOver =
      task.length > 0 && beside.some((own) => task.every((word) => own.some((one) => isAlike(one, word))));
    return isTakenOver && !all.some((one) => one.at > at && has(one.words, name));
  });
/** "Drives" and "driven" */
const isAlike = (one: string, other: string): boolean =>
  isSameWord(one, other) ||
  (one.length >= STEM_CHARACTERS && one.slice(0, STEM_CHARACTERS) === other.slice(0, STEM_CHARACTERS));
const STEM_CHARACTERS = 4;
/** What somebody is, has, owes to their birth or likes. */
const STATE =
  /(?<!\p{L})(?:is|are|was|were|has|have|had|owns?|likes?|loves?|hates?|eats?|drinks?|lives?|wants?|needs?|speaks?|born|ist|war|hat|hatte|mag|liebt|isst|trinkt|wohnt|gehört|besitzt|braucht|spricht|est|était|avait|aime|déteste|mange|boit|habite|possède|parle|es|era|tiene|ama|come|bebe|vive|habla|é|tem|gosta|mora|è|ha|mangia|beve|abita|имеет|любит|ест|живёт|живет)(?!\p{L})/iu;
/** What somebody does goes over to another one; what they are, have or like does not. */
const isTask = (text: string, name: string): boolean =>
  !STATE.test(text) ||
  new RegExp(`(?<!\\p{L})(?:by|von|vom|par|por|da|door)\\s(?:\\S+\\s)?${name}(?!\\p{L})`, 'iu').test(text);

/** "Ya no usamos corcho" */
const isNoMore = (clause: Clause, since: Since): boolean =>
  since.noMore.some((one) => {
    const isUse = USES.test(one.text);
    const thing = spokenOf(one.words).filter((word) => !NO_MORE_WORD.test(word) && !(isUse && USES.test(word)));
    // Of what has one trait no more all else is as it was: "the dog no longer barks".
    const isMeant = thing.length > (isUse ? 0 : 1) && thing.every((word) => has(clause.words, word));
    return isMeant && saidAt(clause, since) < one.at;
  });
/** What is not used or sold any more is gone. */
const USES =
  /(?<!\p{L})(?:us(?:e|es|ed|ing|o|a|amos|an|iamo|ano)|sell(?:s|ing)?|sold|verwende\p{L}*|benutz\p{L}*|nutz\p{L}*|verkauf\p{L}*|utilis\p{L}*|vend\p{L}*|utiliz\p{L}*|использу\p{L}*|прода\p{L}*)(?!\p{L})/iu;
const NO_MORE_WORD = /^(?:longer|more|anymore|mehr|plus|más|mais|più|больше|już|meer)$/u;

/** "The canton only gives 1,500", after "the canton gives 2,000". */
const isOtherNumber = (clause: Clause, since: Since): boolean => {
  const numbers = numbersOf(clause.words);
  const spoken = spokenOf(clause.words);
  if (numbers.length === 0 || spoken.length === 0) return false;
  const anew = since.numbered.filter((one) => isAnew(clause, one, numbers, spoken));
  // Of many numbers each is of another thing: "Question 7", "Question 8".
  const given = new Set(anew.flatMap((one) => numbersOf(one.words)));
  if (given.size >= ROW_OF_THINGS && !anew.some(({ isNow }) => isNow)) return false;
  const at = anew.length > 0 ? lastWith(clause, since) : -1;
  return at >= 0 && anew.some((one) => at < one.at);
};
const ROW_OF_THINGS = 3;

const isAnew = (clause: Clause, one: Passage, numbers: readonly string[], spoken: readonly string[]): boolean => {
  const others = numbersOf(one.words);
  if ((others.length > 1 && numbers.length > 1) || others.some((number) => numbers.includes(number))) return false;
  const own = spokenOf(one.words);
  const subject = spoken[0] ?? '';
  const [missing, extra] = [spoken.filter((word) => !has(own, word)), own.filter((word) => !has(spoken, word))];
  if (!has(own, subject) || missing.length * 2 > spoken.length) return false;
  if (missing.length > 0 && extra.length > 0 && !one.isNow) return false;
  // "Bus 7" and "bus 9" are two.
  return !(isLabel(clause.text, subject) || isLabel(one.text, subject));
};
const isLabel = (text: string, word: string): boolean =>
  new RegExp(`(?<!\\p{L})${word}\\p{L}{0,2} (?:no |nr |n[º°] ?)?\\p{N}+(?! ?\\p{N})`, 'iu').test(text) &&
  !/:/u.test(text);
/** The last message with its numbers and its subject. */
const lastWith = (clause: Clause, { all }: Since): number => {
  const numbers = numbersOf(clause.words);
  const spoken = spokenOf(clause.words);
  const last = all.findLast(
    (one) =>
      !one.isDenied && numbers.every((number) => has(one.words, number)) && sharedOf(spoken, one.words).length > 0,
  );
  return last?.at ?? -1;
};

/** "Ida is now seven". That the roof is now dry says nothing of its colour. */
const isOtherNow = (clause: Clause, since: Since): boolean =>
  isThingWithNumber(clause.words) &&
  since.now.some(
    (one) =>
      sharedOf(clause.words, one.words).length === 1 &&
      spokenOf(one.words).every((word) => has(clause.words, word)) &&
      saidAt(clause, since) < one.at,
  );
const isThingWithNumber = (words: readonly string[]): boolean => words.length === 2 && numbersOf(words).length === 1;

const alone = (words: string): string => `(?<![\\p{L}\\p{N}])(?:${words})(?![\\p{L}\\p{N}])`;
const LEAVES =
  "(?:has |have )?(?:left|quit|resigned|retired)|(?:is|are|has been|was) (?:gone|ill|sick|away|off|fired)|(?:no longer|doesn['’]t|does not) works?|(?:has )?moved|(?:hat|haben) (?:gekündigt|aufgehört|keine zeit|uns verlassen)|ist (?:krank|weg|ausgezogen|gegangen|fort)|arbeitet nicht|hört auf|ne (?:travaille|vient|joue|fait) plus|est (?:malade|parti\\p{L}*)|a (?:quitté|démissionné|fermé)|ya no (?:trabaja|viene|está)|está (?:enferm[oa])|se (?:fue|ha ido)|ha dejado|não (?:trabalha|vem) mais|está doente|saiu|non (?:lavora|viene) più|è (?:malat[oa]|andat[oa])|уволил\\p{L}*|уш[её]л|ушла|заболел\\p{L}*|больше не работает|has no time|hat keine zeit";
const LEFT = new RegExp(`(?<!\\p{L})(\\p{Lu}\\p{Ll}+)(?:\\s\\p{L}+){0,1}?\\s(?:${LEAVES})(?!\\p{L})`, 'gu');
/** A note that tells of it itself. */
const GONE = new RegExp(
  `${alone(`${LEAVES}|leaves|since|because|weil|parce|car|porque|after`)}|辞め|离开|辞职|病気`,
  'iu',
);
const NO_MORE = new RegExp(
  `${alone(
    "no longer|no more|(?:not|n['’]t) (?:\\S+ ){0,5}?any ?more|nicht mehr|kein\\p{L}* (?:\\S+ ){0,2}mehr|ne (?:\\S+ ){1,2}plus|n['’]\\S+ plus|ya no|já não|não (?:\\S+ ){1,3}mais|non (?:\\S+ ){1,2}più|больше не|już nie|niet meer",
  )}|もう.*ない|不再`,
  'iu',
);
