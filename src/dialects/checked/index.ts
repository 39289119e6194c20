/**
 * `halter/dialects` where bytes are cheap (Node, Bun, Deno): what `../index.ts` has, and its functions look at their
 * arguments first. A page, and the program itself, call the functions as they are.
 */
import { checkedCall, dataWith, options, valueWith } from '../../core/checked-call.ts';
import { withoutUndefined } from '../../core/json.ts';
import {
  callback,
  either,
  fits,
  flag,
  jsonRecord,
  type Kind,
  list,
  listOf,
  oneOf,
  record,
  text,
  texts,
  withoutAbsent,
} from '../../core/option-kinds.ts';
import type { PromptCall } from '../engine/prompt.ts';
import * as dialects from '../index.ts';
import { DIALECT_ORDER } from '../order.ts';
import type { Dialect } from '../prompts.ts';
import type { Parser } from '../types.ts';
import { isOfServer, ownTools, withOwnTools } from './as-others-write.ts';

export { dialectNames, EXACT_DIALECT } from '../index.ts';

const NAME = oneOf(...DIALECT_ORDER, 'auto');
const FORMAT = valueWith('a format: an object with name and calls', { name: text, calls: list });
const PROMPT = valueWith('an object with offer, calls and result', {
  offer: callback,
  calls: callback,
  result: callback,
});
/** A name, or one of somebody's own making. */
const DIALECT = either(NAME, valueWith('an object with format, and prompt', { format: FORMAT, 'prompt?': PROMPT }));
const INNER = { name: text, 'description?': text, 'parameters?': jsonRecord };
const FUNCTION = valueWith('an object with name, description and parameters', INNER);
const WRAPPED = valueWith('{ type, function: { name, description, parameters } }', {
  'type?': oneOf('function'),
  function: FUNCTION,
});
const BARE = valueWith('a tool', INNER);
/** As OpenAI's API defines it, or its inner part alone. */
const TOOL: Kind = {
  words: BARE.words,
  problem: (value) => (fits(record, value) && 'function' in (value as object) ? WRAPPED : BARE).problem(value),
};
const orOfServer = (tool: Kind): Kind => ({
  ...tool,
  problem: (value) => (isOfServer(value) ? undefined : tool.problem(value)),
});
const TOOLS = listOf(orOfServer(TOOL), 'a list of tools');
const OFFERED = listOf(orOfServer(WRAPPED), 'a list of tools');
const CALL = valueWith('a call', { 'id?': text, name: text, arguments: jsonRecord, 'written?': text });
const CALLS = listOf(CALL, 'a list of calls');
const RESULT = valueWith('a result', { 'id?': text, name: text, content: text });
const BROKEN = dataWith('a call that cannot be made', { 'name?': text, problem: text, text });
const PARSED = dataWith('a call', { name: text, arguments: jsonRecord, repairs: list });
const READ = valueWith('what a parser read', {
  dialect: text,
  content: text,
  reasoning: text,
  calls: listOf(PARSED, 'a list of calls'),
  broken: listOf(BROKEN, 'a list of calls that cannot be made'),
});
const ANSWER = valueWith('an answer', {
  events: listOf(valueWith('an event', { type: text }), 'a list of events'),
  result: READ,
  text: text,
  whole: text,
});
const CONTEXT = valueWith('what is known of the tools', {
  'tools?': TOOLS,
  isTool: callback,
  mayGuess: callback,
  dialect: DIALECT,
  reads: DIALECT,
  'native?': list,
  'isShaped?': flag,
  'isCut?': flag,
});
const HOW = { 'tools?': TOOLS, 'startInReasoning?': flag, 'makeId?': callback };
const PARSER = options({ dialect: NAME, ...HOW });
const OF_A_FORMAT = options(HOW);
const OF_TEXT = options({ 'startInReasoning?': flag, 'makeId?': callback });
const OF_ANY = options({ 'tools?': TOOLS, 'startInReasoning?': flag });
const NAMED = options({ 'dialect?': NAME });
const MODEL = options({ 'model?': text, 'template?': text });
const END = options({ 'isCut?': flag });
const ANYWHERE = options({ 'anywhere?': flag });
const TOOLS_ON_OFFER = options({ names: texts, isTool: callback });
const TEMPLATE = options({ 'argumentsAs?': oneOf('object', 'string') });
const ENDING = valueWith('what a text ends in', { text });
const PART = dataWith('a part', { type: text, 'text?': text });
const SPOKEN = dataWith('a message', { role: text, content: either(text, listOf(PART, 'a list of parts')) });
const MESSAGES: Readonly<Record<string, Kind>> = {
  system: SPOKEN,
  user: SPOKEN,
  assistant: dataWith('a message', { role: text, content: text, 'reasoning?': text, tool_calls: CALLS }),
  tool: dataWith('a message', { role: text, content: text, tool_call_id: text, name: text }),
};
const ROLE = dataWith('a message', { role: oneOf(...Object.keys(MESSAGES)) });
const MESSAGE: Kind = {
  words: ROLE.words,
  problem: (value) => ROLE.problem(value) ?? MESSAGES[String((value as { role: string }).role)]?.problem(value),
};

const checkedParser = <P extends Parser>(parser: P): P => {
  parser.push = checkedCall('push', { text }, parser.push.bind(parser));
  parser.end = checkedCall('end', { 'options?': END }, parser.end.bind(parser));
  return parser;
};

