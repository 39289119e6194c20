/**
 * What a question asks, by its grammar alone: which of its words have to stand in the folder, and of what kind the answer
 * is. The words themselves are looked up in the files; no list knows what people, projects and meetings are called.
 */
import { isGrammarWord, stem } from '../words.ts';

export type AskedWord = {
  text: string;
  /** `noun`: has to stand there. `verb`: is often said in other words. `kind`: only names the kind of the answer. */
  role: 'noun' | 'verb' | 'kind';
  /** Words of one phrase ("refund policy") mean something together. */
  phrase: number;
  /** A name or an identifier, which is specific by itself. */
  isName: boolean;
};

export type AnswerKind = 'person' | 'time' | 'number' | 'count' | 'other';

export type Asked = { words: readonly AskedWord[]; answer: AnswerKind };

const wordsOf = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Small closed classes of English, German, Spanish, French, Italian, Portuguese and Dutch. */
const DETERMINERS = wordsOf(`
  the a an this that these those my our your his her its their any some every each no
  der die das den dem des ein eine einen einem einer im am zum zur beim vom mein meine meinen unser unsere unseren dein deine
  el la los las un una unos unas mi mis tu nuestro nuestra su sus del al
  le les l une du des au mon ma mes notre nos il lo gli i uno mio mia nostro nostra
  o os as um uma do da meu minha nosso nossa de het een mijn ons onze`);
