/**
 * Does this turn need a tool, and which? A small model cannot say (its "yes" and "no" are a coin's), so words decide: how
 * much of the tool the request names, how much of the request the tool explains, and whether the request holds what the
 * required arguments need. Where several tools are near, the model says which of them makes the request most likely, and
 * at that it is good.
 */
import type { JsonSchema } from '../../core/json.ts';
import type { LedPort } from '../../core/led-port.ts';
import type { ToolSchema } from '../../core/tool.ts';
import { askedOf } from './folder/asked.ts';
import { asSchema, schemaTypes } from './grammar.ts';
import { LED_LIMITS } from './limits.ts';
import type { Meter } from './meter.ts';
import { findNumbers, findPaths, findQuoted, findWords, withoutSpans, withoutValues } from './request-facts/values.ts';
import { rankTools } from './shortlist.ts';
import { isPathArgument, requiredNames } from './steps/choose-arguments.ts';
import { COMMON_VERBS, meaningWords, plainWords } from './words.ts';

export type GateFeatures = {
  /** Share of the tool's name, and of the first sentence of its description, that the request says. */
  name: number;
  description: number;
  /** Share of the request's words that stand anywhere in the tool. */
  explained: number;
  /** The same, less a good half, for tools that need no argument: nothing could take up the words that are left over. */
  wholly: number;
  /** 1 where only the verb of the tool's name is said, of what many tools do ("write"), and nothing of what it is done to. */
  verbAlone: number;
  /** 1 where the request names a value that the schema of an argument lists. */
  listed: number;
  /** Required values that the request does not hold. */
  missingNumbers: number;
  missingTexts: number;
};

const WEIGHTS: Readonly<Record<keyof GateFeatures | 'bias', number>> = {
  bias: -1.6,
  name: 4.02,
  description: 3.47,
  explained: 0.47,
  wholly: 5,
  verbAlone: -2,
  listed: 1.5,
  missingNumbers: -2.03,
  missingTexts: -2.48,
};
const WHOLLY_FROM = 0.65;
/** A longer description counts no less for having more words. */
const DESCRIPTION_WORDS = 7;

const share = (words: ReadonlySet<string>, inside: ReadonlySet<string>): number =>
  words.size === 0 ? 0 : [...words].filter((word) => inside.has(word)).length / words.size;

const propertiesOf = (tool: ToolSchema): [string, JsonSchema][] =>
  Object.entries(asSchema(tool.function.parameters['properties'])).map(([name, value]) => [name, asSchema(value)]);

const parameterWords = (tool: ToolSchema): Set<string> => {
  const texts = propertiesOf(tool).flatMap(([name, schema]) => {
    const values = Array.isArray(schema['enum']) ? schema['enum'].join(' ') : '';
    return [name, typeof schema['description'] === 'string' ? schema['description'] : '', values];
  });
  return new Set(meaningWords(texts.join(' ')));
};

const briefTools = new WeakMap<ToolSchema, ToolSchema>();
/** As the gate reads it; the same object for the same tool, whose words are remembered. */
const brief = (tool: ToolSchema): ToolSchema => {
  const { description } = tool.function;
  if (description.length <= LED_LIMITS.ledGateCharacters) return tool;
  const known = briefTools.get(tool) ?? {
    ...tool,
    function: { ...tool.function, description: description.slice(0, LED_LIMITS.ledGateCharacters) },
  };
  briefTools.set(tool, known);
  return known;
};

const firstSentence = (text: string): string => /^.*?[.!?](?=\s|$)/s.exec(text)?.[0] ?? text;

const missingTexts = (
  request: string,
  asked: ReadonlySet<string>,
  purpose: ReadonlySet<string>,
  tool: ToolSchema,
): number => {
  const open = propertiesOf(tool).filter(
    ([name, schema]) =>
      requiredNames(tool).includes(name) &&
      schemaTypes(schema)[0] === 'string' &&
      schema['enum'] === undefined &&
      schema['default'] === undefined,
  );
  const named = findPaths(request).length;
  const quoted = findQuoted(request).length;
  const own = [...asked].filter((word) => !purpose.has(word)).length;
  const paths = open.filter(([name, schema]) => isPathArgument(name, schema)).length;
  const identifiers = open.filter(([name]) => isIdentifier(name)).length;
  const speaksOfFiles = asked.has('file') || asked.has('directory') || quoted > 0;
  // A path that is not written as one ("the file called notes") is believed only where the request speaks of files.
  const pathsThere = named > 0 ? named : speaksOfFiles ? own : 0;
  const free = open.length - paths - identifiers;
  return (
    Math.max(0, paths - pathsThere) +
    Math.max(0, identifiers - identifiersIn(request)) +
    Math.max(0, free - own - quoted - Math.max(0, named - paths))
  );
};

