import { withHint } from './error-text.ts';
import type { ModelError, ModelErrorCode } from './model-port.ts';
import { inOptions } from './option-words.ts';

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
