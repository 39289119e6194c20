/**
 * What the model said and the person took up in few words: "Yes, take B." says nothing without the answer that it was said
 * to. Of that answer the list that is chosen from stays, else its end and the sentences that share a word with the message.
 */
import type { Event } from '../events.ts';
import { type AssistantMessage, writtenText } from '../message.ts';
import { counted } from '../number-text.ts';
import { hasValue, isQuestion, valueKeys } from './distinctive.ts';
import { listItems } from './list-items.ts';
import { sentencesOf } from './sentences.ts';
import { firstWords } from './text.ts';

/** `answered`: the words of the answer. */
type Exchange = { at: number; said: string; answer: string; keys: readonly string[]; answered: ReadonlySet<string> };

/** Longer messages say by themselves what they are about. */
const SHORT_CHARACTERS = 80;
/** A yes, a no or a choice has few words; with more that the answer does not hold, a message asks for something new. */
const CHOICE_CHARACTERS = 30;
const CHOICE_WORDS = 3;
const ANSWER_CHARACTERS = 240;
/** Where there is no room for more, since half of what was chosen from is better than nothing. */
const ANSWER_CHARACTERS_LEAST = 90;
const ITEM_CHARACTERS_MIN = 24;
/** It names an item of the list that it was said to. */
const SCORE_OF_ITEM = 3;
/** It was said to a list, and the answer asks. */
const SCORE_OF_LIST = 2;
/** It was said to an answer that asks or offers. */
const SCORE_OF_CHOICE = 1;
const SCORE_OF_OTHER = 0.5;
const SCORE_LEAST = 0.25;

type Scored = { exchange: Exchange; score: number };

/** What was said in few words to an answer: what is about the answer most first, then the newest. */
export const shortReplies = (left: readonly Event[]): readonly Scored[] => {
  const exchanges = shortExchanges(left);
  const counts = new Map<string, number>();
  const times = new Map<string, number>();
  for (const { said } of exchanges) times.set(plain(said), (times.get(plain(said)) ?? 0) + 1);
  for (const { keys, answered } of exchanges)
    for (const key of new Set([...keys, ...answered])) counts.set(key, (counts.get(key) ?? 0) + 1);
  return exchanges
    .map((exchange) => ({ exchange, score: scoreOf(exchange, counts, times.get(plain(exchange.said)) ?? 1) }))
    .filter(({ score }) => score >= SCORE_LEAST)
    .sort((one, other) => other.score - one.score || other.exchange.at - one.exchange.at);
};

/** A line each, the oldest first, as many as there is room for. */
export const takenUp = (replies: readonly Scored[], characters: number): string[] => {
  let room = characters;
  const taken: { at: number; line: string }[] = [];
  for (const { exchange } of replies) {
    const line = [ANSWER_CHARACTERS, ANSWER_CHARACTERS_LEAST]
      .map((most) => lineOf(exchange, most))
      .find(({ length }) => length <= room);
    if (line === undefined) continue;
    room -= line.length;
    taken.push({ at: exchange.at, line });
  }
  return taken.sort((one, other) => one.at - other.at).map(({ line }) => line);
};

const shortExchanges = (left: readonly Event[]): Exchange[] => {
  const exchanges: Exchange[] = [];
  let last: AssistantMessage | undefined;
  for (const [at, event] of left.entries()) {
    if (event.type === 'assistant_message_added' && event.message.content !== '') last = event.message;
    if (event.type !== 'user_message_added') continue;
    const said = writtenText(event.content).replaceAll(/\s+/g, ' ').trim();
    if (last !== undefined && said !== '' && said.length <= SHORT_CHARACTERS)
      exchanges.push({ at, said, answer: last.content, keys: valueKeys(said), answered: answeredIn(last) });
    last = undefined;
  }
  return exchanges;
};

/** Every plan looks at all answers again. */
const known = new WeakMap<AssistantMessage, ReadonlySet<string>>();
const answeredIn = (message: AssistantMessage): ReadonlySet<string> => {
  const before = known.get(message);
  if (before !== undefined) return before;
  const words = new Set(valueKeys(message.content));
  known.set(message, words);
  return words;
};

/**
 * A word that both hold counts the more, the fewer of the others hold it. What asks anew, or names something that the answer
 * does not speak of, is complete by itself.
 */
