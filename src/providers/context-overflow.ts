/**
 * What a server says when it refuses a prompt as too long: that it does, how large its window is, and the prompt. Servers
 * say it in many words, so it is read by what the words are about: a size of the prompt beside a word of excess or of a
 * limit. Where figures cannot be told apart by their words, the smaller of two is the window: the prompt did not fit.
 */
import { isObject } from '../core/json.ts';
import { countOf, type Fields, parseJson } from './json-values.ts';

export type OverflowFigures = { window_tokens?: number; prompt_tokens?: number };

/** What is too long, why, and how far the two may stand apart within a sentence. */
const WHAT =
  '(?:context(?:[_ ](?:length|window|size|limit|budget))?|prompts?|inputs?`?|input_ids|messages?|conversation|request(?: size)?|sequence|session_len|max_(?:model|seq)_len|model length|(?:model|input|prompt) tokens?|token (?:count|limit)|(?:number|amount) of (?:input |prompt )?tokens)';
const EXCESS =
  '(?:exceed(?:s|ed|ing)?|overflow(?:s|ed)?|too (?:long|large|big|many)|(?:longer|larger|greater|bigger|more) than|beyond|does not fit|cannot fit|is full|not enough|must (?:have|be) (?:less|fewer|at most|<=)|>=?)';
const sentence = (first: string, second: string): string => `\\b${first}\\b[^.;\\n]{0,80}?(?<![\\w])${second}`;

/** A size of what was asked for, or of the prompt. */
const SIZE_BESIDE =
  '(?:\\b(?:prompts?|inputs?|messages?|conversation|query|requested)\\b[^.;\\n\\d]{0,24}[\\d,_]{1,12} tokens|[\\d,_]{1,12} tokens (?:needed|required))';

const CODE =
  'exceed_context_size|context_?(?:length|window|size)?_?exceeded|prompt_too_long|input_too_long|request_too_large|max_prompt_tokens_exceeded';
const SAID = new RegExp(
  [
    CODE,
    sentence(WHAT, EXCESS),
    '(?:exceed(?:s|ed|ing)?|overflow|(?:longer|larger|greater|bigger|more) than|too large for|beyond|over) [^.;\\n]{0,60}(?:context|max[_ ]?(?:model|seq|input|prompt|context|message)|(?:model|input|prompt|sequence) (?:length|limit)|(?:maximum|allowed|number|limit)[^.;\\n]{0,24} tokens)',
    'too many (?:input |prompt )?tokens',
    'maximum (?:context|prompt|input|model|sequence) length',
    'range of input length',
    '(?:configured |available )?context (?:size|length|window) (?:is|of) (?:only )?[\\d,]',
    'supports? (?:only )?up to [\\d,]+(?: input| prompt)?(?: tokens)?(?!\\s*(?:output|completion|images?|tools?))',
    'reduce (?:the length of )?(?:your |the )?(?:messages|prompt|input)',
    '(?:payload|entity|content|body) too large',
    'limit [\\d,]+, requested [\\d,]+',
    '超长|超限|过长|超[过出][^。]{0,12}(?:长度|上限|限制|窗口)|上下文[^。]{0,12}超',
    'max(?:imum)? input (?:characters|tokens)',
    'context (?:limit|window|size|length) (?:is |was )?(?:hit|reached|used up|full)',
    '(?:space in|beyond) the kv cache|kv cache is full',
    'n_prompt_tokens',
    `${SIZE_BESIDE}[^.;\\n]{0,40}(?:\\bbut|\\bonly|available|supported|allowed|cache size|context)`,
  ].join('|'),
  'i',
);

/** Refusals about something else that is too much: an answer, requests in a time, money, files. */
const ELSE =
  /(?:per[ -]|\btokens (?:a|an|each) )(?:min|minute|hour|day|week|month|second)|rate.?limit|too many requests|quota|throttl|please (?:wait|slow)|credits?\b|afford|billing|\bat most \d+ completion|completion tokens, whereas|max_(?:(?:new|completion|output)_)?tokens\b[^.]{0,40}(?:at most|less than or equal|exceeds the maximum|too large)|(?:try again|retry) in \d|your plan\b|too many (?:attachments|images|files|tools)|stop sequences?\b[^.]{0,20}too|\b(?:image|audio|video|attachment|tool name|function name|temperature|top_p|top_k|n_probs|tool_calls?|tools)\b[^.]{0,40}(?:too|exceed|at most|maximum|larger|greater)/i;
