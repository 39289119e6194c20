/** A choice from a list that is made anew behind other things: "make it 2 after all", "about the food: I take that back, b". */
import { choosesAnew, withoutCorrecting } from './correcting-words.ts';
import { isQuestion, valueKeys } from './distinctive.ts';
import { itemOf } from './item-named.ts';
import type { List } from './list-items.ts';

/** A list from which was chosen, with the question of the person that it answered. */
export type Chosen = { list: List; asked: string; answer: string };
export type Again = { item: string; list: List };

/**
 * It has to say that it chooses anew, and hardly anything else beside the mark: "make it at most 3 retries" is of something
 * else. From the list that it names, else from the last one with such an item, unless that may answer what is asked now.
 */
export const againLater = (said: string, earlier: readonly Chosen[], asks: boolean): Again | undefined => {
  if (isQuestion(said) || !choosesAnew(said)) return undefined;
  const rest = withoutCorrecting(said);
  if (OF_AMOUNT.test(rest)) return undefined;
  const clauses = rest.split(CLAUSE_ENDS).map((clause) => clause.match(WORDS) ?? []);
  const fitting = earlier.toReversed().flatMap(({ list, asked }) => {
    const item = itemOf(rest, list, { isAgain: true });
    const about = new Set(valueKeys(`${list.lead} ${asked}`).filter(({ length }) => length >= WORD_CHARACTERS));
    const names = (word: string): boolean => about.has(word.toLowerCase());
    const isMark = (word: string): boolean => itemOf(word, list) === item;
    const isNamed = clauses.flat().some(names);
    const isChoice = clauses.every(
      (words) =>
        words.every((word) => isMark(word) || names(word) || BESIDE_CHOICE.has(word.toLowerCase())) ||
        // Who names the list may say why.
        (isNamed && !words.some((word) => isMark(word) || names(word))),
    );
    return item === undefined || !isChoice ? [] : [{ item, list, isNamed }];
  });
  return fitting.find(({ isNamed }) => isNamed) ?? (asks ? undefined : fitting[0]);
};
const WORDS = /[\p{L}\p{M}\p{N}]+/gu;
const CLAUSE_ENDS = /[,.;:!…](?=\s|$)|\s[–—-]\s|[，、。；：！]/u;
/** Shorter words are in every sentence. */
const WORD_CHARACTERS = 4;
/** A number with a sign is an amount: "2%", "$2", "-2", "2.5", "2 s", "about 2". */
const OF_AMOUNT =
  /\p{N}\s?(?:[%‰°′″]|\p{Sc}|[slmh](?!\p{L}))|(?<!\p{L})(?:about|über|sobre) \p{N}|(?:\p{Sc}|[+−<>≤≥~-])\p{N}|\p{N}[.,:/]\p{N}/iu;

/** What people say around the mark of what they choose, and that speaks of nothing else. */
const BESIDE_CHOICE: ReadonlySet<string> = new Set(
  (
    'a an and then now so but oh hmm well ok okay yes please thanks thank you to the with for about on of us i we it that this is my let s go take choose pick want prefer have do number no nr option item choice variant version one better fine ' +
    'und dann nun aber ach bitte danke ja ich wir nehme nehmen nimm wähle will möchte der die das den dem zu zur zum für über nummer punkt variante wahl es ist mach machen besser ' +
    'et alors bon merci je nous on prends prenons le la les l un une pour sur numéro choix s il te vous plaît svp ' +
    'y pues bueno gracias yo el los por favor tomo elijo quiero número opción para sobre ' +
    'e allora grazie io il lo prendo scelgo voglio per favore numero opzione di ' +
    'então obrigado obrigada eu o escolho quero opção ' +
    'en dan graag bedankt ik wij neem kies de het voor optie nummer ' +
    'i to wtedy proszę dziękuję ja biorę wybieram numer opcja opcję ' +
    'и тогда пожалуйста спасибо я мы давай давайте беру возьму выбираю номер вариант'
  ).split(' '),
);
