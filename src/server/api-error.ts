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

/** What the store says of itself, whatever it was asked for: another halter has it, or it is away and is to be asked again. */
const ofStore = ({ reason, message }: Refusal): ApiError | undefined => {
  if (reason === 'in_use') return new ApiError(409, 'in_use', message);
  if (reason !== 'unreachable') return undefined;
  return new ApiError(503, 'unreachable', message, { 'retry-after': String(SERVER_LIMITS.storeAwayRetryS) });
};

/** A session that does not take what it was told. */
export const notNow = (refusal: Refusal): ApiError => ofStore(refusal) ?? new ApiError(409, 'not_now', refusal.message);

/** What the disk or another halter made impossible is a conflict or a fault of ours, never the caller's. */
export const fromFailure = (failure: Failure): ApiError =>
  ofStore(failure) ??
  new ApiError(STATUS_OF_FAILURE[failure.error_type] ?? 500, failure.reason ?? failure.error_type, failure.message);

export const fromModelError = (error: ModelError): ApiError =>
  ofStore(error) ?? new ApiError(STATUS_OF_MODEL_ERROR[error.code] ?? OTHER_MODEL_ERROR, error.code, withHint(error));