const scoreOf = (
  { said, answer, keys, answered }: Exchange,
  counts: ReadonlyMap<string, number>,
  times: number,
): number => {
  if (isQuestion(said)) return 0;
  if (itemNamed(said, answer) !== undefined) return SCORE_OF_ITEM;
  const shared = Math.max(0, ...keys.filter((key) => answered.has(key)).map((key) => 1 / (counts.get(key) ?? 1)));
  if (namesOther(said, answered)) return shared >= SCORE_OF_OTHER && isOffer(answer) ? shared : 0;
  if (said.length > CHOICE_CHARACTERS || !isOffer(answer)) return shared;
  const others = keys.filter((key) => !answered.has(key)).length;
  // What is said to any answer chooses nothing: "Go on.", "はい".
  const isChoice = others <= CHOICE_WORDS && times === 1;
  if (isChoice && asksToChoose(answer)) return shared + SCORE_OF_LIST;
  return shared / times + (isChoice ? SCORE_OF_CHOICE : SCORE_OF_OTHER);
};

const plain = (said: string): string =>
  said
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim();

/** A list of which one is wanted: the answer asks beside it, or before it. */
const asksToChoose = (answer: string): boolean =>
  listItems(answer).length > 1 && answer.split('\n').some((line) => sentencesOf(line).some(isQuestion));

/** The one item whose mark is said, as "B", "2." or "die 2": by its mark alone, or by a word with a value in it. */
const itemNamed = (said: string, answer: string): string | undefined => {
  const items = listItems(answer);
  if (items.length < 2 || said.length > CHOICE_CHARACTERS) return undefined;
  const words = said.split(/[^\p{L}\p{M}\p{N}]+/u).filter((word) => word !== '');
  const marked = items.filter((item) => {
    const mark = markOf(item);
    if (mark === undefined) return false;
    if (words.length === 1) return words[0]?.toLowerCase() === mark.toLowerCase();
    // A word of one small letter may be a word.
    return /^\p{Ll}$/u.test(mark) ? false : words.includes(mark);
  });
  return marked.length === 1 && !namesOther(said, new Set(valueKeys(`${answer} ${words.join(' ')}`)))
    ? marked[0]
    : undefined;
};
const markOf = (item: string): string | undefined => /^[-*+•\s]*\**\(?(\d{1,2}|\p{L})[.):、．]/u.exec(item)?.[1];

const namesOther = (said: string, answered: ReadonlySet<string>): boolean =>
  namesIn(said).some((name) => !valueKeys(name).every((key) => answered.has(key)));

/** What stands in quotes, and words with a value in them; the first word begins with a capital anyway. */
const namesIn = (said: string): string[] => [
  ...(said.match(/(["'`])[^"'`]{2,}\1|[«‹„“”‚‘「『»›][^«»‹›„“”‚‘’「」『』]{2,}[»›“”‘’」』«‹]/gu) ?? []),
  ...said
    .split(/\s+/u)
    .slice(1)
    .filter((word) => hasValue(`a ${word}`)),
];

/** It asks, or lists what there is to choose from. */
const isOffer = (answer: string): boolean =>
  isQuestion(sentencesOf(answer).at(-1) ?? '') || listItems(answer).length > 1;

const lineOf = ({ said, answer, keys }: Exchange, characters: number): string => {
  const item = itemNamed(said, answer);
  const chosen = item === undefined ? undefined : firstWords(item, characters);
  return `${JSON.stringify(said)} was said to: ${chosen ?? listOf(answer, characters) ?? partOf(answer, keys, characters)}`;
};

/** Every item, so that the second stays the second. */
const listOf = (answer: string, characters: number): string | undefined => {
  const items = listItems(answer);
  if (items.length < 2) return undefined;
  const each = Math.max(ITEM_CHARACTERS_MIN, Math.floor(characters / items.length));
  return firstWords(items.map((item) => firstWords(item, each)).join(' '), 2 * characters);
};

/** The end of an answer is what it comes to. */
const partOf = (answer: string, keys: readonly string[], characters: number): string => {
  const all = sentencesOf(answer);
  const wanted = new Set(keys);
  const about = all.filter((sentence) => valueKeys(sentence).some((key) => wanted.has(key)));
  const chosen = new Set<string>();
  let room = characters;
  for (const sentence of [...all.slice(-1), ...about.toReversed(), ...all.toReversed()]) {
    if (chosen.has(sentence) || sentence.length > room) continue;
    room -= sentence.length;
    chosen.add(sentence);
  }
  const kept = all.filter((sentence) => chosen.has(sentence));
  const text = kept.length > 0 ? kept.join(' ') : firstWords(answer, characters);
  const omitted = all.length - kept.length;
  const rest = kept.length > 0 && omitted > 0 ? ` [${counted(omitted, 'sentence')} left out]` : '';
  return `${text}${rest}`;
};
