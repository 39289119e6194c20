/** What cannot be taken back or leaves the machine, and what changes something: known by its verb, in the languages that people write to models most. */

import { withoutPlaces } from './claims.ts';

/** `change`: of the model's own work, where the person forbade something of it. */
type Act = 'delete' | 'overwrite' | 'commit' | 'publish' | 'send' | 'change';

const stems = (words: string, signs: string): RegExp => new RegExp(`(?<![\\p{L}\\p{N}])(?:${words})|${signs}`, 'iu');

const VERBS: Readonly<Record<Act, RegExp>> = {
  delete: stems(
    'delet|remov|eras(?:e|ing)|wip(?:e|ing)|purg|discard|truncat|uninstall|unlink|get(?:ting)? rid|throw(?:ing|s)? (?:\\p{L}+ )?away|clean(?:s|ed|ing)? up|rm(?:dir)?(?![\\p{L}\\p{N}])|drop(?:s|ped|ping)?(?= (?:the|all|it|table|database))|(?:\\p{L}*ge)?lösch|entfern|aufräum|aufgeräumt|wegwerf|weggeworfen|verwerf|supprim|effac|enlev|enlèv|jet(?:te|er)(?!\\p{L})|nettoy|borr[aeo]|elimin|quit[ae](?!\\p{L})|limpi|apag[au]|exclu[ai]|remo[vç]|cancell|rimuov|rimoz|usun|usuń|skasow|wykasuj|verwijder|wis(?:sen)?(?!\\p{L})|slett|ta bort|radera|fjern|удал|стер(?:еть|и)|сотри|убер|sil(?:in|me|er|di)?(?!\\p{L})|kaldır|hapus|xóa|احذف|حذف|امسح|हटा|मिटा|מחק|למחוק',
    '删|刪|移除|清除|去掉|削除|消し|消す|消去|삭제|지우|지워|제거|ลบ',
  ),
  overwrite: stems(
    'overw|rewr|re-?writ|replac|reset|revert|restor|roll(?:s|ed|ing)? back|start(?:ing)? over|überschr|(?:neu|um)\\s?(?:zu)?schreib|ersetz|zurück(?:zu)?setz|zurückgesetzt|réécri|remplac|écras|réinitialis|reescri|sobrescri|reempla|restablec|substitu|sovrascri|riscri|sostitu|ripristin|nadpis|przepis|zastąp|zastęp|overschr|herschr|vervang|skriv om|ersätt|erstatt|перезапи|переписа|перепиши|замен|сброс|استبدل|استبدال|बदल दो|החלף',
    '重写|重寫|覆盖|覆蓋|替换|替換|重置|上書き|書き換え|書き直|置き換え|덮어쓰|다시 쓰|교체|재설정|เขียนทับ|แทนที่',
  ),
  commit: stems(
    'commit|check(?:s|ed|ing)? in(?!\\p{L})|einchecken|eingecheckt|valider? les|закоммит|коммит',
    '提交|コミット|커밋|คอมมิต',
  ),
  publish: stems(
    'push|merg|releas|publish|deploy|ship(?:s|ped|ping)?(?!\\p{L})|roll(?:s|ed|ing)? out|veröffentlich|auslief|ausroll|ausgerollt|publi[ecq]|déploy|despleg|desplieg|implant|pubblic|opublik|wdroż|wdraż|publice|uitrol|запуш|опублик|выкат|разверн|انشر',
    '推送|发布|發佈|部署|プッシュ|公開|デプロイ|リリース|푸시|배포|게시|เผยแพร่',
  ),
  send: stems(
    'send|sent(?!\\p{L})|upload|submit|forward(?:s|ed|ing)? (?:it|the|them|this)|e-?mail(?:ed|ing)|(?:e-?mail|mail|call|phone|text|notify|contact|invite) (?:it to|them|him|her|back)|pay(?:s|ing)?(?!\\p{L})|buy|order(?:s|ing)? (?:the|a|an|more|new|two|three)|transfer|schick|verschick|\\p{L}*send(?:e|en|et|est)(?!\\p{L})|hochlad|hochgeladen|überweis|bezahl|kauf(?:e|en|t)?(?!\\p{L})|bestell|anruf|anzuruf|envo[iy]|pay(?:er|e)(?!\\p{L})|achet|téléphon|command(?:er|ez)(?!\\p{L})|envi[aeoé]|pag(?:a|ar|ue)(?!\\p{L})|compr(?:a|ar|e)(?!\\p{L})|invi(?:a|are|o)(?!\\p{L})|wysł|wysyła|wyślij|zapłać|kup(?:ić)?(?!\\p{L})|verstuur|versturen|stuur|betaal|skicka|отправ|пошли|послать|заплат|оплат|купи|позвон|أرسل|ادفع|भेज|שלח',
    '发送|發送|发给|寄给|付款|支付|购买|打电话|送信|送って|送る|支払|購入|電話し|보내|전송|결제|구매|전화하|ส่ง',
  ),
  change: stems(
    'chang|edit|modif|alter|touch|mess with|adjust|updat|renam|mov(?:e|ing)(?!\\p{L})|writ(?:e|ing|ten)|änder|geändert|veränder|bearbeit|anfass|angefasst|fass(?!\\p{L})|anrühr|rühr(?!\\p{L})|umbenenn|verschieb|schreib|touche|chang|modifi|édit|toc[aq]|toqu|cambi|modific|edit|mud(?:a|e|ar)(?!\\p{L})|mex|altera|tocc|zmieni|rusza|dotyka|edyt|wijzig|aanra|aanpas|ändra|rör|endre|измен|меня(?!\\p{L})|менять|трога|трожь|правь|прави|редактир|تغير|تعدل|تلمس|غيّر|عدّل|बदल|छू|לגעת|לשנות|תשנה|תיגע|değiş|dokun|sửa|ubah|sentuh',
    '触|碰|动它|改|修改|編集|变更|変更|触る|触ら|いじ|변경|수정|건드|만지|고치|แก้|แตะ',
  ),
};

