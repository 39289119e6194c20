/** The reference page of errors. The compiler holds every table complete. */
import { EXIT } from '../../src/cli/exit-codes.ts';
import { ErrorCode, type ErrorCodeName } from '../../src/core/errors.ts';
import type { StopReason } from '../../src/core/events.ts';
import type { ModelErrorCode } from '../../src/core/model-port.ts';
import { TOOL_ERROR_TYPES, type ToolErrorType } from '../../src/core/tool-result.ts';

export const ERRORS_REFERENCE_FILE = 'docs/reference/errors.md';

const THROWN: Record<ErrorCodeName, string> = {
  ToolNotFound: '`executeTool` with a name that no tool has; in a conversation the model is told the nearest names',
  ToolExecutionFailed:
    '`executeTool` of a tool that threw or returned an `Error`, or of a function of `registerTool` that returned a `fail(…)`; in a conversation the model is told',
  InvalidToolSignature:
    '`defineTool` or `registerTool`: a name or a schema that no model could use, an unknown or wrong field, or names, types and arity that do not agree',
  ToolRetriesExhausted:
    'the model sent arguments that do not fit, and so again after each correction (`limits.repairs`, 2)',
  ToolLoopLimitReached:
    'the model wanted more rounds of calls than `limits.iterations` (10); its last answer, without tools, is `partial.answer` of the error',
};

const IN_RESULTS: Record<ToolErrorType, string> = {
  none: 'it went well',
  not_found: 'no such file, no such tool',
  validation_failed:
    'arguments that do not fit the schema, a path outside the workspace, a limit, a file that changed since the conversation last read or wrote it (`reason`: `changed_since_read`)',
  permission_denied: 'a rule or a person said no, or nobody was there to ask (`reason`: `permission_required`)',
  io_error:
    'the system or another side failed or was silent; `reason` says how (`timeout`, `cancelled`, `signal`, `exit_code`, an errno word; `not_saved`: what a command changed in files was not put in place, or not all of it, since the conversation could not be saved), `exit_code` a command’s',
  parse_error: 'bytes or JSON that cannot be read as what they should be',
  internal_error: 'the tool threw (`code` 501), or a defect',
};

const OF_MODELS: Record<ModelErrorCode, string> = {
  unreachable: 'no server answers at the address, or it is not allowed (`--offline`)',
  model_not_found: 'the server does not know the model',
  tools_unsupported: 'the model takes no tools in this way; halter then puts them into the prompt, and says so',
  unauthorized: 'the key is missing or wrong',
  bad_request: 'the server refuses the request',
  rate_limited:
    'the server answered 429, too many requests, also when it was asked three more times, or wants to be left alone for more than a minute, which `retryAfterSeconds` says',
  server_error: 'the server failed, also when it was asked three more times',
  timeout: 'silence for longer than `silence_timeout_ms` after the first token, or no connection in 5 s',
  disconnected: 'the connection ended in the middle of an answer',
  context_overflow: 'the prompt is larger than the window',
  load_failed: 'the engine could not load the model file',
  cancelled: 'somebody cancelled',
  protocol: 'the answer is not what such a server sends',
};

const STOPS: Record<StopReason, string> = {
  limit: 'a limit was reached (`code` 504)',
  retries_exhausted: 'corrections did not help (`code` 503)',
  loop: 'the same calls with the same results, three times',
  model_unusable: 'the model or its server; `name` is one of the words below',
  permission_required: 'a question, and nobody there to answer it',
  error: 'a defect, or a disk that failed',
};

const EXITS: Record<keyof typeof EXIT, string> = {
  answered: 'answered',
  error: 'error',
  usage: 'the command line was wrong',
  permission: 'a permission was needed, or denied, and the run could not go on',
  limit: 'a limit was reached, or a loop stopped',
  modelUnusable: 'the model or its server cannot be used',
  interrupted: 'interrupted',
};

const table = (head: string, rows: readonly (readonly [string, string])[]): string =>
  [`| ${head} | when |`, '|---|---|', ...rows.map(([name, when]) => `| ${name} | ${when} |`)].join('\n');
const words = (record: Record<string, string>) =>
  Object.entries(record).map(([name, when]) => [`\`${name}\``, when] as const);

export const errorsReference = (): string =>
  [
    '# Errors',
    '',
    '<!-- Made by scripts/write-reference.ts from the codes in the sources. -->',
    '',
    'What a model, a person, a disk or a network causes is a value or an event. What is thrown is listed here. Messages, and what to do: [troubleshooting](../how-to/troubleshooting.md).',
    '',
    '## Thrown by the library',
    '',
    '`HalterError` has `name` and `code`. A chat that was cancelled rejects with a `DOMException` named `AbortError`; a model that cannot be used with a `ModelFailure`, whose `code` is [one of these](#codes-of-a-model-that-cannot-be-used) and whose message says what to do; `status` is what the server answered (429: too many requests), and `retryAfterSeconds` how long it asks to be left alone. A run that was stopped by something else is a `RunStopped`, whose `reason` is [one of these](#reason-of-a-run-that-stopped) and whose `name` is the one of the event (`LoopDetected`); where a function of your own threw in the run (`prepareStep`, `stopWhen`, a provider of yours), or halter did, that is its `cause`, as it was thrown. A harness that cannot be opened is an `OpenFailure`, whose `code` is [one of these](#error_type-of-a-toolresult) and whose `reason` says more (`mcp_server`, an errno word); the next message tries again. An option, a message or a history that cannot be, such as a rule that does not parse or a message to a closed harness, is a `TypeError`; so is what a function of your own does wrong while the conversation opens (`prompt.projectInstructions`), with its error as `cause`. An `Error` that `validate` of your own schema throws is thrown as it is. Other exceptions are defects.',
    '',
    table(
      '`code`, `name`',
      (Object.keys(ErrorCode) as ErrorCodeName[]).map((name) => [`${ErrorCode[name]} \`${name}\``, THROWN[name]]),
    ),
    '',
    '## `error_type` of a ToolResult',
    '',
    table(
      'word',
      TOOL_ERROR_TYPES.map((word) => [`\`${word}\``, IN_RESULTS[word]]),
    ),
    '',
    '## `reason` of a run that stopped',
    '',
    table('word', words(STOPS)),
    '',
    '## Codes of a model that cannot be used',
    '',
    table('word', words(OF_MODELS)),
    '',
    '## Exit codes',
    '',
    table(
      'code',
      (Object.keys(EXIT) as (keyof typeof EXIT)[]).map((name) => [`${EXIT[name]}`, EXITS[name]]),
    ),
    '',
    '## HTTP',
    '',
    'Errors are `{"error": {"code", "message"}}` with a status: 400 a body that does not fit, 401 no token, 403 not permitted or another origin, 404 nothing there, 409 not now, 413 and 415 a body that is not taken, 503 a model that cannot be used, or `unreachable`: the database is away (`retry-after` says when to ask again; a message that is sent again with its `idempotency_key` is taken once). On paths of another API they have [its shape](../how-to/openai-endpoint.md#errors). Routes: [http.md](http.md).',
    '',
  ].join('\n');
