/**
 * What a short reply settled: which of several things was chosen, what was refused, and what a yes left out. A note that
 * tells of a thing that was not chosen, or was refused, is not so.
 */
import { LIMITS } from '../../limits.ts';
import { isNegative } from '../contradicted.ts';
import { isQuestion } from '../distinctive.ts';
import type { Exchange } from '../exchanges.ts';
import { itemNamed } from '../item-named.ts';
import { listsIn } from '../list-items.ts';
import { sentencesOf } from '../sentences.ts';
import { saysNo, saysYes } from '../short-answers.ts';
import type { NotePart } from './denied.ts';
import { clausesOf, type Passage, wordsOf } from './passages.ts';
import { isSameWord } from './same-words.ts';

type Words = readonly string[];
type Settled = {
  at: number;
  /** Of the question, and of what it was asked about. */
  asked: Words;
  about: Words;
  /** Of the question alone. */
  question: Words;
  chosen: Words;
  /** Each by the words that no other thing to choose has. */
  others: readonly Words[];
  /** Of the reply: what it says, and what it leaves out. */
  replied: Words;
  left: Words;
  answer: 'yes' | 'no' | 'open' | 'chosen';
};

export const createSettled = (
  exchanges: readonly Exchange[],
  passages: () => readonly Passage[],
): Record<'isUnsettled' | 'isSettledSo', (note: string, part: NotePart) => boolean> => {
  let found: readonly Settled[] | undefined;
  const all = (): readonly Settled[] => {
    found ??= exchanges.flatMap((exchange, at) => settledOnce(exchange).map((one) => ({ ...one, at })));
    return found;
  };
  return {
    isUnsettled: (note, part) =>
      part !== 'goal' &&
      clausesOf(note).some((clause) =>
        all().some(
          (one, index) =>
            isAgainst(clause, one, part, passages) &&
            !all()
              .slice(index + 1)
              .some((later) => later.at > one.at && isFor(clause, later, part)),
        ),
      ),
    isSettledSo: (note, part) => {
      const clauses = part === 'goal' ? [] : clausesOf(note);
      return clauses.length > 0 && clauses.every((clause) => all().some((one) => isSettled(clause, one)));
    },
  };
};

/** What was said is held against notes again at every compaction. */
const known = new Map<string, readonly OfExchange[]>();
const settledOnce = (exchange: Exchange): readonly OfExchange[] => {
  const { said, answer, before, chosenAgain } = exchange;
  if (answer === '' || said.length > REPLY_CHARACTERS || isQuestion(said)) return [];
  const key = JSON.stringify([said, answer.slice(-ANSWER_CHARACTERS), before.slice(0, BEFORE_CHARACTERS), chosenAgain]);
  const own = known.get(key) ?? settledIn(exchange);
  if (known.size >= LIMITS.clausesRememberedMessages) known.clear();
  known.set(key, own);
  return own;
};
type OfExchange = Omit<Settled, 'at'>;

const settledIn = (exchange: Exchange): OfExchange[] => {
  const { said, before } = exchange;
  const answer = exchange.answer.slice(-ANSWER_CHARACTERS);
  const sentences = sentencesOf(answer).slice(-SENTENCES);
  const questions = sentences.filter(isQuestion).slice(-QUESTIONS);
  const options = optionsIn(exchange, answer, sentences);
  if (questions.length === 0 && options.length === 0) return [];
  const clauses = clausesOf(said);
  const replied = clauses.filter(({ isDenied }) => !isDenied).flatMap(({ words }) => words);
  const left = clauses.filter(({ isDenied }) => isDenied).flatMap(({ words }) => words);
  const picked = chosenOf(exchange, options, replied);
  const context = [...sentences.slice(-CONTEXT_SENTENCES), ...(before.length <= BEFORE_CHARACTERS ? [before] : [])];
  const settled = {
    asked: (questions.some((one) => POINTS.test(one)) ? [...context, ...questions] : questions).flatMap(wordsOf),
    about: context.flatMap(wordsOf),
    question: questions.flatMap(wordsOf),
    replied,
    left,
    chosen: [],
    others: [],
  };
  if (picked !== undefined)
    return [{ ...settled, answer: 'chosen', chosen: options[picked] ?? [], others: othersOf(options, picked) }];
  const answered = answerOf(said);
  return answered === undefined ? [] : [{ ...settled, answer: answered }];
};
const ANSWER_CHARACTERS = 4_000;
const REPLY_CHARACTERS = 80;
const BEFORE_CHARACTERS = 200;
const SENTENCES = 6;
const QUESTIONS = 2;
const CONTEXT_SENTENCES = 3;

