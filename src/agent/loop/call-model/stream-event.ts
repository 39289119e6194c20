/**
 * The one vocabulary of what happens in a run: `stream-json`, the server's stream and the library's iterator use these
 * names and fields. docs/reference/events.md describes each.
 */
import type { CutEnd } from '../../../core/answer-end.ts';
import type { PermissionDecision } from '../../../core/events.ts';
import type { JsonObject } from '../../../core/json.ts';
import type { Repair, Usage } from '../../../core/message.ts';
import type { Task } from '../../../core/ports.ts';
import type { ArgumentOrigin } from '../../../core/provenance.ts';
import type { ToolResult } from '../../../core/tool-result.ts';

/** One line of a stream, with names besides those of `StreamEvent`. `at` is milliseconds since 1970. */
export type StreamLine = { type: string; at: number; [key: string]: unknown };

/** How a run ended, in the words of `turn_end` and of `--format json`. */
export type ExitReason =
  | 'answered'
  | 'error'
  | 'permission_required'
  | 'limit'
  | 'loop'
  | 'model_unusable'
  | 'interrupted';

export type PermissionRequest = {
  id: string;
  tool_call_id: string;
  name: string;
  arguments: JsonObject;
  /** As JSON text with the model's own digits, where the values have lost some. */
  written?: string;
  risk: string;
  preview: string | null;
  diff?: string;
  /** The rule that would allow this call: what to hand to `--allow`. */
  rule: string;
  /** Why it is asked. */
  because?: string;
  /** Other rules that would cover it. */
  suggestions?: string[];
  /** The rule that lets it pass as a flag of a run; absent where only an answer does. */
  flag_rule?: string;
  /** A yes counts once. */
  asks_each_time?: true;
  /** A command that reads or prints and does nothing else. */
  only_reads?: true;
  in_sandbox?: true;
  /** After untrusted content: whose words the weighty arguments are. */
  provenance?: ArgumentOrigin[];
  /** In the library, where a page answers in a later request: what its answer has to name. */
  approval_id?: string;
};
export type RunProblem = { code: number | null; name: string; message: string; hint?: string };
export type RecordedCall = {
  id: string;
  name: string;
  arguments: JsonObject;
  /** The arguments with the model's own digits, where the values have lost some (`1.10`, ids of 19 digits). */
  written?: string;
  repairs: Repair[];
  /** The text that stood where the arguments should be, where they could not be read at all. */
  malformed?: { text: string; problem: string };
  result: ToolResult | null;
};

export type StreamEventBody =
  | { type: 'session'; session_id: string; workspace: string; tools: string[] }
  | { type: 'model_start'; model: string; iteration: number }
  /** `queue_position`: the place among the requests that wait for the model server, from 1; 0 when the wait is over. */
  | { type: 'loading'; message: string; fraction: number | null; queue_position?: number }
  /** `estimated`: by the speed that was learned; the server says nothing. */
  | {
      type: 'prefill';
      processed: number;
      total: number;
      cached?: number;
      seconds_left?: number;
      estimated?: true;
    }
  | { type: 'text_delta'; delta: string }
  | { type: 'reasoning_delta'; delta: string }
  /** Told once its arguments were looked at. */
  | ({ type: 'tool_call' } & Omit<RecordedCall, 'result'>)
  | ({ type: 'permission_request' } & PermissionRequest)
  /** `rule`: the one that is kept. */
  | { type: 'permission_resolved'; tool_call_id: string; decision: PermissionDecision; rule?: string }
  | { type: 'tool_output_delta'; id: string; delta: string }
  /** `is_json`: the data is a value as JSON text, and not text that the tool gave. */
  | { type: 'tool_result'; id: string; name: string; result: ToolResult; is_json?: true }
  | { type: 'task_changed'; task: Task }
  | ({ type: 'usage' } & Usage)
  | ({ type: 'limit' | 'error' } & RunProblem)
  | { type: 'curation'; state: 'started' | 'finished' | 'failed'; path: string; usage?: Usage }
  /** Room is made in the window because the person asked for it. */
  | { type: 'compaction'; state: 'started' | 'finished' | 'cancelled' }
  | { type: 'warning'; code: string; message: string }
  | {
      type: 'turn_end';
      exit_reason: ExitReason;
      session_id: string;
      answer: string;
      sources: string[];
      /** The answer is not whole: the token limit or the window cut it, a filter did, or the server gave a reason that nobody knows. */
      finish_reason?: CutEnd;
      error?: RunProblem;
    };

type Stamped<Body> = Body extends unknown ? Body & { at: number } : never;

/** One event of a run. `at` is milliseconds since 1970. */
export type StreamEvent = Stamped<StreamEventBody>;

/** `at` stands behind the type, in front of the rest. */
export const stampEvent = ({ type, ...fields }: StreamEventBody, at: number): StreamEvent =>
  ({ type, at, ...fields }) as StreamEvent;
