/**
 * A permission is the person's to give: a note that tells of one stands only where their own words give it, and one that
 * tells of a ban only where their words forbid the same.
 */
import { claimsPermission, isNegative } from '../contradicted.ts';
import type { Exchange } from '../exchanges.ts';
import { saysYes } from '../short-answers.ts';
import { type Act, actsIn, mayBeDone } from './acts.ts';
import { normalized, placesIn } from './claims.ts';
import { namesOfPerson } from './goes-on.ts';
import { clausesOf, type Passage, passagesIn, wordsOf } from './passages.ts';
import { isReserved } from './person-said.ts';
import { isSameWord } from './same-words.ts';

type Sources = {
  exchanges: readonly Exchange[];
  /** What the model told and what calls returned. */
  told: () => readonly string[];
};

export const createPermitted = ({ exchanges, told }: Sources): ((note: string) => boolean) => {
  let found: Given | undefined;
  const givenOf = (): Given => {
    found ??= givenIn(exchanges);
    return found;
  };
  return (note) => {
    const isBan = clausesOf(note).some(({ text, isDenied }) => isDenied && (actsIn(text).size > 0 || LOOKS.test(text)));
    if (isBan && !isForbidden(note, givenOf())) return false;
    return permissionsIn(note).every((text) => isGiven({ text, note }, givenOf(), told));
  };
};

/** The clauses of a note that say that something may be done, or that the model does what the person has to ask it for. */
const permissionsIn = (note: string): string[] => {
  if (WITHOUT_ASKING.test(note)) return FORBIDDEN.test(note.replace(WITHOUT_ASKING, ' ')) ? [] : [note];
  return clausesOf(note).flatMap(({ text, isDenied }) => (!isDenied && permits(text) ? [text] : []));
};
const permits = (text: string): boolean =>
  MAY.test(text) ||
  claimsPermission(text) ||
  mayBeDone(text) ||
  FREELY.test(text) ||
  (!/[?？]$/u.test(text) &&
    (BY_MODEL.test(text) || (BY_SPEAKER.test(text) && (actsIn(text).size > 0 || LOOKS.test(text)))));

/** With a capital it is a month or a name. */
const MAY = /(?<!\p{L})may(?!\p{L})/u;

type Given = { passages: readonly Passage[]; exchanges: readonly Exchange[]; names: readonly string[] };
const givenIn = (exchanges: readonly Exchange[]): Given => ({
  passages: passagesIn(exchanges),
  exchanges,
  names: namesOfPerson(exchanges.map(({ said }) => said)).map(normalized),
});

const isGiven = (
  { text, note }: { text: string; note: string },
  { passages, exchanges, names }: Given,
  told: () => readonly string[],
): boolean => {
  const places = placesIn(note);
  const acts = [...deedsIn(text)];
  const topic = topicOf(text, names).filter((word) => deedsIn(word).size === 0);
  if (topic.length + places.length + acts.length === 0) return false;
  const needed = Math.ceil(topic.length * TOPIC_SHARE);
  const isOf = isOfPeople(text, names);
  let isAllowed = false;
  for (const passage of passages) {
    const shared = topic.filter((word) => passage.words.some((one) => isSameWord(one, word))).length;
    const isNamed = places.some((place) => normalized(exchanges[passage.at]?.said ?? '').includes(place));
    if (shared === 0 && !isNamed && topic.length + places.length > 0) continue;
    const own = deedsIn(passage.text);
    const isSameAct =
      acts.length === 0 || acts.some((act) => own.has(act) || (own.has('change') && act !== 'send' && act !== 'look'));
    if (passage.isDenied || isReserved(passage.text) || FORBIDDEN.test(passage.text)) {
      if (acts.length > 0 ? isSameAct : shared >= needed) isAllowed = false;
    } else if (isSameAct && shared >= (isOf ? needed : topic.length) && gives(passage, exchanges[passage.at]))
      isAllowed = true;
  }
  if (isAllowed || isOf) return isAllowed;
  // What may be done in a place, and is no word of the person to the model.
  return told().some(
    (line) => PERMITS.test(line) && topic.every((word) => line.includes(word.slice(0, STEM_CHARACTERS))),
  );
};
const STEM_CHARACTERS = 5;
const TOPIC_SHARE = 0.66;
type Deed = Act | 'look';
const deedsIn = (text: string): ReadonlySet<Deed> =>
  LOOKS.test(text) ? new Set<Deed>([...actsIn(text), 'look']) : actsIn(text);

/** A request, words that allow it, or a yes to a question of the model. */
const gives = ({ text, isRequest, isReply }: Passage, exchange: Exchange | undefined): boolean => {
  if (isReply) return saysYes(exchange?.said ?? '') || PERMITS.test(exchange?.said ?? '');
  return isRequest || PERMITS.test(text) || FREELY.test(text);
};

