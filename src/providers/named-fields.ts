/**
 * Which fields of a request a server names as what it refuses: in a field of its answer, or in its sentence. Servers say it
 * in many words, with statuses from 400 to 501.
 */
import { isObject } from '../core/json.ts';
import { listOf, parseJson, textOf } from './json-values.ts';
import { OPENAI_PASSES } from './openai/openai-messages.ts';

/** The answer is held to a schema: `response_format`, or what stands for it at a server. */
export const SHAPE = 'response_format';
export const TOOLS = 'tools';
const THINK = 'think';
/** The fields that halter writes by itself, in the words of the servers. */
export const OWN_FIELDS: readonly string[] = [
  'stream_options',
  'parallel_tool_calls',
  'chat_template_kwargs',
  'cache_prompt',
  'return_progress',
  'thinking_budget_tokens',
  'keep_alive',
  'stop',
  THINK,
];
/** Those of sampling that it sets where nobody did. */
export const OWN_SAMPLING: readonly string[] = ['temperature', 'top_p', 'seed'];

const NOT =
  "(?:not (?:support(?:ed)?|implement(?:ed)?|enabled|available|allowed|accept(?:ed)?|permitted|recogni[sz]ed|expected)|(?:does|do|is|are|can)(?:n['’]t| not) (?:support|accept|take|allow|recogni[sz]e|know|implement)|unsupported|unrecogni[sz]ed|unknown|unexpected|unavailable|forbidden|extra (?:inputs?|fields?)|no endpoints?|disabled|cannot|不支持|未知|无效)";

/** The name and the refusal stand in one sentence, in either order. */
const near = (name: string, not = NOT): RegExp =>
  new RegExp(`${name}[^.;\\n]{0,60}${not}|${not}[^.;\\n]{0,60}${name}`, 'iu');

/** Not `tools[0].name`, which is about one of them. */
const alone = (name: string): string => `(?<![\\w.[])${name}(?![\\w[]|\\.\\w)`;

const SHAPE_NAME =
  '(?:response_format\\b|json_schema\\b|json[- _]?(?:mode|object)\\b|structured outputs?\\b|guided[- _](?:json|decoding)\\b|["\'`]format["\'`])';
const GRAMMAR = '\\b(?:grammar|json schema|schema for response_format)\\b';

const SENTENCES: readonly (readonly [field: string, pattern: RegExp])[] = [
  [SHAPE, near(SHAPE_NAME, `(?:${NOT}|must be one of|only supports?|invalid)`)],
  [SHAPE, near(GRAMMAR, '(?:fail(?:ed|ure)?|unable|error|invalid|cannot|unsupported)')],
  [
    TOOLS,
    near(
      `(?:${alone('tools')}|\\btool[ _-](?:use|choice|calls?|calling)\\b(?![[.]\\w)|\\bfunction[ _-]call(?:s|ing)?\\b)`,
    ),
  ],
  [TOOLS, /tool choice requires|enable-auto-tool-choice|tools? param requires --jinja/i],
  [THINK, near('\\b(?:think|thinking)\\b')],
  ...[...OWN_FIELDS.filter((name) => name !== THINK), ...OWN_SAMPLING, 'max_tokens', ...OPENAI_PASSES].map(
    (name) => [name, near(alone(name))] as const,
  ),
];
const NAMES: ReadonlySet<string> = new Set(SENTENCES.map(([field]) => field));

/** In the order in which they are to be looked at. `message` is the server's own sentence, `body` all that it sent. */
export const namedFields = (message: string, body: string): readonly string[] => {
  const named = SENTENCES.flatMap(([field, pattern]) => (pattern.test(message) ? [field] : []));
  return [...new Set([...placesIn(body).filter((name) => NAMES.has(name)), ...named])];
};

/** `param` of OpenAI's errors, `loc` of servers in Python. */
const placesIn = (body: string): string[] => {
  const parsed = parseJson(body);
  if (!parsed.ok || !isObject(parsed.value)) return [];
  const inner = isObject(parsed.value['error']) ? parsed.value['error'] : parsed.value;
  const places = listOf(parsed.value['detail']).map((entry) => {
    const [, ...place] = listOf(isObject(entry) ? entry['loc'] : undefined);
    return place.join('.');
  });
  return [textOf(inner['param']) ?? '', ...places].map((place) => (place.startsWith(`${SHAPE}.`) ? SHAPE : place));
};

/** It says no more than that something is not taken. */
const GENERAL =
  /^\W*(?:bad request|not implemented|un(?:supported|known|recogni[sz]ed|expected)(?: (?:request|parameter|field|argument|property|media type))?s?|unprocessable(?: (?:entity|content))?|invalid (?:request|parameters?|arguments?|fields?)|extra inputs are not permitted)\W*$/i;
const REFUSING: ReadonlySet<number | undefined> = new Set([400, 415, 422, 501]);
export const isGeneralRefusal = (status: number | undefined, message: string): boolean =>
  REFUSING.has(status) && GENERAL.test(message);

/** About this schema, and not about every one. */
export const isOfOneSchema = (message: string): boolean =>
  /\bgrammar\b|invalid schema|\bschema\b[^.;\n]{0,40}(?:invalid|too (?:large|complex|deep))|\bkeyword\b/i.test(message);