/** What is called by a name of its own ("job_2", "A113") cannot be made out of other words of the request. */
const isIdentifier = (name: string): boolean => plainWords(name).at(-1) === 'id';
const identifiersIn = (request: string): number =>
  (request.match(/(?<![\w-])[\w-]*\d[\w-]*/g) ?? []).length + findQuoted(request).length;

/** A file that is named stands for the word "file" and its like. */
const isVerbAlone = (request: string, asked: ReadonlySet<string>, about: ReadonlySet<string>): boolean => {
  const said = [...about].filter((word) => asked.has(word));
  return said.length < about.size && said.every((word) => COMMON_VERBS.has(word)) && findPaths(request).length === 0;
};

export const gateFeatures = (request: string, given: ToolSchema): GateFeatures => {
  const tool = brief(given);
  const asked = new Set(meaningWords(withoutValues(request)));
  const name = new Set(meaningWords(tool.function.name));
  const description = new Set(meaningWords(firstSentence(tool.function.description)));
  const purpose = new Set([...name, ...meaningWords(tool.function.description)]);
  const explained = share(asked, new Set([...purpose, ...parameterWords(tool)]));
  const properties = asSchema(tool.function.parameters['properties']);
  const numbers = requiredNames(tool).filter((entry) => {
    const schema = asSchema(properties[entry]);
    return ['integer', 'number'].includes(schemaTypes(schema)[0] ?? '') && schema['default'] === undefined;
  }).length;
  return {
    name: share(name, asked),
    description: Math.min(
      1,
      (share(description, asked) * description.size) / Math.min(DESCRIPTION_WORDS, Math.max(1, description.size)),
    ),
    explained,
    wholly: requiredNames(tool).length > 0 ? 0 : Math.max(takesWords(tool) ? 0 : -1, explained - WHOLLY_FROM),
    verbAlone: isVerbAlone(request, asked, new Set([...name, ...description])) ? 1 : 0,
    listed: namesListed(request, tool) ? 1 : 0,
    missingNumbers: Math.max(0, numbers - findNumbers(request).length),
    missingTexts: missingTexts(request, asked, purpose, tool),
  };
};

export const gateScore = (features: GateFeatures): number =>
  (Object.keys(features) as (keyof GateFeatures)[]).reduce(
    (sum, key) => sum + WEIGHTS[key] * features[key],
    WEIGHTS.bias,
  );

/** "On", "no" and the like stand in any request, and so do values of arguments that may be left out: sorted by "name". */
const LISTED_LETTERS = 3;
const namesListed = (request: string, tool: ToolSchema): boolean => {
  const said = new Set(plainWords(request));
  const required = new Set(requiredNames(tool));
  return propertiesOf(tool).some(([argument, { enum: values }]) =>
    (required.has(argument) && Array.isArray(values) ? values : []).some((value) => {
      const words = typeof value === 'string' && value.length >= LISTED_LETTERS ? plainWords(value) : [];
      return words.length > 0 && words.every((word) => said.has(word));
    }),
  );
};

/** An argument that need not be given, and could take up words that are left over. */
const takesWords = (tool: ToolSchema): boolean =>
  propertiesOf(tool).some(([name, schema]) => schemaTypes(schema).includes('string') && !isPathArgument(name, schema));

type Contender = { tool: ToolSchema; rank: number; features: GateFeatures };

const takesPath = (tool: ToolSchema): boolean =>
  propertiesOf(tool).some(([name, schema]) => isPathArgument(name, schema));
const preferred = <T>(entries: T[], test: (entry: T) => boolean): T[] => {
  const good = entries.filter(test);
  return good.length > 0 ? good : entries;
};

const PICTURE_WORDS = /\b(?:image|picture|photo|screenshot)s?\b/i;
const PICTURE_FILE = /\.(?:png|jpe?g|gif|svg|webp|bmp|ico|tiff?|heic|avif)$/i;

/** A tool for pictures is none for `notes.txt`, where nobody speaks of a picture. */
const mayBeAbout = (request: string, tool: ToolSchema): boolean => {
  if (!PICTURE_WORDS.test(plainWords(tool.function.name).join(' ')) || PICTURE_WORDS.test(request)) return true;
  const paths = findPaths(request);
  return paths.length === 0 || paths.some(({ text }) => PICTURE_FILE.test(text));
};

