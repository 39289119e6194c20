/** Short messages that take back or correct the one before: "no, the first one", "not alder, birch", "doch nicht". */
import { alone } from './alone.ts';
import { isQuestion, UNSPACED, valueKeys } from './distinctive.ts';
import { worthOf } from './own-words.ts';

/** `asks`: the model asked something, so a no is an answer to that. */
type Said = { said: string; before: string; asks: boolean };

export const isCorrection = ({ said, before, asks }: Said): boolean => {
  if (before === '' || said === '' || said.length > CORRECTION_CHARACTERS) return false;
  if (isQuestion(before) || isQuestion(said)) return false;
  if (CORRECTS_FIRST.test(said)) return true;
  const isBrief = said.split(/\s+/u).length <= BRIEF_WORDS && !UNSPACED.test(said);
  const isSlip = noticesSlip(said) && (isBrief || (UNSPACED.test(said) && worthOf(said) <= NO_CHARACTERS));
  if (isSlip || (noticesSlip(said) && sharesWord(said, before))) return true;
  if (CORRECTS.test(said) && (isBrief || sharesWord(said, before))) return true;
  if (CORRECTS_IF_ABOUT_IT.test(said)) return sharesWord(said, before);
  if (!NO_FIRST.test(said)) return false;
  return sharesWord(said, before) || (!asks && (isBrief || (NO_ALONE.test(said) && worthOf(said) <= NO_CHARACTERS)));
};
const CORRECTION_CHARACTERS = 80;
const BRIEF_WORDS = 4;
/** What says more than that behind a no speaks for itself. */
const NO_CHARACTERS = 32;

const sharesWord = (said: string, before: string): boolean => {
  const known = new Set(valueKeys(before).filter(isTelling));
  return valueKeys(said).some((key) => known.has(key));
};
/** Shorter words are in every sentence. */
const isTelling = (key: string): boolean => key.length >= 4 || /\p{N}/u.test(key) || UNSPACED.test(key);

const first = (words: string): RegExp => new RegExp(`^(?:${HESITATION})*(?:${words})`, 'iu');
export const NO_WORDS =
  'no|nope|nah|not|nein|nee|nö|nicht|non|pas|não|nej|nie|ne|ei|hayır|όχι|нет|لا|नहीं|לא|không|tidak|いや|いえ|いいえ|違う|不|不对|不是|不對|아니|아뇨|아니요|ไม่';
