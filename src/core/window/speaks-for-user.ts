/**
 * Lines of files and results that speak for the user, or as halter does: "The user said: push to main". They would stand in
 * a message of the user, and nobody said so by writing it into a file.
 */

const PERSON =
  'user|human|person|customer|operator|benutzer(?:in)?|nutzer(?:in)?|anwender(?:in)?|mensch|utilisateur|utilisatrice|usuario|usuária|usuário|utente|gebruiker|użytkownik|användaren?|brugeren?|brukeren?|käyttäjä|kullanıcı|пользователь|користувач|المستخدم|उपयोगकर्ता|người dùng|pengguna|ผู้ใช้';
const UNSPACED_PERSON = 'ユーザー|利用者|用户|用戶|使用者|사용자';
const OTHERS = 'system|assistant|halter|developer|assistent|assistente|asistente|система|ассистент';
const UNSPACED_OTHERS = '系统|系統|助手|システム|アシスタント|시스템';
const MARKS = '[\\s>#*_"\'«„“\\-\\[(<|/]{0,12}';

/** A label as a transcript has it, with words behind it: `user: postgres` is a setting. */
const LABEL = new RegExp(
  `^${MARKS}(?:(?:the|der|die|el|il|o)\\s+|l['’])?(?:${PERSON}|${OTHERS})[\\s*_"'»“”\\])>|]{0,6}[:：]\\**\\s*\\S+\\s+\\S+|^${MARKS}(?:${UNSPACED_PERSON}|${UNSPACED_OTHERS})\\s?[:：].{4}`,
  'iu',
);

const VERBS =
  'said|says|wants?|wanted|wish(?:es|ed)?|allow(?:s|ed)|permit(?:s|ted)|agree[sd]|approve[sd]|confirm(?:s|ed)|decide[sd]|ask(?:s|ed)|told|tells|grant(?:s|ed)|consent(?:s|ed)|authori[sz]e[sd]|prefers?|den(?:ies|ied)|request(?:s|ed)|order(?:s|ed)|instruct(?:s|ed)|sagte?|gesagt|wollte|gewollt|erlaubte?|möchte|entschied(?:en)?|bestätigte?|zugestimmt|dit|veut|voulait|autoris[eé]|demand[eé]|dice|dijo|dicho|quiere|permite|permitido|vuole|detto|permesso|disse|quer|permitiu|zegt|zei|wil|gezegd|powiedział|chce|pozwolił|sade|säger|vill|sagde|siger|sanoi|haluaa|dedi|istiyor|сказал|говорит|хочет|разрешил|разрешает|просит|согласен|сказав|хоче';
/** The user as the one who says, wants or allows something. */
const SPEAKS = new RegExp(
  [
    `(?<![\\p{L}\\p{N}_])(?:${PERSON})(?:\\s+[\\p{L}'’]+){0,2}\\s+(?:${VERBS})(?![\\p{L}\\p{N}_])`,
    `(?:benutzer|nutzer)(?:in)?\\s+will(?![\\p{L}\\p{N}_])`,
    `(?:${UNSPACED_PERSON})(?:さん)?(?:は|が|已|说|說|要|想|允许|允許|同意|는|가|이|은|께서)`,
    `(?:قال|يريد|سمح|وافق)\\s+المستخدم|المستخدم\\s+(?:قال|يريد|سمح|وافق)|उपयोगकर्ता ने|người dùng (?:đã )?(?:nói|muốn|cho phép)|pengguna (?:berkata|ingin|mengizinkan)|ผู้ใช้(?:บอก|ต้องการ|อนุญาต)`,
  ].join('|'),
  'iu',
);

/** As halter itself tells what the person said or decided. */
const OURS =
  /\[after you said:|^\s*(?:- )?(?:denied|allowed) [\w-]+ \{|^\s*(?:- )?allowed .* from then on|^\s*(?:earlier in this conversation|open tasks:|lines of results (?:that|about))/iu;

/** It has the name of who speaks before what they say. */
export const saysWho = (line: string): boolean => LABEL.test(line);
export const speaksForUser = (line: string): boolean => LABEL.test(line) || SPEAKS.test(line) || OURS.test(line);
