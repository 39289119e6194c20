/** Calls of a whole answer that began, or were meant, and that cannot be made. */
import type { JsonObject, JsonSchema } from '../../core/json.ts';
import { readAnswer } from '../read-answer.ts';
import type { ParsedCall, ParseResult, ParserEvent, ToolDefinition } from '../types.ts';
import { toolNamed } from './calls.ts';
import type { FunctionTool } from './shapes.ts';

export type UnmadeCall = {
  /** Of a tool on offer; undefined where it names none. */
  toolName: string | undefined;
  /** As the model wrote it. */
  text: string;
  problem: string;
  isCut: boolean;
  /** The whole answer is this call in no notation, and it is understood: it can be made. */
  understood?: ParsedCall;
};

export type WholeAnswer = {
  dialect: string;
  tools: readonly FunctionTool[];
  events: readonly ParserEvent[];
  result: ParseResult;
  whole: string;
  /** Calls that the server read. */
  native: readonly { name: string; arguments: JsonObject }[];
  /** A limit ended it. */
  isCut: boolean;
};

const CUT = 'the call was cut off before its end';
const UNREADABLE = 'its arguments could not be read';

export const asDefinition = ({ name, description = '', inputSchema = {} }: FunctionTool): ToolDefinition => ({
  type: 'function',
  function: { name, description, parameters: inputSchema as JsonSchema & JsonObject },
});

/** But for those that `isShown` knows as samples. */
export const unmadeCalls = (
  { dialect, tools, events, result, whole, native, isCut }: WholeAnswer,
  isShown: (call: { name: string; arguments: JsonObject }) => boolean,
): UnmadeCall[] => {
  const isTool = (name: string): boolean => toolNamed(tools, name) !== undefined;
  // What was cut before its name was read stands in no text yet.
  const begun = result.broken.filter(({ name, problem }) => problem === 'truncated' && !isTool(name ?? ''));
  const text = [result.content, ...begun.map((one) => one.text)].join('');
  const { written, text: left } = readAnswer(
    { events, result, text, whole },
    { tools: tools.map(asDefinition), isTool, mayGuess: () => false, dialect, reads: dialect, native, isCut },
  );
  return written.parts.flatMap((part): UnmadeCall[] => {
    if (part.kind === 'call') {
      const { call } = part;
      const isNew = !result.calls.includes(call) && written.parts.length === 1 && left === '';
      return isNew ? [{ toolName: call.name, text: '', problem: '', isCut: false, understood: call }] : [];
    }
    if (part.kind === 'unread' && isShown(part.unread)) return [];
    const { name = '', text } = part.kind === 'broken' ? part.broken : part.unread;
    const isCutOff = part.kind === 'broken' ? part.broken.problem === 'truncated' : part.unread.isCut === true;
    const problem = (part.kind === 'unread' ? part.unread.problem : undefined) ?? UNREADABLE;
    return [{ toolName: toolNamed(tools, name)?.name, text, problem: isCutOff ? CUT : problem, isCut: isCutOff }];
  });
};
