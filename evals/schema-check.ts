/** Ajv, so that what counts as valid is not decided by halter's own code. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { JsonSchema, JsonValue } from '../src/core/json.ts';

const ajv = new Ajv2020({ strict: false, validateFormats: false });

export const checkValue = (schema: JsonSchema, value: JsonValue): boolean => {
  const validate = ajv.compile(schema);
  return validate(value) === true;
};
