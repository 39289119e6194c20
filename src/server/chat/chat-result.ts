/** The reply of `POST /api/chat`, from the events of its run (E9, E12). */

import type { ExitReason, PermissionRequest, RunProblem } from '../../agent/loop/call-model/stream-lines.ts';
import { type CutEnd, cutEnd } from '../../core/answer-end.ts';
import { writtenOf } from '../../core/call-arguments.ts';
import { type Citation, findCitations, namesFile } from '../../core/citations.ts';
import type { Event } from '../../core/events.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Usage } from '../../core/message.ts';
import { callHistory, lastAnswer } from '../../core/project.ts';
import { sourcesLine, summarizeResult, summaryItemsOf } from '../../core/summarize.ts';
import type { Tool } from '../../core/tool.ts';
import { gaveSomething, type ToolResult } from '../../core/tool-result.ts';

export type ToolEvent = {
  id: string;
  tool: string;
  args: JsonObject;
  /** The arguments with the model's own digits, where the values have lost some. */
  written?: string;
  result: ToolResult;
  summary: string;
};
export type ChatWarning = { code: string; message: string };
export type ChatReply = {
  answer: string;
  /** The tools that gave something, and the one that looked something up beforehand where the answer cites that. */
  tools_used: string[];
  tool_events: ToolEvent[];
  citations: Citation[];
  permission_requests: PermissionRequest[];
  chat_id: string;
  request_id: string;
  tools_allowed: boolean;
  exit_reason: ExitReason;
  /** What cut the answer, or may have. */
  finish_reason?: CutEnd;
  model: string;
  usage: Usage;
  /** What was looked up beforehand and put before the message (E10). */
  context?: ToolEvent;
  error?: RunProblem;
  /** What was noticed; it stands there only where there is any. */
  warnings?: readonly ChatWarning[];
};

export type ChatEnding = {
  events: readonly Event[];
  reason: ExitReason;
  problem?: RunProblem | undefined;
  warnings: readonly ChatWarning[];
  tools: readonly Tool[];
  summaryCharacters: number;
};

export const toolEvent = (
  { tools, summaryCharacters }: Pick<ChatEnding, 'tools' | 'summaryCharacters'>,
  id: string,
  name: string,
  args: JsonObject,
  result: ToolResult,
): ToolEvent => {
  const items = summaryItemsOf(
    tools.find((tool) => tool.name === name),
    result,
    args,
  );
  const summary = summarizeResult(name, result, { maxCharacters: summaryCharacters, ...(items ? { items } : {}) });
  return { id, tool: name, args, result, summary };
};

export const chatReply = (
  ending: ChatEnding,
  about: Pick<ChatReply, 'chat_id' | 'request_id' | 'tools_allowed' | 'permission_requests' | 'model'> & {
    context: ToolEvent | undefined;
  },
): ChatReply => {
  const { events } = ending;
  const ran = new Map<string, JsonObject>();
  for (const event of events) if (event.type === 'policy_evaluated') ran.set(event.tool_call_id, event.arguments);
  const calls = callHistory(events);
  const toolEvents = calls.map(({ call, result }) => ({
    ...toolEvent(ending, call.id, call.name, ran.get(call.id) ?? call.arguments, result),
    ...writtenOf(call),
  }));
  const text = answerOf(events);
  const { context, ...rest } = about;
  const looked = context ? [{ call: { id: context.id, name: context.tool }, result: context.result }] : [];
  const citations = findCitations(text, [...looked, ...calls]);
  const isCited = context !== undefined && (citations.some(leansOn(context)) || namesFile(text, context.result.data));
  // What was looked up beforehand and left aside is no source, and neither is a tool whose calls all failed.
  const gave = calls.filter(({ result }) => gaveSomething(result)).map(({ call }) => call.name);
  const used = [...new Set([...(isCited ? [context.tool] : []), ...gave])];
  const line = text === '' ? '' : sourcesLine(used, text);
  return {
    answer: line === '' ? text : `${text.trimEnd()}\n\n${line}`,
    tools_used: used,
    tool_events: toolEvents,
    citations,
    ...rest,
    exit_reason: ending.reason,
    ...cutOf(events),
    usage: usageOf(events),
    ...(context ? { context } : {}),
    ...(ending.problem ? { error: ending.problem } : {}),
    ...(ending.warnings.length > 0 ? { warnings: ending.warnings } : {}),
  };
};

const leansOn =
  ({ id }: ToolEvent) =>
  ({ tool_call_id }: Citation): boolean =>
    tool_call_id === id;

const cutOf = (events: readonly Event[]): Pick<ChatReply, 'finish_reason'> => {
  const last = events.findLast((event) => event.type === 'assistant_message_added');
  const cut = last?.type === 'assistant_message_added' ? cutEnd(last.message) : undefined;
  return cut === undefined ? {} : { finish_reason: cut };
};

/** The text that the run ended with; where it was stopped, what was said last. */
const answerOf = (events: readonly Event[]): string => {
  const last = lastAnswer(events);
  if (last !== undefined && last.content.trim() !== '') return last.content;
  const said = events.findLast(
    (event) => event.type === 'assistant_message_added' && event.message.content.trim() !== '',
  );
  return said?.type === 'assistant_message_added' ? said.message.content : '';
};

const usageOf = (events: readonly Event[]): Usage => {
  const total: Usage = { prompt_tokens: 0, completion_tokens: 0, seconds: 0 };
  for (const event of events) {
    if (event.type !== 'assistant_message_added' || event.message.usage === undefined) continue;
    total.prompt_tokens += event.message.usage.prompt_tokens;
    total.completion_tokens += event.message.usage.completion_tokens;
    total.seconds += event.message.usage.seconds;
  }
  return total;
};
