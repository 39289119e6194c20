/** Which tool a call of one that does not exist was probably meant for: by what its name says, and by its arguments. */
import { isObject, type JsonObject, type JsonSchema } from '../json.ts';
import { LIMITS } from '../limits.ts';

type Described = { name: string; description: string; parameters: JsonSchema };

/** Words for one thing that is done. */
const KINDS: readonly (readonly string[])[] = [
  'read open view show cat get load print display'.split(' '),
  'write create save put make new'.split(' '),
  'edit replace patch modify update change'.split(' '),
  'list ls dir tree glob files folder directory'.split(' '),
  'search grep find query rg lookup'.split(' '),
  'run exec execute bash shell command cmd terminal'.split(' '),
  'fetch http url browse download web'.split(' '),
  'delete remove rm unlink'.split(' '),
  'todo todos plan task tasks'.split(' '),
];
/** Of the words of a name the first counts most: `open_file` opens. */
const WEIGHT = { verb: 3, other: 1, arguments: 2 } as const;
/** Less is no more than chance. */
const LEAST_SCORE = 2;

const wordsOf = (name: string): string[] =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
const kindOf = (word: string): number => KINDS.findIndex((kind) => kind.includes(word));

const scoreOf = (name: string, args: JsonObject, tool: Described): number => {
  const [verb = '', ...others] = wordsOf(name);
  const own = wordsOf(tool.name);
  const says = (word: string): boolean =>
    own.includes(word) || (kindOf(word) >= 0 && own.some((one) => kindOf(one) === kindOf(word)));
  const { properties } = tool.parameters;
  const takes = new Set((isObject(properties) ? Object.keys(properties) : []).map((key) => wordsOf(key).join('')));
  const given = Object.keys(args).map((key) => wordsOf(key).join(''));
  const fitting = given.length === 0 ? 0 : given.filter((key) => takes.has(key)).length / given.length;
  const alsoSaid = others.filter(says).length > 0 ? WEIGHT.other : 0;
  return (says(verb) ? WEIGHT.verb : 0) + alsoSaid + fitting * WEIGHT.arguments;
};

/** The names, best first; none where nothing speaks for one. */
export const nearestTools = (name: string, args: JsonObject, tools: readonly Described[]): string[] => {
  const scored = tools
    .map((tool) => ({ name: tool.name, score: scoreOf(name, args, tool) }))
    .filter(({ score }) => score >= LEAST_SCORE)
    .sort((one, other) => other.score - one.score);
  const best = scored[0]?.score ?? 0;
  return scored
    .filter(({ score }) => score === best)
    .slice(0, LIMITS.nearestNames)
    .map((tool) => tool.name);
};
