/**
 * Whether an answer leaves something to the person: a question, a request for a yes, an offer with a condition. Whoever
 * would send the model on asks here first, since going on would answer in the person's place. In doubt it is yes.
 */
import { withoutEnd } from './without-end.ts';

/** A mark inside an address or a name of files ends no sentence. */
const hasQuestionMark = (text: string): boolean =>
  /[？؟¿]/.test(text) ||
  text.split(/\s/).some((word) => word.includes('?') && word.includes('?', withoutEnd(word, BEHIND_WORD).length));
const BEHIND_WORD = /[!?"'”’»)\]*_`]/;

/** Words in the four languages that `nudge.ts` knows announcements in, and in Portuguese. */
const ENGLISH: readonly string[] = [
  'let me know|just say|say (?:so|yes|no|the word)|up to you',
  // "The file will tell me" asks nobody.
  '(?<!\\b(?:will|would|to|can|could|should|might|may) )(?:tell|show|give|send) me',
  '(?:if|once|when|whenever|unless|until|after|before|provided|in case|as soon as|as long as) (?:that )?you\\p{L}*',
  'if (?:yes|ok|okay|agreed|approved|confirmed|desired|i may)',
  "if (?:that|this|it)(?:['’]s| is| sounds| looks) (?:all )?(?:ok|okay|fine|good|alright|right|acceptable|correct|what you|how you)",
  'if (?:that|this) (?:works|suits)',
  '(?:do|does|did|are|would|could|can|will|should|may|have) you',
  '(?:shall|should|may|can|could|must|would) (?:i|we)',
  '(?:want|like|prefer|need) me',
  'wait(?:ing)? (?:for|on|until) (?:you\\p{L}*|confirmation|approval|permission|(?:an? |the )?(?:answer|reply|response|go-ahead))',
  '(?:awaiting|pending|with|without|need|require|request|requesting|asking|ask) (?:for )?(?:\\p{L}+ )?(?:permission|approval|consent|confirmation)',
  '(?:need|asking|ask) you\\p{L}*',
  'your (?:\\p{L}+ ){0,2}(?:permission|approval|consent|confirmation|go-ahead|ok|okay|agreement|reply|decision|choice|preference|say-so)',
  'please (?:confirm|approve|say|choose|answer|reply|specify|provide|tell|pick|decide|clarify|advise|respond|give|type|enter|indicate|select)',
  'i (?:can|could)\\b[^.!?\\n]{0,200}\\bif',
  'if\\b[^.!?\\n]{0,200}, (?:then )?i (?:can|could)',
];
const GERMAN: readonly string[] = [
  '(?:wenn|falls|sofern|sobald|sollten|solange|bevor|nachdem) (?:du|sie|ihr|ja|das|es|dir|ihnen|gewünscht|einverstanden)',
  '(?:soll|sollen|darf|dürfen|kann|könnte|muss) (?:ich|wir)',
  '(?:möchtest|willst|kannst|könntest|bist|hast) du|(?:möchten|wollen|können|könnten|sind|haben) sie',
  'sag(?:e|en sie)? (?:mir|bescheid|einfach|ja)|bescheid|wissen lassen|lass(?:en sie)? mich wissen',
  'bestätige|bestätigen sie|bitte (?:bestätig\\p{L}*|antwort\\p{L}*|wähl\\p{L}*)',
  '(?:deine|deiner|ihre|ihrer|eure|eurer|dein|ihr|deinem|ihrem) (?:erlaubnis|zustimmung|freigabe|genehmigung|bestätigung|antwort|einverständnis|okay|ok|entscheidung|wahl)',
  'warte (?:auf|bis)|ich (?:kann|könnte)\\b[^.!?\\n]{0,200}\\b(?:wenn|falls)',
];
const FRENCH: readonly string[] = [
  "(?:si|dès que|une fois que|quand|lorsque|après que|avant que) (?:vous|tu|oui)|si (?:d['’]accord|cela vous|ça te|ça vous)|s['’]il (?:vous|te) plaît",
  '(?:voulez|souhaitez|pouvez|êtes|préférez|acceptez)-vous|(?:veux|souhaites|peux|es|préfères)-tu|(?:dois|puis)-je|est-ce que',
  '(?:dites|dis)[- ]moi|(?:faites|fais)-(?:le[- ])?moi savoir|(?:confirmez|confirme|répondez|réponds)',
  "(?:votre|ton|ta) (?:accord|permission|autorisation|approbation|confirmation|réponse|choix|décision)|j['’]attends|en attente",
  'je (?:peux|pourrais)\\b[^.!?\\n]{0,200}\\bsi',
];
const SPANISH: readonly string[] = [
  'si (?:usted|tú|quieres?|(?:lo|te|le) (?:deseas?|quieres?|parece|prefieres?)|deseas?|estás?|confirmas?|aceptas?|prefieres?|apruebas?|sí|es así)|(?:cuando|una vez que|en cuanto) (?:me|lo|usted|tú|confirmes?|quieras?|apruebes?|digas?|des|dé)',
  '(?:quieres?|desea|deseas|prefieres?) que|(?:debo|puedo|debería)(?= (?:borrar|eliminar|escribir|leer|ejecutar|continuar|seguir|hacer))',
  '(?:dime|díg[ae]me|dímelo|avísame|avíseme|házmelo|hágamelo|confírma\\p{L}*|confirma|confirme|respóndeme|responda)',
  '(?:tu|su) (?:permiso|aprobación|autorización|confirmación|respuesta|consentimiento|decisión)|(?:espero|esperando|aguardo)',
  'puedo\\b[^.!?\\n]{0,200}\\bsi',
];
const PORTUGUESE: readonly string[] = [
  '(?:se|quando|assim que) (?:você|quiser|concordar|confirmar|preferir|desejar|tu|estiver)|(?:quer|deseja) que|(?:me diga|diga-me|me avise|avise-me|me confirme)',
  '(?:sua|tua|seu|teu) (?:permissão|aprovação|autorização|confirmação|resposta|consentimento)|(?:aguardo|aguardando)|posso\\b[^.!?\\n]{0,200}\\bse',
];
const ASKED = new RegExp(
  `(?<!\\p{L})(?:${[...ENGLISH, ...GERMAN, ...FRENCH, ...SPANISH, ...PORTUGUESE].join('|')})(?!\\p{L})`,
  'iu',
);
/** "I check it and, if so, read it" asks nobody; a sentence that begins so does. */
const ANSWERED = /(?:^|[.!:;]\s|\n)\W{0,5}(?:if so|if not|in that case|then i can)\b/i;

/** It holds a question. Many answers end in "Let me know if …" and leave nothing open. */
export const asksQuestion = (answer: string): boolean => hasQuestionMark(plain(answer));

const plain = (answer: string): string =>
  answer
    .normalize('NFC')
    .replace(/[`*_]+/g, '')
    .replace(/[^\S\n]+/g, ' ');

export const asksPerson = (answer: string): boolean => {
  const text = plain(answer);
  return hasQuestionMark(text) || ASKED.test(text) || ANSWERED.test(text);
};
