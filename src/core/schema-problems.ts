/** What is wrong with a schema that an author gives: what would check nothing, or something else than is meant. */
import {
  type Issue,
  isSchema,
  isValueOf,
  KEYWORDS,
  OLD_WORDS,
  type Schema,
  type SchemaValue,
  schemaFaults,
  schemaIssues,
  schemasIn,
  TYPE_NAMES,
} from '../schema/index.ts';
import { choiceless, schemaContradictions } from './schema-contradictions.ts';
import { didYouMean, editDistance } from './tool/nearest-names.ts';

/** Empty where every word of it is understood. Words that nothing is known of are notes, as the standard says. */
export const schemaProblems = (schema: Schema): Issue[] => [
  ...schemaIssues(schema).map((issue) => withType(schema, issue)),
  ...schemaFaults(schema),
  ...schemasIn(schema).flatMap(([path, part]) =>
    unknownWords(part).flatMap((word) => {
      const meant = misspelt(word, part);
      return meant === undefined
        ? []
        : [{ path: `${path}/${word}`, message: `is no word of JSON Schema. Did you mean ${meant}?` }];
    }),
  ),
];

/** The first thing that is wrong with the schema of an answer, as a sentence that begins with its place. */
export const answerSchemaProblem = (schema: unknown): string | undefined => {
  if (!isSchema(schema as SchemaValue)) return 'it must be an object.';
  return firstOf([...schemaProblems(schema as Schema), ...senseless(schema as Schema)]);
};

/** The same of a schema that an author wrote for halter, whose words must not contradict each other either. */
export const ownSchemaProblem = (schema: unknown): string | undefined =>
  answerSchemaProblem(schema) ??
  firstOf([...schemaContradictions(schema as Schema), ...wordlessNotes(schema as Schema)]);

/** A title or a description that is no text: the model would be shown it all the same. Null says that there is none. */
export const wordlessNotes = (schema: Schema): Issue[] =>
  schemasIn(schema).flatMap(([path, part]) =>
    ['title', 'description']
      .filter((word) => typeof (part[word] ?? '') !== 'string')
      .map((word) => ({ path: `${path}/${word}`, message: 'must be a text' })),
  );

const firstOf = ([issue]: readonly Issue[]): string | undefined =>
  issue && `${issue.path || 'it'} ${issue.message}${/[.?]$/.test(issue.message) ? '' : '.'}`;

/** Words of a schema that nothing is known of: they check nothing, and whoever wrote them may have meant them to. */
export const schemaNotes = (schema: Schema): string[] =>
  schemasIn(schema).flatMap(([path, part]) =>
    unknownWords(part).map((word) => `${path}/${word} is no word of JSON Schema and checks nothing.`),
  );

/** What every value would fit by mistake, or none. */
const senseless = (schema: Schema): Issue[] =>
  schemasIn(schema).flatMap(([path, part]) => [...wordless(path, part), ...choiceless(path, part)]);

/** The name of a type that is near to one of the seven. */
const withType = (schema: Schema, { path, message }: Issue): Issue => {
  if (!/\/type(\/\d+)?$/.test(path)) return { path, message };
  const given = path
    .split('/')
    .slice(1)
    .reduce<unknown>((node, key) => (node as Record<string, unknown> | undefined)?.[key], schema);
  return {
    path,
    message: typeof given === 'string' ? `${message}.${didYouMean(given.toLowerCase(), TYPE_NAMES)}` : message,
  };
};

/** A part that has words, and none that is known: an example of a value in the place of a schema. */
const wordless = (path: string, part: Schema): Issue[] => {
  const words = Object.keys(part);
  const unknown = unknownWords(part);
  if (words.length === 0 || unknown.length < words.length || unknown.some((word) => misspelt(word, part) !== undefined))
    return [];
  const named = unknown.slice(0, NAMED).join(', ');
  return [{ path, message: `has no word of JSON Schema, but ${named}. Properties are named under "properties"` }];
};
const NAMED = 5;

/** Words that say something of a value and check nothing, by the standard and by other makers. */
const NOTES: ReadonlySet<string> = new Set([
  ...['$schema', '$id', 'id', '$comment', '$vocabulary', '$anchor', '$dynamicAnchor', '$recursiveAnchor'],
  ...['title', 'description', 'default', 'deprecated', 'readOnly', 'writeOnly', 'examples', 'example'],
  ...['contentEncoding', 'contentMediaType', 'contentSchema', 'xml', 'discriminator', 'externalDocs'],
  ...['propertyOrdering', 'enumNames', 'enumnames', 'enumDescriptions', 'markdownDescription', 'errorMessage'],
]);

const unknownWords = (part: Schema): string[] =>
  Object.keys(part).filter(
    (word) => !KEYWORDS.includes(word) && !NOTES.has(word) && !OLD_WORDS.includes(word) && !/^(x-|~)/i.test(word),
  );

/** Words of so few letters are near to too many: `note` is no misspelt `not`. */
const SHORTEST = 4;
/** From this length on, two letters may be wrong, and no other word is as near, whatever its value is. */
const LONG = 8;

const misspelt = (word: string, part: Schema): string | undefined =>
  KEYWORDS.find(
    // Anything may be the value of `const`, so that says nothing of what was meant.
    (keyword) =>
      keyword !== 'const' &&
      keyword.length >= SHORTEST &&
      word.length >= SHORTEST - 1 &&
      isNear(word, keyword) &&
      (keyword.length >= LONG || isValueOf(keyword, part[word] ?? null)),
  );

const isNear = (word: string, keyword: string): boolean => {
  if (plain(word) === plain(keyword)) return true;
  const allowed = keyword.length >= LONG ? 2 : 1;
  return Math.abs(word.length - keyword.length) <= allowed && editDistance(word, keyword) <= allowed;
};

/** `any_of` and `anyof` are written for `anyOf`. */
const plain = (word: string): string => word.toLowerCase().replaceAll(/[_-]/g, '');
