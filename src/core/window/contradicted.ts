/**
 * Notes that say the opposite of what the person said: chosen what they ruled out, allowed what they did not allow. Words
 * are held against words, clause by clause: the clause of the person that says most of what a note says decides, and of
 * two the later one.
 */
import { LIMITS } from '../limits.ts';
import { actsIn } from './checked-notes/acts.ts';
import { withNamesApart } from './checked-notes/sentence-parts.ts';
import { createWordIndex, type WordIndex } from './checked-notes/word-index.ts';
import { isQuestion, valueKeys } from './distinctive.ts';

/** `wish`: what is noted as wanted or to be done; `decision`: as decided; `fact`: as found. */
export type NoteKind = 'wish' | 'decision' | 'fact';

type Clause = {
  words: readonly string[];
  isNegative: boolean;
  /** It says what something does not do, and forbids nothing. */
  isReport: boolean;
};

export const createContradictions = (said: readonly string[]): ((note: string, kind: NoteKind) => boolean) => {
  const all = said.flatMap(clausesSaid);
  const index = createWordIndex(isSame, SAME_BEGINNING_CHARACTERS);
  for (const [at, { words }] of all.entries()) index.add(at, words);
  return (note, kind) => clausesOf(note).some((clause) => isOpposite(clause, { all, index }, kind));
};

/** What was said is held against notes again at every compaction. */
const known = new Map<string, readonly Clause[]>();
const clausesSaid = (said: string): readonly Clause[] => {
  const text = endsOf(said);
  const before = known.get(text);
  if (before) return before;
  const clauses = text
    .split(SENTENCE_END)
    .filter((sentence) => !isQuestion(sentence.trim()))
    .flatMap(clausesOf);
  if (known.size >= LIMITS.clausesRememberedMessages) known.clear();
  known.set(text, clauses);
  return clauses;
};
const SENTENCE_END = /(?<=[.!?])\s+|(?<=[。！？])|\n+/u;

/** Of a message with a paste in it what is written before and behind that. */
const endsOf = (text: string): string =>
  text.length <= END_CHARACTERS * 2 ? text : `${text.slice(0, END_CHARACTERS)}\n${text.slice(-END_CHARACTERS)}`;
const END_CHARACTERS = 4_000;

type Said = { all: readonly Clause[]; index: WordIndex };
const isOpposite = (note: Clause, { all, index }: Said, kind: NoteKind): boolean => {
  let most = 0;
  let decides: Clause | undefined;
  const counts = [...index.counts(note.words)].sort(([one], [other]) => one - other);
  for (const [at, count] of counts) {
    const clause = all[at] as Clause;
    // What is said not to work is to be mended.
    if (kind === 'wish' && clause.isReport) continue;
    const share = count / Math.min(note.words.length, clause.words.length);
    if (share < most) continue;
    most = share;
    decides = clause;
  }
  if (decides === undefined || decides.isNegative === note.isNegative) return false;
  const shared = sharedIn(note, decides);
  const isMostOfNote = shared >= note.words.length * MOST_SHARE;
  // What is found not to be may well be so, whatever was asked for.
  if (kind === 'fact') return decides.isNegative && isMostOfNote;
  return isMostOfNote || (decides.isNegative && shared >= decides.words.length * MOST_SHARE);
};
const MOST_SHARE = 0.5;

const sharedIn = ({ words }: Clause, other: Clause): number =>
  words.filter((word) => other.words.some((one) => isSame(word, one))).length;

/** With other endings too: "use" and "used". */
const isSame = (one: string, other: string): boolean => {
  if (/\p{N}/u.test(one)) return one === other;
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  return short.length >= (LETTERS.test(short) ? 3 : 2)
    ? long.startsWith(short.slice(0, STEM_CHARACTERS))
    : short === long;
};
const STEM_CHARACTERS = 5;
const SAME_BEGINNING_CHARACTERS = 2;
const LETTERS = /^[\p{sc=Latin}\p{sc=Cyrillic}]/u;

const clausesOf = (text: string): Clause[] =>
  withNamesApart(text)
    .split(CLAUSE_END)
    .flatMap((part) => {
      const words = wordsOf(part.replaceAll(NEGATION, ' ').replaceAll(WITHOUT, ' '));
      return words.length > 0
        ? [{ words, isNegative: isNegative(part), isReport: REPORT.test(part) && actsIn(part).size === 0 }]
        : [];
    });
/** Two of a kind are one in many languages; "never without" and "do not forget" are none. */
export const isNegative = (part: string): boolean => part.search(NEGATION) >= 0 !== part.search(WITHOUT) >= 0;
const CLAUSE_END =
  /[,;:()\n–—،；：，、]|\s(?=(?:but|instead of|rather than|aber|statt|sondern|mais|pero|sino|ma|но)\s)/iu;