/** "A machine costs 800. Shall I put it on the list?" */
const POINTS =
  /(?<!\p{L})(?:it|them|that|this|one|es|sie|ihn|das|dies\p{L}*|le|la|les|l['’]|ça|cela|lo|los|las|eso|isso|ele|ela|lo|gli|его|её|их|это)(?!\p{L})|それ|这个|它/iu;

const answerOf = (said: string): Settled['answer'] | undefined => {
  if (UNDECIDED.test(said)) return 'open';
  if (saysYes(said) || saysYes(said.split(BUT)[0] ?? '')) return 'yes';
  return saysNo(said) || isNegative(said.split(/[,.;:!…。！，、]/u)[0] ?? '') ? 'no' : undefined;
};
/** "👍 but only six" */
const BUT = /,?\s+(?=(?:but|only|except|aber|nur|mais|seulement|pero|solo|sólo|mas|só|ma|но|только|alleen|maar)\s)/iu;
const UNDECIDED =
  /(?<!\p{L})(?:not sure|no idea|don['’]?t know|(?:have|need|want) to think|think about it|maybe|perhaps|not yet|let me think|weiß (?:es )?(?:noch )?nicht|keine ahnung|vielleicht|noch nicht|überleg\p{L}*|je ne sais pas|peut-être|pas encore|no sé|no lo sé|quizás|tal vez|todavía no|aún no|não sei|talvez|ainda não|non so|forse|non ancora|не знаю|может быть|пока не|ещё не)(?!\p{L})|🤷|🤔|分からない|わからない|まだ|不知道|再说|也许|还没|모르겠/iu;

/** What can be chosen: the items of a list, or what stands before and behind "or" in one of the last sentences. */
const optionsIn = ({ said, chosenAgain }: Exchange, answer: string, sentences: readonly string[]): Words[] => {
  const items = listsIn(answer).at(-1)?.items ?? [];
  if (items.length > 1 || chosenAgain !== undefined) return items.map((item) => wordsOf(item.replace(MARK, '')));
  if (said.length > CHOOSING_CHARACTERS) return [];
  const sentence = sentences.slice(-QUESTIONS).findLast((one) => OR.test(one));
  return sentence === undefined ? [] : aroundOr(sentence);
};
const CHOOSING_CHARACTERS = 60;
const MARK = /^[-*+•\s]*\**\(?(?:\d{1,2}|\p{L})[.):、．）]\**/u;
const OR = /\s(?:or|oder|ou|o|u|eller|of|или|albo|czy|lub)\s|还是|還是|それとも|아니면/iu;

/** "10, 20 or 30": of each side the number that stands near, or else the word. */
const aroundOr = (sentence: string): Words[] => {
  const [before = '', behind = ''] = sentence.split(OR).slice(-2);
  const parts = before.split(/[,:]\s/u);
  const last = parts.at(-1) ?? '';
  const middle = parts.slice(0, -1).filter((_, at) => at > 0 || parts.length > 1);
  const near = wordsOf(behind).slice(0, NEAR_WORDS);
  const sides = [
    ...middle
      .flatMap((part) => (wordsOf(part).length <= NEAR_WORDS || /\p{N}/u.test(part) ? [wordsOf(part)] : []))
      .map(lastOf),
    lastOf(wordsOf(last)),
    numberOr(near, 0),
  ];
  return sides.some((side) => side.length === 0) ? [] : sides;
};
const NEAR_WORDS = 3;
const lastOf = (words: Words): Words => numberOr(words.slice(-NEAR_WORDS), -1);
const numberOr = (words: Words, at: number): Words => {
  const number = words.find((word) => /\p{N}/u.test(word));
  const word = number ?? words.at(at);
  return word === undefined ? [] : [word];
};

/** By its mark, its place among them, or a word of its own. */
const chosenOf = (exchange: Exchange, options: readonly Words[], replied: Words): number | undefined => {
  if (options.length < 2) return undefined;
  const item = exchange.chosenAgain ?? itemNamed(exchange.said, exchange.answer);
  if (item !== undefined) {
    const words = wordsOf(item.replace(MARK, ''));
    const at = options.findIndex((option) => option.join(' ') === words.join(' '));
    return at >= 0 ? at : undefined;
  }
  const { said } = exchange;
  if (said.length > CHOOSING_CHARACTERS || MORE.test(said)) return undefined;
  const place = PLACES.findIndex((one) => one.test(said));
  if (place >= 0) return [0, 1, 2, 3, options.length - 1, Math.floor(options.length / 2)][place];
  const number = /^\P{N}*(\d)\P{N}*$/u.exec(said)?.[1];
  const named = options.flatMap((_, at) => (ownOf(options, at).some((word) => has(replied, word)) ? [at] : []));
  if (named.length > 0) return named.length === 1 ? named[0] : undefined;
  return number !== undefined && /number|nr|nummer|n[º°]|№|#|option/iu.test(said) ? Number(number) - 1 : undefined;
};
const MORE =
  /(?<!\p{L})(?:both|all|neither|none|any|beide|alle|keine\p{L}*|les deux|tous|aucun\p{L}*|ambos|todos|ningun\p{L}*|оба|все)(?!\p{L})|両方|都要|둘 다/iu;
const place = (words: string): RegExp => new RegExp(`(?<![\\p{L}\\p{N}])(?:${words})(?![\\p{L}\\p{N}])`, 'iu');
const PLACES = [
  place(
    '(?:the )?(?:first|former|1st)|(?:der|die|das|den) erste[rsn]?|erste[rsn]?|ersteres?|(?:le |la )?premi(?:er|ère)|(?:el |la )?primer[oa]?|(?:o |a )?primeir[oa]|(?:il |la )?prim[oa]|перв\\p{L}+|pierwsz\\p{L}+',
  ),
  place(
    '(?:the )?(?:second|2nd|latter)|zweite[rsn]?|letztere[rsn]?|deuxième|seconde?|segund[oa]|second[oa]|втор\\p{L}+|drug[ai]\\p{L}*',
  ),
  place('(?:the )?(?:third|3rd)|dritte[rsn]?|troisième|tercer[oa]?|terceir[oa]|terz[oa]|трет\\p{L}+|trzeci\\p{L}*'),
  place('(?:the )?(?:fourth|4th)|vierte[rsn]?|quatrième|cuart[oa]|quart[oa]|четв[её]рт\\p{L}+'),
  place('(?:the )?last(?: one)?|letzte[rsn]?|derni(?:er|ère)|últim[oa]|ultim[oa]|последн\\p{L}+|ostatni\\p{L}*'),
  place(
    '(?:the )?middle(?: one)?|mittlere[rsn]?|(?:celui|celle) du milieu|(?:el|la) del medio|(?:o|a) do meio|средн\\p{L}+',
  ),
];

const ownOf = (options: readonly Words[], at: number): Words =>
  (options[at] ?? []).filter((word) => !options.some((other, index) => index !== at && has(other, word)));
const othersOf = (options: readonly Words[], picked: number): Words[] =>
  options.flatMap((_, at) => {
    const own = ownOf(options, at);
    return at === picked || own.length === 0 ? [] : [own];
  });
const has = (words: Words, word: string): boolean => words.some((one) => isSame(one, word));
/** "Plan" is not "Playtime": of a short word all is the same. */
const isSame = (one: string, other: string): boolean => {
  if (!isSameWord(one, other)) return false;
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  return short.length > SHORT_WORD || long.startsWith(short);
};
const SHORT_WORD = 4;
const sharedOf = (words: Words, others: Words): Words => words.filter((word) => has(others, word));

type Clause = ReturnType<typeof clausesOf>[number];
const isAgainst = (clause: Clause, one: Settled, part: NotePart, passages: () => readonly Passage[]): boolean => {
  const { words } = clause;
  const isDenied = clause.isDenied || DROPPED.test(clause.text);
  const about = [...one.about, ...one.chosen];
  const known = sharedOf(words, about);
  if (one.answer === 'chosen') {
    if (isDenied) return false;
    const other = one.others.find(
      (own) => sharedOf(own, words).length * 2 >= own.length && sharedOf(own, words).length > 0,
    );
    const own = one.chosen.filter((word) => !one.others.some((words) => has(words, word)));
    if (other === undefined || (own.length > 0 && sharedOf(own, words).length === own.length)) return false;
    const rest = words.filter((word) => !has(other, word));
    const isOf = rest.length === 0 || sharedOf(rest, about).length > 0;
    return isOf && !isSaidBeside(words, one, passages());
  }
  const isOfQuestion = sharedOf(words, one.asked).length > 0 || sharedOf(words, one.left).length > 0;
  if (!isOfQuestion && known.length < 2) return false;
  if (!isDenied && one.left.length > 0 && one.answer === 'yes') {
    const isLeft = sharedOf(words, one.left).length > 0 && !isOnly(one.left, one.replied);
    if (isLeft && known.length > 0) return !isSaidBeside(words, one, passages());
  }
  const [replied, asked] = [numbersIn(one.replied), numbersIn(one.asked)];
  // "Yes, but only eight"
  if (replied.length > 0 && !isDenied && known.length > 1) {
    const isOld = words.some((word) => asked.includes(word) && !replied.includes(word));
    if (isOld) return !isSaidBeside(words, one, passages());
  }
  const isMost = known.length >= words.length * MOST_SHARE && sharedOf(words, one.asked).length + known.length > 1;
  if (!isMost || (part === 'fact' && sharedOf(words, one.question).length < words.length)) return false;
  if (sharedOf(words, one.replied).some((word) => !has(one.about, word))) return false;
  const isOpposite =
    one.answer === 'open'
      ? part === 'decision'
      : isDenied === (one.answer === 'yes') && !(isDenied && sharedOf(words, one.left).length > 0);
  return isOpposite && !isSaidBeside(words, one, passages(), isDenied);
};
/** "The quad bike is left out of the budget" */
const DROPPED =
  /(?<!\p{L})(?:left out|left off|dropped|cancel\p{L}*|refused|rejected|declined|denied|ruled out|postponed|weggelassen|gestrichen|abgelehnt|verworfen|verzichtet|verschoben|abandonn\p{L}*|refus\p{L}*|écart\p{L}*|annul\p{L}*|descart\p{L}*|rechaz\p{L}*|cancelad\p{L}*|recusad\p{L}*|rifiutat\p{L}*|scartat\p{L}*|отказ\p{L}*|отмен\p{L}*|отклон\p{L}*)(?!\p{L})|取消|中止|拒否|拒绝|放弃|취소|거절/iu;
const NUMBER = /\p{N}/u;
const numbersIn = (words: Words): Words => words.filter((word) => NUMBER.test(word));
const isOnly = (left: Words, replied: Words): boolean => left.every((word) => has(replied, word));
const MOST_SHARE = 0.6;

/** What was settled last holds: "no", and "yes" to the same later. */
const isFor = (clause: Clause, later: Settled, part: NotePart): boolean => {
  if (isSettled(clause, later)) return true;
  const isDenied = clause.isDenied || DROPPED.test(clause.text);
  if (later.answer !== (isDenied ? 'no' : 'yes')) return false;
  return isAgainst({ ...clause, text: '', isDenied: !isDenied }, later, part, () => []);
};

/** The person says it in another message, and does not only think of it. */
const isSaidBeside = (words: Words, { at }: Settled, passages: readonly Passage[], isDenied = false): boolean =>
  passages.some(
    (one) =>
      one.at !== at &&
      one.isDenied === isDenied &&
      !one.isReply &&
      !HEDGED.test(one.text) &&
      sharedOf(words, one.words).length === words.length,
  );
const HEDGED =
  /(?<!\p{L})(?:might|may|maybe|perhaps|could|think about|thought about|vielleicht|könnte\p{L}*|peut-être|pourrai\p{L}*|quizás|tal vez|podría\p{L}*|forse|может|возможно)(?!\p{L})|かも|也许|可能/iu;

/** What was chosen, agreed on or refused, in the words of the question, the list and the reply. */
const isSettled = (clause: Clause, one: Settled): boolean => {
  const isDropped = DROPPED.test(clause.text);
  const words = isDropped ? wordsOf(clause.text.replace(DROPPED, ' ')) : clause.words;
  const isDenied = clause.isDenied || isDropped;
  const about = [...one.about, ...one.asked];
  if (one.answer === 'no')
    return isDenied && sharedOf(words, one.asked).length > 0 && words.every((word) => has(about, word));
  if (isDenied) return false;
  const own = [...one.chosen, ...one.replied];
  if (one.answer === 'yes') {
    const isNumbered = one.replied.some((word) => NUMBER.test(word));
    const isAsked = (word: string): boolean => has(one.asked, word) && !(isNumbered && NUMBER.test(word));
    return (
      words.some(isAsked) &&
      words.every((word) => has(own, word) || isAsked(word)) &&
      sharedOf(words, one.left).length === 0
    );
  }
  return (
    one.answer === 'chosen' &&
    sharedOf(words, one.chosen).length > 0 &&
    words.every((word) => has(own, word) || (has(about, word) && !one.others.some((other) => has(other, word))))
  );
};
