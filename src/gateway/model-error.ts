/** What every HTTP answer says of a failure of the model. */
import type { ModelError } from '../core/model-port.ts';

/** Of the failures that the caller or the time is to blame for; 503 for every other one that a table does not name. */
export const STATUS_OF_MODEL_ERROR: Partial<Record<ModelError['code'], number>> = {
  model_not_found: 404,
  bad_request: 400,
  tools_unsupported: 400,
  context_overflow: 400,
  timeout: 504,
};
export const OTHER_MODEL_ERROR = 503;

/** What went wrong and what to do; in paragraphs of their own where there are several lines. */
export const modelErrorText = ({ message, hint }: Pick<ModelError, 'message' | 'hint'>): string =>
  hint ? `${asSentence(message)}${message.includes('\n') ? '\n\n' : ' '}${hint}` : message;

/** A server's own words need not end in a full stop, and the hint is a sentence of its own. */
const asSentence = (message: string): string => (/[\p{L}\p{N})"'\]]$/u.test(message) ? `${message}.` : message);
