/**
 * A turn of a model that cannot call tools by itself, in steps: does it need a tool, and which; the call under that tool's
 * schema; after the results, the answer.
 */

import type { LedPort } from '../../core/led-port.ts';
import { type ModelMessage, messageText, type ToolMessage } from '../../core/message.ts';
import type { ModelAnswer, ModelPart, ModelRequest } from '../../core/model-port.ts';
import { outputOf } from '../../core/tool/no-output.ts';
import { END_MARKERS } from './end-markers.ts';
import { createHeldText } from './everyday/call-text.ts';
import { beyondWords, isEveryday, mayChoose, planAfter, planAnswer, resultsOfTurn, type Standing } from './everyday.ts';
import { decideTool } from './gate.ts';
import { beyondModel } from './larger-model.ts';
import { LED_LIMITS } from './limits.ts';
import type { Meter } from './meter.ts';
import { DEFAULT_LEAD_IN, describeFailure, joinAnswer, leadInGrammar, quoteResult } from './steps/answer.ts';
import { decodeCall } from './steps/call.ts';
import { toPlainTurns } from './turns.ts';

export type Turn = {
  port: LedPort;
  request: ModelRequest;
  emit(part: ModelPart): void;
  signal: AbortSignal;
  meter: Meter;
  /** The model is too small to repeat a result, so the answer quotes it. */
  quotes: boolean;
  /** What a person calls the model, at the beginning of a sentence. */
  called: string;
};

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
  const results = freshResults(request.messages);
  if (isSmallTurn(turn)) {
    const planned = planAfter(lastRequest(request.messages), resultsOfTurn(request.messages));
    if (planned !== undefined) return followPlan(turn, planned);
  }
  if (results.length > 0 && turn.quotes && request.response_schema === undefined) return quoteAnswer(turn, results);
  if (results.length === 0 && request.tools.length > 0) {
    const asked = lastRequest(request.messages);
    const decision = await decideTool(turn, asked, request.tools);
    if (decision && isSmallTurn(turn) && !mayChoose(decision.tool))
      return say(turn, beyondModel(turn.called, 'do that'));
    if (decision) {
      const call = await decodeCall(turn, decision.tool, asked);
      if (call !== undefined) {
        turn.emit({ type: 'tool_call_delta', index: 0, name: call.name, arguments_delta: call.text });
        return {
          calls: [{ name: call.name, arguments: call.arguments, source: 'constrained', repairs: [] }],
          finish: 'tool_calls',
          usage: turn.meter.usage(),
          led: true,
        };
      }
      const message = `A call of ${decision.tool.function.name} did not fit into its limit of tokens, so none was made.`;
      turn.emit({ type: 'warning', code: 'call_cut', message });
    }
  }
  const beyond = isSmallTurn(turn) ? beyondWords(lastRequest(request.messages)) : undefined;
  return beyond === undefined ? freeAnswer(turn) : followPlan(turn, { plan: beyond });
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
  turn.emit({ type: 'tool_call_delta', index: 0, name, arguments_delta: JSON.stringify(args) });
  return {
    calls: [{ name, arguments: args, source: 'constrained', repairs: [] }],
    finish: 'tool_calls',
    usage: turn.meter.usage(),
    led: true,
  };
};

const REPEAT_PENALTY = 1.15;

/** In words, of what was said so far. */
const freeAnswer = async (turn: Turn): Promise<ModelAnswer> => {
  const { port, request, meter, quotes, called } = turn;
  const emit = (delta: string): void => turn.emit({ type: 'text_delta', delta, plain: true });
  const isFree = request.response_schema === undefined;
  const stop = new AbortController();
  const held = createHeldText(emit, (shown) => {
    stop.abort();
    emit(`${shown ? '\n\n' : ''}${beyondModel(called, 'do that')}`);
  });
  const written = await port.answer({
    request,
    turns: toPlainTurns(request.messages),
    maxTokens: request.sampling.max_tokens ?? LED_LIMITS.ledAnswerTokens,
    repeatPenalty: quotes ? REPEAT_PENALTY : 1,
    stop: isFree ? END_MARKERS : [],
    onText: quotes && isFree ? held.push : emit,
    emit: turn.emit,
    signal: AbortSignal.any([turn.signal, stop.signal]),
  });
  held.end();
  meter.add(written);
  const finish = held.stopped() ? 'stop' : written.finish;
  return { calls: [], finish, usage: meter.usage(), led: true };
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
  return written.finish === 'stop' && written.text.endsWith(':') ? written.text : DEFAULT_LEAD_IN;
};
