/** The tools that stand under an answer as its sources. */
import { findCitations } from '../../../src/core/citations.ts';
import type { EndItem } from '../state/view.ts';

/** Of the tools that were used, what a person would cite, and what the answer itself cites. */
export const answerSources = ({ used, sources }: Pick<EndItem, 'used' | 'sources'>, text: string): string[] => {
  const shown = new Set([...sources, ...findCitations(text, []).map(({ source }) => source)]);
  return used.filter((tool) => shown.has(tool));
};
