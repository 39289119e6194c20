/**
 * Words that all stand somewhere in a conversation, put together anew, say what nobody said. A note is borne out where one
 * clause of the person, with the question that it answers, or one line of a result holds what the note speaks of and what
 * it says of that. The latest such clause decides; where it says the opposite, the note is not so.
 */
import type { Exchange } from '../exchanges.ts';
import { normalized, placesIn } from './claims.ts';
import type { NotePart } from './denied.ts';
import { isFirstWord } from './first-words.ts';
import { goesOn, isOfPerson, isTheSame, namesOfPerson } from './goes-on.ts';
import { withDigits } from './number-words.ts';
import { clausesOf, type Passage, passagesIn, wordsOf } from './passages.ts';
import { isSameWord, isTelling } from './same-words.ts';
import { createWordIndex } from './word-index.ts';

type Sources = {
  exchanges: readonly Exchange[];
  /** What the model told the person, and what calls returned. */
  byModel: readonly string[];
  results: readonly string[];
  failed: readonly string[];
  /** A result says so in the same words. */
  isFound: (note: string) => boolean;
  calls: readonly string[];
};

export const createBorneOut = (
  sources: Sources,
): Record<'isBorneOut' | 'isSaidOtherwise', (note: string, part: NotePart) => boolean> => {
  let found: Held | undefined;
  const heldOf = (): Held => {
    found ??= heldIn(sources);
    return found;
  };
  return {
    isBorneOut: (note, part) => {
      if (part === 'goal') return true;
      const held = heldOf();
      const clauses = clausesOf(note);
      if (part !== 'open' && DONE.test(note) && isRequestAlone(note, held, sources)) return false;
      if (part === 'decision' && isOfNothing(note, clauses, held)) return false;
      return clauses.every((clause) => isBorneOut(clause, held));
    },
    isSaidOtherwise: (note, part) =>
      part !== 'goal' && clausesOf(note).some((clause) => isSaidOtherwise(clause, heldOf())),
  };
};

type Clause = ReturnType<typeof clausesOf>[number];
type Held = {
  passages: readonly Passage[];
  index: ReturnType<typeof createWordIndex>;
  /** The sentences of the model that ask nothing, and the lines of results. */
  lines: () => readonly string[];
  others: () => string;
  exchanges: readonly Exchange[];
  languages: () => ReadonlySet<number>;
  names: () => readonly string[];
};

const heldIn = ({ exchanges, byModel, results, failed }: Sources): Held => {
  const passages = passagesIn(exchanges);
  const index = createWordIndex();
  for (const [at, { words }] of passages.entries()) index.add(at, words);
  let lines: readonly string[] | undefined;
  let others: string | undefined;
  let languages: ReadonlySet<number> | undefined;
  let names: readonly string[] | undefined;
  const linesOf = (): readonly string[] => {
    lines ??= [
      ...byModel.flatMap((text) =>
        normalized(text)
          .split(SENTENCE_END)
          .filter((one) => !/[?？؟]$/u.test(one)),
      ),
      ...[...results, ...failed].flatMap((text) => normalized(text).split('\n')),
    ];
    return lines;
  };
  return {
    passages,
    index,
    lines: linesOf,
    others: () => {
      others ??= linesOf().join('\n');
      return others;
    },
    exchanges,
    languages: () => {
      languages ??= new Set(exchanges.flatMap(({ said }) => [...languagesOf(said.slice(0, SMALL_CHARACTERS))]));
      return languages;
    },
    names: () => {
      names ??= namesOfPerson(exchanges.map(({ said }) => said));
      return names;
    },
  };
};
const SENTENCE_END = /(?<=[.!?？؟])\s+|(?<=[。！])|\n+/u;
const SMALL_CHARACTERS = 1_000;

const isBorneOut = (clause: Clause, held: Held): boolean => {
  const { words, text } = clause;
  // Of a file its lines tell, and other checks hold what was named against those.
  if (placesIn(text).length > 0 || words.length === 0) return true;
  const { index, passages } = held;
  const bySaid = words.filter((word) => index.holding(word).length > 0);
  // A subject and a value that were read alone; of more words the lines of code around tell too.
  if (bySaid.length === 0) return words.length !== FEWEST || !areHeld(words, held) || isInLine(words, false, held);
  const more = words.filter((word) => !bySaid.includes(word) && !NUMBER.test(word));
  const elsewhere = more.filter((word) => held.others().includes(stem(word)));
  const counts = index.counts(bySaid);
  const isMostlyNew = elsewhere.length === 0 && more.length > 0 && bySaid.length * 2 <= words.length;
  if (isMostlyNew && isOwnLanguage(text, passages[mostOf(counts)]?.at ?? 0, held)) return false;
  const last = lastWhole(words, { bySaid, counts, held });
  if (last !== undefined) return agrees(clause, passages[last] as Passage, last, { bySaid, counts, held });
  if (isReplacedSince(clause, { bySaid, counts, held })) return false;
  if (isPutTogether(clause, bySaid, counts, held)) return true;
  return isInLine([...bySaid, ...elsewhere], elsewhere.length > 0, held);
};
const NUMBER = /\p{N}/u;

