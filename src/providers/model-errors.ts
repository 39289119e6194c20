/** What went wrong with a model server, in a sentence that says what happened and a hint that says what to do. */

import { escapeCharacter } from '../core/invisible.ts';
import { isObject } from '../core/json.ts';
import { LIMITS } from '../core/limits.ts';
import { LOADING, type ModelError, type ModelErrorCode, type ModelProvider } from '../core/model-port.ts';
import type { HttpFailure } from '../core/ports.ts';
import { quotedName } from '../core/quoted-name.ts';
import { isOverflow, isOverflowCode, overflowFigures } from './context-overflow.ts';
import { listOf, parseJson, textOf } from './json-values.ts';
import { PROVIDER_LIMITS } from './limits.ts';
import { isGeneralRefusal, namedFields, TOOLS } from './named-fields.ts';
import { pictureReason } from './picture-refusal.ts';

/** How a provider is spoken of, and how a person starts it. */
export type ErrorWords = {
  endpoint: string;
  /** `Start it with "ollama serve"` … */
  startHint: string;
  /** How a missing model is fetched, where the server has a command for it. */
  fetchHint?: (model: string) => string;
  apiKey?: string | undefined;
  /** The servers of a key that was kept back. */
  keyIsFor?: readonly string[] | undefined;
};

const SECRETS = /\b(sk|pk|hf|gsk|xai|key|api)[-_][A-Za-z0-9_-]{6,}|(?<=Bearer\s)\S+/g;

/** A server may repeat the key it refused: no message of ours carries it on. */
export const withoutSecrets = (text: string, apiKey: string | undefined): string => {
  const known = apiKey !== undefined && apiKey.length >= 4 ? text.replaceAll(apiKey, '[key]') : text;
  return known.replace(SECRETS, '[key]');
};

/** Characters that steer a terminal are written out, so that the person sees what the server really sent. */
const oneLine = (text: string): string => {
  const line = text
    .replace(/\s+/gu, ' ')
    .replace(/\p{Cc}/gu, escapeCharacter)
    .trim();
  return line.length > LIMITS.modelErrorCharacters ? `${line.slice(0, LIMITS.modelErrorCharacters)}…` : line;
};

/** The server's own words, out of all the shapes that servers wrap them in. */
export const serverMessage = (body: string, apiKey: string | undefined): string => {
  const parsed = parseJson(body);
  return withoutSecrets(oneLine(withoutPage(parsed.ok ? errorText(parsed.value) : body)), apiKey);
};

const PAGE = /<(?:!doctype\s+html|html|head|body|title|h1)\b/i;
const HEADING = /<(title|h1)\b[^>]*>([^<]{1,200})<\/\1\s*>/i;

/** A proxy answers with a page of its own: what it is called says enough, and the rest is for a browser. */
export const withoutPage = (text: string): string => {
  const start = PAGE.exec(text);
  if (start === null) return text;
  const [, , heading = ''] = HEADING.exec(text) ?? [];
  const page = heading.trim() === '' ? 'an HTML page' : `an HTML page: "${heading.trim()}"`;
  return `${text.slice(0, start.index)}${page}`;
};

export const errorText = (value: unknown): string => {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(errorText).join('; ');
  if (!isObject(value)) return '';
  for (const field of ['error', 'message', 'detail', 'msg']) {
    const inner = value[field];
    if (typeof inner === 'string' && inner !== '') return inner;
    if (isObject(inner) || listOf(inner).length > 0) return errorText(inner);
  }
  return textOf(value['code']) ?? JSON.stringify(value);
};

