/** Settings as a screen or the log of a script may show them: without a key, whosever it is. */
import { isSecretText } from '../../core/policy/secret-values.ts';

const HIDDEN = '…';
const SHOWN_TOKEN = 'TOKEN';

const KEY_WORD = 'key|token|secret|passw|credential|authorization|cookie';
const NAME_OF_KEY = new RegExp(KEY_WORD, 'i');
const NAME = `[\\w-]{0,60}(?:${KEY_WORD})[\\w-]{0,40}`;
/** `"apiKey": "…"` of JSON, `token = '…'` of TOML, and a number in the same place. */
const NAMED_TEXT = /([\w.-]{1,80})(["']?\s{0,20}[:=]\s{0,20})("(?:[^"\\\n]|\\.)*"|'[^'\n]*'|-?\d[\w.+-]*)/g;
/**
 * Within the command of a server or an address. What stands before a value is only looked back at: the value of a flag may
 * be a flag of that kind itself. A value in quotes is hidden to their end, another one to a blank or to a quote behind which
 * nothing of it follows.
 */
const QUOTED_VALUE = `(\\\\{0,3}["'])(?:(?!\\2)[^\\n])+`;
const QUOTE_WITHIN = `\\\\{0,3}["'](?=[^\\s"',:;)\\]}>\\\\])`;
const WORD = `(?:[^\\s"'\\\\]|\\\\{1,4}[ \\t]|\\\\(?!["'])|${QUOTE_WITHIN})+`;
const TO_LINE_END = `[^\\s"'\\\\](?:[^"'\\n\\\\]|\\\\(?!["'])|${QUOTE_WITHIN})*`;
const SCHEME = '(?:bearer|basic|token)\\s{1,4}';
const VALUES = [
  // `"--api-key", "VALUE"`
  `(?<=(--?${NAME})["']\\s{0,200},\\s{0,200}(["']))(?:\\\\.|(?!\\2)[^\\\\\\n])+`,
  // `--api-key VALUE`
  `(?<=(--?${NAME})\\s{1,4})(?:${QUOTED_VALUE}|${WORD})`,
  // `API_KEY=VALUE`
  `(?<=(${NAME})=(?:${SCHEME})?)(?!${SCHEME})(?:${QUOTED_VALUE}|${WORD})`,
  // `X-Api-Key: VALUE`
  `(?<=(${NAME}):\\s{0,2}(?:${SCHEME})?)(?!${SCHEME})(?:${QUOTED_VALUE}|${TO_LINE_END})`,
].map((source) => new RegExp(source, 'gi'));
const QUOTED = /"(?:[^"\\\n]|\\.)*"|'[^'\n]*'/g;
const IN_ADDRESS = /(?<=:\/\/)[^\s/@"']{1,200}@/g;
const ALONE = /\b(?:sk|pk|hf|gsk|xai)[-_][\w-]{6,}|(?<=\bBearer\s)[^\s"']+/g;

/** `maxTokens`, `token_limit`: a number there is a count. */
const COUNTING =
  /^(?:max|maximum|min|minimum|limit|budget|count|size|length|context|window|ttl|timeout|expiry|expires|per)$/;
const isCount = (name: string, value: string): boolean =>
  /^["']?\d{1,9}["']?$/.test(value) &&
  name
    .replace(/([a-z])(?=[A-Z])/g, '$1-')
    .toLowerCase()
    .split(/[^a-z]+/)
    .some((word) => COUNTING.test(word));

/** Halter's own token, alone or behind a scheme. */
const OWN = new RegExp(`^(?:[Bb]earer )?${SHOWN_TOKEN}(?![\\w-])`);

const hidden = (value: string, name: string): string => {
  if (isCount(name, value)) return value;
  const quote = /^\\{0,3}["']/.exec(value)?.[0] ?? '';
  const inner = value.slice(quote.length);
  const own = OWN.exec(inner)?.[0] ?? '';
  return `${quote}${own}${own === inner ? '' : HIDDEN}`;
};

const hiddenNamed = (all: string, name: string, between: string, value: string): string => {
  if (!NAME_OF_KEY.test(name) || isCount(name, value)) return all;
  const quote = /^["']/.exec(value)?.[0] ?? '';
  return `${name}${between}${hidden(quote === '' ? value : value.slice(0, -1), name)}${quote}`;
};

/** Halter's own token is shown by a word, so that its place can be seen. */
export const shownSettings = (text: string, token: string): string =>
  VALUES.reduce(
    (shown, values) => shown.replaceAll(values, hidden),
    text.replaceAll(token, SHOWN_TOKEN).replaceAll(NAMED_TEXT, hiddenNamed).replaceAll(IN_ADDRESS, `${HIDDEN}@`),
  )
    .replaceAll(QUOTED, (quoted) => (isSecretText(quoted) ? `${quoted[0]}${HIDDEN}${quoted[0]}` : quoted))
    .replaceAll(ALONE, (found) => (found === SHOWN_TOKEN ? found : HIDDEN));
