/** Whether a clause denies or forbids what it speaks of. */
import { alone } from './alone.ts';

/** Two of a kind are one in many languages; "never without" and "do not forget" are none. */
export const isNegative = (part: string): boolean => part.search(NEGATION) >= 0 !== part.search(WITHOUT) >= 0;
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
