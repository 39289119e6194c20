/** What a request asks for: each tool with the words that are about it, and one task for each call. */
import type { ToolSchema } from '../../../core/tool.ts';
import { decideTool, type GateContext, gateFeatures, gateScore, shortlist } from '../gate.ts';
import { LED_LIMITS } from '../limits.ts';
import { requiredNames } from '../steps/choose-arguments.ts';
import { ordinalRequests } from './ordinals.ts';
import { mentionsOf, saysAll, variantsOf } from './variants.ts';

export type Task = { tool: ToolSchema; request: string };

/** Where one thing that is asked ends and the next may begin. */
const CLAUSE = /(?<=[.?!;])\s+|\s*[,;]?\s+(?=(?:and|then|y|et|und|puis|luego|dann)\s)|\s*[,;]\s+(?=(?:also|plus)\s)/giu;
/** Shorter clauses say too little to be about a tool of their own. */
const CLAUSE_WORDS = 3;

/** Empty where the request is about none of the tools. */
export const tasksOf = async (context: GateContext, request: string, tools: readonly ToolSchema[]): Promise<Task[]> => {
  const whole = await decideTool(context, request, tools);
  if (whole === undefined) return [];
  // Where another tool could be meant for one of the things, nothing says which is for which.
  const others = shortlist(request, tools).filter(
    ({ tool, features }) => tool !== whole.tool && gateScore(features) > 0,
  );
  const counted =
    others.length > 0 ? [] : ordinalRequests(request, (piece) => mentionsOf(piece, whole.tool).length > 0);
  if (counted.length > 0) return counted.map((own) => ({ tool: whole.tool, request: own }));
  const once = variants({ tool: whole.tool, request });
  const parts = (await partsOf(context, request, tools)).flatMap(variants);
  const isOneTool = parts.every(({ tool }) => tool === whole.tool);
  // What several clauses say may be one list: "the factorial of 5, the factorial of 7, and the factorial of 9".
  return parts.length < 2 || (isOneTool && parts.length < once.length) ? once : parts;
};

const variants = ({ tool, request }: Task): Task[] =>
  variantsOf(request, tool).map((variant) => ({ tool, request: variant }));

/**
 * The request cut where another call begins: another tool that finds its values in the clause, or the same tool with all
 * its values said again. Any other clause belongs to what stands before it.
 */
const partsOf = async (context: GateContext, request: string, tools: readonly ToolSchema[]): Promise<Task[]> => {
  const parts: Task[] = [];
  const clauses = clausesOf(request);
  // Asking the model about each clause takes time, and most requests are one call.
  if (clauses.filter((clause) => couldBegin(clause, tools)).length < 2) return parts;
  let open = '';
  for (const clause of clauses) {
    const tool = (await decideTool(context, clause, tools))?.tool;
    const last = parts.at(-1);
    const begins =
      tool !== undefined &&
      (tool === last?.tool ? saysAll(clause, tool) && saysAll(last.request, tool) : findsValues(clause, tool));
    if (begins) parts.push({ tool, request: last === undefined ? `${open}${clause}` : clause });
    else if (last === undefined) open += `${clause} `;
    else last.request += ` ${clause}`;
  }
  return parts;
};

const couldBegin = (clause: string, tools: readonly ToolSchema[]): boolean =>
  shortlist(clause, tools).some(({ tool, features }) => gateScore(features) > 0 && findsValues(clause, tool));

/** Words alone are too often about what was asked before: "book one of them". */
const findsValues = (clause: string, tool: ToolSchema): boolean => {
  const { missingNumbers, missingTexts } = gateFeatures(clause, tool);
  const names = requiredNames(tool).length === 0 || mentionsOf(clause, tool).length > 0;
  return missingNumbers + missingTexts === 0 && names;
};

/** What is too short, or behind as many clauses as are looked at, belongs to what stands before it. */
const clausesOf = (request: string): string[] => {
  const clauses: string[] = [];
  for (const clause of request.split(CLAUSE)) {
    const last = clauses.at(-1);
    const isOwn = clause.split(/\s+/).length >= CLAUSE_WORDS && clauses.length < LED_LIMITS.ledClauses;
    if (last === undefined || isOwn) clauses.push(clause);
    else clauses[clauses.length - 1] = `${last} ${clause}`;
  }
  return clauses;
};