export const calledBy = checkedCall('calledBy', { 'name?': text }, dialects.calledBy);
export const isGuessed = checkedCall('isGuessed', { call: valueWith('a call', { repairs: list }) }, dialects.isGuessed);
export const withoutEnd = checkedCall('withoutEnd', { text, end: ENDING }, dialects.withoutEnd);
export const withoutFence = checkedCall('withoutFence', { answer: text }, dialects.withoutFence);
export const writtenOf = checkedCall('writtenOf', { result: READ }, dialects.writtenOf);
export const dialectsAlike = checkedCall('dialectsAlike', { dialect: text }, dialects.dialectsAlike);
export const detectDialect = checkedCall('detectDialect', { options: MODEL }, dialects.detectDialect);
export const startsInReasoning = checkedCall(
  'startsInReasoning',
  { generationPrompt: text },
  dialects.startsInReasoning,
);
export const createFormatParser = checkedCall(
  'createFormatParser',
  { format: FORMAT, 'options?': OF_A_FORMAT },
  (...[format, given]: Parameters<typeof dialects.createFormatParser>) =>
    checkedParser(dialects.createFormatParser(format, withOwnTools(given))),
);
export const autoParseToolCalls = checkedCall(
  'autoParseToolCalls',
  { text, 'options?': OF_ANY },
  (...[answer, given]: Parameters<typeof dialects.autoParseToolCalls>) =>
    dialects.autoParseToolCalls(answer, withOwnTools(given)),
);
export const createParser = checkedCall(
  'createParser',
  { options: PARSER },
  (...[given]: Parameters<typeof dialects.createParser>) => checkedParser(dialects.createParser(withOwnTools(given))),
);
export const createTextParser = checkedCall(
  'createTextParser',
  { 'options?': OF_TEXT },
  (...given: Parameters<typeof dialects.createTextParser>) => checkedParser(dialects.createTextParser(...given)),
);
export const parseToolCalls = checkedCall(
  'parseToolCalls',
  { text, options: PARSER },
  (...[answer, given]: Parameters<typeof dialects.parseToolCalls>) =>
    dialects.parseToolCalls(answer, withOwnTools(given)),
);
export const stripToolCalls = checkedCall('stripToolCalls', { text, 'options?': NAMED }, dialects.stripToolCalls);
export const offerTools = checkedCall(
  'offerTools',
  { dialect: DIALECT, tools: OFFERED },
  (...[dialect, tools]: Parameters<typeof dialects.offerTools>) => dialects.offerTools(dialect, ownTools(tools)),
);
/** A key whose value is undefined is not there: no notation has a word for it. */
const asJson = (call: PromptCall): PromptCall => ({
  ...withoutAbsent(call),
  arguments: withoutUndefined(call.arguments),
});
export const renderCall = checkedCall(
  'renderCall',
  { dialect: DIALECT, call: CALL },
  (dialect: Dialect, call: PromptCall) => dialects.renderCall(dialect, asJson(call)),
);
export const renderCalls = checkedCall(
  'renderCalls',
  { dialect: DIALECT, calls: CALLS },
  (dialect: Dialect, calls: readonly PromptCall[]) => dialects.renderCalls(dialect, calls.map(asJson)),
);
export const renderResult = checkedCall(
  'renderResult',
  { dialect: DIALECT, result: RESULT },
  (...[dialect, result]: Parameters<typeof dialects.renderResult>) =>
    dialects.renderResult(dialect, withoutAbsent(result)),
);
export const callMarkAtStart = checkedCall('callMarkAtStart', { text }, dialects.callMarkAtStart);
export const findStrayCall = checkedCall(
  'findStrayCall',
  { answer: text, tools: TOOLS_ON_OFFER },
  dialects.findStrayCall,
);
export const findTrailingCalls = checkedCall(
  'findTrailingCalls',
  { answer: text, tools: TOOLS, 'options?': ANYWHERE },
  (...[answer, tools, how]: Parameters<typeof dialects.findTrailingCalls>) =>
    dialects.findTrailingCalls(answer, ownTools(tools), how),
);
export const findUnreadCall = checkedCall(
  'findUnreadCall',
  { answer: text, dialect: NAME, 'isTool?': callback },
  dialects.findUnreadCall,
);
export const readAnswer = checkedCall(
  'readAnswer',
  { answer: ANSWER, context: CONTEXT },
  (...[answer, context]: Parameters<typeof dialects.readAnswer>) => dialects.readAnswer(answer, withOwnTools(context)),
);
export const readBehindThoughts = checkedCall(
  'readBehindThoughts',
  { text, result: READ, open: callback, 'options?': END },
  dialects.readBehindThoughts,
);
export const parseJsonLeniently = checkedCall('parseJsonLeniently', { text }, dialects.parseJsonLeniently);
export const toTemplateMessages = checkedCall(
  'toTemplateMessages',
  { messages: listOf(MESSAGE, 'a list of messages'), tools: OFFERED, 'options?': TEMPLATE },
  (...[messages, tools, how]: Parameters<typeof dialects.toTemplateMessages>) =>
    dialects.toTemplateMessages(messages, ownTools(tools), how),
);
export const createThoughtsFirstParser = checkedCall(
  'createThoughtsFirstParser',
  { open: callback },
  (...given: Parameters<typeof dialects.createThoughtsFirstParser>) =>
    checkedParser(dialects.createThoughtsFirstParser(...given)),
);
export const isNamedThinker = checkedCall('isNamedThinker', { model: text }, dialects.isNamedThinker);
