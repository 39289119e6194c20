/** What is wrong with a request or could not be had of a model, before any wire has put it into its own shape. */
import { withHint } from '../core/error-text.ts';
import type { ModelError } from '../core/model-port.ts';
import { OTHER_MODEL_ERROR, STATUS_OF_MODEL_ERROR } from './model-error.ts';

const TRIED_ENOUGH: ReadonlySet<string> = new Set(['empty_answer', 'no_tool_call', 'answer_does_not_fit']);

export class GatewayError extends Error {
  /** An HTTP status. */
  readonly status: number;
  /** A short machine word: `invalid_request`, `context_overflow`. */
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;
  constructor(status: number, code: string, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.name = 'GatewayError';
    this.status = status;
    this.code = code;
    // Clients repeat a 5xx many times; what was tried several times here already comes out the same again.
    this.headers = TRIED_ENOUGH.has(code) ? { 'x-should-retry': 'false', ...headers } : headers;
  }
}

export const invalidRequest = (message: string): GatewayError => new GatewayError(400, 'invalid_request', message);

const STATUS_OF_CODE: Partial<Record<ModelError['code'], number>> = {
  ...STATUS_OF_MODEL_ERROR,
  protocol: 502,
  disconnected: 502,
};
/** Statuses of a model server that a client acts on: they stay what they are. */
const KEPT_STATUSES: ReadonlySet<number> = new Set([408, 413, 429]);

/** A failure of the model server, with the status that a client of that server would have seen where it matters. */
export const fromModelError = (error: ModelError): GatewayError => {
  const message = withHint(error);
  if (error.reason === 'in_use') return new GatewayError(409, 'in_use', message);
  const kept = error.status !== undefined && KEPT_STATUSES.has(error.status) ? error.status : undefined;
  const retry = error.retry_after_seconds;
  return new GatewayError(
    kept ?? STATUS_OF_CODE[error.code] ?? OTHER_MODEL_ERROR,
    kept === 429 ? 'rate_limited' : error.code,
    message,
    retry === undefined ? {} : { 'retry-after': String(retry) },
  );
};
