/** Errors of the API: `{error: {code, message}}` with a status, thrown from anywhere in a route and answered at its edge. */
import { withHint } from '../core/error-text.ts';
import type { ModelError } from '../core/model-port.ts';
import type { Failure } from '../core/outcome.ts';
import { OTHER_MODEL_ERROR, STATUS_OF_MODEL_ERROR } from '../gateway/model-error.ts';
import { SERVER_LIMITS } from './limits.ts';

/** Why something was not taken, with a word that decides what becomes of it. */
type Refusal = { message: string; reason?: string | undefined };

export type ErrorBody = { error: { code: string; message: string } };

export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;
  constructor(status: number, code: string, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
  body(): ErrorBody {
    return { error: { code: this.code, message: this.message } };
  }
}

/** To a reader of a stream that cannot be taken up again. */
export const tooSlow = (): ApiError =>
  new ApiError(408, 'too_slow', 'The stream was not read, so it was ended before its end.');

const STATUS_OF_FAILURE: Partial<Record<Failure['error_type'], number>> = {
  not_found: 404,
  validation_failed: 400,
  parse_error: 400,
  permission_denied: 403,
};

/** The same later may pass: after so many seconds, where that is known. */
export const later = (status: number, code: string, message: string, seconds: number | undefined): ApiError =>
  new ApiError(status, code, message, seconds === undefined ? {} : { 'retry-after': String(seconds) });

/** Reasons that decide whatever was asked for: another halter has it, the store is away, too much waits already. */
const byReason = ({ reason, message }: Refusal): ApiError | undefined => {
  switch (reason) {
    case 'in_use':
      return new ApiError(409, reason, message);
    case 'unreachable':
      return later(503, reason, message, SERVER_LIMITS.askAgainS);
    case 'queue_full':
      return later(429, reason, message, SERVER_LIMITS.askAgainS);
    default:
      return undefined;
  }
};

/** A session that does not take what it was told. */
export const notNow = (refusal: Refusal): ApiError =>
  byReason(refusal) ?? new ApiError(409, 'not_now', refusal.message);

/** What the disk or another halter made impossible is a conflict or a fault of ours, never the caller's. */
export const fromFailure = (failure: Failure): ApiError =>
  byReason(failure) ??
  new ApiError(STATUS_OF_FAILURE[failure.error_type] ?? 500, failure.reason ?? failure.error_type, failure.message);

export const fromModelError = (error: ModelError): ApiError =>
  byReason(error) ??
  later(STATUS_OF_MODEL_ERROR[error.code] ?? OTHER_MODEL_ERROR, error.code, withHint(error), error.retry_after_seconds);
