import type { Rule, StopReason } from './events.ts';
import type { ToolCall } from './message.ts';
import type { ToolErrorType } from './tool-result.ts';

/** Ends a run with the reason why it is not answered. */
export type StopRun = { type: 'stop_run'; reason: StopReason; code?: number; name: string; message: string };

/** What `step` wants done. `agent/loop/run-effects.ts` is the only place where these become input and output. */
export type Effect =
  | { type: 'call_model'; iteration: number }
  | { type: 'evaluate_policy'; call: ToolCall }
  | { type: 'show_permission_prompt'; call: ToolCall }
  | { type: 'remember_grant'; rule: Rule }
  | { type: 'execute_tool'; call: ToolCall }
  /** The answer to what a call asked while it runs. */
  | { type: 'answer_call'; call: ToolCall; allowed: boolean }
  /** Ends a call without running it: denied, cancelled, past a limit. */
  | {
      type: 'finish_call';
      call: ToolCall;
      error_type: Exclude<ToolErrorType, 'none'>;
      message: string;
      reason?: string;
    }
  | { type: 'abort_work' }
  | { type: 'iteration_complete'; iteration: number }
  | { type: 'iteration_limit_reached'; iteration: number }
  | StopRun
  | { type: 'run_completed' };
