/** Text as the words that count: split at case changes and marks, lower case, endings off, grammar words out. */

import { plainWords, stem } from '../../core/words.ts';

export { plainWords, stem };

/** Words of English grammar alone: they join other words and name nothing that a tool could be about. */
const GRAMMAR_WORDS: ReadonlySet<string> = new Set(
  `a an the this that these those it its i me my mine we us our you your he him his she her they them their
  who whom whose which what when where why how
  am is are was were be been being do does did doing done has have had having
  will would shall should can could may might must
  and or but nor so yet if then than as because while until unless though although
  of in on at by to from for with without into onto about over under between among through during before after
  not no yes there here all any both each few more most other some such only own same too very just also again
  please let get tell give know want need help like contents s t d ll re ve m`
    .split(/\s+/)
    .filter((word) => word.length > 0),
);

/** Words that mean the same to somebody at a computer; the first of a line stands for all of it. */
const SAME_MEANING = `
  directory folder dir
  file document
  list enumerate
  read open
  search find look grep locate
  write save
  create make
  delete remove erase
  edit change modify
  task todo item chore
  time clock hour
  date day today
  current now present working
  workspace project
  text content word string phrase
  command shell terminal bash
  run execute
  path location
`;

export const isGrammarWord = (word: string): boolean => GRAMMAR_WORDS.has(word.toLowerCase());

export const contentWords = (text: string): string[] =>
  plainWords(text)
    .filter((word) => !GRAMMAR_WORDS.has(word))
    .map(stem);

/** Words that may mean either of two: who says "show" wants to see a list or a text. */
const EITHER_MEANING: readonly (readonly [words: string, meanings: string])[] = [
  ['show display print view see', 'list read'],
];

const CANONICAL: ReadonlyMap<string, string> = new Map(
  SAME_MEANING.trim()
    .split('\n')
    .flatMap((line) => {
      const [head = '', ...others] = line.trim().split(/\s+/).map(stem);
      return others.map((word): [string, string] => [word, head]);
    }),
);

const EITHER: ReadonlyMap<string, readonly string[]> = new Map(
  EITHER_MEANING.flatMap(([words, meanings]) =>
    words.split(' ').map((word): [string, string[]] => [stem(word), meanings.split(' ').map(stem)]),
  ),
);

/** What is done with anything at all: alone, such a word does not say that a tool is meant. */
export const COMMON_VERBS: ReadonlySet<string> = new Set(
  'list read search write create delete edit run start stop show add update insert replace'.split(' ').map(stem),
);

/** Content words by their meaning: "folder" and "directories" are one. */
export const meaningWords = (text: string): string[] =>
  contentWords(text).flatMap((word) => EITHER.get(word) ?? [CANONICAL.get(word) ?? word]);
