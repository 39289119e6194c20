/**
 * Some models say what they are about to do and stop there. Such an answer is recognised by its last sentence, and the
 * model is reminded once. Nothing is guessed for it: what it does after the reminder counts. An answer that asks the
 * person anything, wherever it does, is the person's to answer: a reminder would say yes in their place.
 */
import { asksPerson } from './asks-person.ts';

/** The reminder. It goes out with one request and is not kept. */
export const NUDGE =
  'You said what you would do next but called no tool. If a step is left, call the tool for it now. If nothing is left, give the final answer.';

/** Longer answers are answers, whatever their last sentence promises. */
const ANSWER_CHARACTERS = 1_500;
const SENTENCE_CHARACTERS = 300;

/** What a tool can do. "I'll be happy to", "let me know" and "I'll explain" announce no call. */
const ACTIONS = new Set(
  'add append apply calculate call change check count create delete edit examine execute explore fetch find fix get grep inspect insert install investigate invoke list load look make modify move open perform query read remove rename replace retrieve review run scan search see start take test try update use verify view write'.split(
    ' ',
  ),
);
const ROMANCE = new Set(
  'lire vérifier chercher rechercher ouvrir exécuter lancer regarder examiner lister écrire modifier utiliser leer verificar comprobar buscar abrir ejecutar mirar listar escribir usar ler executar procurar escrever examinar revisar'.split(
    ' ',
  ),
);

/** How an announcement begins, and which word behind it makes it one. */
const BEGINNINGS: readonly { pattern: RegExp; verbs?: ReadonlySet<string> }[] = [
  {
    pattern:
      /(?:^|[\s,;:])(?:i(?:'|’)ll|i will|i(?:'|’)m going to|i am going to|i need to|i should|let me|let(?:'|’)s)\s+(?:now\s+|first\s+|next\s+|then\s+|just\s+|quickly\s+|also\s+|start by\s+|begin by\s+|go ahead and\s+|try to\s+|need to\s+|have to\s+)*([a-z]+)/i,
    verbs: ACTIONS,
  },
  {
    pattern:
      /(?:^|[\s,;:])(?:ich werde|ich muss|lass mich)\s.{0,120}?\b(lesen|prüfen|suchen|öffnen|ausführen|anschauen|ansehen|schreiben|ändern|auflisten)\b/i,
  },
  {
    pattern:
      /(?:^|[\s,;:])(?:je vais|laissez-moi|voy a|déjame|vou)\s+(?:maintenant\s+|d'abord\s+|ahora\s+|primero\s+|agora\s+)?(\p{L}+)/iu,
    verbs: ROMANCE,
  },
];

const lastSentence = (text: string): string => {
  const trimmed = text.trimEnd();
  const body = trimmed.slice(-SENTENCE_CHARACTERS);
  // The mark at the very end belongs to the sentence; the one before it ends the sentence before.
  const start = [...body.slice(0, -1).matchAll(/[.!?。]\s|\n/g)].at(-1);
  return (start ? body.slice(start.index + 1) : body).trim();
};

/** Whether an answer without a call ends in the promise of one. */
export const announcesCall = (text: string): boolean => {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed.length > ANSWER_CHARACTERS) return false;
  const sentence = lastSentence(trimmed).replace(/[`*_]+/g, '');
  const announces = BEGINNINGS.some(({ pattern, verbs }) => {
    const verb = pattern.exec(sentence)?.[1]?.toLowerCase();
    return verb !== undefined && (verbs === undefined || verbs.has(verb));
  });
  // Last, since its expression is large: the first use of it in a process takes longer than all of the rest.
  return announces && !asksPerson(trimmed);
};
