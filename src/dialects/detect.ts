/** Which dialect a model speaks, by the text of its chat template or by its name. Each dialect's file holds its clues. */
import type { Clue } from './engine/grammar.ts';
import { CLUES, GRAMMARS } from './registry.ts';

const wordsOf = (clue: Clue): readonly string[] => (typeof clue === 'string' ? [clue] : clue);

const fits = (clue: Clue, text: string): boolean => wordsOf(clue).every((word) => text.includes(word));

/** Told by what the template writes. The first dialect that fits counts. */
const byTemplate = (template: string): string | undefined =>
  CLUES.find(([, clues]) => clues.template?.some((clue) => fits(clue, template)))?.[0];

/** The clue that begins first in the name counts, and of several the longest: the most particular one. */
const byName = (name: string): string | undefined => {
  let best: { dialect: string; at: number; length: number } | undefined;
  for (const [dialect, { model = [] }] of CLUES) {
    for (const clue of model) {
      if (!fits(clue, name)) continue;
      const words = wordsOf(clue);
      const at = Math.min(...words.map((word) => name.indexOf(word)));
      const length = words.join('').length;
      if (best === undefined || at < best.at || (at === best.at && length > best.length))
        best = { dialect, at, length };
    }
  }
  return best?.dialect;
};

/** Names are compared in lower case, without the blanks, dots and dashes that people vary. */
const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

/**
 * The dialect of a model: by its chat template, else by its name (`Qwen/Qwen3-Coder-30B`, `llama3.1:8b`). Undefined where
 * neither holds a clue.
 */
export const detectDialect = ({ model, template }: { model?: string; template?: string }): string | undefined => {
  const told = template === undefined ? undefined : byTemplate(template);
  if (told !== undefined || model === undefined) return told;
  // The publisher's name counts only where the model's own says nothing.
  return byName(plain(model.slice(model.lastIndexOf('/') + 1))) ?? byName(plain(model));
};

/** The generation prompt leaves the model inside a reasoning block, so its text begins there. */
export const startsInReasoning = (generationPrompt: string): boolean => {
  const end = generationPrompt.trimEnd();
  const openers = [
    ...GRAMMARS.flatMap(({ reasoning = [] }) => reasoning.flatMap(({ open }) => open ?? [])),
    ...CLUES.flatMap(([, { opensReasoning = [] }]) => opensReasoning),
  ];
  return openers.some((opener) => end.endsWith(opener.trimEnd()));
};