/** Names of files and places are no verbs: `src/send.js`. */
export const actsIn = (text: string): ReadonlySet<Act> => {
  const words = withoutPlaces(text).replaceAll(CALLED, ' ');
  const acts = (Object.keys(VERBS) as Act[]).filter((act) => VERBS[act].test(words));
  return new Set(CALLS.test(words) ? [...acts, 'send'] : acts);
};
/** Somebody is spoken to: "call Ömer". */
const CALLS =
  /(?<!\p{L})(?:[Cc]all|[Pp]hone|[Tt]ext|[Nn]otify|[Ii]nform|[Ww]rite to|[Aa]sk|[Tt]ell|[Rr]emind) \p{Lu}\p{Ll}+/u;
const CALLED = /(?<![\p{L}_])[\p{L}_]+\(\)/gu;

/**
 * Without what a file or a function does, and what was done there, which orders nothing: "sync() sends one request",
 * "src/cart.js: the discount was removed". Who orders speaks to somebody.
 */
export const withoutTold = (text: string): string => {
  const [subject] = SUBJECT.exec(text) ?? [];
  return subject === undefined ? text : text.slice(subject.length).replaceAll(TOLD, ' ');
};
const SUBJECT = /^\s*[\p{L}\p{N}_./-]*(?:\p{L}\(\)|[\p{L}\p{N}]\.\p{Ll}[\p{L}\p{N}]*)(?=[\s:])/u;
const TOLD = /(?<!\p{L})(?:is|are|was|were)\s+\p{Ll}+|^\s+(?!is\s|was\s)\p{Ll}+s(?!\p{L})/gu;

/** Says that it may be done: by a word for that and such a verb. */
export const mayBeDone = (text: string): boolean => MAY.test(text.replaceAll(MONTH, ' ')) && actsIn(text).size > 0;
const MONTH = /(?<=\S )May(?!\p{L})/gu;
const MAY = stems(
  'may|can|could|ok(?:ay)? to|safe to|free to|fine to|no longer (?:frozen|protected|off)|ruhig|kann|können|könn|peut|peux|puede|pode|può|można|mag(?!\\p{L})|kan(?!\\p{L})|можно',
  '可以|てもいい|てもよい|해도 (?:된|괜찮)|ได้',
);
