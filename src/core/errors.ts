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
