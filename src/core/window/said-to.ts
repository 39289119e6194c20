/**
 * What a short message of the person was said to. "Only on Mondays." means nothing without the question before it, so of the
 * model's answer stays what was asked, the list that is chosen from, or what was proposed, shortened by its own sentences.
 */
import { canBeChosenFrom, canBeSaidTo, questionsFor } from './asked-question.ts';
import { isTelling } from './checked-notes/same-words.ts';
import { hasValue, isQuestion, valueKeys } from './distinctive.ts';
import type { Exchange } from './exchanges.ts';
import { CHOICE_CHARACTERS, choicesIn, namesOther } from './item-named.ts';
import { isCovered } from './judged-sentences.ts';
import { type List, listsIn } from './list-items.ts';
import { isShort } from './own-words.ts';
import { sentencesOf } from './sentences.ts';
import { saysNo } from './short-answers.ts';
import { firstWords } from './text.ts';
import { isWish } from './wishes.ts';

type Reply = Exchange & { keys: readonly string[] };

/** Longer messages say by themselves what they are about. */
const REPLY_CHARACTERS = 160;
/** The same of what was said to an answer that asks nothing. */
const SHORT_CHARACTERS = 80;
/** Of the answer. */
const CONTEXT_CHARACTERS = 240;
const PROPOSAL_CHARACTERS = 120;
/** A question of less says little by itself, so the sentence before it stays too. */
const QUESTION_CHARACTERS_LEAST = 50;
/** More items are an account of something, not a choice. */
const ITEMS_MOST = 9;
/** What is asked and said in the same words again and again decides nothing: "Shall I go on?", "Yes." Another number is another thing. */
const ROUTINE_TIMES = 2;

/**
 * For each message of the person, in brackets what it was said to; '' where it says by itself what it is about. It depends on
 * what was said before alone, so it stays the same as the conversation goes on. `worked`: the arguments of the calls that ran for each.
 */
export const saidTo = (exchanges: readonly Exchange[], worked: readonly string[] = []): string[] => {
  const routine = new Routine();
  return exchanges.map((exchange, at) => {
    const { said, answer, chosenAgain } = exchange;
    const isAnswer = answer !== '' || chosenAgain !== undefined;
    const isReply =
      isAnswer && said !== '' && said.length <= REPLY_CHARACTERS && !(isQuestion(said) && saysWords(said));
    const keys = isReply ? valueKeys(said) : [];
    const isDone = isReply && isCovered(keys, new Set(valueKeys(worked[at] ?? '')));
    const context = isReply && !isDone ? contextOf({ ...exchange, keys }, routine) : '';
    return context === '' ? '' : `[after you said: ${context}]`;
  });
};

/** Signs alone ask nothing, whatever they are: "?" answers. */
const saysWords = (text: string): boolean => /[\p{L}\p{N}]/u.test(text);

/** How often something was said in the same words. */
class Routine {
  readonly #times = new Map<string, number>();

  /** So often before. */
  seen(text: string, said = ''): number {
    const key = `${plain(text)} | ${saysWords(said) ? plain(said) : said}`;
    const times = this.#times.get(key) ?? 0;
    this.#times.set(key, times + 1);
    return times;
  }
}
const plain = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim();

const contextOf = (exchange: Reply, routine: Routine): string => {
  const { said, answer } = exchange;
  const sentences = sentencesOf(proseOf(answer));
  const asked = questionsFor(said, sentences);
  const list = listsIn(answer).at(-1);
  const ending = list ? [list.lead, ...list.items].join(' ') : (sentences.at(-1) ?? '');
  const isAgain = routine.seen(asked.at(-1) ?? ending, said) >= ROUTINE_TIMES;
  // A no decides, however often.
  const isRoutine = (isAgain && !saysNo(said)) || (routine.seen(ending) > 0 && asked.length === 0);
  const choices = choicesOf(exchange);
  if (choices !== undefined) return choices.map(listOf).join(' ');
  if (isRoutine) return '';
  if (list && isChosenFrom(list, exchange, asked.length > 0)) return listOf(list);
  if (asked.length > 0) return questionOf(sentences, asked, exchange.keys);
  if (list && list.items.length > ITEMS_MOST) return '';
  const endsInList = list?.items.at(-1)?.includes(sentences.at(-1) ?? '') === true;
  return list && endsInList && said.length <= CHOICE_CHARACTERS && !isWish(said) && canBeChosenFrom(said, list.items)
    ? listOf(list)
    : proposalOf(sentences, exchange);
};

/** Without code and the rows of tables: they propose nothing by themselves. */
const proseOf = (answer: string): string =>
  withoutFenced(answer.split('\n'))
    .filter((line) => !TABLE_ROW.test(line) && /[\p{L}\p{N}]/u.test(line))
    .join('\n');

