/** What the person said, sentence by sentence: what they asked for, what they denied, and what they want to do by themselves. */

import { LIMITS } from '../../limits.ts';
import { isNegative } from '../contradicted.ts';
import { isQuestion, valueKeys } from '../distinctive.ts';
import type { Exchange } from '../exchanges.ts';
import { itemNamed } from '../item-named.ts';
import { sentencesOf } from '../sentences.ts';
import { saysNo, saysYes } from '../short-answers.ts';
import { type Act, actsIn } from './acts.ts';
import { placesIn, valuesIn } from './claims.ts';
import { isTelling, sharedWords } from './same-words.ts';
import { afterNumbers, withNamesApart } from './sentence-parts.ts';

export type Statement = {
  /** Of the message. */
  at: number;
  /** A clause, and the sentence that it stands in. */
  text: string;
  sentence: string;
  keys: readonly string[];
  /** In the clause, or where it is the end of one ("not b.js"), in the one before it. */
  acts: ReadonlySet<Act>;
  /** What the next message gives another value for. */
  isCorrected: boolean;
  /** It denies or forbids. */
  isDenied: boolean;
  /** It forbids to change what it names, in whatever words. */
  isProtective: boolean;
  /** What it speaks of: the files that it names, else those of its sentence, else those of its message. */
  places: readonly string[];
  /** The person does it by themselves: "I commit myself". */
  isReserved: boolean;
};

/** A sentence is that of several clauses, and is held against notes again at every compaction. */
const foundOnce = (find: (text: string) => readonly string[]): ((text: string) => readonly string[]) => {
  const found = new Map<string, readonly string[]>();
  return (text) => {
    const before = found.get(text) ?? find(text);
    if (found.size >= LIMITS.clausesRememberedMessages * CLAUSES_EACH) found.clear();
    found.set(text, before);
    return before;
  };
};
const CLAUSES_EACH = 4;
const keysOfSentence = foundOnce(valueKeys);
const valuesOfClause = foundOnce(valuesIn);
/** The words of its sentence. */
export const sentenceKeys = ({ sentence }: Statement): readonly string[] => keysOfSentence(sentence);
/** The values of its clause. */
export const clauseValues = ({ text }: Statement): readonly string[] => valuesOfClause(text);

/** Of a message with a paste in it what is written before and behind that. */
const END_CHARACTERS = 4_000;
const endsOf = (text: string): string =>
  text.length <= END_CHARACTERS * 2 ? text : `${text.slice(0, END_CHARACTERS)}\n${text.slice(-END_CHARACTERS)}`;

/** What was said is held against notes again at every compaction. */
const known = new Map<string, readonly Statement[]>();
export const statementsIn = (exchanges: readonly Exchange[]): Statement[] => {
  let corrected = '';
  return exchanges.flatMap((exchange, at) => {
    const key = JSON.stringify([exchange.said, exchange.answer.slice(-ANSWER_CHARACTERS), exchange.chosenAgain]);
    const before = known.get(key) ?? statementsOf(exchange);
    if (known.size >= LIMITS.clausesRememberedMessages) known.clear();
    known.set(key, before);
    // "No, 9200": it speaks of what the message before spoke of.
    corrected = isCorrectionOf(exchange, exchanges[at - 1]) ? `${corrected} ${exchanges[at - 1]?.said ?? ''}` : '';
    const next = exchanges[at + 1];
    const isCorrected = next !== undefined && HAS_VALUE.test(next.said) && isCorrectionOf(next, exchange);
    const about = corrected.slice(0, CORRECTED_CHARACTERS);
    return before.map((one) => ({ ...one, at, isCorrected, sentence: `${one.sentence} ${about}`.trim() }));
  });
};
/** Not where it says by itself what it denies, and that is something else: "not 20 but 25 per cent". */
export const isCorrectionOf = (exchange: Exchange, first: Exchange | undefined): boolean => {
  if (!exchange.isCorrection || first === undefined) return false;
  const denied = statementsOf(exchange).filter(({ isDenied }) => isDenied);
  const words = denied.flatMap(({ keys }) => keys.filter((key) => isTelling(key) && !isNegative(key)));
  if (denied.every(({ keys }) => keys.length > CONTRAST_WORDS + 1)) return true;
  const values = words.filter((key) => /\p{N}/u.test(key));
  const known = valueKeys(first.said);
  return values.length === 0 || sharedWords(values, known).length > 0;
};
const HAS_VALUE = /\p{N}/u;
const CORRECTED_CHARACTERS = 400;

/** A model's answer is looked at where a short one of the person follows, and its end asks. */
const ANSWER_CHARACTERS = 4_000;

const statementsOf = ({ said, answer, chosenAgain }: Exchange): Statement[] => {
  const text = endsOf(said);
  const item = chosenAgain ?? itemNamed(said, answer);
  const asked = answeredQuestions(said, answer.slice(-ANSWER_CHARACTERS));
  const places = placesIn(text);
  return [
    ...sentencesOf(text)
      .flatMap(afterNumbers)
      .filter((sentence) => !isQuestion(sentence))
      .flatMap((sentence) => inSentence(sentence, places)),
    ...(item === undefined ? [] : inSentence(item, [])),
    ...asked.flatMap((question) =>
      inSentence(question, []).map((one) => ({
        ...one,
        isDenied: saysNo(said),
        isProtective: saysNo(said) && one.acts.size > 0,
        isReserved: false,
      })),
    ),
  ];
};