/** The latest that holds all of it that the person spoke of. */
const lastWhole = (words: readonly string[], { bySaid, counts, held }: Counted): number | undefined => {
  const whole = [...counts].filter(
    ([at, count]) => count === bySaid.length && isAnswered(held.passages[at] as Passage, words),
  );
  return whole.length === 0 ? undefined : whole.reduce((last, [at]) => Math.max(last, at), 0);
};

/** The person spoke of most of it, and says it no more. */
const isSaidOtherwise = (clause: Clause, held: Held): boolean => {
  const { words, text } = clause;
  if (placesIn(text).length > 0) return false;
  const bySaid = words.filter((word) => held.index.holding(word).length > 0);
  if (bySaid.length * 2 <= words.length) return false;
  const counted = { bySaid, counts: held.index.counts(bySaid), held };
  const last = lastWhole(words, counted);
  return last === undefined
    ? isReplacedSince(clause, counted)
    : !agrees(clause, held.passages[last] as Passage, last, counted);
};
/** The latest of those that hold most. */
const mostOf = (counts: ReadonlyMap<number, number>): number =>
  [...counts].reduce(
    (most, one) => (one[1] > most[1] || (one[1] === most[1] && one[0] > most[0]) ? one : most),
    [-1, 0],
  )[0];

/** A question is told of with its answer. */
const isAnswered = ({ needs }: Passage, words: readonly string[]): boolean =>
  needs.length === 0 || needs.some((need) => words.some((word) => isSameWord(word, need)));

type Counted = { bySaid: readonly string[]; counts: ReadonlyMap<number, number>; held: Held };
const agrees = (clause: Clause, last: Passage, at: number, { bySaid, counts, held }: Counted): boolean => {
  const [first = ''] = bySaid;
  if (bySaid.length < FEWEST && (bySaid.length < clause.words.length || NUMBER.test(first))) return true;
  if (clause.isDenied !== last.isDenied) return last.isDenied ? LIMIT.test(last.text) : last.isRequest;
  if (!clause.isDenied && isOfOther(clause, last)) return false;
  return !isReplacedNow(clause, at, { bySaid, counts, held });
};
/** A subject and a value. */
const FEWEST = 2;
/** "No more than 40" denies no 40. */
const LIMIT =
  /\b(?:more|less|fewer|later|earlier|longer|mehr|weniger|später|früher|plus|moins|más|menos|mais|più)\b|больше|меньше|超过/iu;

/** "Ingebjørg is harbour master now" */
const isReplacedNow = (clause: Clause, from: number, { bySaid, counts, held }: Counted): boolean =>
  [...counts].some(([at, count]) => {
    const { isNow, isDenied, words } = held.passages[at] as Passage;
    if (at <= from || !isNow || isDenied || count === bySaid.length) return false;
    return count * 3 >= bySaid.length * 2 && words.some((word) => !holdsWord(clause.words, word));
  });

/** The same of what no clause holds whole: "Ill is now played by Konstantin", after all that was said of Bernhard. */
const isReplacedSince = (told: Clause, { bySaid, counts, held }: Counted): boolean =>
  !(told.isDenied || told.isRequest) &&
  [...counts].some(([at, count]) => {
    const { isNow, isDenied, words } = held.passages[at] as Passage;
    if (!isNow || isDenied || count === bySaid.length || count * 3 < bySaid.length * 2) return false;
    const missing = bySaid.filter((word) => !holdsWord(words, word));
    return (
      missing.every((word) => (held.index.holding(word).at(-1) ?? 0) < at) &&
      words.some((word) => !holdsWord(told.words, word))
    );
  });

/** A number counts or names what stands beside it: "room 17" is no 17 rooms, and of "12 June, 24 beds" nothing is on 24 June. */
const isOfOther = ({ text, words }: Clause, { text: said, replied }: Passage): boolean => {
  const beside = countedIn(said);
  return countedIn(text).some(({ number, counted }) => {
    const same = beside.filter((one) => one.number === number);
    if (
      counted === '' ||
      same.length === 0 ||
      replied.includes(number) ||
      same.some((one) => isSameWord(one.counted, counted))
    )
      return false;
    if (beside.some((one) => one.number !== number && isSameWord(one.counted, counted))) return true;
    const isHeld = wordsOf(said).some((word) => isSameWord(word, counted));
    const named = (one: Counting): string => (one.counted === '' ? one.label : one.counted);
    return isHeld && same.every((one) => named(one) !== '' && !holdsWord(words, named(one)));
  });
};
type Counting = { number: string; label: string; counted: string };
const countedIn = (text: string): Counting[] =>
  [...withDigits(normalized(text)).matchAll(COUNTED)].map(([, label = '', number = '', counted = '']) => ({
    number,
    label: isTelling(label) ? label : '',
    counted: isTelling(counted) ? counted : '',
  }));
