/** What a server says when it refuses a prompt as too long: that it does, how large its window is, and the prompt. */
import { isObject } from '../core/json.ts';
import { countOf, type Fields, parseJson } from './json-values.ts';

export type OverflowFigures = { window_tokens?: number; prompt_tokens?: number };

/** The sentences of llama.cpp, vLLM, SGLang, LM Studio, Ollama, TGI, OpenAI, Mistral, Gemini, xAI and proxies. */
export const OVERFLOW =
  /exceed_context_size|context_length_exceeded|context_?window_?exceeded|(exceeds?|larger than|longer than|greater than|too large for|beyond|over) [^.]{0,60}context|maximum (context|prompt) length|context (length|window|size) [^.]{0,40}(exceed|too|of only)|prompt (is )?too long|input (is )?too long|too many (input )?tokens|inputs?` tokens? \+ `?max_new_tokens|inputs?`? must have less than|input token count [^.]{0,40}exceeds|(input|prompt) tokens exceed|reduce the length of the (messages|prompt|input)/i;

const NUMBER = '(\\d[\\d,_]*)';
const patterns = (...sources: string[]): RegExp[] =>
  sources.map((source) => new RegExp(source.replace('#', NUMBER), 'i'));

const WINDOW = patterns(
  'n_ctx"?\\s*[:=]\\s*#',
  '# maximum context length',
  '> # maximum',
  'context (?:length|window|size)\\b[^\\d.]{0,30}#',
  'maximum prompt length is #',
  'tokens allowed \\(#',
  'configured limit of # tokens',
  'max_new_tokens`? must be <= #',
  'must have less than # tokens',
);
/** What stands for the messages alone goes before what stands for the answer as well. */
const PROMPT = patterns(
  'n_prompt_tokens"?\\s*[:=]\\s*#',
  '\\(# (?:tokens )?(?:in the messages|of text input)',
  '# tokens from the input',
  'given: # `?inputs',
  'has # input tokens',
  'prompt contains # tokens',
  'request contains # tokens',
  'resulted in # tokens',
  'input \\(# tokens',
  'request \\(# tokens',
  'token count \\(#',
  'too long: # tokens',
  'n_keep: #',
  'first # tokens',
  'given: #',
  'requested (?:about )?(?:a total of )?# tokens',
);
const SMALLEST_WINDOW = 256;

/** `body` as the server sent it: JSON with figures of its own, or sentences. */
export const overflowFigures = (body: string): OverflowFigures => {
  const parsed = parseJson(body);
  const fields = parsed.ok ? figuresIn(parsed.value, 0) : {};
  const window = fields.window_tokens ?? firstNumber(WINDOW, body);
  const prompt = fields.prompt_tokens ?? firstNumber(PROMPT, body);
  return {
    ...(window !== undefined && window >= SMALLEST_WINDOW ? { window_tokens: window } : {}),
    ...(prompt !== undefined && prompt > 0 ? { prompt_tokens: prompt } : {}),
  };
};

const DEPTH_MAX = 4;

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
