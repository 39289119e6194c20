/** One request of a web tool through the port, with the port's failures in the words of a tool result. */

import { capital } from '../../core/capital.ts';
import type { HttpFailure, HttpRequest } from '../../core/ports.ts';
import type { ToolContext } from '../../core/tool.ts';
import { fail, REDIRECTED, type ToolErrorType, type ToolOutput } from '../../core/tool-result.ts';
import { TOOL_LIMITS } from '../limits.ts';

export type WebAnswer = {
  status: number;
  headers: Record<string, string>;
  /** Where it came from in the end. */
  url: string;
  bytes: Uint8Array;
};
export type WebOutcome = { ok: true; answer: WebAnswer } | { ok: false; output: ToolOutput };

export type WebRequest = Pick<HttpRequest, 'url'> &
  Partial<
    Pick<HttpRequest, 'method' | 'headers' | 'body' | 'redirects' | 'personsWord' | 'maxResponseBytes' | 'mayFollow'>
  > & {
    /** Everything together: connecting, redirects, the body. */
    timeoutMs: number;
  };

export const webRequest = async (
  context: Pick<ToolContext, 'network' | 'signal'>,
  request: WebRequest,
): Promise<WebOutcome> => {
  const { timeoutMs, ...rest } = request;
  const time = AbortSignal.timeout(timeoutMs);
  const late = (): ToolOutput =>
    fail('io_error', `${hostOf(request.url)} did not answer within ${timeoutMs / 1_000} s.`, { reason: 'timeout' });
  const failed = (error: HttpFailure): WebOutcome => ({
    ok: false,
    output: error.kind === 'cancelled' && time.aborted && !context.signal.aborted ? late() : refusal(error),
  });
  const response = await context.network.request({
    method: 'GET',
    maxResponseBytes: TOOL_LIMITS.webResponseBytes,
    connectTimeoutMs: Math.min(TOOL_LIMITS.webConnectTimeoutMs, timeoutMs),
    ...rest,
    signal: AbortSignal.any([context.signal, time]),
  });
  if (!response.ok) return failed(response.error);
  const { status, headers, url = request.url, readBytes, text } = response.value;
  const pieces: Uint8Array[] = [];
  if (readBytes === undefined) {
    const read = await text();
    if (!read.ok) return failed(read.error);
    pieces.push(new TextEncoder().encode(read.value));
  } else {
    const read = await readBytes((bytes) => void pieces.push(bytes));
    if (!read.ok) return failed(read.error);
  }
  return { ok: true, answer: { status, headers, url, bytes: joined(pieces) } };
};

const joined = (pieces: readonly Uint8Array[]): Uint8Array => {
  const all = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let position = 0;
  for (const piece of pieces) {
    all.set(piece, position);
    position += piece.length;
  }
  return all;
};

export const hostOf = (url: string): string => URL.parse(url)?.host || 'the server';

const TYPES: Readonly<Partial<Record<HttpFailure['kind'], Exclude<ToolErrorType, 'none'>>>> = {
  blocked: 'permission_denied',
  invalid_url: 'validation_failed',
  // Past a limit of ours.
  redirects: 'validation_failed',
};
const REASONS: Readonly<Partial<Record<HttpFailure['kind'], string>>> = {
  blocked: 'address_refused',
  connect_timeout: 'timeout',
  silence_timeout: 'timeout',
};

const refusal = ({ kind, message, isRedirected }: HttpFailure): ToolOutput =>
  fail(TYPES[kind] ?? 'io_error', `${capital(message).replace(/\.$/, '')}.`, {
    reason: isRedirected ? REDIRECTED : (REASONS[kind] ?? kind),
  });

/** An answer that is not the one that was asked for. */
export const statusFailure = (answer: WebAnswer, words?: string): ToolOutput => {
  const meaning = words === undefined || words === '' ? '' : `: ${words}`;
  return fail(
    answer.status === 404 || answer.status === 410 ? 'not_found' : 'io_error',
    `${hostOf(answer.url)} answered with status ${answer.status}${meaning}.`,
    { reason: `http_${answer.status}` },
  );
};