const COUNTED = /(?:(?<!\p{L})(\p{L}+) )?(?<!\p{N})(\p{N}+(?:[.,:]\p{N}+)*)(?!\p{N})(?=(?:[ -](\p{L}+))?)/gu;

const holdsWord = (words: readonly string[], word: string): boolean => words.some((one) => isSameWord(one, word));

/**
 * A clause that the note tells whole stands in the middle of what is said around it: "It is a Miwe", of the oven before.
 * Two that it tells in part are two things. Another language has other words for the rest.
 */
const isPutTogether = (
  clause: Clause,
  bySaid: readonly string[],
  counts: ReadonlyMap<number, number>,
  held: Held,
): boolean => {
  const { passages, index } = held;
  // What nobody said to be so is not so for all that is known.
  if (clause.isDenied && !isOfAnother(clause, passages)) return true;
  const isHeldBy = (isThere: (one: Passage) => boolean): boolean =>
    bySaid.every((word) =>
      index.holding(word).some((at) => {
        const one = passages[at] as Passage;
        return isThere(one) && isAnswered(one, clause.words);
      }),
    );
  const about = [...counts].map(([at, count]) => ({ passage: passages[at] as Passage, at, count }));
  return about.some(({ passage, at, count }) => {
    if (passage.isDenied) return false;
    if (goesOn(bySaid, at, passages) || isOfPerson(clause, passage, held.names())) return true;
    if (isTheSame(clause, at, passages)) return true;
    if (isToldWhole(passage, count, bySaid, clause.words) && !isListed(at, passages))
      return isHeldBy((one) => isNear(one, passage) || one.words.some((word) => holdsWord(passage.words, word)));
    if (isOfSameThing(clause, passage, bySaid, held)) return true;
    return !isOwnLanguage(clause.text, passage.at, held) && isHeldBy((one) => one.sentence === passage.sentence);
  });
};
/** "Petru eats no gluten", where Anca eats none. */
const isOfAnother = ({ text, words }: Clause, passages: readonly Passage[]): boolean => {
  const named = namesOf(text).map((name) => name.toLowerCase());
  const rest = words.filter((word) => !named.includes(word));
  if (named.length === 0 || rest.length === 0) return false;
  const saying = passages.filter((one) => one.isDenied && rest.every((word) => holdsWord(one.words, word)));
  return saying.length > 0 && saying.every(({ text: said }) => isOfOtherName(said, named));
};
const isOfOtherName = (said: string, named: readonly string[]): boolean => {
  const others = namesOf(said).map((name) => name.toLowerCase());
  return others.length > 0 && !others.some((name) => named.includes(name));
};
const namesOf = (text: string): string[] =>
  (text.match(/(?<!\p{L})\p{Lu}\p{Ll}+/gu) ?? []).filter((name) => !isFirstWord(name));
const isNear = (one: Passage, { at }: Passage): boolean => one.at <= at + 1 && one.at >= at - NEAR_MESSAGES;
const NEAR_MESSAGES = 3;

/** All that it says, or of a question all that it was answered with. */
const isToldWhole = (
  { words, needs }: Passage,
  count: number,
  bySaid: readonly string[],
  told: readonly string[],
): boolean =>
  needs.length === 0
    ? count >= words.length
    : needs.length < words.length && count * 2 >= bySaid.length && needs.every((need) => holdsWord(told, need));

/** One of several words behind each other, of which the rest of the message says nothing: "Members: Anna, Ben, Cem". */
const isListed = (at: number, passages: readonly Passage[]): boolean => {
  const one = passages[at] as Passage;
  if (one.words.length > 1 || one.isReply) return false;
  const near = passages.slice(Math.max(0, at - LISTED), at + LISTED + 1);
  return near.filter((other) => other.sentence === one.sentence && other.words.length === 1).length >= LISTED;
};
const LISTED = 3;

