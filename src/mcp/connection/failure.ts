/** What went wrong with a server, in the words of a result. */
import {
  INVALID_PARAMS,
  InsufficientScopeError,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { type Failure, failure } from '../../core/outcome.ts';
import { errorText } from '../clean-text.ts';
import { LoginNeeded } from '../login/providers.ts';

const HTTP_NOT_FOUND = 404;

/** The connection is not known there any more. */
export const isForgotten = (error: unknown): boolean =>
  error instanceof SdkHttpError && error.status === HTTP_NOT_FOUND;

export const needsLogin = (error: unknown): boolean =>
  error instanceof LoginNeeded || error instanceof UnauthorizedError || error instanceof InsufficientScopeError;

export const loginText = (name: string): string => `you have to log in first; \`halter mcp login ${name}\` does it`;

export const requestFailure = (server: string, error: unknown, detail: string): { ok: false; error: Failure } => {
  const name = `The MCP server "${server}"`;
  if (error instanceof SdkError) {
    if (error.code === SdkErrorCode.ConnectionClosed || error.code === SdkErrorCode.SendFailed)
      return failure(
        'io_error',
        `${name} ended during the call${detail === '' ? '' : ` (${detail})`}.`,
        'disconnected',
      );
    if (error.code === SdkErrorCode.RequestTimeout)
      return failure('io_error', `${name} did not answer in time.`, 'timeout');
    return failure('io_error', `${name}: ${errorText(error)}`);
  }
  if (error instanceof ProtocolError) {
    // The other side read the call and found fault with it.
    const isFault = error.code === INVALID_PARAMS;
    return failure(isFault ? 'validation_failed' : 'io_error', `${name} answered: ${errorText(error)}`);
  }
  return failure('io_error', `${name}: ${errorText(error)}`);
};
