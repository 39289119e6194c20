/**
 * Listens to a session and keeps what the command line says of a run: the lines of `stream-json` as they come, and the
 * one object of `--format json` at the end. Pure: it neither reads the clock nor writes.
 */

import { type StreamEvent, stampEvent } from '../../agent/loop/call-model/stream-event.ts';
import {
  createStreamLines,
  type ExitReason,
  namesOfUsed,
  type PermissionRequest,
  type RecordedCall,
  type RunProblem,
} from '../../agent/loop/call-model/stream-lines.ts';
import { type AnswerEnd, answerEnd, CONTENT_FILTER } from '../../core/answer-end.ts';
import { type Citation, type CitedCall, findCitations } from '../../core/citations.ts';
import type { SessionUpdate } from '../../core/events.ts';
import type { Usage } from '../../core/message.ts';

export type { RunProblem } from '../../agent/loop/call-model/stream-lines.ts';

export type RunUsage = { prompt_tokens: number; cached_tokens: number; completion_tokens: number; seconds: number };

/** `--format json`. */
export type RunReport = {
  answer: string;
  tool_calls: RecordedCall[];
  /** The tools that gave something; one whose calls all failed is not among them. */
  tools_used: string[];
  usage: RunUsage;
  exit_reason: ExitReason;
  /** Of the model's last message: `length` where the token limit cut it, `content_filter` where a filter did. */
  finish_reason?: AnswerEnd;
  /** What was noticed and stopped nothing. */
  warnings?: { code: string; message: string }[];
  session_id: string;
  sources: string[];
  /** The `[source:NAME]` marks of the answer, each checked against what that tool returned; there only where it has any. */
  citations?: Citation[];
  /** How often something on a call had to be repaired: by model, then by the kind of repair. */
  repairs?: Record<string, Record<string, number>>;
  error?: RunProblem;
  permission_request?: PermissionRequest;
};

export type RunRecorder = {
  /** The lines that this update is to a program that reads along. */
  add(update: SessionUpdate, at: number): StreamEvent[];
  /** The run was ended from outside, whatever the session says of it. The first reason given counts. */
  endAs(reason: ExitReason, problem?: RunProblem): void;
  /** The answer is not what was asked for. */
  rejectAnswer(problem: RunProblem): void;
  replaceAnswer(text: string): void;
  permissionRequest(): PermissionRequest | undefined;
  /** The token limit or a filter of the server ended the last answer. */
  isCut(): boolean;
  report(): RunReport;
  lastLine(at: number): StreamEvent;
};

export const createRunRecorder = (sessionId: string): RunRecorder => {
  const lines = createStreamLines();
  const models = new Map<string, string>();
  const usage: RunUsage = { prompt_tokens: 0, cached_tokens: 0, completion_tokens: 0, seconds: 0 };
  let model = '';
  const warnings: { code: string; message: string }[] = [];
  let finish: AnswerEnd | undefined;
  let isFiltered = false;
  let endedBy: string | undefined;
  let replaced: string | undefined;
  let outside: { reason: ExitReason; problem?: RunProblem } | undefined;

  const addUsage = (more: Usage): void => {
    usage.prompt_tokens += more.prompt_tokens;
    usage.cached_tokens += more.cached_tokens ?? 0;
    usage.completion_tokens += more.completion_tokens;
    usage.seconds += more.seconds;
  };
  const count = (update: SessionUpdate): void => {
    if (update.type === 'model_started') {
      ({ model } = update);
      isFiltered = false;
    } else if (update.type === 'usage') addUsage(update.usage);
    else if (update.type === 'warning') {
      warnings.push({ code: update.code, message: update.message });
      if (update.code === CONTENT_FILTER) isFiltered = true;
    } else if (update.type === 'assistant_message_added') {
      finish = answerEnd(update.message);
      endedBy = update.message.ended_by;
      for (const { id } of update.message.tool_calls) models.set(id, model);
    }
  };
  const exitReason = (): ExitReason => outside?.reason ?? lines.ended()?.reason ?? 'error';
  const answer = (): string => replaced ?? lines.answer();
  const error = (): RunProblem | undefined => outside?.problem ?? lines.ended()?.problem;

  return {
    add(update, at) {
      count(update);
      return lines.add(update, at);
    },
    endAs(reason, problem) {
      if (outside !== undefined || lines.ended() !== undefined) return;
      outside = { reason, ...(problem ? { problem } : {}) };
    },
    rejectAnswer(problem) {
      outside = { reason: 'error', problem };
    },
    replaceAnswer(text) {
      replaced = text;
    },
    isCut: () => finish === 'length' || isFiltered || endedBy !== undefined,
    permissionRequest: () => lines.permissionRequest(),
    report() {
      const citations = findCitations(answer(), lines.calls().flatMap(citedCall));
      const asked = lines.permissionRequest();
      const problem = error();
      return {
        answer: answer(),
        tool_calls: lines.calls(),
        tools_used: namesOfUsed(lines.calls()),
        usage: { ...usage },
        exit_reason: exitReason(),
        ...(finish === undefined ? {} : { finish_reason: finish }),
        ...(warnings.length > 0 ? { warnings: [...warnings] } : {}),
        session_id: sessionId,
        sources: lines.ended()?.sources ?? [],
        ...(citations.length > 0 ? { citations } : {}),
        ...repairCounts(lines.calls(), (id) => models.get(id) ?? ''),
        ...(problem ? { error: problem } : {}),
        ...(exitReason() === 'permission_required' && asked ? { permission_request: asked } : {}),
      };
    },
    lastLine(at) {
      const problem = error();
      const end = { ...lines.turnEnd(sessionId), exit_reason: exitReason(), answer: answer() };
      return stampEvent({ ...end, ...(problem ? { error: problem } : {}) }, at);
    },
  };
};

const citedCall = ({ id, name, result }: RecordedCall): CitedCall[] =>
  result === null ? [] : [{ call: { id, name }, result }];

const repairCounts = (calls: readonly RecordedCall[], modelOf: (id: string) => string): Pick<RunReport, 'repairs'> => {
  const counts = new Map<string, Record<string, number>>();
  for (const { id, repairs } of calls) {
    const own = counts.get(modelOf(id)) ?? {};
    for (const { kind } of repairs) own[kind] = (own[kind] ?? 0) + 1;
    if (repairs.length > 0) counts.set(modelOf(id), own);
  }
  return counts.size > 0 ? { repairs: Object.fromEntries(counts) } : {};
};
