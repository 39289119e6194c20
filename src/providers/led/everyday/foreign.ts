/** Requests in other languages: the words by which they are understood are English, so that is said in place of a guess. */

import { isQuestionWord, type Language } from '../folder/asked.ts';
import { lookUpPlan } from '../folder/look-up.ts';
import { largerModelCommand } from '../larger-model.ts';
import { withoutValues } from '../request-facts/values.ts';
import { isGrammarWord } from '../words.ts';
import { fileIn } from './kinds.ts';
import type { Plan } from './plan.ts';

const wordsOf = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Frequent words of German, French, Spanish, Italian, Portuguese and Dutch that are no English words. */
const FOREIGN = wordsOf(`
  wie viele welche welcher welches zeig zeige liste gibt ist das der dem ein eine einen und oder nicht ich sie wir
  mir mich bitte danke hallo kannst können könntest datei dateien ordner verzeichnis zeilen projekt öffne lies lösche
  führe erstelle wer warum wieviel wieviele sind hier auf für von über heißt steht inhalt aus
  combien quels quelles quel quelle montre fichiers fichier dossier dossiers sont le la les des dans une avec
  merci bonjour lis ouvre supprime où qui pourquoi lignes projet cette peux vous moi ici
  cuántos cuantos cuántas cuantas cuáles cuales cuál cual qué que hay archivos archivo carpeta carpetas muestra muéstrame
  el una gracias hola abre borra dónde donde quién quien líneas proyecto este esta aquí
  quanti quante quali quale mostra mostrami cartella cartelle sono nel nella grazie ciao leggi apri chi righe progetto
  quantos quantas quais qual arquivos arquivo pasta pastas mostre estão obrigado olá leia abra onde quem linhas projeto
  wann wo wieso wieviel was mein meine unser unsere ihr hat haben wird wurde mit zum zur im
  cuándo cuando cuánto cuanto cuánta cuántos cuantos dónde cómo mi nuestro está están fue
  quand comment mon nos notre dove quando come mio mia nostro wie wanneer mijn onze
  hoeveel welke bestanden bestand mappen zijn het een niet ik bedankt waar regels`);
/** Words of one of these languages and of English, or of a shell: they count for neither. */
const EITHER = wordsOf(
  'die was in an am so den hat man bin also mit du est pour con del los las on a no me son par para de file test tests',
);
/** Beside so many letters of other scripts, English words are names. */
const OTHER_SCRIPT =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Devanagari}\p{Script=Thai}]/gu;

const isOtherScript = (request: string): boolean => {
  const letters = request.match(/\p{L}/gu)?.length ?? 0;
  return (request.match(OTHER_SCRIPT)?.length ?? 0) * 2 > letters;
};

const isForeign = (request: string): boolean => {
  const plain = withoutValues(request).toLowerCase();
  if (isOtherScript(plain)) return true;
  const words = (plain.match(/\p{L}+/gu) ?? []).filter((word) => !EITHER.has(word));
  const foreign = words.filter((word) => FOREIGN.has(word)).length;
  const english = words.filter((word) => isGrammarWord(word) && !FOREIGN.has(word)).length;
  return foreign > english && foreign * 3 >= words.length;
};

const sayIt = (): Plan => ({
  kind: 'about',
  text: (called) =>
    `${called} can be asked in English only; a larger model understands other languages too: \`${largerModelCommand()}\`.`,
});

const LANGUAGE: Language = { isGrammar: (word) => FOREIGN.has(word) || EITHER.has(word), isEnglish: false };

/** Nothing is asked of the files. */
const GREETING =
  /^(?:hallo|guten (?:tag|morgen|abend)|servus|moin|grüß|wie geht|bonjour|bonsoir|salut|ça va|comment (?:ça|vas|allez)|hola|buen[oa]s|qué tal|cómo estás|ciao|buongiorno|buonasera|come (?:stai|va)|olá|bom dia|boa tarde|tudo bem|hoi|goede|hoe gaat)(?!\p{L})/iu;

/** Names and things are called the same in the files, so a question may still be looked up, where it has words. */
const canBeLookedUp = (request: string): boolean =>
  fileIn(request) === undefined &&
  !GREETING.test(request.trim()) &&
  !isOtherScript(request) &&
  (request.includes('?') || isQuestionWord(/\p{L}+/u.exec(request)?.[0] ?? ''));

export const foreignPlan = (request: string): Plan | undefined => {
  if (!isForeign(request)) return undefined;
  return canBeLookedUp(request) ? lookUpPlan(request, LANGUAGE, sayIt) : sayIt();
};
