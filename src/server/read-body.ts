/** A request's JSON body: bounded while it is read, bounded in depth before it is parsed, checked against its schema. */
import { type JsonValue, withoutByteOrderMark } from '../core/json.ts';
import { isNestedDeeper } from '../core/nested-json.ts';
import { repeatedKey, repeatedKeyText } from '../core/repeated-key.ts';
import { parseWritten } from '../core/written-numbers.ts';
import { checkValue, type Schema } from '../schema/index.ts';
import { ApiError } from './api-error.ts';
import { SERVER_LIMITS } from './limits.ts';

const JSON_TYPE = 'application/json';

export const readJson = async (
  request: Request,
  maxBytes: number,
  { isOptional = false, isStrict = false },
): Promise<JsonValue> => {
  if (isOptional && typeOf(request) === '' && (await isEmpty(request))) return {};
  const text = decoded(await readBytes(request, maxBytes, JSON_TYPE));
  if (isOptional && text === '') return {};
  if (isNestedTooDeeply(text)) {
    throw new ApiError(
      400,
      'nested_too_deeply',
      `The body is nested more than ${SERVER_LIMITS.jsonDepth} levels deep.`,
    );
  }
  const value = parsed(withoutByteOrderMark(text));
  const repeated = isStrict ? repeatedKey(text) : undefined;
  if (repeated === undefined) return value;
  throw new ApiError(400, 'parse_error', `The body cannot be used: ${repeatedKeyText(repeated)}.`);
};

const parsed = (text: string): JsonValue => {
  try {
    return parseWritten(text);
  } catch (error) {
    throw new ApiError(400, 'parse_error', `The body is not JSON: ${(error as Error).message}`);
  }
};

const typeOf = (request: Request): string =>
  (request.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '';

/** A client that sends nothing may announce no length either, and then only reading tells. What is of no type is not read. */
const isEmpty = async (request: Request): Promise<boolean> => {
  const announced = request.headers.get('content-length');
  if (announced !== null) return announced === '0';
  if (request.body === null) return true;
  const reader = request.clone().body?.getReader();
  const first = await reader?.read();
  await reader?.cancel();
  return first === undefined || first.done || first.value.byteLength === 0;
};

const decoder = new TextDecoder('utf-8', { fatal: true });
const decoded = (bytes: Uint8Array): string => {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new ApiError(400, 'parse_error', 'The body is not UTF-8.');
  }
};

/** What has come beyond the limit is not kept, and the connection is not read any further. */
export const readBytes = async (request: Request, maxBytes: number, type: string): Promise<Uint8Array> => {
  if (typeOf(request) !== type) {
    throw new ApiError(
      415,
      'unsupported_media_type',
      `The body must be sent as ${type}: add the header "content-type: ${type}".`,
    );
  }
  // Nothing is unpacked here: a few bytes could become more than there is room for.
  const encoding = request.headers.get('content-encoding')?.trim().toLowerCase() ?? '';
  if (encoding !== '' && encoding !== 'identity') {
    throw new ApiError(415, 'unsupported_media_type', 'The body must be sent without a Content-Encoding.');
  }
  const tooLarge = (): ApiError =>
    new ApiError(413, 'body_too_large', `The body is larger than ${maxBytes} bytes.`, { connection: 'close' });
  const announced = request.headers.get('content-length');
  if (Number(announced ?? 0) > maxBytes) throw tooLarge();
  // More than was announced does not come: Node ends the body there.
  if (announced !== null && request.headers.get('transfer-encoding') === null) {
    const bytes = new Uint8Array(await request.arrayBuffer());
    if (bytes.length > maxBytes) throw tooLarge();
    return bytes;
  }
  if (request.body === null) return new Uint8Array();
  const reader = request.body.getReader();
  const parts: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.byteLength;
    if (size > maxBytes) {
      await reader.cancel();
      throw tooLarge();
    }
    parts.push(value);
  }
  return parts.length === 1 ? (parts[0] as Uint8Array) : Buffer.concat(parts);
};

export const isNestedTooDeeply = (text: string): boolean => isNestedDeeper(text, SERVER_LIMITS.jsonDepth);

/** Of a `oneOf` with a discriminator the branch is checked that is meant, so that the report is about it. */
export const checkBody = (schema: Schema, value: JsonValue): void => {
  const issues = checkValue(branchOf(schema, value), value);
  if (issues.length === 0) return;
  const text = issues
    .slice(0, SERVER_LIMITS.bodyErrors)
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
