/** A wish that says by itself what it is about: "Tell me of rivers." It answers nothing that was said before. */

/** What something is wished with, in its plain form. */
const VERBS =
  'tell|show|explain|describe|propose|suggest|read|write|list|name|give|draw|find|search|look|compare|translate|summari[sz]e|compute|count|sort|plan|recommend|check|review|open|print|' +
  'sag|sage|zeig|zeige|erklär|erkläre|beschreib|beschreibe|nenn|nenne|lies|schreib|schreibe|gib|such|suche|zähl|zähle|erzähl|erzähle|vergleich|vergleiche|übersetz|übersetze|prüf|prüfe|rechne|schlag|' +
  'dis|montre|explique|décris|propose|lis|écris|donne|cherche|compare|traduis|raconte|résume|' +
  'dime|di|muestra|muéstrame|explica|describe|propón|lee|escribe|dame|busca|compara|traduce|cuéntame|resume|' +
  'dimmi|mostra|mostrami|spiega|spiegami|descrivi|proponi|leggi|scrivi|dammi|cerca|confronta|traduci|raccontami|' +
  'diga|mostre|explique|descreva|sugira|leia|escreva|procure|traduza|vertel|toon|leg|beschrijf|lees|schrijf|geef|zoek|' +
  'powiedz|pokaż|wyjaśnij|opisz|zaproponuj|przeczytaj|napisz|podaj|znajdź|berätta|visa|förklara|skriv|läs|fortæl|vis|forklar|' +
  'kerro|näytä|selitä|kirjoita|lue|anlat|göster|açıkla|yaz|oku|расскажи|покажи|объясни|опиши|предложи|прочитай|прочти|напиши|дай|найди|сравни|переведи|розкажи|поясни|اشرح|أخبرني|اكتب|اقرأ|أرني|बताओ|बताइए|समझाओ|लिखो';
/** They point at what was said before, or say little. */
const POINTING =
  'it|that|this|these|those|them|me|us|him|her|its|so|then|there|one|ones|both|all|none|first|last|second|third|again|now|please|more|also|to|of|for|a|an|the|at|on|in|with|about|' +
  'es|das|dies|diese[snr]?|sie|ihn|mir|uns|dann|so|beide|alle|noch|mal|bitte|jetzt|weiter|vor|von|zu|der|die|ein|eine|einen|' +
  'le|la|les|moi|nous|ça|cela|un|une|de|du|lo|los|las|el|me|eso|esto|por|favor|gli|lei|mi|ci|os|as|isso|het|dat|een|mij|to|mi|det|den|en|ett|se|bunu|onu|мне|нам|это|его|их|ещё|еще|потом|пожалуйста';

const BEGINS = new RegExp(
  `^(?:(?:please|bitte|s'il te plaît|por favor|per favore|proszę|пожалуйста|now|then|and|so|ok|okay|nun|und|dann)[\\s,]+)*(?:${VERBS})(?![\\p{L}\\p{N}])(.*)`,
  'isu',
);
const POINTS = new RegExp(`^(?:${POINTING})$`, 'iu');
/** In scripts without blanks, with something that it is about. */
const UNSPACED_WISH =
  /^(?:请|請|帮我|幫我|给我|給我)?(?:告诉我|告訴我|说说|說說|讲讲|講講|介绍|介紹|解释|解釋|写|寫|画|畫|列出|推荐|推薦|建议|翻译|翻譯|查找|读|讀).{2,}|.+(?:を|について|のことを).{0,6}(?:教えて|説明して|書いて|見せて|読んで|挙げて|提案して|調べて|話して|比べて|訳して)(?:ください|下さい|くれ|ほしい)?[。！!]?$|.{2,}(?:설명해|알려|보여|말해|써|읽어|추천해|찾아|비교해|번역해)\s?(?:줘|주세요|줄래)[요.!]*$/u;

export const isWish = (said: string): boolean => {
  if (UNSPACED_WISH.test(said)) return true;
  const rest = BEGINS.exec(said)?.[1] ?? '';
  const words = rest.split(/[^\p{L}\p{M}\p{N}_'’-]+/u).filter((word) => word !== '');
  return words.some((word) => !POINTS.test(word) && /\p{L}{2}/u.test(word));
};
