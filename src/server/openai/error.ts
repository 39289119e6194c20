import type { ApiError } from '../api-error.ts';

/** An error in the shape that OpenAI's clients read. */
export const openAiErrorBody = (error: ApiError): object => ({
  error: {
    message: error.message,
    type:
      error.status >= 500 ? 'server_error' : error.status === 401 ? 'authentication_error' : 'invalid_request_error',
    param: null,
    code: error.code,
  },
});
