import type { Rule } from '../events.ts';

/** What an empty pattern stands for: the whole tool where it was offered whole, else what was offered. */
export const wholeRule = (usual: Rule, suggestions: readonly Rule[] = []): Rule =>
  [usual, ...suggestions].find(({ tool, pattern }) => tool === usual.tool && pattern === undefined) ?? usual;
