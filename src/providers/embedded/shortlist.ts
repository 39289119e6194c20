/** Which few tools a request could be about: BM25 over names, descriptions and parameters. */
import type { ToolSchema } from '../../core/tool.ts';
import { asSchema } from './grammar.ts';
import { withoutValues } from './request-values.ts';
import { contentWords, meaningWords } from './words.ts';

/** How much a word counts by where it stands. */
const FIELD_WEIGHTS = { name: 2, description: 1, parameters: 0.5 } as const;
const SATURATION = 1.2;
const LENGTH_SHARE = 0.5;
/** A word that many of a few tools have is still a word: rarity among a dozen tools says less than among a million pages. */
const RARITY_FLOOR = 1;
/** What the same word adds to the same meaning. */
const EXACT_SHARE = 0.3;

/** A word that is said itself counts beside its meaning: "read" is nearer to "read" than "show" is. */
const termsOf = (text: string): string[] => [...meaningWords(text).map((word) => `~${word}`), ...contentWords(text)];

type Weighted = Map<string, number>;

export const toolWords = (tool: ToolSchema): Weighted => {
  const words: Weighted = new Map();
  const add = (text: string, weight: number): void => {
    for (const word of termsOf(text)) words.set(word, (words.get(word) ?? 0) + weight);
  };
  add(tool.function.name, FIELD_WEIGHTS.name);
  add(tool.function.description, FIELD_WEIGHTS.description);
  for (const [name, schema] of Object.entries(asSchema(tool.function.parameters['properties']))) {
    const property = asSchema(schema);
    add(name, FIELD_WEIGHTS.parameters);
    if (typeof property['description'] === 'string') add(property['description'], FIELD_WEIGHTS.parameters);
    if (Array.isArray(property['enum'])) add(property['enum'].join(' '), FIELD_WEIGHTS.parameters);
  }
  return words;
};

export type Ranked = { tool: ToolSchema; score: number };

export const rankTools = (request: string, tools: readonly ToolSchema[]): Ranked[] => {
  const documents = tools.map(toolWords);
  const lengths = documents.map((words) => [...words.values()].reduce((sum, weight) => sum + weight, 0));
  const mean = Math.max(1, lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, tools.length));
  const query = new Set(termsOf(withoutValues(request)));
  const rarity = (word: string): number => {
    const having = documents.filter((words) => words.has(word)).length;
    return RARITY_FLOOR + Math.log(1 + (tools.length - having + 0.5) / (having + 0.5));
  };
  return tools
    .map((tool, index) => {
      let score = 0;
      for (const word of query) {
        const weight = word.startsWith('~') ? 1 : EXACT_SHARE;
        const count = documents[index]?.get(word) ?? 0;
        const length = 1 - LENGTH_SHARE + (LENGTH_SHARE * (lengths[index] ?? 0)) / mean;
        score += (weight * rarity(word) * count * (SATURATION + 1)) / (count + SATURATION * length);
      }
      return { tool, score };
    })
    .sort((a, b) => b.score - a.score);
};
