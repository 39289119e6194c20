/** A yes or a no, as people say it to a question: in words, or by a sign alone. */
import { NO_WORDS } from './correcting-words.ts';

const YES_WORDS =
  "yes|yep|yeah|yup|sure|ok|okay|do (?:it|so|that)|go ahead|agreed|right|correct|please do|y|ja|jo|jawohl|klar|gern|mach|j|oui|ouais|d[’']accord|vas-y|o|sí|si|claro|vale|s|sim|pode|certo|tak|t|jak najbardziej|ano|igen|da|да|ага|давай|д|evet|e|نعم|أجل|हाँ|हां|जी|כן|có|vâng|ya|はい|ええ|うん|お願い(?:します)?|是|是的|好|好的|可以|对|對|行|嗯|네|예|응|좋아|그래|ใช่|ได้|ครับ|ค่ะ";
const YES_SIGNS = '👍|👌|🙆|✅|✔|☑|💯|\\+1|\\+';
const NO_SIGNS = '👎|🙅|❌|✖|✗|✘|🚫|⛔|🛑|-1|n|x';
/** Colours of skin, forms of a sign, who makes the gesture. */
const FORM = '[\\u{1F3FB}-\\u{1F3FF}\\uFE0F\\u200D♂♀\\s.,;:!…]*';

const said = (words: string, signs: string): RegExp =>
  new RegExp(
    `^\\s*(?:(?:${words})(?![\\p{L}\\p{N}])|(?:(?:${signs})${FORM})+(?![\\p{L}\\p{N}]))${FORM}(?:$|[,.;:!…。！，、-])`,
    'iu',
  );
const YES = said(YES_WORDS, YES_SIGNS);
const NO = said(NO_WORDS, NO_SIGNS);

/** It begins so, and anything may follow behind a comma. */
export const saysYes = (text: string): boolean => text.length <= ANSWER_CHARACTERS && YES.test(text);
export const saysNo = (text: string): boolean => text.length <= ANSWER_CHARACTERS && !saysYes(text) && NO.test(text);
const ANSWER_CHARACTERS = 60;

/** All that it says is that one may go on. */
export const saysGoOn = (text: string): boolean => GO_ON.test(text);
const GO_ON =
  /^\s*(?:(?:please|ok|okay|yes|ja|oui|bitte) ?,? ?)?(?:go on|go ahead|carry on|keep going|continue[zr]?|proceed|next|(?:mach )?weiter|weitermachen|vas-y|contin[uú]a|sigue|adelante|avanti|vai avanti|segue|pode continuar|verder|ga door|dalej|kontynuuj|fortsätt|продолж\p{L}*|дальше|devam(?: et)?|続けて(?:ください)?|次|继续|繼續|계속(?:해)?)[\s.!…。！]*$/iu;
