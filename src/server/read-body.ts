/** A request's JSON body: bounded while it is read, bounded in depth before it is parsed, checked against its schema. */
import type { JsonValue } from '../core/json.ts';
import { LIMITS } from '../core/limits.ts';
import { checkValue, type Schema } from '../schema/index.ts';
import { ApiError } from './api-error.ts';

export const readJson = async (request: Request, maxBytes: number, optional = false): Promise<JsonValue> => {
  const type = (request.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase();
  const isJson = type === 'application/json';
  if (!isJson && !(optional && type === '')) throw notJson();
  const text = await readText(request, maxBytes);
  if (optional && text === '') return {};
  if (!isJson) throw notJson();
  if (isNestedTooDeeply(text)) {
    throw new ApiError(400, 'nested_too_deeply', `The body is nested more than ${LIMITS.serverJsonDepth} levels deep.`);
  }
  try {
    return JSON.parse(text) as JsonValue;
  } catch (error) {
    throw new ApiError(400, 'parse_error', `The body is not JSON: ${(error as Error).message}`);
  }
};

const notJson = (): ApiError =>
  new ApiError(415, 'unsupported_media_type', 'The body must be sent as application/json.');

/** What has come beyond the limit is not kept, and the connection is not read any further. */
const readText = async (request: Request, maxBytes: number): Promise<string> => {
  const tooLarge = (): ApiError =>
    new ApiError(413, 'body_too_large', `The body is larger than ${maxBytes} bytes.`, { connection: 'close' });
  const announced = Number(request.headers.get('content-length') ?? 0);
  if (announced > maxBytes) throw tooLarge();
  if (request.body === null) return '';
  const reader = request.body.getReader();
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const parts: string[] = [];
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      size += value.byteLength;
      if (size > maxBytes) {
        await reader.cancel();
        throw tooLarge();
      }
      parts.push(decoder.decode(value, { stream: true }));
    }
    parts.push(decoder.decode());
  } catch (error) {
    if (error instanceof TypeError) throw new ApiError(400, 'parse_error', 'The body is not UTF-8.');
    throw error;
  }
  return parts.join('');
};

/** JSON.parse takes any depth; what walks the value afterwards does not. */
export const isNestedTooDeeply = (text: string): boolean => {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (inString) {
      if (code === BACKSLASH) index += 1;
      else if (code === QUOTE) inString = false;
    } else if (code === QUOTE) inString = true;
    else if (code === BRACKET || code === BRACE) {
      depth += 1;
      if (depth > LIMITS.serverJsonDepth) return true;
    } else if (code === BRACKET_END || code === BRACE_END) depth -= 1;
  }
  return false;
};
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const BRACKET = 0x5b;
const BRACKET_END = 0x5d;
const BRACE = 0x7b;
const BRACE_END = 0x7d;

/** Of a `oneOf` with a discriminator the branch is checked that is meant, so that what is said is about it. */
export const checkBody = (schema: Schema, value: JsonValue): void => {
  const issues = checkValue(branchOf(schema, value), value);
  if (issues.length === 0) return;
  const text = issues
    .slice(0, LIMITS.argumentErrors)
    .map(({ path, message }) => `${path.slice(1).replaceAll('/', '.') || 'the body'} ${message}`);
  throw new ApiError(400, 'invalid_request', `The body does not fit: ${text.join('; ')}.`);
};

const branchOf = (schema: Schema, value: JsonValue): Schema => {
  const { discriminator, oneOf } = schema;
  if (typeof discriminator !== 'object' || !Array.isArray(oneOf)) return schema;
  const property = String((discriminator as { propertyName?: unknown }).propertyName);
  const branches = oneOf as { properties: Record<string, { const: string }> }[];
  const kind = typeof value === 'object' && value !== null && !Array.isArray(value) ? value[property] : undefined;
  const meant = branches.find((branch) => branch.properties[property]?.const === kind);
  const kinds = branches.map((branch) => branch.properties[property]?.const ?? '');
  return (
    (meant as Schema | undefined) ?? {
      type: 'object',
      required: [property],
      properties: { [property]: { enum: kinds } },
    }
  );
};
