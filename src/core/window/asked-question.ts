/** Which question of the model a short message answers, or what it may be said to where the model asked nothing. */

import { alone } from './alone.ts';
import { isTelling } from './checked-notes/same-words.ts';
import { NO_WORDS } from './correcting-words.ts';
import { isQuestion, valueKeys } from './distinctive.ts';
import { saysNo, saysYes } from './short-answers.ts';

/** What is asked in the last sentences is what is answered. */
const SENTENCES_ASKING = 4;
/** Models explain behind a question, and say more of it; earlier ones are over. */
const SENTENCES_LOOKED_THROUGH = 60;

/**
 * The last questions; where more is said behind them, the last one that this can be an answer to: a yes or a no to what is
 * not asked by a question word, a choice to what offers one, a number to "how many", or what speaks of the same.
 */
export const questionsFor = (said: string, sentences: readonly string[]): string[] => {
  const last = sentences.slice(-SENTENCES_ASKING).filter(isQuestion);
  if (last.length > 0) return last;
  const before = sentences.slice(-SENTENCES_LOOKED_THROUGH).filter(isQuestion);
  const answered = before.length === 0 ? undefined : before.findLast((question) => canAnswer(said, question));
  return answered === undefined ? [] : [answered];
};

/** No yes or no answers it. */
export const isOpenQuestion = (question: string): boolean => OPEN.test(question);

const canAnswer = (said: string, question: string): boolean => {
  const isOpen = OPEN.test(question);
  if (isYesOrNo(said)) return !isOpen;
  if (said.length > ANSWER_CHARACTERS) return false;
  if (CHOOSES.test(said) && OFFERS.test(question)) return true;
  return (isOpen && IS_NUMBER.test(said)) || sharesWord(said, question);
};
/** By a sign alone, too. */
const isYesOrNo = (said: string): boolean => saysYes(said) || saysNo(said) || !/[\p{L}\p{N}]/u.test(said);
const ANSWER_CHARACTERS = 80;
const IS_NUMBER = /^\P{N}{0,12}\p{N}/u;

const sharesWord = (one: string, other: string): boolean => {
  const known = new Set(valueKeys(other).filter(isTelling));
  return valueKeys(one).some((key) => known.has(key));
};

/** It begins with a question word, which no yes answers. */
const OPEN =
  /^(?:\P{L}*(?:and|but|so|und|aber|et|mais|y|e|pero|ma|и|а)\s+)?\P{L}*(?:(?:why|what|how|who|whom|whose|when|where|which|warum|wieso|weshalb|was|wie|wer|wen|wem|wann|wo|wohin|woher|welche[rsnm]?|pourquoi|que|qu['’]\p{L}+|comment|qui|quand|où|combien|quelle?s?|por qué|qué|cómo|quién|cuándo|dónde|cuál|cuánt\p{L}+|perché|che|cosa|come|chi|quando|dove|quale|quant[oaie]|porque|como|quem|onde|qual|waarom|wat|hoe|wanneer|waar|welke?|dlaczego|co|jak|kto|kiedy|gdzie|почему|зачем|что|как|кто|когда|где|какой|какая|какое|какие|сколько|varför|vad|hur|vem)(?!\p{L})|なぜ|何|どう|誰|いつ(?!も)|どこ|为什么|什么|怎么|谁|哪|多少|왜|무엇|뭐|어떻게|누가|언제|어디)/iu;
const OFFERS = new RegExp(
  `${alone('or|oder|ou|o|oppure|of|lub|czy|albo|или|либо|eller|veya|tai|vai|أو|या')}|それとも|还是|還是|或|아니면|또는`,
  'iu',
);
const CHOOSES = new RegExp(
  `${alone(
    'latter|former|first|second|last|both|either|neither|none|letzter\\p{L}*|erster\\p{L}*|erste[rsn]?|zweite[rsn]?|letzte[rsn]?|beide[sn]?|keins|derni(?:er|ère)|premi(?:er|ère)|second[eoa]?|deuxième|les deux|aucune?|últim[oa]|primer[oa]?|segund[oa]|amb[oa]s|ningun[oa]|prim[oa]|ultim[oa]|entramb[ei]|laatste|eerste|tweede|pierwsz\\p{L}+|drug\\p{L}+|ostatni\\p{L}*|перв\\p{L}+|втор\\p{L}+|последн\\p{L}+|оба|обе',
  )}|前者|後者|后者|最初|両方|都|둘 다|전자|후자`,
  'iu',
);

/**
 * Whether a sentence that asks nothing can be what is answered. A yes or a no may be said to what is offered, and to little
 * that is said at all; what says by itself what it is about is no answer to something else.
 */
export const canBeSaidTo = (said: string, ending: string, sentences: readonly string[]): boolean => {
  if (sharesWord(said, ending)) return true;
  if (!isYesOrNo(said) && tellsAlone(said)) return false;
  return PROPOSES.test(ending) || (sentences.length <= SENTENCES_FEW && !sentences.some(isQuestion));
};
const SENTENCES_FEW = 3;

/** The same of a list that nothing is asked about. */
export const canBeChosenFrom = (said: string, items: readonly string[]): boolean =>
  !tellsAlone(said) || items.some((item) => sharesWord(said, item));

/** It has words enough to say what it is about, and points at nothing. "Not before Easter" leaves that to the question. */
const tellsAlone = (said: string): boolean =>
  (said.match(WORDS) ?? []).length >= WORDS_TELLING &&
  !BEGINS_WITH_NO.test(said) &&
  !GOES_ON.test(said) &&
  !POINTS.test(said) &&
  !CHOOSES.test(said);
const BEGINS_WITH_NO = new RegExp(`^\\s*(?:${NO_WORDS})(?![\\p{L}\\p{N}])`, 'iu');
const WORDS = /[\p{L}\p{M}\p{N}]+/gu;
const WORDS_TELLING = 3;
const POINTS = new RegExp(
  alone(
    'it|that|this|so|them|one|do|go|es|das|dies|ça|cela|fais-le|eso|esto|hazlo|ciò|questo|quello|isso|isto|dat|dit|het|это|так|его|её',
  ),
  'iu',
);
/** It has no beginning of its own: "only on Mondays". */
const GOES_ON = new RegExp(
  `^\\P{L}*${alone(
    'only|just|but|not|except|unless|until|till|at|on|in|by|from|after|before|with|without|never|always|nur|erst|aber|nicht|außer|bis|ab|um|am|im|mit|ohne|nach|vor|seulement|mais|sauf|à|au|jusqu|avec|sans|sólo|solo|pero|hasta|desde|sin|con|ma|fino|senza|só|mas|até|sem|alleen|maar|tot|met|tylko|ale|do|только|но|кроме|до|после|без|с',
  )}|だけ|除いて|只|仅|만`,
  'iu',
);
const PROPOSES = new RegExp(
  `${alone(
    "i|i['’]\\p{L}+|we|we['’]\\p{L}+|let|would|could|should|may|might|shall|ich|wir|könnte\\p{L}*|würde\\p{L}*|sollte\\p{L}*|vorschlag|je|j['’]\\p{L}+|nous|pourrai\\p{L}*|puedo|podemos|podría\\p{L}*|propongo|recomiendo|potrei|posso|potremmo|consiglio|proporrei|podia|poderia|proponho|ik|we|kan|zou|mogę|możemy|proponuję|я|мы|могу|можно|можем|бы|предлагаю|jag|vi|jeg",
  )}|ましょう|できます|しますか|したい|我|可以|建议|建議|할게|하겠|할까|제안|ますか`,
  'iu',
);