/** A ban of reading is none of changing, and a ban of deleting none of adding. */
const isForbidden = (note: string, { passages, names, exchanges }: Given): boolean => {
  const topic = topicOf(note, names);
  const places = placesIn(note);
  const isLook = LOOKS.test(note);
  const acts = [...actsIn(note)];
  const about = passages.filter(({ words, at }) =>
    places.length > 0
      ? places.some((place) => normalized(exchanges[at]?.said ?? '').includes(place))
      : topic.some((word) => words.some((one) => isSameWord(one, word))),
  );
  if (about.length === 0) return true;
  const bans = about.filter(({ text, isDenied }) => isDenied || isNegative(text) || ONLY.test(text));
  if (isLook && acts.length === 0) return bans.some(({ text }) => LOOKS.test(text) && !ONLY.test(text));
  const forbidden = new Set<Act>(bans.flatMap(({ text }) => [...actsIn(text)]));
  if (forbidden.size === 0 || forbidden.has('change')) return true;
  return acts.length === 0 || acts.some((act) => forbidden.has(act));
};

/** What it speaks of, without who gives or takes a permission and the words for that. */
const topicOf = (note: string, names: readonly string[]): string[] =>
  wordsOf(note).filter((word) => !names.includes(word) && !VOCABULARY.test(word));
const isOfPeople = (note: string, names: readonly string[]): boolean =>
  PEOPLE.test(note) || names.some((name) => normalized(note).includes(name));