/** A request that is larger than what may be asked in a minute never passes, however long one waits. */
const NEVER_FITS = /request too large for model|limit [\d,]+, requested [\d,]+[^.]{0,30}(?:reduce|smaller)/i;
const CONTEXT = /context|total tokens|max_model_len|prompt length|prompt is too long/i;
const QUOTA = /per[ -](?:min|minute)|rate.?limit|quota|credits?\b|(?:try again|retry) in \d|your plan\b/i;

/** What is full or too long there is a queue, a time or a header; the rest of the message may speak of the prompt. */
const OTHER_LENGTHS =
  /context deadline|\btook (?:too long|longer than)|\b(?:request )?queue\b[^.;\n]{0,20}(?:full|too (?:long|large|big))|\b(?:request )?headers?(?: fields?)?\b[^.;\n]{0,20}too (?:long|large|big)/gi;

/** No more than that it is too long. */
const BARE =
  /^\W*(?:(?:error|bad request|http \d+)\W+)?(?:(?:the|your) )?(?:(?:request|prompt|input|text|query|message|content)s? )?(?:(?:is|are|was) )?too (?:long|large|big)\W*$/i;

/** `given` is the server's own sentence, or its whole answer. */
export const isOverflow = (given: string): boolean => {
  const message = given.replaceAll(OTHER_LENGTHS, ' ');
  if (BARE.test(message)) return true;
  if (NEVER_FITS.test(message)) return true;
  if (!SAID.test(message)) return false;
  if (!ELSE.test(message)) return true;
  return CONTEXT.test(message) && !QUOTA.test(message);
};

const CODES = new RegExp(CODE, 'i');
/** The machine words of an answer say it, whatever its sentence says. */
export const isOverflowCode = (body: string): boolean => {
  const parsed = parseJson(body);
  return parsed.ok && codesIn(parsed.value, 0).some((code) => CODES.test(code));
};

const DEPTH_MAX = 4;

const codesIn = (value: unknown, depth: number): string[] => {
  if (!isObject(value) || depth > DEPTH_MAX) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    typeof inner === 'string' ? (name === 'code' || name === 'type' ? [inner] : []) : codesIn(inner, depth + 1),
  );
};

/** No part of a name such as `m-3.1`. */
const NUMBER = '(?<![\\w-])(\\d[\\d,_]*)';
const patterns = (...sources: string[]): RegExp[] =>
  sources.map((source) => new RegExp(source.replace('#', NUMBER), 'i'));

