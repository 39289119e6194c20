/** What is wrong with a request or could not be had of a model, before any wire has put it into its own shape. */
import { withHint } from '../core/error-text.ts';
import type { ModelError } from '../core/model-port.ts';
import { PROVIDER_LIMITS } from '../providers/limits.ts';
import { OTHER_MODEL_ERROR, STATUS_OF_MODEL_ERROR } from './model-error.ts';

/** Of a prompt that is too long, as far as it is known. */
export type Overflow = { windowTokens?: number | undefined; promptTokens?: number | undefined };

/** A failure as a wire writes it, whichever part of the server it comes from. */
export type WireFailure = Pick<GatewayError, 'status' | 'code' | 'message'> &
  Partial<Pick<GatewayError, 'headers' | 'isFinal' | 'overflow'>>;

type Details = {
  headers?: Readonly<Record<string, string>>;
  /** Asked again, it comes out the same. By its status and code where absent. */
  isFinal?: boolean;
  overflow?: Overflow;
};

export class GatewayError extends Error {
  /** An HTTP status. */
  readonly status: number;
  /** A short machine word: `invalid_request`, `context_overflow`. Wires write it in their own words. */
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly isFinal: boolean;
  readonly overflow: Overflow | undefined;
  constructor(status: number, code: string, message: string, details: Details = {}) {
    super(message);
    this.name = 'GatewayError';
    this.status = status;
    this.code = code;
    this.overflow = details.overflow;
    this.isFinal = details.isFinal ?? (TRIED_ENOUGH.has(code) || !isPassing(status));
    // Clients repeat some statuses many times; what was tried several times here already comes out the same again.
    this.headers = this.isFinal ? { 'x-should-retry': 'false', ...details.headers } : (details.headers ?? {});
  }

  /** The same failure with more said of it. */
  with({ headers = {}, overflow = this.overflow }: Pick<Details, 'headers' | 'overflow'>): GatewayError {
    return new GatewayError(this.status, this.code, this.message, {
      headers: { ...headers, ...this.headers },
      isFinal: this.isFinal,
      ...(overflow ? { overflow } : {}),
    });
  }
}

const TRIED_ENOUGH: ReadonlySet<string> = new Set(['empty_answer', 'no_tool_call', 'answer_does_not_fit']);
/** Conflicts, limits and faults of a server may be gone the next time; what is wrong with a request, or done nowhere, is not. */
const isPassing = (status: number): boolean =>
  (status >= 500 && status !== 501) || status === 408 || status === 409 || status === 429;

export const invalidRequest = (message: string): GatewayError => new GatewayError(400, 'invalid_request', message);

/** Whoever asks was answered nothing, or not everything. */
export const stoppedError = (): GatewayError =>
  new GatewayError(503, 'shutting_down', 'halter was stopped before the answer was whole.');

/** Codes whose meaning is their own, whatever status a server gave them. */
const STATUS_OF_CODE: Partial<Record<ModelError['code'], number>> = {
  ...STATUS_OF_MODEL_ERROR,
  bad_request: undefined,
  load_failed: OTHER_MODEL_ERROR,
};
/** Where the server gave no status, or none that a client could act on. */
const STATUS_WITHOUT_ONE: Partial<Record<ModelError['code'], number>> = {
  bad_request: 400,
  unauthorized: 401,
  protocol: 502,
  disconnected: 502,
};
/** A body that is too large is what is too long, and clients know the difference. */
const TOO_LARGE = 413;

const statusOf = ({ code, status = 0 }: ModelError): number => {
  if (code === 'context_overflow' && status === TOO_LARGE) return status;
  const own = STATUS_OF_CODE[code];
  if (own !== undefined) return own;
  return status >= 400 ? status : (STATUS_WITHOUT_ONE[code] ?? OTHER_MODEL_ERROR);
};

/** What may be gone the next time, though it was not tried again here. */
const PASSING: ReadonlySet<ModelError['code']> = new Set([
  'rate_limited',
  'server_error',
  'timeout',
  'disconnected',
  'cancelled',
]);

const isFinal = (error: ModelError, status: number): boolean => {
  // What a server asks to be waited for longer than anybody waited here, is not known yet.
  if (status === 429 && (error.retry_after_seconds ?? 0) * 1_000 > PROVIDER_LIMITS.modelRetryDelayMsMax) return false;
  return (error.tries ?? 1) > 1 || !PASSING.has(error.code);
};

/** A failure of the model server, with the status that a client of that server would have seen where it matters. */
export const fromModelError = (error: ModelError): GatewayError => {
  const message = withHint(error);
  if (error.reason === 'in_use') return new GatewayError(409, 'in_use', message);
  const status = statusOf(error);
  const retry = error.retry_after_seconds;
  return new GatewayError(status, codeOf(error, status), wordsOf(error, message), {
    headers: retry === undefined ? {} : { 'retry-after': String(retry) },
    isFinal: isFinal(error, status),
    ...(error.code === 'context_overflow'
      ? { overflow: { windowTokens: error.window_tokens, promptTokens: error.prompt_tokens } }
      : {}),
  });
};

const codeOf = ({ code, reason }: ModelError, status: number): string => {
  if (status === 429) return 'rate_limited';
  if (reason === 'embeddings_unsupported') return reason;
  return code === 'unauthorized' ? 'upstream_unauthorized' : code;
};

/** Whoever reads of a key thinks of the own one. */
const wordsOf = ({ code }: ModelError, message: string): string =>
  code === 'unauthorized' ? `The model server did not take the key of halter, which is not yours. ${message}` : message;

/** What clients of an API look for when a prompt is too long, with the figures where they are known, before our own words. */
export const overflowMessage = (
  { message, overflow }: WireFailure,
  words: (promptTokens: number, windowTokens: number) => string,
  wordsAlone: string,
): string => {
  if (overflow === undefined) return message;
  const { promptTokens, windowTokens } = overflow;
  const known = promptTokens !== undefined && windowTokens !== undefined;
  return `${known ? words(promptTokens, windowTokens) : wordsAlone} ${message}`;
};
