/** The tools that stand under an answer as its sources. */
import { findCitations } from '../../../src/core/citations.ts';
import { shownSources } from '../../../src/core/summarize.ts';

/** Of the tools that were used, what a person would cite, and what the answer itself cites. */
export const answerSources = (used: readonly string[], text: string): string[] => {
  const shown = new Set([...shownSources(used), ...findCitations(text, []).map(({ source }) => source)]);
  return used.filter((tool) => shown.has(tool));
};