/** What the model asked, where a yes or a no answers it. */
const answeredQuestions = (said: string, answer: string): string[] =>
  saysYes(said) || saysNo(said) ? sentencesOf(answer).slice(-SENTENCES_ASKING).filter(isQuestion) : [];
const SENTENCES_ASKING = 2;

/** The same of a note. */
export const clausesIn = (note: string): Statement[] => inSentence(note, []);

const inSentence = (sentence: string, ofMessage: readonly string[]): Statement[] => {
  // Most sentences name no place, and so do their clauses.
  const ofSentence = placesIn(sentence);
  let isCarried = false;
  let acts: ReadonlySet<Act> = new Set();
  return withNamesApart(sentence)
    .split(CLAUSE_END)
    .flatMap((text): Statement[] => {
      const keys = valueKeys(text);
      const isDenied = isNegative(text) || isCarried;
      // "Never, whatever happens, delete it": it denies what follows. "No, 9200" does not.
      isCarried = isDenied && FORBIDS.test(text) && !keys.some((key) => isTelling(key) && !FORBIDS.test(key));
      if (keys.length === 0) return [];
      const own = actsIn(text);
      acts = own.size > 0 || !isDenied || keys.length > CONTRAST_WORDS ? own : acts;
      const places =
        [ofSentence.length > 0 ? placesIn(text) : [], ofSentence, ofMessage].find(({ length }) => length > 0) ?? [];
      return [
        {
          at: 0,
          isCorrected: false,
          text,
          sentence,
          keys,
          acts,
          isDenied,
          isProtective: (isDenied && acts.size > 0) || HANDS_OFF.test(text),
          places,
          isReserved: acts.size > 0 && RESERVED.test(text),
        },
      ];
    });
};
/** "180 euros, not 200": so few words are the other side of what stands before them. */
export const CONTRAST_WORDS = 4;
const FORBIDS = /^(?:.*\s)?(?:\p{L}+n['’]t|don|never|not|nicht|niemals|nie|jamais|nunca|mai|никогда|не)$/iu;
/** The colon within a time and the comma within a number end none. */
const CLAUSE_END =
  /[,:](?=\s|$)|[;()\n–—،；：，、]|\s(?=(?:but|instead of|rather than|without|aber|statt|ohne|sondern|mais|sans|pero|sino|sin|sem|ma|senza|но|без|bez|zonder)\s)/iu;

const alone = (words: string): string => `(?<![\\p{L}\\p{N}])(?:${words})(?![\\p{L}\\p{N}])`;
/** Forbids a change without a word that denies. */
const HANDS_OFF = new RegExp(
  [
    alone(
      'hands off|leave (?:\\S+ ){1,4}?(?:alone|as|be|untouched)|keep (?:\\S+ ){1,4}?(?:as|untouched)|stays? (?:as|untouched|the same)|read[ -]only|only (?:be )?read|just read|off[ -]limits|frozen|must stay|protected',
    ),
    alone(
      'finger weg|lass (?:\\S+ ){1,4}?(?:in ruhe|so|wie)|nur (?:lesen|gelesen|ansehen)|bleibt (?:so|wie)|eingefroren|tabu',
    ),
    alone(
      'laisse (?:\\S+ ){1,4}?tranquille|lecture seule|seulement lire|deja (?:\\S+ ){1,4}?(?:en paz|como)|solo (?:leer|lettura|leggere)|somente leitura|só ler|tylko (?:czyta\\p{L}*|odczyt)|alleen lezen|только (?:чита\\p{L}*|чтени\\p{L}*)|оставь',
    ),
    '只读|只讀|读取即可|読み取り専用|読むだけ|そのまま|읽기만|읽기 전용|그대로',
  ].join('|'),
  'iu',
);
/** In the first person, as a deed of their own: "I want you to send it" is none. */
export const isReserved = (text: string): boolean => RESERVED.test(text);
const RESERVED = new RegExp(
  [
    alone('myself|selbst|selber|moi-même|yo mism[oa]|eu mesm[oa]|io stess[oa]|zelf|själv|selv|сам[а]?|kendim|بنفسي'),
    "(?<![\\p{L}])(?:i(?:['’]ll| will| always| usually)?|we(?:['’]ll| will)?) (?:commit|push|delet|remov|send|pay|buy|deploy|publish|merg|releas|overwr|rewr|replac|reset)\\p{L}*",
    '(?<![\\p{L}])(?:ich|wir) (?:committ?e|pushe|lösch|entfern|schick|send|bezahl|kauf|veröffentlich|ersetz|überschreib|bestell|ruf)\\p{L}*',
    '自己|自分で|직접|내가',
  ].join('|'),
  'iu',
);