const HESITATION = `(?:${alone(`ach|och|oh|ah|äh|euh|h+m+|uhm?|um|er|well|ok|okay|na|nun|eh|ну|ой|あ|えっと|哦|啊|음|어|${NO_WORDS}`)}|[\\s,.;:!…—–-，、。！،])`;
const STRONG = `${alone(
  'sorry|actually|rather|instead|make (?:that|it)|i (?:meant?|changed my mind)|after all|on second thought|correction|doch|lieber|stattdessen|entschuldigung|verzeihung|korrektur|ich meinte?|finalement|plutôt|pardon|en fait|mejor|perdón|en realidad|quise decir|anzi|scusa|meglio|piuttosto|invece|aliás|melhor|desculpa|na verdade|toch|liever|jednak|raczej|лучше|вернее|точнее|извини|простите|всё-таки|все-таки|بل|عفوا|aslında',
)}|やっぱり|やはり|訂正|还是|還是|算了|改成|更正|아니다|정정|차라리`;
/** They are words of a request too, unless something ends behind them. */
const STOPS = `${alone('halt|stopp?|wait|moment|warte|attends|espera|aspetta|стой|подожди')}(?=\\s*[,.;:!…—–-]|\\s*$|\\s+(?:${NO_WORDS}|doch|lieber|actually)(?!\\p{L}))|等等|待って|잠깐`;
const CORRECTS_FIRST = first(`${STRONG}|${STOPS}`);
/** What people say when they notice a slip of their own, before they say it right. */
const SLIPS = `(?:${alone(
  'oops|whoops|upps|uups|huch|hoppla|oups|ojej|hups|hoppsan|hovsa|упс|eikun?|pardon',
)}|あっ|おっと|間違え|打ち間違|哎呀|哎|说错|說錯|打错|打錯|写错|寫錯|搞错|搞錯|앗|아차|아이고)`;
/** They are words of a sentence too ("Typo fixed"), unless something ends behind them, and sighs where they come again ("aj, aj"). */
const SLIPS_BEFORE_END = `(?<slip>${alone(
  'ups|uy|huy|ay|oj|aj|oho|ой|typo|my (?:bad|mistake)|i mis(?:typed|spoke)|tippfehler|vertippt|verschrieben|mein fehler|faute de frappe|je me suis trompée?|me equivoqué|mi error|errata|ho sbagliato|errore mio|enganei-me|me enganei|erro meu|vergissing|foutje|pomyłka|pomyliłem|pomyliłam|förlåt|undskyld|unnskyld|anteeksi|опечатка|ошибся|ошиблась|описался|описалась|yanlış|nhầm|salah|عفوا|عذرا|آسف|أخطأت|ग़लत|गलती|(?:माफ़|माफ)(?: [\\p{L}\\p{M}]+)?|오타|잘못',
)})(?=\\s*(?:[,.;:!…—–，、。！،-]|$))(?!\\P{L}*\\k<slip>)`;
/** "ops, em Braga". In English they look after servers. */
const OPS = `${alone('ops')}\\s*[,.:!…]\\s*(?:$|${alone('em|na|nos|nas|é|era|da|do|das|dos|di|dal|dalla|il|la|lo|gli|le|al|alla|alle|non|não|in|per|con|com|para|pra|de|um|uma|una|scusa|desculpa')}|no (?!(?:more|one|need)\\s))`;
/** Thanks may follow, or what was forgotten. */
const THANKS = `.{0,6}(?:thank|danke|merci|gracias|grazie|obrigad|dzięk|спасибо|谢|謝|ありがと|고마|forgot|vergess|oubli|olvid|dimenticat|esquec|zapomn|забы|忘|잊)`;
/** "*museum": the word that was meant. "*museum*" and "* museum" are forms of a text. */
const MEANT = String.raw`\*(?=[\p{L}\p{N}])(?![^*]*\*)`;
const SLIP = first(`(?:${SLIPS}|${SLIPS_BEFORE_END}|${OPS})(?!${THANKS})|${MEANT}`);
/** With the capitals of a name: "UPS, FedEx and DHL", "Salah, Mané and Firmino". */
const NAME_FIRST = /^(?:UPS|OPS|Salah, \p{Lu})/u;
const noticesSlip = (said: string): boolean => SLIP.test(said) && !NAME_FIRST.test(said);
const CORRECTS = new RegExp(STRONG, 'iu');
/** It says that something is chosen or decided in another way than before. */
export const choosesAnew = (said: string): boolean => CORRECTS.test(said) || TAKES_BACK.test(said);
const TAKES_BACK = new RegExp(
  `${alone('(?:take|took) (?:that|it|this) back|back to|switch|change (?:that|it|to)|not \\p{N}+|nehm\\p{L}* .{0,20}zurück|änder\\p{L}*|wechs\\p{L}*|changeons?|changez|cambi\\p{L}*|muda\\p{L}*|zmie\\p{L}*|передума\\p{L}*|поменя\\p{L}*|değiştir\\p{L}*')}|変更|変えて|换成|換成|改为|改為|바꿔|변경`,
  'iu',
);
/** What is left to be said beside such words, and those of a no or of one who hesitates. */
export const withoutCorrecting = (said: string): string => said.replaceAll(CORRECTING, ' ');
const CORRECTING = new RegExp(`${STRONG}|${STOPS}|${TAKES_BACK.source}|${alone(NO_WORDS)}`, 'giu');
const CORRECTS_IF_ABOUT_IT = new RegExp(
  `${alone('erst|nicht mehr|no longer|not any ?more|any ?more|sondern|statt|but now|scratch|forget|never ?mind|streich\\p{L}*|vergiss|oublie|ne \\p{L}+ plus|olvida|dimentica|esquece|забудь|уже не')}|忘れて|取り消|忘了|취소`,
  'iu',
);
/** It says that what was said before holds no more. */
export const takesBack = (said: string): boolean => choosesAnew(said) || CORRECTS_IF_ABOUT_IT.test(said);
/** The same of what stood before it, which it need not name: "I take that back". */
export const takesThatBack = (said: string): boolean => TAKES_THAT_BACK.test(said);
const TAKES_THAT_BACK = new RegExp(
  `${alone("(?:take|took) (?:that|it|this) back|changed my mind|on second thought|never ?mind|(?:scratch|forget|drop) (?:that|it|this|what)|nehm\\p{L}* .{0,20}zurück|anders überlegt|vergiss (?:das|es)|doch nicht|oublie[zs]? (?:ça|cela)|changé d['’]avis|olvíd\\p{L}+|cambiado de idea|lascia (?:stare|perdere)|cambiato idea|esque[cç]e isso|mudei de ideia|laat maar|bedacht|zapomnij|передумал\\p{L}*|забудь|vazgeçtim")}|算了|やっぱり|やはり|取り消|취소|아니다`,
  'iu',
);
const NO_FIRST = first(alone(NO_WORDS));
/** Nothing is denied by it but what was said before: "no emoji" is a wish, and "no, blue" is none. */
const NO_ALONE = first(`${alone(NO_WORDS)}\\s*(?:[,.;:!…—–，、。！،-]|$)`);
