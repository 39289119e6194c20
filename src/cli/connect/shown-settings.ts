/** Settings as a screen or the log of a script may show them: without a key, whosever it is. */
import { isSecretText } from '../../core/policy/secret-values.ts';

const HIDDEN = '…';
const SHOWN_TOKEN = 'TOKEN';

/** `"apiKey": "…"` of JSON, `token = '…'` of TOML. */
const NAMED_TEXT = /([\w.-]{1,80})(["']?\s{0,20}[:=]\s{0,20})("(?:[^"\\\n]|\\.)*"|'[^'\n]*')/g;
const KEY_WORD = 'key|token|secret|passw|credential|authorization|cookie';
const NAME_OF_KEY = new RegExp(KEY_WORD, 'i');
/** Within the command of a server or an address: `--api-key VALUE`, also as two texts of a list; `API_KEY=VALUE`, `X-Api-Key: VALUE`. */
const FLAG_VALUE = new RegExp(
  `(--?[\\w-]{0,60}(?:${KEY_WORD})[\\w-]{0,40})(["']\\s{0,200},\\s{0,200}["']|\\s{1,4})([^\\s"'\\\\&,;]+)`,
  'gi',
);
const ASSIGNED_VALUE = new RegExp(
  `([\\w-]{0,60}(?:${KEY_WORD})[\\w-]{0,40})((?:=|:\\s{0,2})(?:(?:bearer|basic|token)\\s+)?[\\\\'"]{0,2})([^\\s"'\\\\&,;]+)`,
  'gi',
);
const QUOTED = /"(?:[^"\\\n]|\\.)*"|'[^'\n]*'/g;
/** A number, another flag. */
const NO_KEY = /^(?:\d{1,9}$|-)/;
const IN_ADDRESS = /(?<=:\/\/)[^\s/@"']{1,200}@/g;
const ALONE = /\b(?:sk|pk|hf|gsk|xai)[-_][\w-]{6,}|(?<=\bBearer\s)[^\s"']+/g;

const hidden = (all: string, name: string, between: string, value: string): string =>
  value === SHOWN_TOKEN || NO_KEY.test(value) ? all : `${name}${between}${HIDDEN}`;

const isOwn = (value: string): boolean => value.slice(1, -1).split(' ').at(-1) === SHOWN_TOKEN;

/** Halter's own token is shown by a word, so that its place can be seen. */
export const shownSettings = (text: string, token: string): string =>
  text
    .replaceAll(token, SHOWN_TOKEN)
    .replaceAll(NAMED_TEXT, (all, name: string, between: string, value: string) =>
      NAME_OF_KEY.test(name) && !isOwn(value) ? `${name}${between}${value[0]}${HIDDEN}${value[0]}` : all,
    )
    .replaceAll(IN_ADDRESS, `${HIDDEN}@`)
    .replaceAll(FLAG_VALUE, hidden)
    .replaceAll(ASSIGNED_VALUE, hidden)
    .replaceAll(QUOTED, (quoted) => (isSecretText(quoted) ? `${quoted[0]}${HIDDEN}${quoted[0]}` : quoted))
    .replaceAll(ALONE, (found) => (found === SHOWN_TOKEN ? found : HIDDEN));
