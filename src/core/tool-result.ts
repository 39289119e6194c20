import type { ModelContent } from './content-part.ts';
import { isObject, type JsonValue } from './json.ts';
import { mustBe } from './must-be.ts';
import { isPlain } from './shown-value.ts';
import { isError } from './thrown-text.ts';
import { toJson } from './tool/returned-json.ts';

/** The seven words of the documents (Z6). */
export const TOOL_ERROR_TYPES = [
  'none',
  'not_found',
  'validation_failed',
  'permission_denied',
  'io_error',
  'parse_error',
  'internal_error',
] as const;
export type ToolErrorType = (typeof TOOL_ERROR_TYPES)[number];

/** Of a file that was shown in part: its lines in all, and the ranges that were shown, both ends included. */
export type LinesShown = { total: number; ranges: [from: number, to: number][] };

export type ToolResultMetadata = {
  execution_time_ms: number;
  /** UTF-8 bytes of `data`, 0 where there is none. */
  data_size_bytes: number;
  /** Milliseconds since 1970. */
  timestamp: number;
  // The rest stand only where they apply.
  reason?: string;
  code?: number;
  dropped_arguments?: string[];
  cached?: boolean;
  truncated?: string;
  /** Where the whole of a long result was put aside, as `read_file` takes it. */
  result_file?: string;
  lines_shown?: LinesShown;
  exit_code?: number;
  /** What is wrong with the arguments of a refused call; `error_message` adds the schema, for the model. */
  argument_issues?: string[];
  /** Of a command that failed and printed nothing: its `data` only says so. */
  no_output?: true;
};

/** What every tool call ends in, for the model, the person and every interface (Z5). Wire form. */
export type ToolResult = {
  success: boolean;
  /** Text; structured data is JSON text; null where there is none. */
  data: string | null;
  error_message: string | null;
  error_type: ToolErrorType;
  metadata: ToolResultMetadata;
};

/** The result of a call of which nobody knows when it ended, or that never ran. */
export const failedResult = (
  error_message: string,
  error_type: Exclude<ToolErrorType, 'none'>,
  more: Pick<ToolResultMetadata, 'reason'> = {},
): ToolResult => ({
  success: false,
  data: null,
  error_message,
  error_type,
  metadata: { execution_time_ms: 0, data_size_bytes: 0, timestamp: 0, ...more },
});

/** What a tool returns: the runner adds the time, the size and the timestamp. */
export type ToolOutput =
  | {
      success: true;
      data: string;
      metadata?: ToolOutputMetadata;
      /** `data` is JSON text of a value, and no text that the tool gave. */
      is_json?: true;
      /** What the model reads in place of `data`. */
      for_model?: ModelContent;
    }
  | {
      success: false;
      error_type: Exclude<ToolErrorType, 'none'>;
      error_message: string;
      /** Output that stands beside the failure, such as a failed command's output. */
      data?: string;
      metadata?: ToolOutputMetadata;
    };
export type ToolOutputMetadata = Pick<
  ToolResultMetadata,
  'reason' | 'code' | 'truncated' | 'exit_code' | 'no_output' | 'cached' | 'lines_shown' | 'result_file'
>;

/** A tool of a plugin may give back anything. */
export const isToolOutput = (value: unknown): value is ToolOutput => {
  if (!isObject(value) || !(value['metadata'] === undefined || isObject(value['metadata']))) return false;
  const { success, data, error_type, error_message } = value;
  if (success === true) return typeof data === 'string';
  const isFailure = TOOL_ERROR_TYPES.some((type) => type === error_type && type !== 'none');
  return (
    success === false && isFailure && typeof error_message === 'string' && ['string', 'undefined'].includes(typeof data)
  );
};

/** What a tool may give to the model. Maps, sets, dates, big integers and instances become JSON. */
export type Returnable = JsonValue | object | bigint | undefined;

/**
 * A success. Structured data becomes JSON text, and is marked as such: text that only looks like it stays text. Throws
 * what cannot be said in JSON, and an `Error`, which is no success.
 */
export const ok = (data: Returnable, metadata?: ToolOutputMetadata): ToolOutput => {
  if (isError(data)) throw data;
  checkMetadata('ok()', metadata);
  // Nothing is a text without words; null is a value.
  const value = toJson(data);
  const told = value === undefined ? '' : value;
  return {
    success: true,
    ...(typeof told === 'string' ? { data: told } : { data: JSON.stringify(told), is_json: true }),
    ...(metadata ? { metadata } : {}),
  };
};

/** A text in its place would be lost. */
const checkMetadata = (who: string, metadata: object | null | undefined): void =>
  mustBe('an object', `metadata of ${who}`, metadata, isPlain(metadata ?? {}));

/** `reason` of a call that had to be asked about where nobody answered. */
export const PERMISSION_REQUIRED = 'permission_required';

/** `reason` of a search that went well and found nothing. */
export const NOTHING_FOUND = 'nothing_found';

/** `reason` of an MCP tool that says of itself that it failed; what it says is why. */
export const TOOL_ERROR = 'tool_error';
/** A shell that cannot run a command says why, and ends with one of these. */
const NOT_RUN_CODES: readonly number[] = [126, 127];

/**
 * Whether an answer can rest on it: a success, or a failure that came with output, as of tests that ended with 1. A search
 * that found nothing gave nothing, and neither did a command that printed nothing or that there is not.
 */
export const gaveSomething = ({
  success,
  data,
  metadata = {},
}: Pick<ToolResult, 'success' | 'data'> & { metadata?: ToolOutputMetadata }): boolean => {
  const { reason, exit_code, no_output } = metadata;
  if (success) return reason !== NOTHING_FOUND;
  const isReason = no_output === true || reason === TOOL_ERROR || NOT_RUN_CODES.includes(exit_code ?? 0);
  return !isReason && data !== null && data !== '';
};

/** The reason of a request that a server answered with a redirect which was not followed. */
export const REDIRECTED = 'redirected';
/** A server answered with an error: `http_404`. */
const HTTP_REASON = /^http_\d/;

/** Whether it brought content: a refused call did not, and the error text of a server may be untrusted content. */
export const bringsContent = ({
  success,
  data,
  error_type,
  metadata,
}: Pick<ToolResult, 'success' | 'data' | 'error_type'> & { metadata?: ToolOutputMetadata }): boolean => {
  if (success || data !== null || error_type === 'io_error' || error_type === 'parse_error') return true;
  const reason = metadata?.reason ?? '';
  return reason === REDIRECTED || HTTP_REASON.test(reason);
};

/** A failure that the model is told of. */
export const fail = (
  error_type: Exclude<ToolErrorType, 'none'>,
  error_message: string,
  metadata?: ToolOutputMetadata & { data?: string },
): ToolOutput => {
  const known = TOOL_ERROR_TYPES.filter((type) => type !== 'none');
  mustBe(`one of: ${known.join(', ')}`, 'error_type of fail()', error_type, known.includes(error_type));
  // A program without a compiler may leave it out.
  const message: unknown = error_message ?? error_type.replaceAll('_', ' ');
  mustBe('a text', 'error_message of fail()', message, typeof message === 'string');
  checkMetadata('fail()', metadata);
  const { data, ...rest } = metadata ?? {};
  return {
    success: false,
    error_type,
    error_message: message as string,
    ...(data === undefined ? {} : { data }),
    ...(Object.keys(rest).length > 0 ? { metadata: rest } : {}),
  };
};
