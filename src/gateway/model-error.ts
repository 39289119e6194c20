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
