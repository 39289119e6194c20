/** What is wrong with a schema that an author gives: what would check nothing, or something else than is meant. */
import {
  type Issue,
  isValueOf,
  KEYWORDS,
  type Schema,
  schemaFaults,
  schemaIssues,
  schemasIn,
} from '../schema/index.ts';
import { editDistance } from './tool/nearest-names.ts';

/** Empty where every word of it is understood. Words that nothing is known of are notes, as the standard says. */
export const schemaProblems = (schema: Schema): Issue[] => [
  ...schemaIssues(schema),
  ...schemaFaults(schema),
  ...schemasIn(schema).flatMap(([path, part]) =>
    Object.keys(part).flatMap((word) => {
      const meant = misspelt(word, part);
      return meant === undefined
        ? []
        : [{ path: `${path}/${word}`, message: `is no word of JSON Schema. Did you mean ${meant}?` }];
    }),
  ),
];

/** Words of other makers that are near to one of the standard and mean something of their own. */
const OTHERS: ReadonlySet<string> = new Set(['example', 'enumNames', 'enumnames']);
/** Words of so few letters are near to too many: `note` is no misspelt `not`. */
const SHORTEST = 4;
/** From this length on, two letters may be wrong. */
const LONG = 8;

const misspelt = (word: string, part: Schema): string | undefined => {
  if (KEYWORDS.includes(word) || OTHERS.has(word) || word.length < SHORTEST) return undefined;
  return KEYWORDS.find(
    // Anything may be the value of `const`, so that says nothing of what was meant.
    (keyword) =>
      keyword !== 'const' &&
      keyword.length >= SHORTEST &&
      isNear(word, keyword) &&
      isValueOf(keyword, part[word] ?? null),
  );
};

const isNear = (word: string, keyword: string): boolean =>
  plain(word) === plain(keyword) || editDistance(word, keyword) <= (keyword.length >= LONG ? 2 : 1);

/** `any_of` and `anyof` are written for `anyOf`. */
const plain = (word: string): string => word.toLowerCase().replaceAll(/[_-]/g, '');