/** "Rye bread is 4.60", of which it was said before what it costs. */
const isOfSameThing = (
  { text }: Clause,
  passage: Passage,
  bySaid: readonly string[],
  { passages, index }: Held,
): boolean => {
  const [missing, ...more] = bySaid.filter((word) => !holdsWord(passage.words, word));
  if (
    missing === undefined ||
    more.length > 0 ||
    bySaid.length <= SUMMARY_WORDS ||
    !bySaid.some((word) => NUMBER.test(word))
  )
    return false;
  if (NUMBER.test(missing) || NAMED.test(text.slice(text.toLowerCase().indexOf(missing)))) return false;
  const same = bySaid.filter((word) => word !== missing && !NUMBER.test(word));
  return index.holding(missing).some((at) => same.every((word) => holdsWord((passages[at] as Passage).words, word)));
};
const NAMED = /^\p{Lu}/u;

/** The same line of a result holds all of it; of many words, which are a summary, any do. */
const isInLine = (words: readonly string[], isElsewhere: boolean, { lines }: Held): boolean => {
  if (isElsewhere && words.length > SUMMARY_WORDS) return true;
  return lines().some((line) => words.every((word) => isIn(line, word)));
};
const areHeld = (words: readonly string[], { others }: Held): boolean => words.every((word) => isIn(others(), word));
/** Its beginning; a number stands by itself. */
const isIn = (text: string, word: string): boolean => {
  if (!NUMBER.test(word)) return text.includes(stem(word));
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1))
    if (!NUMBER.test(text[at - 1] ?? '') && !NUMBER.test(text[at + word.length] ?? '')) return true;
  return false;
};
const SUMMARY_WORDS = 3;
const STEM_CHARACTERS = 5;
const stem = (word: string): string => word.slice(0, STEM_CHARACTERS);

/** A number stands anywhere. */
const telling = (words: readonly string[]): readonly string[] => {
  const spoken = words.filter((word) => !NUMBER.test(word));
  return spoken.length > 0 ? spoken : words;
};

/** Who decided spoke of it. */
const isOfNothing = (note: string, clauses: readonly Clause[], { index, others }: Held): boolean =>
  placesIn(note).length === 0 &&
  clauses.length > 0 &&
  clauses.every(({ words }) =>
    telling(words).every((word) => index.holding(word).length === 0 && !others().includes(stem(word))),
  );

/** Asked for, and told as done: nobody said so. */
const isRequestAlone = (note: string, { passages, index }: Held, { isFound, calls, byModel }: Sources): boolean => {
  const places = placesIn(note);
  const objects = wordsOf(note);
  const about = passages.filter(
    ({ text }, at) =>
      placesIn(text).some((place) => places.includes(place)) ||
      objects.some((word) => index.holding(word).includes(at)),
  );
  const best = about.at(-1);
  if (best === undefined || !about.some(({ isRequest }) => isRequest)) return false;
  if (about.some(({ text, isRequest }) => !isRequest && REPORTS.test(text))) return false;
  if (byModel.some((text) => REPORTS.test(text) && objects.some((word) => normalized(text).includes(stem(word)))))
    return false;
  if (calls.some((call) => places.some((place) => normalized(call).includes(place)))) return false;
  return !isFound(note);
};
const DONE =
  /(?<!\p{L})(?:(?:was|were|been) \p{L}+|wurden?|worden|été|fue(?:ron)?|ha sido|è stat[oa]|foi|foram|zosta[łl]\p{L}*|был[аои]?)(?!\p{L})|已|しました|済み/iu;
const REPORTS =
  /(?<!\p{L})(?:was|were|been|did|done|finished|wrote|sent|paid|bought|made|told|took|(?:I|we)(?: have|['’]ve)? \p{L}+ed|wurden?|habe|haben|hat|erledigt|fertig|été|fait|terminé|fue(?:ron)?|sido|he|hemos|hecho|fatto|stat[oaie]|был[аои]?)(?!\p{L})|了|しました|済み|했/iu;

/** Words that only join others tell a language; where a message has none, all messages do. */
const isOwnLanguage = (text: string, at: number, { exchanges, languages }: Held): boolean => {
  const own = languagesOf(text);
  if (own.size === 0) return true;
  const near = languagesOf(exchanges[at]?.said.slice(0, SMALL_CHARACTERS) ?? '');
  const there = near.size > 0 ? near : languages();
  return [...own].some((language) => there.has(language));
};
const languagesOf = (text: string): ReadonlySet<number> => {
  const words = normalized(text).match(/[\p{L}\p{M}]+/gu) ?? [];
  return new Set(SMALL.flatMap((small, language) => (words.some((word) => small.has(word)) ? [language] : [])));
};
const SMALL: readonly ReadonlySet<string>[] = [
  'the is are has have our of to on at by for and not with who it',
  'der die das ist sind hat mein meine und von zu im um für nicht mit den dem ein eine',
  'le les est sont mon ma et du nous pas avec des une',
  'el los las mi y del es son con una por no',
  'é meu minha não com uma dos',
  'il è mio mia gli con una non della',
  'это мой моя и в на не для с',
  'het een niet met voor',
].map((words) => new Set(words.split(' ')));