/** Small models leave the last fence open: what stands behind it may be prose as well. */
const withoutFenced = (lines: readonly string[]): string[] => {
  const kept: string[] = [];
  let open: { fence: string; at: number } | undefined;
  for (const [at, line] of lines.entries()) {
    const [begun = '', fence = ''] = FENCE.exec(line) ?? [];
    const rest = line.slice(begun.length);
    if (open === undefined) {
      const closed = fence === '' ? -1 : rest.indexOf(fence);
      if (fence === '' || (closed >= 0 && rest.slice(closed).trim() !== fence)) kept.push(line);
      else if (closed < 0) open = { fence, at };
    } else if (fence.startsWith(open.fence) && rest.trim() === '') open = undefined;
  }
  return open === undefined ? kept : [...kept, ...lines.slice(open.at + 1)];
};
/** It opens or closes code; one that is closed in its own line holds code of that line alone. */
const FENCE = /^\s*(`{3,}|~{3,})/;
const TABLE_ROW = /^\s*\|.*\|\s*$/;

/** By its mark, or anew. */
const choicesOf = ({ said, answer, chosenAgain, chosenFrom = '' }: Reply): readonly List[] | undefined =>
  chosenAgain === undefined ? choicesIn(said, answer) : [{ items: [chosenAgain], lead: chosenFrom }];

/** In other words than its marks. */
const isChosenFrom = ({ items }: List, exchange: Reply, asks: boolean): boolean => {
  if (items.length > ITEMS_MOST) return false;
  if (asks || asksBeside(exchange.answer)) return true;
  return exchange.said.length <= SHORT_CHARACTERS && !namesOther(exchange) && canBeChosenFrom(exchange.said, items);
};

/** The answer asks before its list. */
const asksBeside = (answer: string): boolean => answer.split('\n').some((line) => sentencesOf(line).some(isQuestion));

/** What is chosen, with every item, so that the second stays the second: the long ones are cut, as far as there is no room for them. */
const listOf = ({ lead, items }: List): string => {
  const lengths = items.map(({ length }) => length).sort((one, other) => one - other);
  let room = CONTEXT_CHARACTERS - items.length;
  let each = Number.POSITIVE_INFINITY;
  for (const [at, length] of lengths.entries()) {
    each = Math.floor(room / (lengths.length - at));
    if (length > each) break;
    room -= length;
    each = Number.POSITIVE_INFINITY;
  }
  return [...(lead === '' ? [] : [lead]), ...items.map((item) => firstWords(item, Math.min(item.length, each)))].join(
    ' ',
  );
};

/** The last questions, with what they speak of where they are short. */
const questionOf = (sentences: readonly string[], asked: readonly string[], keys: readonly string[]): string => {
  const from = sentences.lastIndexOf(asked.at(-1) ?? '');
  const questions = asked.toReversed();
  const isShort = (sentences[from]?.length ?? 0) < QUESTION_CHARACTERS_LEAST;
  const beside = isShort ? sentences.slice(Math.max(0, from - 1), from) : [];
  return partOf(sentences, [...questions, ...beside, ...aboutOf(sentences, keys)], CONTEXT_CHARACTERS);
};

/**
 * What an answer comes to that asks nothing: its end, and what shares a word with the reply. An answer that tells what was
 * said to it in other words proposes nothing.
 */
const proposalOf = (sentences: readonly string[], exchange: Reply): string => {
  const { said, before, keys } = exchange;
  if (isWish(said)) return '';
  const about = aboutOf(sentences, keys);
  const named = about.filter((sentence) =>
    valueKeys(sentence).some((key) => /\p{N}|_/u.test(key) && keys.includes(key)),
  );
  if (named.length > 0 && said.length <= SHORT_CHARACTERS && !namesOther({ said, answer: sentences.join(' ') }))
    return partOf(sentences, named, CONTEXT_CHARACTERS);
  if (said.length > CHOICE_CHARACTERS) return '';
  const ending = sentences.at(-1) ?? '';
  // "Good." proposes nothing; a no may be said to a word.
  if (isShort(ending) && !hasValue(ending) && !saysNo(said) && !exchange.isCorrection) return '';
  if (!exchange.isCorrection && !canBeSaidTo(said, ending, sentences)) return '';
  const known = new Set(valueKeys(before));
  const words = valueKeys(ending);
  const told = words.filter((key) => known.has(key)).length;
  return told > words.length / 2 ? '' : partOf(sentences, [ending, ...about], PROPOSAL_CHARACTERS + said.length);
};

const aboutOf = (sentences: readonly string[], keys: readonly string[]): string[] => {
  const wanted = new Set(keys.filter(isTelling));
  return sentences.filter((sentence) => valueKeys(sentence).some((key) => wanted.has(key))).toReversed();
};

/** Of these sentences as many as have room, the first ones first, in the order of the answer. */
const partOf = (sentences: readonly string[], wanted: readonly string[], characters: number): string => {
  const chosen = new Set<string>();
  let room = characters;
  for (const sentence of wanted) {
    if (chosen.has(sentence) || sentence.length > room) continue;
    room -= sentence.length + 1;
    chosen.add(sentence);
  }
  const [first = ''] = wanted;
  return chosen.size === 0
    ? firstWords(first, characters)
    : // A model that says a sentence again and again said it once.
      [...new Set(sentences)].filter((one) => chosen.has(one)).join(' ');
};
