import type { ToolErrorType } from './tool-result.ts';

/**
 * An outcome that a model, a person or the outside world can cause is a value, never a thrown error.
 * `error_type` and `reason` have the meaning they have in a ToolResult.
 */
export type Outcome<T, E = Failure> = { ok: true; value: T } | { ok: false; error: E };
export type Failure = {
  error_type: ToolErrorType;
  message: string;
  /** A short machine word where it helps: `timeout`, `cancelled`, `disk_full`, `changed_since_read` … */
  reason?: string;
};

export const succeed = <T>(value: T): { ok: true; value: T } => ({ ok: true, value });
export const failure = (
  error_type: ToolErrorType,
  message: string,
  reason?: string,
): { ok: false; error: Failure } => ({
  ok: false,
  error: reason === undefined ? { error_type, message } : { error_type, message, reason },
});