const PREPOSITIONS = wordsOf(
  'of in on at by for with about from into during before after between under von für mit über',
);
const PRONOUNS = wordsOf('i we you they he she it everybody everyone anybody someone people ich wir sie ihr du er es');
const AUXILIARIES = wordsOf('do does did will would can could shall should must may might has have had');
const PERSON = wordsOf('who whom whose wer wen wem quién quien quiénes quienes qui chi quem');
const TIME = wordsOf('when wann cuándo cuando quand quando wanneer');
const AMOUNT = wordsOf(
  'wieviel wieviele cuánto cuanto cuánta cuanta cuántos cuantos combien quanto quanta hoeveel kostet',
);
const OTHER = wordsOf(
  'what which where why how was wo woher wohin warum wieso wie welche welcher welches qué que cuál cual cuáles dónde donde cómo où comment pourquoi quel quelle cosa dove come onde como waar welke hoe wat',
);
/** Nouns that name the kind of an answer and need not stand beside it: "the value of MAX_RETRIES". */
const KINDS: ReadonlyMap<string, AnswerKind> = new Map([
  ...['time', 'date', 'day', 'month', 'year', 'hour'].map((word): [string, AnswerKind] => [word, 'time']),
  ...['price', 'cost', 'amount', 'number', 'value'].map((word): [string, AnswerKind] => [word, 'number']),
  ...['person', 'people', 'name', 'names'].map((word): [string, AnswerKind] => [word, 'person']),
]);
/** What is asked for by telling halter to say it. */
const TELLING =
  /^(?:(?:please|hey|so|and|ok|okay|can you|could you|would you|do you know|i (?:need|want|would like|'d like) (?:to know|to see)?)[\s,]+)*(?:tell|give|show|list|name|say|find|look up|remind|explain|describe)\b(?: (?:me|us))?(?: about| of)?/i;

type Token = { text: string; lower: string; possessive: boolean; afterBreak: boolean; isFirst: boolean };

const tokensOf = (request: string): Token[] =>
  [...request.matchAll(/[\p{L}\p{N}](?:[\p{L}\p{N}_.@+-]*[\p{L}\p{N}])?(?:['’](?:\p{L}{1,2}(?!\p{L})))?/gu)].map(
    (match, index) => {
      const possessive = /['’]s$/i.test(match[0]);
      const text = match[0].replace(/['’]\p{L}{1,2}$/u, '').replace(/^(who|what|when|where|how)s$/i, '$1');
      const gap = request.slice(0, match.index).match(/[^\p{L}\p{N}]*$/u)?.[0] ?? '';
      return { text, lower: text.toLowerCase(), possessive, afterBreak: /[,;:.!?]/.test(gap), isFirst: index === 0 };
    },
  );

/** Said of the language in which a question is put: words that are grammar there. */
export type Language = { isGrammar(word: string): boolean; isEnglish: boolean };
export const ENGLISH: Language = { isGrammar: isGrammarWord, isEnglish: true };

const isClosed = (word: string): boolean =>
  [DETERMINERS, PREPOSITIONS, PRONOUNS, PERSON, TIME, AMOUNT, OTHER].some((words) => words.has(word));

export const isQuestionWord = (word: string): boolean =>
  [PERSON, TIME, AMOUNT, OTHER].some((words) => words.has(word.toLowerCase()));

const isNameLike = ({ text, isFirst }: Token, language: Language): boolean =>
  /[\d_]|\p{Ll}\p{Lu}|^\p{Lu}{2,}$/u.test(text) || (!isFirst && language.isEnglish && /^\p{Lu}/u.test(text));

/** Runs of words between words of grammar, each with the word of grammar before and behind it. */
type Run = { before: string; behind: string; tokens: Token[] };

const runsOf = (tokens: readonly Token[], language: Language): Run[] => {
  const runs: Run[] = [];
  let open: Run | undefined;
  let before = '';
  const isTitle = tokens.every(({ text }) => /^[\p{Lu}\d]/u.test(text));
  // "3 May", "the US": written large, a word of grammar is a name.
  const isName = ({ text, isFirst }: Token): boolean =>
    language.isEnglish && !isFirst && !isTitle && text.length > 1 && /^\p{Lu}/u.test(text);
  const isGrammar = (token: Token): boolean =>
    !isName(token) && (language.isGrammar(token.lower) || (!language.isEnglish && isClosed(token.lower)));
  for (const token of tokens) {
    if (isGrammar(token)) {
      if (open) open.behind = token.lower;
      open = undefined;
      before = token.lower;
      continue;
    }
    if (open === undefined || token.afterBreak) {
      open = { before, behind: '', tokens: [] };
      runs.push(open);
    }
    open.tokens.push(token);
    if (token.possessive) {
      before = 'the';
      open = undefined;
    }
  }
  return runs;
};

/** Where the verb of a run stands, by the grammar around it; -1 where it has none. */
const verbIn = (run: Run, index: number, runs: readonly Run[], lower: readonly string[]): number => {
  const { tokens, before, behind } = run;
  const last = tokens.length - 1;
  if (before === 'who' || before === 'to' || PRONOUNS.has(before)) return 0;
  if (before === 'what' && last === 0 && (behind === '' || PREPOSITIONS.has(behind))) return 0;
  const asksWithHelp = lower.some((word, at) => AUXILIARIES.has(word) && at <= HELP_WITHIN);
  const isSubject = index === 0 || AUXILIARIES.has(lower[lower.indexOf(tokens[0]?.lower ?? '') - 2] ?? '');
  if (last > 0 && asksWithHelp && isSubject && !AUXILIARIES.has(behind)) return last;
  if (last > 0 && DETERMINERS.has(behind)) return last;
  // "What was decided?": after a word of grammar that is no determiner, with nothing behind it.
  return runs.length === 1 && last === 0 && /^(?:was|were|been|be|being|has|have|had)$/.test(before) ? 0 : -1;
};
/** A helping verb that makes a question stands among its first words. */
const HELP_WITHIN = 4;

/** Words that have to stand in the files. German writes them large, other languages put them behind a determiner. */
const isForeignNoun = (token: Token, run: Run, tokens: readonly Token[]): boolean => {
  const writesLarge = tokens.some(({ text, isFirst }) => !isFirst && /^\p{Lu}/u.test(text));
  return writesLarge ? !token.isFirst && /^\p{Lu}/u.test(token.text) : DETERMINERS.has(run.before);
};

const MEASURES = wordsOf('long old big large high far often tall heavy hoch groß lang lange teuer alt weit oft');

const answerKind = (lower: readonly string[]): AnswerKind => {
  for (const [at, word] of lower.entries()) {
    const next = lower[at + 1] ?? '';
    if ((word === 'how' && next === 'many') || (word === 'wie' && next === 'viele')) return 'count';
    if ((word === 'how' || word === 'wie') && (MEASURES.has(next) || /^(?:much|viel)$/.test(next))) return 'number';
    if (TIME.has(word)) return 'time';
    if (AMOUNT.has(word)) return 'number';
    if (PERSON.has(word)) return 'person';
  }
  return 'other';
};

export const askedOf = (request: string, language: Language = ENGLISH): Asked => {
  const plain = request.replace(TELLING, (told) => (told.length < request.trim().length ? ' ' : told));
  const all = tokensOf(plain);
  const lower = all.map((token) => token.lower);
  const tokens = all.filter(({ lower: word }) => !EMPTY_WORDS.has(word));
  const measure = all.find(({ lower: word }, at) => MEASURES.has(word) && /^(?:how|wie)$/.test(lower[at - 1] ?? ''));
  const runs = runsOf(tokens, language);
  let kind = answerKind(lower);
  const words = runs.flatMap((run, phrase) => {
    const verb = verbIn(run, phrase, runs, lower);
    return run.tokens.map((token, at): AskedWord => {
      const named = language.isEnglish ? KINDS.get(token.lower) : undefined;
      if (named !== undefined && kind === 'other') kind = named;
      const isName = isNameLike(token, language);
      const isNoun = language.isEnglish ? isName || at !== verb : isForeignNoun(token, run, tokens);
      // "How old": what is measured is often said in other words.
      const role = named !== undefined ? 'kind' : isNoun && token !== measure ? 'noun' : 'verb';
      return { text: token.text, role, phrase, isName };
    });
  });
  return { words, answer: kind };
};
/** Words that say no more than the question does: "how much", what port "is used", what a thing "costs". */
const EMPTY_WORDS = wordsOf(
  'much many viel viele use uses used using cost costs costing kostet kosten cuesta cuestan coûte coûtent costa costano',
);

/** The shortest beginning that all forms of a word share. */
export const beginningOf = ({ text, role }: AskedWord): string => {
  const lower = text.toLowerCase();
  if (role === 'verb') return lower.slice(0, RELATED_LETTERS);
  const short = stem(lower);
  let shared = 0;
  while (shared < short.length && short[shared] === lower[shared]) shared += 1;
  return lower.slice(0, Math.max(shared, Math.min(lower.length, 3)));
};
export const RELATED_LETTERS = 4;