/** Known sentences of servers. The first that fits decides; a status decides only where none fits. */
const SENTENCES: readonly { code: ModelErrorCode; pattern: { test(message: string): boolean } }[] = [
  {
    code: 'context_overflow',
    pattern: { test: isOverflow },
  },
  {
    code: 'load_failed',
    pattern:
      /requires more system memory|unable to load model|failed to load model|error loading model|llama runner process has terminated|out of memory|insufficient memory|\bmodel (?:name=\S{1,300} )?failed to load|upstream command exited prematurely/i,
  },
  {
    code: 'model_not_found',
    pattern:
      /model ['"`]?[^'"`]*['"`]? (was )?not found|model ['"`]?[^'"`]*['"`]? does not exist|no such model|unknown model|model_not_found|try pulling it first|invalid model (name|identifier)/i,
  },
  { code: 'unauthorized', pattern: /invalid api key|incorrect api key|unauthorized|authentication/i },
];

/** A server that still loads its model, and answers when that is done. */
export const isLoading = (status: number | undefined, body: string): boolean =>
  status === 503 && /loading model|model\b.{0,200}? is (?:currently |still )?(?:being loaded|loading)/i.test(body);

const codeFor = (
  status: number | undefined,
  message: string,
  body: string,
  named: readonly string[],
): ModelErrorCode => {
  if (status === 401 || status === 403) return 'unauthorized';
  if (status === 413 || isOverflowCode(body)) return 'context_overflow';
  if (named[0] === TOOLS) return 'tools_unsupported';
  const known = SENTENCES.find((sentence) => sentence.pattern.test(message));
  if (known) return known.code;
  if (status === 404 && /\bmodels?\b/i.test(message)) return 'model_not_found';
  if (status === 429) return 'rate_limited';
  if (status === undefined || status >= 500 || status === 408) return 'server_error';
  if (status >= 300 && status < 400) return 'protocol';
  return 'bad_request';
};

const HINTS: Partial<Record<ModelErrorCode, string>> = {
  tools_unsupported: 'The call can be asked for in the prompt instead, or take a model with a tool template.',
  context_overflow: 'Send less at a time, or give the server a larger context window.',
  load_failed: 'Free memory, take a smaller model or a smaller context window; the log of the server says more.',
  unauthorized: 'Check the API key (--api-key-env NAME) and whether it may use this model.',
  rate_limited: 'Ask again later, or send fewer requests at a time.',
  server_error: 'The log of the server says more.',
  protocol: 'Check the base URL: it should be the address of the model API.',
};

/** The person has a key, so what they are told is why it did not count. */
const unauthorizedHint = ({ keyIsFor }: ErrorWords): string | undefined => {
  if (keyIsFor === undefined) return HINTS.unauthorized;
  const why = keyIsFor.length === 0 ? 'no setting says that it is for this server' : `it is for ${keyIsFor.join(', ')}`;
  return `Your key was not sent here, since ${why}. Name one for this server with --api-key-env NAME.`;
};

const sentence = (code: ModelErrorCode, status: number | undefined, said: string, words: ErrorWords): string => {
  const tail = said === '' ? '.' : `: ${said}`;
  switch (code) {
    case 'unauthorized':
      return `${words.endpoint} refused the request as unauthorized${status === undefined ? '' : ` (${status})`}${tail}`;
    case 'tools_unsupported':
      return `${words.endpoint} says that this model takes no tools${tail}`;
    case 'context_overflow':
      return `The conversation is longer than the context window of the model at ${words.endpoint}${tail}${/[.!?…。！？]$/.test(tail) ? '' : '.'}`;
    case 'load_failed':
      return `${words.endpoint} could not load the model${tail}`;
    default:
      return status === undefined
        ? `${words.endpoint} reported an error${tail}`
        : `${words.endpoint} answered ${status}${tail}`;
  }
};

/** What the server says that it does not take; for the providers alone. */
export type ServerError = ModelError & { refuses?: { fields: readonly string[]; isGeneral: boolean } };

/** `status` is absent for an error inside a stream that began well. */
export const errorFromServer = (
  status: number | undefined,
  body: string,
  model: string,
  words: ErrorWords,
): ServerError => {
  const said = serverMessage(body, words.apiKey);
  const fields = namedFields(said, body);
  const isGeneral = isGeneralRefusal(status, said);
  const code = codeFor(status, said, body, fields);
  const hint =
    code === 'model_not_found'
      ? words.fetchHint?.(model)
      : status === 404
        ? 'There is no such route there: check the base URL (OpenAI-compatible ones usually end in /v1).'
        : code === 'unauthorized'
          ? unauthorizedHint(words)
          : isLoading(status, said)
            ? 'Ask again when it is done; the log of the server says how far it is.'
            : HINTS[code];
  const figures = code === 'context_overflow' ? overflowFigures(body) : {};
  const message = sentence(code, status, said, words);
  const reason = pictureReason(said) ?? (isLoading(status, said) ? LOADING : undefined);
  const refuses = fields.length === 0 && !isGeneral ? {} : { refuses: { fields, isGeneral } };
  return {
    code,
    message,
    ...(hint === undefined ? {} : { hint }),
    ...(reason ? { reason } : {}),
    ...figures,
    ...refuses,
  };
};

export const cancelledError = (): ModelError => ({ code: 'cancelled', message: 'The request was cancelled.' });

export const errorFromFailure = (failure: HttpFailure, words: ErrorWords): ModelError => {
  const { endpoint } = words;
  switch (failure.kind) {
    case 'cancelled':
      return cancelledError();
    case 'refused':
    case 'connect_timeout':
      return {
        code: 'unreachable',
        message: `No model server answers at ${endpoint}: ${failure.message}.`,
        hint: words.startHint,
      };
    case 'certificate':
      return {
        code: 'unreachable',
        message: `No safe connection to ${endpoint}: ${failure.message}.`,
        hint: 'Name the certificate of your own authority in NODE_EXTRA_CA_CERTS, or use http:// where the server has no TLS.',
      };
    case 'blocked':
      return {
        code: 'unreachable',
        message: `${endpoint} was not asked: ${failure.message}.`,
        hint: 'Leave out --offline.',
      };
    case 'invalid_url':
      return {
        code: 'bad_request',
        message: `${quotedName(endpoint)} cannot be asked: ${failure.message}.`,
        hint: 'Check --base-url, the API key and the proxy variables.',
      };
    case 'silence_timeout':
      return {
        code: 'timeout',
        message: `The model stopped in the middle of its answer: ${failure.message}.`,
        hint: 'The server may be overloaded; its log says more. Ask again.',
      };
    case 'disconnected':
      return {
        code: 'disconnected',
        message: `The connection to the model was lost: ${failure.message}.`,
        hint: 'The server may have crashed or run out of memory; its log says more. Ask again.',
      };
    case 'too_large':
    case 'redirects':
      return { code: 'protocol', message: `The answer was not taken: ${failure.message}.` };
  }
};

/** Adds what the server does have, where it says so, to an error about a model that it does not. */
export const withKnownModels = (
  error: ModelError,
  model: string,
  listed: Awaited<ReturnType<ModelProvider['models']>>,
  words: ErrorWords,
): ModelError => {
  if (!listed.ok) return error;
  const names = listed.models.map(({ id }) => id);
  const shown = names.slice(0, PROVIDER_LIMITS.modelNamesShown).join(', ');
  const more =
    names.length > PROVIDER_LIMITS.modelNamesShown ? ` and ${names.length - PROVIDER_LIMITS.modelNamesShown} more` : '';
  const has = names.length === 0 ? 'It has no models.' : `It has: ${shown}${more}.`;
  const hint =
    words.fetchHint?.(model) ?? (names[0] === undefined ? error.hint : `Name one of them, such as ${names[0]}.`);
  return {
    ...statusOf(error),
    code: 'model_not_found',
    message: `${words.endpoint} does not know the model "${model}". ${has}`,
    ...(hint === undefined ? {} : { hint }),
  };
};

const statusOf = ({ status, retry_after_seconds }: ModelError): Pick<ModelError, 'status' | 'retry_after_seconds'> => ({
  ...(status === undefined ? {} : { status }),
  ...(retry_after_seconds === undefined ? {} : { retry_after_seconds }),
});
