/** Settings as a screen or the log of a script may show them: without a key, whosever it is. */

const HIDDEN = '…';
const SHOWN_TOKEN = 'TOKEN';

/** `"apiKey": "…"` of JSON, `token = '…'` of TOML. */
const NAMED_TEXT = /([\w.-]{1,80})(["']?\s{0,20}[:=]\s{0,20})("(?:[^"\\\n]|\\.)*"|'[^'\n]*')/g;
const NAME_OF_KEY = /key|token|secret|passw|credential|authorization|cookie/i;
const IN_ADDRESS = /(?<=:\/\/)[^\s/@"']{1,200}@/g;
const ALONE = /\b(?:sk|pk|hf|gsk|xai)[-_][\w-]{6,}|(?<=\bBearer\s)[^\s"']+/g;

const isOwn = (value: string): boolean => value.slice(1, -1).split(' ').at(-1) === SHOWN_TOKEN;

/** Halter's own token is shown by a word, so that its place can be seen. */
export const shownSettings = (text: string, token: string): string =>
  text
    .replaceAll(token, SHOWN_TOKEN)
    .replaceAll(NAMED_TEXT, (all, name: string, between: string, value: string) =>
      NAME_OF_KEY.test(name) && !isOwn(value) ? `${name}${between}${value[0]}${HIDDEN}${value[0]}` : all,
    )
    .replaceAll(IN_ADDRESS, `${HIDDEN}@`)
    .replaceAll(ALONE, (found) => (found === SHOWN_TOKEN ? found : HIDDEN));
