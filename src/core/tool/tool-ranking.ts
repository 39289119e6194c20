/** Which tools a request could be about: BM25 over names, descriptions and parameters. The same words, the same order. */
import { isSchema } from '../../schema/index.ts';
import type { ToolSchema } from '../tool.ts';

/** A word of a text, and what it counts beside the others. */
export type Terms = (text: string) => readonly { word: string; weight: number }[];

/** How much a word counts by where it stands. */
const FIELD_WEIGHTS = { name: 2, description: 1, parameters: 0.5 } as const;
const SATURATION = 1.2;
const LENGTH_SHARE = 0.5;
/** A word that many of a few tools have is still a word: rarity among a dozen tools says less than among a million pages. */
const RARITY_FLOOR = 1;

type Weighted = Map<string, number>;

const toolWords = (tool: ToolSchema, terms: Terms): Weighted => {
  const words: Weighted = new Map();
  const add = (text: string, weight: number): void => {
    for (const { word } of terms(text)) words.set(word, (words.get(word) ?? 0) + weight);
  };
  add(tool.function.name, FIELD_WEIGHTS.name);
  add(tool.function.description, FIELD_WEIGHTS.description);
  const { properties } = tool.function.parameters;
  for (const [name, property] of Object.entries(isSchema(properties) ? properties : {})) {
    add(name, FIELD_WEIGHTS.parameters);
    if (!isSchema(property)) continue;
    if (typeof property['description'] === 'string') add(property['description'], FIELD_WEIGHTS.parameters);
    if (Array.isArray(property['enum'])) add(property['enum'].join(' '), FIELD_WEIGHTS.parameters);
  }
  return words;
};

/** A tool is described in the same words for as long as it is the same object, and a long session asks of it often. */
const remembered = new WeakMap<Terms, WeakMap<ToolSchema, Weighted>>();
const knownWords = (tool: ToolSchema, terms: Terms): Weighted => {
  const ofTerms = remembered.get(terms) ?? new WeakMap<ToolSchema, Weighted>();
  remembered.set(terms, ofTerms);
  const words = ofTerms.get(tool) ?? toolWords(tool, terms);
  ofTerms.set(tool, words);
  return words;
};

export type RankedTool = { tool: ToolSchema; score: number };

/** The best first; tools that are equally near stay in their order. The words of a request may be read in their own way. */
export const rankTools = (
  request: string,
  tools: readonly ToolSchema[],
  terms: Terms,
  termsOfRequest: Terms = terms,
): RankedTool[] => {
  const documents = tools.map((tool) => knownWords(tool, terms));
  const lengths = documents.map((words) => [...words.values()].reduce((sum, weight) => sum + weight, 0));
  const mean = Math.max(1, lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, tools.length));
  const query = new Map(termsOfRequest(request).map(({ word, weight }) => [word, weight]));
  const rarity = (word: string): number => {
    const having = documents.filter((words) => words.has(word)).length;
    return RARITY_FLOOR + Math.log(1 + (tools.length - having + 0.5) / (having + 0.5));
  };
  return tools
    .map((tool, index) => {
      const length = 1 - LENGTH_SHARE + (LENGTH_SHARE * (lengths[index] ?? 0)) / mean;
      let score = 0;
      for (const [word, weight] of query) {
        const count = documents[index]?.get(word) ?? 0;
        score += (weight * rarity(word) * count * (SATURATION + 1)) / (count + SATURATION * length);
      }
      return { tool, score };
    })
    .sort((one, other) => other.score - one.score);
};
