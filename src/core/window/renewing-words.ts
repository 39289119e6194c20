/** What people say where something is no more as it was: "now", "instead", "only", "has no time". */
import { alone } from './alone.ts';
import { choosesAnew } from './correcting-words.ts';

/** How it is from then on, or in place of what. */
const NOW = new RegExp(
  `${[
    'now|nowadays|from \\S+ on|as of|instead|in (?:its|their|his|her) place|no longer|any ?more|only|just|change of plans?|changed|moved|renamed|replaced|switched|postponed|cancel+ed|called off|against|new|no more|forget|drop the|no \\p{L}+ at all',
    'jetzt|nun|künftig|neuerdings|neu|neue[rsn]?|vergiss|vergesst|streich\\p{L}*|erst|nur|bloß|bloss|nur noch|statt|anstatt|anstelle|nicht mehr|kein\\p{L}* \\p{L}+ mehr|sondern|verschoben|geändert|umbenannt|abgesagt|umgezogen|ab sofort|ab (?:heute|morgen|\\p{Lu}\\p{L}+)|planänderung',
    "maintenant|désormais|dorénavant|à la place|au lieu|finalement|seulement|plus que|ne \\p{L}+ (?:plus|que)|n[’']\\p{L}+ (?:plus|que)|à partir d\\S+|dès|plus tard|on change|changement|déplacée?|remplacée?|annulée?|nouve(?:au|lle)",
    'ahora|ya no|ya|en vez de|en lugar de|s[oó]lo|solamente|desde (?:hoy|mañana|el|ahora)|a partir de|al final|cambio de planes?|cambi\\p{L}+|nuev[oa]|aplazad[oa]|cancelad[oa]|olvid[ae]',
    "ora|adesso|invece|non \\p{L}+ più|non più|sol[oa]|soltanto|al posto|d[’']ora in poi|da (?:oggi|domani|ora)|cambio di programma|cambiat[oa]|spostat[oa]|nuov[oa]|annullat[oa]",
    'agora|já não|não \\p{L}+ mais|em vez de|apenas|só|a partir de|mudança de planos|mudou|novo|nova|adiad[oa]|esque[cç]\\p{L}*',
    'nu|voortaan|niet meer|geen \\p{L}+ meer|alleen|slechts|in plaats van|nieuwe?|verplaatst|verschoven|vergeet',
    'teraz|już|już nie|zamiast|tylko|odtąd|od teraz|zmiana planów|now[yae]|przeniesion\\p{L}+|zapomn\\p{L}+',
    'теперь|сейчас|больше не|уже|уже не|вместо|только|лишь|отныне|нов\\p{L}{2}|перенес\\p{L}+|измен\\p{L}+|забудь\\p{L}*',
    'тепер|зараз|замість|лише|nå|istället|i stedet|inte längre|ikke længere|ikke lenger|bara|bare|kun|nytt?|artık|şimdi|yerine|sadece|yalnızca|nyt|enää|sijaan|vain|ahora mismo',
  ]
    .map(alone)
    .join(
      '|',
    )}|今は|今から|今後|これから|もう|ではなく|じゃなく|代わりに|だけ|しか|なりました|になった|に変更|変わり|现在|現在|从现在|改成|改为|改為|不再|换成|換成|而不是|忘れて|取り消|忘了|취소|只有|只能|只给|이제|지금은|대신|더 이상|바뀌|바꿨|변경|الآن|بدلا|لم يعد|فقط|अब|की जगह|केवल|सिर्फ`,
  'iu',
);

/** Who or what falls away, so that something else takes its place. */
const FALLS_AWAY = new RegExp(
  `${[
    "cannot|can['’]t|can not|could not|won['’]t|has no time|have no time|(?:has|have|is) (?:left|gone|ill|sick|full|broken|closed|retired|away|dead)|hurt|broke|quits?|sold out|does(?: not|n['’]t) want|do(?: not|n['’]t) want|fell through",
    'keine Zeit|(?:ist|sind) (?:krank|voll|kaputt|geschlossen|weg|ausgebucht)|kann nicht|können nicht|fällt aus|hat aufgehört|ausgefallen',
    'pas le temps|est (?:malade|complet|complète|fermée?|partie?|cassée?)|ne peut pas|ne vient pas|ne veut pas',
    'no tiene tiempo|está (?:enferm[oa]|llen[oa]|cerrad[oa]|rot[oa])|no puede|no viene|se fue',
    'non ha tempo|è (?:malat[oa]|pien[oa]|chius[oa]|rott[oa])|non può|non viene',
    'não tem tempo|está (?:doente|chei[oa]|fechad[oa])|não pode|heeft geen tijd|is (?:ziek|vol)|kan niet|nie ma czasu|nie może|jest chor[ya]',
    'нет времени|не может|не сможет|заболел\\p{L}*|уехал\\p{L}*|ушёл|ушла|закрыт\\p{L}*',
  ]
    .map(alone)
    .join('|')}|時間がな|来られな|できなくな|病気|満室|没时间|来不了|生病|客满|시간이 없|못 와|아파`,
  'iu',
);

/** Somebody or something is no more there. */
export const fallsAway = (said: string): boolean => FALLS_AWAY.test(said);

export const saysAnew = (said: string): boolean => NOW.test(said) || FALLS_AWAY.test(said) || choosesAnew(said);
