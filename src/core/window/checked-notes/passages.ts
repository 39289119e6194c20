/** What the person said, clause by clause, each with what it needs to be understood: the question that a short answer was given to. */
import { LIMITS } from '../../limits.ts';
import { isNegative } from '../contradicted.ts';
import { isQuestion, UNSPACED, valueKeys } from '../distinctive.ts';
import type { Exchange } from '../exchanges.ts';
import { itemNamed } from '../item-named.ts';
import { sentencesOf } from '../sentences.ts';
import { saysYes } from '../short-answers.ts';
import { joined, withoutPlaces } from './claims.ts';
import { withDigits } from './number-words.ts';
import { clausesIn, type Statement } from './person-said.ts';
import { isTelling } from './same-words.ts';
import { sentenceParts } from './sentence-parts.ts';
import { formOf } from './whole-values.ts';

export type Passage = {
  /** Of the message, and of the sentence among all. */
  at: number;
  sentence: number;
  text: string;
  words: readonly string[];
  /** Of the answer in it: the words of a question alone say nothing. */
  needs: readonly string[];
  isDenied: boolean;
  /** It asks for something, and tells of nothing. */
  isRequest: boolean;
  /** It says how things are from now on. */
  isNow: boolean;
  /** A question of the model with what was answered to it. */
  isReply: boolean;
  /** What that is in words of its own. */
  replied: readonly string[];
};
type OfMessage = Omit<Passage, 'at'>;

/** What was said is held against notes again at every compaction. */
const known = new Map<string, readonly OfMessage[]>();
export const passagesIn = (exchanges: readonly Exchange[]): Passage[] => {
  let sentences = 0;
  return exchanges.flatMap((exchange, at) => {
    const key = JSON.stringify([exchange.said, exchange.answer.slice(-ANSWER_CHARACTERS), exchange.chosenAgain]);
    const own = known.get(key) ?? passagesOf(exchange);
    if (known.size >= LIMITS.clausesRememberedMessages) known.clear();
    known.set(key, own);
    const first = sentences;
    sentences += (own.at(-1)?.sentence ?? -1) + 1;
    return own.map((one) => ({ ...one, at, sentence: first + one.sentence }));
  });
};
const ANSWER_CHARACTERS = 4_000;
/** Of a message with a paste in it what is written before and behind that. */
const END_CHARACTERS = 4_000;

const passagesOf = ({ said, answer, chosenAgain }: Exchange): OfMessage[] => {
  const text =
    said.length <= END_CHARACTERS * 2 ? said : `${said.slice(0, END_CHARACTERS)}\n${said.slice(-END_CHARACTERS)}`;
  const item = chosenAgain ?? itemNamed(said, answer);
  const told = [...sentencesOf(text).flatMap(sentenceParts), ...(item === undefined ? [] : [item])];
  const asked = said.length <= REPLY_CHARACTERS ? questionsAtEnd(answer.slice(-ANSWER_CHARACTERS)) : [];
  const own = told
    .filter((sentence) => !isQuestion(sentence))
    .flatMap((sentence, at) => clausesOf(sentence).map((clause) => ({ ...clause, sentence: at })));
  if (asked.length === 0) return own;
  const question = asked.flatMap((sentence) => [...wordsOf(sentence)]);
  const reply = own.filter(({ isDenied }) => !isDenied).flatMap(({ words }) => words);
  const isYes = saysYes(said);
  const isAnswered = isYes || reply.length > 0;
  const isDenied = !isYes && reply.length === 0;
  // In words of its own a reply may be a thing by itself, but mostly it is the end of the question.
  const alone = own.map((one) => ({ ...one, needs: one.isDenied ? [] : one.words }));
  if (!(isAnswered || own.length > 0 || isDenied)) return alone;
  return [
    ...alone,
    {
      ...(clausesOf(asked.join(' '))[0] ?? NOTHING),
      sentence: told.length,
      text: `${asked.join(' ')} ${said}`,
      words: [...new Set([...question, ...reply])],
      needs: isYes ? [] : reply,
      isDenied,
      isRequest: false,
      isReply: true,
      replied: reply,
    },
  ];
};
/** A longer message says by itself what it speaks of. */
const REPLY_CHARACTERS = 80;
const SENTENCES_ASKING = 2;
const questionsAtEnd = (answer: string): string[] =>
  answer === '' ? [] : sentencesOf(answer).slice(-SENTENCES_ASKING).filter(isQuestion);
