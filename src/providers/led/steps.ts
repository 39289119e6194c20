/**
 * A turn of a model that cannot call tools by itself, in steps: does it need a tool, and which; the call under that tool's
 * schema; after the results, the answer.
 */

import { type ModelMessage, messageText, type ToolMessage } from '../../core/message.ts';
import type { ModelAnswer, ModelRequest } from '../../core/model-port.ts';
import { outputOf } from '../../core/tool/no-output.ts';
import {
  isEveryday,
  lookUpOf,
  mayChoose,
  planAfter,
  planAnswer,
  resultsOfTurn,
  type Standing,
  standingOf,
} from './everyday.ts';
import { needsNoLookUp } from './free-talk.ts';
import { leavesOut } from './gate.ts';
import { beyondModel } from './larger-model.ts';
import { LED_LIMITS } from './limits.ts';
import { tasksOf } from './several/tasks.ts';
import {
  checkedLeadIn,
  DEFAULT_LEAD_IN,
  describeFailure,
  joinAnswer,
  leadInGrammar,
  quoteResult,
} from './steps/answer.ts';
import { type DecodedCall, decodeCall } from './steps/call.ts';
import { freeAnswer } from './steps/free-answer.ts';
import { callsLeftWarning, passedOverWarning } from './steps/left-out.ts';
import { shellRead } from './steps/shell-read.ts';
import type { Turn } from './turn.ts';

export const lastRequest = (messages: readonly ModelMessage[]): string => {
  const last = messages.findLast((message) => message.role === 'user');
  return last?.role === 'user' ? messageText(last.content) : '';
};

/** The results that came since the assistant's last call. */
const freshResults = (messages: readonly ModelMessage[]): ToolMessage[] => {
  const results: ToolMessage[] = [];
  for (const message of messages.toReversed()) {
    if (message.role !== 'tool') break;
    results.unshift(message);
  }
  return results;
};

export const runSteps = async (turn: Turn): Promise<ModelAnswer> => {
  const { request } = turn;
  const asked = lastRequest(request.messages);
  const results = freshResults(request.messages);
  if (isSmallTurn(turn)) {
    const planned = planAfter(asked, resultsOfTurn(request.messages)) ?? lookUpUnderWay(request);
    if (planned !== undefined) return followPlan(turn, planned);
  }
  if (results.length > 0 && turn.quotes && request.response_schema === undefined) return quoteAnswer(turn, results);
  const called = results.length === 0 && request.tools.length > 0 ? await callNearest(turn, asked) : undefined;
  if (called !== undefined) return called;
  const read = results.length === 0 && turn.quotes ? shellRead(asked, request.tools) : undefined;
  if (read !== undefined && request.response_schema === undefined) return makeCalls(turn, [read]);
  return isSmallTurn(turn) && !needsNoLookUp(asked) ? followPlan(turn, { plan: lookUpOf(asked) }) : freeAnswer(turn);
};

/** The calls of the tools that the request is about; undefined where it is about none. */
const callNearest = async (turn: Turn, asked: string): Promise<ModelAnswer | undefined> => {
  const { tools } = turn.request;
  const usable = isSmallTurn(turn) ? tools.filter((tool) => !leavesOut(tool, asked)) : tools;
  const tasks = await tasksOf(turn, asked, usable);
  if (tasks.length === 0) return undefined;
  if (isSmallTurn(turn) && !tasks.every(({ tool }) => mayChoose(tool)))
    return say(turn, beyondModel(turn.called, 'do that'));
  for (const warning of [callsLeftWarning(tasks), passedOverWarning(asked)])
    if (warning !== undefined) turn.emit(warning);
  const calls: DecodedCall[] = [];
  for (const { tool, request } of tasks.slice(0, LED_LIMITS.ledCalls)) {
    const call = await decodeCall(turn, tool, request);
    if (call !== undefined) calls.push(call);
    else {
      const message = `A call of ${tool.function.name} did not fit into its limit of tokens, so none was made.`;
      turn.emit({ type: 'warning', code: 'call_cut', message });
    }
  }
  return calls.length === 0 ? undefined : makeCalls(turn, calls);
};

