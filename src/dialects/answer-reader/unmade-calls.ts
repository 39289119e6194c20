/** Calls of a whole answer that began, or were meant, and that cannot be made. */
import type { JsonObject, JsonSchema } from '../../core/json.ts';
import type { JudgedAnswer } from '../answer/judged.ts';
import type { AnswerPart } from '../answer/reading.ts';
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

/** What becomes of every call in it: the one reading of all surfaces. */
export const judgedWhole = ({ dialect, tools, events, result, whole, native, isCut }: WholeAnswer): JudgedAnswer => {
  const isTool = (name: string): boolean => toolNamed(tools, name) !== undefined;
  // What was cut before its name was read stands in no text yet.
  const begun = result.broken.filter(({ name, problem }) => problem === 'truncated' && !isTool(name ?? ''));
  const text = [result.content, ...begun.map((one) => one.text)].join('');
  return readAnswer(
    { events, result, text, whole },
    { tools: tools.map(asDefinition), isTool, mayGuess: () => false, dialect, reads: dialect, native, isCut },
  );
};

/** Calls that can be made, as far as its parser or nobody else read them; and those that cannot. */
export const callsOf = (
  { written, text: left }: JudgedAnswer,
  { tools, result }: Pick<WholeAnswer, 'tools' | 'result'>,
): { made: ParsedCall[]; unmade: UnmadeCall[] } => {
  const read = result.calls.map(keyOf);
  const isRead = (call: ParsedCall): boolean => {
    const at = read.indexOf(keyOf(call));
    if (at >= 0) read.splice(at, 1);
    return at >= 0;
  };
  // The whole answer is a call in no notation, and it is understood.
  const isAlone = written.parts.length === 1 && left === '';
  const made: ParsedCall[] = [];
  const unmade: UnmadeCall[] = [];
  for (const part of written.parts) {
    if (part.kind !== 'call') unmade.push(unmadeOf(part, tools));
    else if (isRead(part.call) || isAlone) made.push(part.call);
  }
  return { made, unmade };
};

const keyOf = ({ name, arguments: args }: ParsedCall): string => JSON.stringify([name, args]);

const unmadeOf = (part: Exclude<AnswerPart, { kind: 'call' }>, tools: readonly FunctionTool[]): UnmadeCall => {
  const { name = '', text } = part.kind === 'broken' ? part.broken : part.unread;
  const isCutOff = part.kind === 'broken' ? part.broken.problem === 'truncated' : part.unread.isCut === true;
  const problem = (part.kind === 'unread' ? part.unread.problem : undefined) ?? UNREADABLE;
  return { toolName: toolNamed(tools, name)?.name, text, problem: isCutOff ? CUT : problem, isCut: isCutOff };
};