const alone = (words: string): string => `(?<![\\p{L}\\p{N}])(?:${words})(?![\\p{L}\\p{N}])`;
const WITHOUT_ASKING = new RegExp(
  `${alone(
    'without (?:asking|permission|confirmation|approval|a question|being asked)(?: \\p{L}+)?|ohne (?:\\p{L}+ )?(?:zu fragen|rückfrage|nachfrage|rücksprache)|sans (?:\\p{L}+ )?(?:demander|autorisation|confirmation)|sin (?:preguntar|permiso|consultar)\\p{L}*|sem (?:perguntar|permissão|consultar)\\p{L}*|senza (?:chiedere|permesso|conferma)|без (?:спроса|вопросов|разрешения|согласования)|bez (?:pytania|zgody)|zonder (?:te )?vragen',
  )}|不用问|无需(?:询问|确认)|聞かずに|確認なしに|묻지 않고`,
  'iu',
);
/** Leave in other words than "may" and "allowed". */
const FREELY = new RegExp(
  [
    WITHOUT_ASKING.source,
    alone(
      '(?:lets?|letting) (?:me|us|the (?:assistant|model))|free (?:hand|rein)|(?:gave|gives?|given|has|have|had|got|with) (?:\\p{L}+ )?(?:leave|consent|permission|clearance|access|authority)|free to|trusts? (?:me|the (?:assistant|model))|said yes|(?:is|are|was) (?:\\p{L}+ )?(?:fine|ok|okay|all right|alright|happy)(?: with| to| if| for)?|agree[sd]? (?:to|that)|consent(?:s|ed)?|up to (?:me|the (?:assistant|model))|(?:leaves|left) .{1,40} to (?:me|the (?:assistant|model))|(?:has|have) no objections?|green light',
    ),
    alone(
      'freie hand|lässt (?:mich|uns|den assistenten)|vertraut (?:mir|uns|dem assistenten)|in ordnung|einverstanden|zugestimmt|stimmte? zu|gestatte\\p{L}*|überl(?:ässt|ieß) (?:mir|uns|dem assistenten)|grünes licht|zustimmung|vollmacht',
    ),
    alone(
      "carte blanche|me laisse|laisse l['’]assistant|feu vert|(?:est |a donné son )?(?:d['’])?accord|fait confiance|libre de|permet(?:s|tent)?",
    ),
    alone('carta blanca|me dej[ae]|dejó|luz verde|de acuerdo|confía|libre de|permiten?|permitió|puedo|podemos'),
    alone('carta branca|deixa|deixou|luz verde|concorda|concordou|permite[m]?|permitiu|podem|posso'),
    alone("via libera|mi lascia|mi permette|permette|permesso|può|possono|posso|d[’']accordo"),
    alone(
      'согласен|согласна|согласил\\p{L}*|доверяет|дал\\p{L}* добро|можно|zgodził\\p{L}*|zgadza|wolno|mag|mogen|toestemming',
    ),
    '授权|同意|可以|任せ|構わない|てもよい|てもいい|承諾|同意|해도 (?:된|괜찮)|동의',
  ].join('|'),
  'iu',
);
/** The model as the one who does it. */
const BY_MODEL = new RegExp(
  [
    alone(
      'by (?:the (?:assistant|model|ai)|me)|the (?:assistant|model|ai) (?:\\p{L}+ )?(?!must|should|shall|has|is|was|did|does|never|not)\\p{L}+s',
    ),
    alone(
      "(?:vom|von dem|durch den) assistenten|der assistent \\p{L}+t|par l['’]assistant|l['’]assistant (?:\\p{L}+e|va)",
    ),
    alone(
      "por el asistente|el asistente \\p{L}+|pelo assistente|o assistente \\p{L}+|dall['’]assistente|l['’]assistente \\p{L}+|ассистент \\p{L}+",
    ),
  ].join('|'),
  'iu',
);
/** The model, or the person whose words it repeats: "we will marry in Rome". */
const BY_SPEAKER = new RegExp(alone("(?:I|we) (?:may|can|will|am allowed|shall)|I['’]ll"), 'iu');
/** What the person says to let something be done. */
const PERMITS = new RegExp(
  [
    alone(
      'may|can|allow(?:s|ed)?|permit(?:s|ted)?|allowed|free|fine|ok|okay|go ahead|feel free|agreed?|yes|approved?|permission|i trust|up to you',
    ),
    alone(
      'darf(?:st)?|dürfen|dürft|kannst|könnt|erlaub\\p{L}*|gestatte\\p{L}*|ruhig|in ordnung|einverstanden|gern\\p{L}*|meinetwegen',
    ),
    alone(
      "peux|peut|pouvez|autoris\\p{L}*|permis\\p{L}*|permet\\p{L}*|d['’]accord|libre|puedes?|pueden|permit\\p{L}*|permis\\p{L}*|vale|libre",
    ),
    alone(
      'podes?|podem|pode|permit\\p{L}*|puoi|può|possono|permess\\p{L}*|можешь|можно|можете|разреш\\p{L}*|możesz|można|wolno|mag|mogen|kunt',
    ),
    '可以|允许|随便|てもいい|てよい|構いません|いいよ|해도|괜찮|허락',
  ].join('|'),
  'iu',
);
const FORBIDDEN = new RegExp(
  `${alone('forbidden|not|never|no|nicht|nie|niemals|kein\\p{L}*|verboten|pas|jamais|interdit\\p{L}*|no|nunca|prohibid\\p{L}*|não|proibid\\p{L}*|non|mai|vietat\\p{L}*|не|нельзя|nie|niet|nooit')}|不|禁止|勿|ない`,
  'iu',
);
const LOOKS = new RegExp(
  `${alone(
    'read(?:ing|s)?|look(?:ed|s|ing)? at|open(?:ed|s|ing)?|view(?:ed|ing)?|seen|inspect\\p{L}*|ge?lesen|lesen|ansehen|angesehen|geöffnet|öffnen|lire|lus?|lue|lues|ouvrir|ouverts?|leer|leíd[oa]s?|abrir|abiert[oa]s?|ler|lid[oa]s?|abert[oa]s?|leggere|lett[oaie]|aprire|читать|открывать|czytać|otwierać|lezen|openen',
  )}|读|讀|打开|読|開い|開け|읽|열`,
  'iu',
);
const ONLY = new RegExp(alone('only|nur|seulement|sólo|solo|só|apenas|soltanto|только|tylko|alleen'), 'iu');
const PEOPLE = new RegExp(
  `${alone(
    "i|me|we|us|the (?:assistant|model|ai|user|owner|boss|client|customer|organi[sz]er)|assistant|ich|mir|mich|wir|uns|der (?:assistent|nutzer|benutzer|chef)|assistenten|je|moi|nous|l[’']assistant|l[’']utilisateur|le patron|yo|mí|nos|el (?:asistente|usuario|dueño|jefe)|o (?:assistente|usuário|dono|chefe)|eu|io|mi|l[’']assistente|l[’']utente|я|мне|мы|нам|ассистент\\p{L}*|пользовател\\p{L}*",
  )}|(?<!\\p{L})m['’]|我|助手|用户|私|ユーザー|アシスタント|사용자`,
  'iu',
);
const VOCABULARY =
  /^(?:allow|permit|permission|approv|authori|grant|assistant|model|owner|boss|trust|consent|agree|leave|without|asking|fine|okay|free|hand|lets|letting|said|gave|give|given|erlaub|genehm|darf|dürf|autoris|permis|permet|approuv|aprob|assistent|asistente|chef|patron|dueño|dono|vertrau|gestatt|ohne|fragen|sans|demander|sin|preguntar|sem|perguntar|senza|chiedere|puede|pode|peut|peux|kann|könn|laisse|deja|deixa|разреш|позвол|можно|ассистент|forbid|forbidden|must|never|verboten|interdit|prohib|may)\p{L}*$/u;
