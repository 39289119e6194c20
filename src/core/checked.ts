/**
 * `halter/core` where bytes are cheap (Node, Bun, Deno): what `index.ts` has, and its functions look at their arguments
 * first. A page, and the program itself, call the functions as they are.
 */
import { checkValue, surelyFits } from '../schema/index.ts';
import { checkedCall, dataWith, options, valueWith } from './checked-call.ts';
import { EVENT_SCHEMAS } from './event-schemas.ts';
import type { EventBody } from './events.ts';
import * as core from './index.ts';
import {
  anything,
  callback,
  finite,
  flag,
  jsonRecord,
  type Kind,
  list,
  listOf,
  oneOf,
  type Problem,
  text,
  texts,
} from './option-kinds.ts';
import { TOOL_ERROR_TYPES } from './tool-result.ts';

export {
  DEFAULT_LIMITS,
  defineTool,
  ErrorCode,
  fail,
  HalterError,
  LIMITS,
  ModelFailure,
  NO_RULES,
  ok,
  PRESETS,
  parseRule,
  presetNames,
  registerTool,
  sourcesLine,
  succeed,
  summarizeResult,
  TOOL_ERROR_TYPES,
} from './index.ts';

/** As its type says, so that no function looks for a part that is not there. What was right stays right: events do not change. */
const asItsType = (event: Kind): Kind => {
  const right = new WeakSet<object>();
  return {
    words: event.words,
    problem(value) {
      if (typeof value === 'object' && value !== null && right.has(value)) return undefined;
      const problem = event.problem(value) ?? typeProblem(value as EventBody);
      if (problem === undefined) right.add(value as object);
      return problem;
    },
  };
};
const typeProblem = (event: EventBody): Problem | undefined => {
  // Of a newer halter: names may be added, and what is not known is passed over.
  if (!Object.hasOwn(EVENT_SCHEMAS, event.type)) return undefined;
  const schema = EVENT_SCHEMAS[event.type];
  if (surelyFits(schema, event)) return undefined;
  const [issue] = checkValue(schema, event as never);
  if (issue === undefined) return undefined;
  return {
    path: '',
    wanted: `${event.type} as its type has it (${issue.path || 'it'} ${issue.message})`,
    value: event,
  };
};
const EVENT = asItsType(valueWith('an event', { type: text, seq: finite }));
const EVENTS = listOf(EVENT, 'a list of events');
const SEEN = asItsType(valueWith('an event', { type: text }));
const RULE = dataWith('a rule', { tool: text, 'pattern?': text });
const RULE_LIST = listOf(RULE, 'a list of rules');
const RULES = valueWith('rules', { allow: RULE_LIST, deny: RULE_LIST, mode: text, 'revoked?': list });
const TOOL = dataWith('a tool', { name: text, 'main_argument?': text, 'risk?': oneOf('safe', 'medium', 'high') });
const TOLD_TOOL = valueWith('a tool', { name: text, description: text, parameters: jsonRecord });
const CALL = valueWith('a call', { id: text, name: text });
const RESULT = valueWith('a result', {
  success: flag,
  'data?': text,
  'error_message?': text,
  'error_type?': text,
  metadata: valueWith('an object', { 'execution_time_ms?': finite }),
});
const ALL_LIMITS = valueWith('an object with every limit', {
  toolCallsPerIteration: finite,
  iterations: finite,
  repairs: finite,
  toolTimeoutMs: finite,
  summaryCharacters: finite,
});
const STATE = valueWith('a state', { phase: text, limits: ALL_LIMITS, entries: list });
const PROJECTION = options({
  system: text,
  results: oneOf('compact', 'full', 'summary'),
  summaryCharacters: finite,
  'summaryItems?': callback,
  'mayRepeat?': callback,
  'ending?': callback,
});
const SIZE = oneOf('small', 'standard');
const PROMPT = options({ size: SIZE, 'tools?': texts, 'isOneCall?': flag, 'replace?': text, 'append?': text });
const EXECUTOR = options({
  policy: callback,
  'limits?': valueWith('an object of limits', { 'iterations?': finite, 'toolCallsPerIteration?': finite }),
  'exclusive?': callback,
  'tools?': listOf(TOOL, 'a list of tools'),
});
const USE = options({ 'asText?': flag });
const FAILURE = oneOf(...TOOL_ERROR_TYPES);

export const createProjection = checkedCall('createProjection', { options: PROJECTION }, core.createProjection);
export const failure = checkedCall('failure', { error_type: FAILURE, message: text, 'reason?': text }, core.failure);
export const evaluatePolicy = checkedCall(
  'evaluatePolicy',
  { rules: RULES, tool: TOOL, args: jsonRecord, 'decideCommand?': callback },
  core.evaluatePolicy,
);
/** In a file of rules null is written for a rule without a pattern; where a rule decides, it has to be absent. */
export const ruleText = checkedCall(
  'ruleText',
  { rule: valueWith('a rule', { tool: text, 'pattern?': text }) },
  core.ruleText,
);
export const suggestedRule = checkedCall('suggestedRule', { tool: TOOL, args: jsonRecord }, core.suggestedRule);
export const findPreset = checkedCall('findPreset', { name: text }, core.findPreset);
export const callHistory = checkedCall('callHistory', { events: EVENTS }, core.callHistory);
export const displayMessage = checkedCall('displayMessage', { call: CALL, result: RESULT }, core.displayMessage);
export const lastAnswer = checkedCall('lastAnswer', { events: EVENTS }, core.lastAnswer);
export const projectForModel = checkedCall(
  'projectForModel',
  { events: EVENTS, options: PROJECTION },
  core.projectForModel,
);
export const projectForPerson = checkedCall('projectForPerson', { events: EVENTS }, core.projectForPerson);
export const openQuestions = checkedCall(
  'openQuestions',
  { events: listOf(SEEN, 'a list of events') },
  core.openQuestions,
);
export const activePath = checkedCall('activePath', { events: EVENTS }, core.activePath);
export const branches = checkedCall('branches', { events: EVENTS }, core.branches);
export const givenTitle = checkedCall('givenTitle', { events: EVENTS }, core.givenTitle);
export const pathAt = checkedCall('pathAt', { events: EVENTS, seq: finite }, core.pathAt);
export const initialState = checkedCall('initialState', { limits: ALL_LIMITS }, core.initialState);
export const fold = checkedCall('fold', { limits: ALL_LIMITS, events: EVENTS }, core.fold);
export const step = checkedCall('step', { state: STATE, event: SEEN }, core.step);
export const composeSystemPrompt = checkedCall('composeSystemPrompt', { options: PROMPT }, core.composeSystemPrompt);
export const systemPrompt = checkedCall(
  'systemPrompt',
  { size: SIZE, 'tools?': texts, 'isOneCall?': flag },
  core.systemPrompt,
);
export const toolSchema = checkedCall('toolSchema', { tool: TOLD_TOOL }, core.toolSchema);
export const createToolExecutor = checkedCall('createToolExecutor', { options: EXECUTOR }, core.createToolExecutor);
export const repairText = checkedCall(
  'repairText',
  { name: text, parameters: jsonRecord, issues: texts },
  core.repairText,
);
export const validateArguments = checkedCall(
  'validateArguments',
  { parameters: jsonRecord, args: anything, mode: oneOf('strict', 'model'), 'options?': USE },
  core.validateArguments,
);