/** Of Japanese and Chinese sign by sign, without what only joins the words. */
const wordsOf = (part: string): string[] => [
  ...valueKeys(part.replaceAll(SIGNS, ' ')).filter((word) => !SMALL.has(word) && !FEW_LETTERS.test(word)),
  ...new Set(part.match(/\p{sc=Han}|\p{sc=Katakana}+/gu) ?? []),
];
const SIGNS = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]+/gu;
const FEW_LETTERS = /^[\p{sc=Latin}\p{sc=Cyrillic}]{1,2}$/u;
const SMALL = new Set(
  'the and for are was were has have will shall this that with from our your user der die das und ist sind wird wurde mit für les des est sont avec pour los las una con para son это что'.split(
    ' ',
  ),
);

const alone = (words: string): string => `(?<![\\p{L}\\p{N}])(?:${words})(?![\\p{L}\\p{N}])`;
/** What turns the sense of a clause around, in the languages that people write to models most. */
const NEGATION = new RegExp(
  [
    alone(
      "never|not|no|none|nor|avoid|cannot|[a-z]+n['’]t|refused?|rejected?|forbidden|forbid|forbids|declined?|denied|ruled out|against|nothing|nobody",
    ),
    alone('nie|niemals|nichts?|niemand\\p{L}*|kein\\p{L}*|verboten|abgelehnt|verzichte\\p{L}*'),
    alone(
      'jamais|pas|rien|nada|nadie|ning[uú]n\\p{L}*|aucune?|interdite?|refusée?|nunca|jamás|tampoco|prohibid[oa]|não|nem|proibid[oa]',
    ),
    alone(
      'mai|non|niente|nessun\\p{L}*|nic|nikt|niets|niemand|ingenting|intet|vietat[oa]|nigdy|zabronion\\p{L}*|geen|niet|nooit|aldrig|inte|ikke|asla|değil',
    ),
    alone('не|нет|ничего|никто|никому|никогда|нельзя|запрещ\\p{L}*|لا|لن|ليس|ممنوع|मत|नहीं|אל|לא|אין'),
    '不要|不|没|勿|别|別|禁止|ないで|ません|禁じ|지 ?마|않|말고|금지|ไม่|ห้าม',
  ].join('|'),
  'giu',
);
const WITHOUT = new RegExp(
  [
    alone('without|instead of|rather than|ohne|statt|sans|sin|sem|senza|bez|zonder|без|بدون'),
    alone(
      'forget|fail to|vergiss|vergessen|vergesst|oublier?|oubliez|olvid[aeo]s?|esque[cç]\\p{L}*|dimentic\\p{L}*|забудь\\p{L}*|забывай\\p{L}*|zapomn\\p{L}*|vergeet|تنس',
    ),
    '忘|잊',
  ].join('|'),
  'giu',
);

const REPORT = new RegExp(
  [
    alone(
      "(?:does|did|is|are|was|were|has|had|ca|could|wo)(?:n['’]t| not)|cannot|never (?:\\p{L}+s|was|were|gets?|got)",
    ),
    alone(
      '(?:funktioniert|geht|läuft|klappt|stimmt|fehlt|ist|sind|kann|können|kommt|zeigt|liest|findet) (?:\\S+ ){0,4}?(?:nicht|kein\\p{L}*)',
    ),
    alone(
      'ne (?:marche|fonctionne|gère|lit|trouve|sont|est)|no (?:funciona|maneja|lee|está|es|hace|encuentra)|não (?:funciona|é|está|lê|faz)|non (?:funziona|è|legge|trova|gestisce)|не \\p{L}+(?:ет|ит|ют|ят)|nie (?:działa|jest)',
    ),
    '不能|没有|不工作|动きません|できません|안 (?:돼|되)',
  ].join('|'),
  'iu',
);

/** It says that the person allows something, which is theirs alone to say. */
export const claimsPermission = (note: string): boolean => PERMISSION.test(note);
const PERMISSION = new RegExp(
  [
    alone(
      'allow(?:s|ed)?|permit(?:s|ted)?|permission|approve[sd]?|authori[sz]e[sd]?|granted|(?:you|i|we|it|model) may',
    ),
    alone('erlaub\\p{L}*|genehmigt\\p{L}*|darf(?:st)?|dürfen|autoris\\p{L}+|permis\\p{L}*|approuv\\p{L}+|aprob\\p{L}+'),
    alone('zezwol\\p{L}*|разреш\\p{L}*|позвол\\p{L}*|مسموح|अनुमति'),
    '允许|许可|批准|許可|許し|허용|허락|อนุญาต',
  ].join('|'),
  'iu',
);
