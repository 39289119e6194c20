/** Which few tools a request could be about, by the words of the request and by what they mean. */

import { type RankedTool, rankTools as rank, type Terms } from '../../core/tool/tool-ranking.ts';
import type { ToolSchema } from '../../core/tool.ts';
import { withoutValues } from './request-facts/values.ts';
import { contentWords, meaningWords } from './words.ts';

/** What the same word adds to the same meaning. */
const EXACT_SHARE = 0.3;

/** A word that is said itself counts beside its meaning: "read" is nearer to "read" than "show" is. */
const termsOf: Terms = (text) => [
  ...meaningWords(text).map((word) => ({ word: `~${word}`, weight: 1 })),
  ...contentWords(text).map((word) => ({ word, weight: EXACT_SHARE })),
];

export const rankTools = (request: string, tools: readonly ToolSchema[]): RankedTool[] =>
  rank(withoutValues(request), tools, termsOf);
