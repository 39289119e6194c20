import { withHint } from './error-text.ts';
import type { StopReason } from './events.ts';
import type { ModelError, ModelErrorCode } from './model-port.ts';
import { inOptions } from './option-words.ts';
import type { Failure } from './outcome.ts';

/** Zoo-Keeper's codes (K7), carried by thrown library errors, by `run_stopped` and by `error` and `limit` events. */
export const ErrorCode = {
  ToolNotFound: 500,
  ToolExecutionFailed: 501,
  InvalidToolSignature: 502,
  ToolRetriesExhausted: 503,
  ToolLoopLimitReached: 504,
} as const;
export type ErrorCodeName = keyof typeof ErrorCode;

/** Thrown by the library where its contract says so; never by a tool and never inside the loop. */
export class HalterError extends Error {
  readonly code: number;
  constructor(name: ErrorCodeName, message: string) {
    super(message);
    this.name = name;
    this.code = ErrorCode[name];
  }
}

/** Thrown by a chat whose model cannot be used. The message says what to do, where that is known. */
export class ModelFailure extends Error {
  readonly code: ModelErrorCode;
  readonly hint: string | undefined;
  /** A word where the code says too little: `in_use` where the conversation is open elsewhere. */
  readonly reason: string | undefined;
  /** The HTTP status that the model server answered with. */
  readonly status: number | undefined;
  /** How long the server asks to be left alone, in seconds. */
  readonly retryAfterSeconds: number | undefined;
  constructor({ code, message, hint, reason, status, retry_after_seconds }: ModelError) {
    const own = hint === undefined ? undefined : inOptions(hint);
    super(withHint({ message: inOptions(message), ...(own === undefined ? {} : { hint: own }) }));
    this.name = 'ModelFailure';
    this.code = code;
    this.hint = own;
    this.status = status;
    this.retryAfterSeconds = retry_after_seconds;
    this.reason = reason;
  }
}

/**
 * Thrown by a chat whose run was stopped by something else than the model or a limit. `name` says by what: `LoopDetected`.
 * `cause` is what was thrown, by a function of the program (`stopWhen`, a provider of its own) or by halter.
 */
export class RunStopped extends Error {
  /** `loop`: the same calls with the same results again and again. `error`: a disk that failed, or a defect. */
  readonly reason: StopReason;
  constructor(
    { name, reason, message }: { name: string; reason: StopReason; message: string },
    options?: ErrorOptions,
  ) {
    super(inOptions(message), options);
    this.name = name;
    this.reason = reason;
  }
}

/**
 * Thrown by the first message of a harness that cannot be opened: a workspace or storage that cannot be used, an MCP server
 * that does not start. The next message tries again.
 */
export class OpenFailure extends Error {
  /** What kind of failure it is, in the words of a tool's result: `not_found`, `io_error`, `permission_denied`. */
  readonly code: Failure['error_type'];
  /** A word where the code says too little: `mcp_server`, an errno word. */
  readonly reason: string | undefined;
  constructor({ error_type, message, reason }: Failure) {
    super(inOptions(message));
    this.name = 'OpenFailure';
    this.code = error_type;
    this.reason = reason;
  }
}