/** Words that tell the figures of the window, and those of the prompt, apart. */
const WINDOW = patterns(
  'n_ctx"?\\s*[:=]\\s*#',
  '(?<![\\w/.-])\\d{3,9} ?/ ?#',
  '# maximum context length',
  '> # maximum',
  '\\+ \\d+ > #',
  'tpm\\): limit #',
  'context (?:length|window|size)\\b(?:(?!\\bby\\b)[^\\d.(]){0,30}#',
  'context (?:length|window|size)\\b[^\\d.]{0,30}\\(# tokens',
  'maximum (?:prompt|model|input|sequence) length (?:is|of) #',
  'tokens allowed \\(#',
  'limit of # tokens',
  'token limit: #',
  'max_new_tokens`? must be <= #',
  'must have less than # tokens',
  'range of input length should be \\[\\d+, ?#\\]',
  'cannot exceed #',
  'while limit is #',
  '=> \\d+ >=? #',
);
/** What stands for the messages alone goes before what stands for the answer as well. */
const PROMPT = patterns(
  'n_prompt_tokens"?\\s*[:=]\\s*#',
  '\\(# (?:tokens )?(?:in the messages|in your prompt|of text input)',
  '# tokens from the input',
  'given: # `?inputs',
  '# input tokens',
  'exceed context limit[^\\d.]{0,12}#',
  'prompt contains # tokens',
  'request contains # tokens',
  'resulted in (?:over )?# tokens',
  'input \\(# tokens',
  'request \\(# tokens',
  'token count \\(#',
  '(?:prompt|input) tokens \\(#',
  'too long: # tokens',
  'n_keep: #',
  'first # tokens',
  'given: #',
  'requested:? (?:about )?(?:a total of )?#',
  '=> # >=? \\d',
  '(?<![/.])# ?/ ?\\d{3,9}',
);
const SMALLEST_WINDOW = 256;
/** Numbers that name a job, a place or a time, and no size: their words stand before them. */
const NAMED_NUMBERS =
  /\b(?:jobs?|tasks?|workers?|slots?|sessions?|traces?|spans?|users?|ports?|pid|process|threads?|builds?|steps?|attempts?|lines?|queries|ticket|node|shard|rank|gpu|error at|at)(?:\s+(?:id|number|no\.?))?\s*[#:=(]?\s*\d+(?:[/.:-]\d+)*(?![\d,]|\s*tokens?\b)|\brequest\s+(?:id\s+)?#?\d+(?![\d,]|\s*(?:tokens?\b|[>/]))/gi;

/** `sent` as the server sent it: JSON with figures of its own, or sentences. */
export const overflowFigures = (sent: string): OverflowFigures => {
  // What a proxy was answered stands as JSON in its own words.
  const body = sent.replaceAll(/\\+"/g, '"').replaceAll(NAMED_NUMBERS, ' ');
  const parsed = parseJson(sent);
  const fields = parsed.ok ? figuresIn(parsed.value, 0) : {};
  const named = {
    window: fields.window_tokens ?? firstNumber(WINDOW, body),
    prompt: fields.prompt_tokens ?? firstNumber(PROMPT, body),
  };
  const { window, prompt } = bothOf(named, sizesIn(body));
  return {
    ...(window !== undefined && window >= SMALLEST_WINDOW ? { window_tokens: window } : {}),
    ...(prompt !== undefined && prompt > 0 ? { prompt_tokens: prompt } : {}),
  };
};

type Named = { window: number | undefined; prompt: number | undefined };

/** Where words do not tell the two apart, two different sizes do. */
const bothOf = (named: Named, sizes: readonly number[]): Named => {
  if (named.window !== undefined && named.prompt !== undefined) return named;
  if (sizes.length !== 2) return named;
  const [small, large] = [Math.min(...sizes), Math.max(...sizes)];
  // What the messages come to may be less than the window, where the answer has no room beside them.
  if (named.prompt === small) return { window: large, prompt: small };
  const isElse = [named.window, named.prompt].some((size) => size !== undefined && !sizes.includes(size));
  return isElse ? named : { window: small, prompt: large };
};

const SIZE = /(?<![\w.,/:@-])\d[\d,_]*(?:\.0+)?(?![\w-]|\.\d|,\d)/g;
/** By how much it is too long, and numbers that name an error. */
const NO_SIZE = /(?:\bby|code|status|error|id)[\s"':=(]*$|<$/i;

/** The different numbers of a text that could be sizes of prompts. */
const sizesIn = (text: string): number[] => {
  const sizes = [...text.matchAll(SIZE)].flatMap(({ 0: digits, index }) => {
    if (NO_SIZE.test(text.slice(Math.max(0, index - 16), index))) return [];
    const size = Number(digits.replaceAll(/[,_]/g, ''));
    return size >= SMALLEST_WINDOW ? [size] : [];
  });
  return [...new Set(sizes)];
};

const figuresIn = (value: unknown, depth: number): OverflowFigures => {
  if (!isObject(value) || depth > DEPTH_MAX) return {};
  const own = ownFigures(value);
  if (own.window_tokens !== undefined) return own;
  for (const inner of Object.values(value)) {
    const found = figuresIn(inner, depth + 1);
    if (found.window_tokens !== undefined) return found;
  }
  return own;
};

const ownFigures = (fields: Fields): OverflowFigures => {
  const window = countOf(fields['n_ctx']);
  const prompt = countOf(fields['n_prompt_tokens']);
  return {
    ...(window === undefined ? {} : { window_tokens: window }),
    ...(prompt === undefined ? {} : { prompt_tokens: prompt }),
  };
};

const firstNumber = (known: readonly RegExp[], text: string): number | undefined => {
  for (const pattern of known) {
    const digits = pattern.exec(text)?.[1];
    if (digits !== undefined) return Number(digits.replaceAll(/[,_]/g, ''));
  }
  return undefined;
};
