/** Does this turn need a tool, and which? */
import type { ToolSchema } from '../../core/tool.ts';
import { rankTools } from './shortlist.ts';

export type Decision = { tool: ToolSchema; score: number } | undefined;

export const decideTool = (request: string, tools: readonly ToolSchema[]): Decision => {
  const best = rankTools(request, tools)[0];
  return best !== undefined && best.score > 0 ? best : undefined;
};