const makeCalls = (turn: Turn, calls: readonly DecodedCall[]): ModelAnswer => {
  for (const [index, { name, text }] of calls.entries())
    turn.emit({ type: 'tool_call_delta', index, name, arguments_delta: text });
  return {
    calls: calls.map(({ name, arguments: args }) => ({ name, arguments: args, source: 'constrained', repairs: [] })),
    finish: 'tool_calls',
    usage: turn.meter.usage(),
    led: true,
  };
};

/** The look-up that this turn began with, as far as it came. */
const lookUpUnderWay = ({ messages }: ModelRequest): Standing | undefined => {
  const results = resultsOfTurn(messages);
  const begun = messages[messages.findLastIndex(({ role }) => role === 'user') + 1];
  if (results.length === 0 || begun?.role !== 'assistant') return undefined;
  const plan = lookUpOf(lastRequest(messages));
  const [call] = begun.tool_calls;
  // A search that the gate chose may look for the same, and its result is the answer.
  const isIt =
    plan.kind === 'call' &&
    call?.name === plan.call.name &&
    Object.entries(plan.call.arguments).every(([name, value]) => call.arguments[name] === value);
  return isIt ? standingOf(plan, results) : undefined;
};

/** A small model that is offered halter's own tools, and is not asked for a form. */
const isSmallTurn = ({ quotes, request }: Turn): boolean =>
  quotes && request.response_schema === undefined && isEveryday(request.tools);

const say = (turn: Turn, text: string): ModelAnswer => {
  turn.emit({ type: 'text_delta', delta: text, plain: true });
  return { calls: [], finish: 'stop', usage: turn.meter.usage(), led: true };
};

const followPlan = (turn: Turn, { plan, answer }: Standing): ModelAnswer => {
  if (plan.kind === 'say') return say(turn, plan.text);
  if (plan.kind === 'decline') return say(turn, beyondModel(turn.called, plan.what));
  if (plan.kind === 'about') return say(turn, plan.text(turn.called));
  const { name, arguments: args } = plan.call;
  if (answer !== undefined) return say(turn, planAnswer(plan, answer));
  if (!turn.request.tools.some((tool) => tool.function.name === name))
    return say(turn, beyondModel(turn.called, `do that without \`${name}\``));
  return makeCalls(turn, [{ ...plan.call, text: JSON.stringify(args) }]);
};

const quoteAnswer = async (turn: Turn, results: readonly ToolMessage[]): Promise<ModelAnswer> => {
  const say = (delta: string): void => turn.emit({ type: 'text_delta', delta, plain: true });
  const asked = lastRequest(turn.request.messages);
  for (const [index, result] of results.entries()) {
    if (index > 0) say('\n\n');
    if (!result.result.success) say(describeFailure(result));
    else {
      const opening = await leadIn(turn, asked, result.name);
      say(opening);
      say(joinAnswer('', quoteResult(outputOf(result.result))));
    }
  }
  return { calls: [], finish: 'stop', usage: turn.meter.usage(), led: true };
};

const leadIn = async ({ port, request, meter, signal }: Turn, asked: string, name: string): Promise<string> => {
  const grammar = leadInGrammar(request.tools.find((tool) => tool.function.name === name));
  if (grammar === undefined || port.takes !== 'grammar') return DEFAULT_LEAD_IN;
  const turns = [
    { role: 'system' as const, content: 'You introduce what was found for the user, in a few words.' },
    { role: 'user' as const, content: asked.slice(0, LED_LIMITS.ledRequestCharacters) },
  ];
  const draft = await port.begin(turns, signal);
  const written = await draft.write({
    pieces: [],
    constraint: { grammar },
    maxTokens: LED_LIMITS.ledLeadInTokens,
    signal,
  });
  meter.add(written);
  return written.finish === 'stop' ? checkedLeadIn(written.text) : DEFAULT_LEAD_IN;
};