const NOTHING: OfMessage = {
  sentence: 0,
  text: '',
  words: [],
  needs: [],
  isDenied: false,
  isRequest: false,
  isNow: false,
  isReply: false,
  replied: [],
};

/** The same of a note. */
export const clausesOf = (sentence: string): OfMessage[] =>
  withoutTwice(clausesIn(sentence.replaceAll(LABEL_END, ' '))).flatMap(({ text, isDenied }): OfMessage[] => {
    const words = wordsOf(text);
    if (words.length === 0) return [];
    const isOver = TOO_MUCH.test(text);
    return [
      {
        ...NOTHING,
        text,
        words,
        isDenied: isDenied || isOver,
        isRequest: REQUEST.test(withoutPlaces(text, '§')),
        isNow: NOW.test(text),
      },
    ];
  });

/** "Never deploy without a review" denies nothing that stands in it. */
const withoutTwice = (clauses: readonly Statement[]): Statement[] => {
  const kept: Statement[] = [];
  for (const clause of clauses) {
    const before = kept.at(-1);
    const isTwice = before?.isDenied === true && clause.isDenied && !isNegative(`${before.text} ${clause.text}`);
    if (before && isTwice)
      kept[kept.length - 1] = { ...before, text: `${before.text} ${clause.text}`, isDenied: false };
    else kept.push(clause);
  }
  return kept;
};
/** "The deposit: 900", "Kemal (of the shop) owns it" */
const LABEL_END = /:\s+|[()]/gu;

/** Those that say something; of scripts without blanks sign by sign, without what only joins the words. */
export const wordsOf = (text: string): string[] => {
  const plain = withDigits(joined(withoutPlaces(text)));
  const spaced = valueKeys(plain.replaceAll(SIGNS, ' '))
    .filter((key) => isTelling(key) && !LIGHT.has(key))
    .map((key) => (PARTICIPLE.test(key) ? key.slice(2) : key));
  const signs = (plain.match(MEANING) ?? []).filter((sign) => !/^[不没勿别別]$/u.test(sign));
  return [...new Set([...spaced.filter((key) => !UNSPACED.test(key)).map(formOf), ...signs])];
};
/** "geändert" is "ändern". */
const PARTICIPLE = /^ge\p{L}{3,}(?:t|en)$/u;
const SIGNS = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}ー]+/gu;
const MEANING = /\p{sc=Han}|[\p{sc=Katakana}ー]+/gu;

/** Who wants or says it, a yes or a no, and verbs that stand for any other. */
const LIGHT = new Set(
  `uhr user users wants want wanted said says does did do get gets got take takes make made goes going becomes become use used uses now none never nor yes actually
  myself herself himself themselves itself selbst selber darf dürfen darfst
  nein nie niemals nichts nutzer will möchte macht machen nimm nehmen kommt kommen geht gehen wird werden
  oui non jamais va vont veut fait font se
  sí nunca nada usuario quiere va van pone hace
  sim não vai faz sì mai va fa нет никогда nie`.split(/\s+/u),
);

/** "Weekly is too much work" */
const TOO_MUCH =
  /(?<!\p{L})(?:too \p{L}+|zu (?:viel|wenig|kurz|lang|klein|gro(?:ß|ss)|teuer|spät|früh|hoch|niedrig|langsam|schnell|oft|selten|schwer|weit|eng|knapp)\p{L}*|trop|demasiado|troppo|слишком)(?!\p{L})|太/iu;
const NOW =
  /(?<!\p{L})(?:now|from now on|jetzt|nun|ab sofort|neuerdings|maintenant|désormais|ahora|agora|adesso|ora|теперь|teraz|nå|nu)(?!\p{L})|现在|現在|今は|今後|지금/iu;
/** A verb stands first, and what it is done to behind it. */
const REQUEST =
  /^\s*(?:(?:please|and|then|also|bitte|und|dann|y|luego|et|puis|e|poi)\s+)*(?!(?:on|at|by|in|with|for|from|to|of|under|over|behind|after|before|near|all|both|auf|an|bei|mit|für|von|zu|unter|über|hinter|nach|vor|im|am|dans|sur|avec|pour|en|con|por|para|sobre|su|per|is|are|ist|sind)\s)\p{L}+\s+(?:(?:the|an?|my|our|all|every|this|these|that|der|die|das|den|dem|eine?n?|meine?n?|unsere?n?|alle|le|la|les|une?|des|el|los|las|una|mi|mis|il|lo|gli|os?|as|uma?)\s|l['’]|§)/iu;
