/** Errors of the API: `{error: {code, message}}` with a status, thrown from anywhere in a route and answered at its edge. */
import { withHint } from '../core/error-text.ts';
import type { ModelError } from '../core/model-port.ts';
import type { Failure } from '../core/outcome.ts';
import { OTHER_MODEL_ERROR, STATUS_OF_MODEL_ERROR } from '../gateway/model-error.ts';

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

/** What the disk or another halter made impossible is a conflict or a fault of ours, never the caller's. */
export const fromFailure = (failure: Failure): ApiError =>
  failure.reason === 'in_use'
    ? new ApiError(409, 'in_use', failure.message)
    : new ApiError(STATUS_OF_FAILURE[failure.error_type] ?? 500, failure.reason ?? failure.error_type, failure.message);

export const fromModelError = (error: ModelError): ApiError =>
  error.reason === 'in_use'
    ? new ApiError(409, 'in_use', error.message)
    : new ApiError(STATUS_OF_MODEL_ERROR[error.code] ?? OTHER_MODEL_ERROR, error.code, withHint(error));
