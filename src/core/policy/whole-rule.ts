import type { Rule } from '../events.ts';

/** What an empty pattern stands for: the whole tool where it was offered whole, else what was offered. */
export const wholeRule = (usual: Rule, suggestions: readonly Rule[] = [], name = usual.tool): Rule =>
  [usual, ...suggestions].find(({ tool, pattern }) => tool === name && pattern === undefined) ?? usual;