/** The few tools that the request could be about, best first. Those that lack a value give way to those that do not. */
export const shortlist = (request: string, tools: readonly ToolSchema[]): Contender[] => {
  const whole = new Map(tools.filter((tool) => mayBeAbout(request, tool)).map((tool) => [brief(tool), tool]));
  const ranked = rankTools(request, [...whole.keys()])
    .filter((entry) => entry.score > 0)
    .map(({ tool, score }) => ({
      tool: whole.get(tool) ?? tool,
      rank: score,
      features: gateFeatures(request, tool),
    }));
  const complete = preferred(ranked, (entry) => entry.features.missingTexts === 0);
  // A request that names a file is about a tool that takes one.
  const usable = findPaths(request).length === 0 ? complete : preferred(complete, (entry) => takesPath(entry.tool));
  const best = usable[0]?.rank ?? 0;
  return usable.filter((entry) => entry.rank >= best * NEAR).slice(0, LED_LIMITS.ledShortlist);
};

/** A phrase of the request that nothing of the tool explains, and no argument could take up: the time "of the standup". */
export const leavesOut = (tool: ToolSchema, request: string): boolean => {
  const properties = propertiesOf(tool);
  if (properties.some(([, schema]) => schemaTypes(schema).includes('string'))) return false;
  const { name, description } = tool.function;
  const known = new Set([...meaningWords(`${name} ${description}`), ...parameterWords(tool)]);
  const { words } = askedOf(request);
  const told = findWords(request)[0]?.text;
  const phrases = [...new Set(words.map(({ phrase }) => phrase))]
    .map((phrase) => words.filter((word) => word.phrase === phrase).map(({ text }) => text))
    // "Print the directory": what is to be done is no part of what it is about.
    .filter((phrase) => phrase.length > 1 || phrase[0] !== told);
  return phrases.some((phrase) => !phrase.some((text) => meaningWords(text).some((word) => known.has(word))));
};

const NEAR = 0.5;
/** What the place in the shortlist (0 to 1) and a unit of log likelihood count beside a unit of the gate's score. */
const RANK_WEIGHT = 3;
const LIKELIHOOD_WEIGHT = 0.5;

export type Decision = { tool: ToolSchema; score: number } | undefined;
export type GateContext = { port: LedPort; meter: Meter; signal: AbortSignal };

export const decideTool = async (
  context: GateContext,
  request: string,
  tools: readonly ToolSchema[],
): Promise<Decision> => {
  const contenders = shortlist(request, tools);
  if (contenders.length === 0 || contenders.every((entry) => gateScore(entry.features) <= 0)) return undefined;
  const likelihoods = contenders.length === 1 ? [0] : await requestLikelihoods(context, request, contenders);
  const best = contenders[0]?.rank ?? 1;
  const totals = contenders.map(
    (entry, index) =>
      (RANK_WEIGHT * entry.rank) / best + gateScore(entry.features) + LIKELIHOOD_WEIGHT * (likelihoods[index] ?? 0),
  );
  const chosen = contenders[totals.indexOf(Math.max(...totals))];
  if (chosen === undefined) return undefined;
  const score = gateScore(chosen.features);
  return score > 0 ? { tool: chosen.tool, score } : undefined;
};

/** A file's name says nothing of what is wanted of it, and misleads the model. */
const aboutFiles = (request: string): string => withoutSpans(request, findPaths(request), () => 'the file');

/**
 * How likely each tool makes the request, as log likelihoods against the least likely one; all the same where the engine
 * cannot say.
 */
const requestLikelihoods = async (
  { port, meter, signal }: GateContext,
  request: string,
  contenders: readonly Contender[],
): Promise<number[]> => {
  const text = aboutFiles(request).slice(0, LED_LIMITS.ledRequestCharacters);
  const sums: number[] = [];
  for (const { tool } of contenders) {
    const { name, description } = brief(tool).function;
    const prompt = `Function ${name}: ${description}\nAn example of a request that this function answers: "`;
    const said = await port.likelihood?.({ prompt, text, mostTokens: LED_LIMITS.ledScoredTokens, signal });
    if (said === undefined) return contenders.map(() => 0);
    meter.add({ promptTokens: said.tokens, cachedTokens: 0, completionTokens: 0 });
    sums.push(said.logProbability);
  }
  const least = Math.min(...sums);
  return sums.map((sum) => sum - least);
};
