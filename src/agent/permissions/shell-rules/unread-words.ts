/**
 * Words that a line puts together of what nobody can read as it stands there: text that a decoder makes, and text that is
 * read or printed in the place of a program.
 */
import type { Node } from 'web-tree-sitter';
import { isLanguage, orderPlaces } from './interpreters.ts';
import { isReaderLine } from './program-input.ts';
import type { ShellWord } from './words.ts';
import { baseName } from './wrappers.ts';
import { runsNothing } from './written-texts.ts';

const DECODES = [
  /\b(?:base(?:32|58|64)|basenc|openssl|gpg2?|age|sops|brotli|zstd|lz4|xz|[bgp]?zip2?|lzma)\b[^|;&)]{0,1000}\s-{1,2}(?:[A-Za-z]*[dD]|dec\w+|uncompress)(?=[\s);|&`"]|$)/,
  /\b(?:xxd|hexdump|od)\s+(?:-\w+\s+)*-\w*r/,
  /\b(?:[bgxl]?zcat|xzcat|lz4cat|zstdcat|[bgp]?unzip2?|unxz|unlzma|unzstd|uudecode|b64decode|qprint|rot13|basez|unhex|ascii2uni|recode)\b/,
];
const LANGUAGES = /\b(?:python[\d.]*|perl|ruby|node|php)\b/;
const MAKES_TEXT =
  /(?:b64|base64|\b(?:un)?hex|\brot13|\bchr\b|\b(?:un)?pack\b|decode|fromCharCode|\breversed?\b|\[::-1\])/;
/** Letters for other letters, but for capitals and small ones. */
const TRANSLATES = /\btr\s+(?!-)(?:'([^']*)'|"([^"]*)"|(\S+))\s+(?:'([^']*)'|"([^"]*)"|([^\s)|;]+))/g;
/** `echo -e '\x63'`, `printf '%b' '\0143'`, `$'\u0063'`. */
const ESCAPES = /(?:\\+(?:x[\da-f]{1,2}|u[\da-f]{2,4}|0?[0-7]{3})[^\\]{0,8}){2}/i;
const CASE = /^(?:\[?a-z\]?|\[?A-Z\]?|\[:\w+:\]|\\[nrt]|[^A-Za-z])*$|^.{0,2}$/;
/** What counts or checks prints no text of what it was given. */
const COUNTS = /^[\w"=]*\$\((?:(?!\$\()[^`])*\|\s*(?:wc|grep\s+-\w*c|sha\d*sum|md5sum|cksum)\b[^|]*[)`]["']?$/;

/** A part of a line with a program in it that turns unreadable text into other text. */
export const isDecoded = (text: string): boolean => {
  if (!/\$\(|`|<\(/.test(text) || COUNTS.test(text)) return false;
  if (DECODES.some((pattern) => pattern.test(text))) return true;
  if (LANGUAGES.test(text) && MAKES_TEXT.test(text)) return true;
  if (/\b(?:printf|echo)\b/.test(text) && ESCAPES.test(text)) return true;
  // Twice it is what it was: the last part of a name.
  if ((text.match(/(?:^|[\s|(;&`])rev(?=[\s|)<;&`]|$)/g)?.length ?? 0) % 2 === 1) return true;
  return [...text.matchAll(TRANSLATES)].some(
    ([, a, b, c, d, e, f]) => !CASE.test(a ?? b ?? c ?? '') || !CASE.test(d ?? e ?? f ?? ''),
  );
};

/** They only write and read, and yet run what one of their words says. */
const TOLD =
  /^(?:git|g?tar|bsdtar|zip|rsync|scp|set|unset|read|yq|test|\[|split|sort|less|more|man|gcc|cc|c\+\+|g\+\+|clang|find|fd|rg|ag|awk|gawk|mawk|sed|patch|code|nano|tsc|eslint|prettier|file|wget|kubectl)$/;

/** What stands in the words of this program is data, whatever it is. */
export const takesData = (words: readonly ShellWord[]): boolean => {
  const program = baseName(words[0]?.text ?? '');
  if (program === 'printf' && words[1]?.text === '-v') return false;
  return program === '' || (runsNothing(words.map(({ text }) => text)) && !TOLD.test(program));
};

/**
 * Options of programs that are no interpreters: their next word, or what is glued to them, is a line of a shell or a program.
 * `all`: every word behind it.
 */
const PLACES: readonly (readonly [program: RegExp, option: RegExp, all?: 'all'])[] = [
  [
    /^git$/,
    /^(?:-x|--exec|--extcmd|--upload-pack|--receive-pack|--(?:env|tree|index|parent|msg|commit|tag-name)-filter)$/,
  ],
  [/^git$/, /^(?:foreach|run)$/, 'all'],
  [/^(?:flock|runuser|ssh-agent|dbus-run-session|less|more)$/, /^-\w*c$|^--c(?:omman|m)d$|^\+.*$/],
  [
    /^(?:watch|entr|socat|ncat|nc|nohup|setsid|unbuffer|viddy|hyperfine|parallel|concurrently|nodemon|chokidar|reflex|xterm|konsole|bc|fc|history|time|strace|ltrace|perf|valgrind)$/,
    /^/,
    'all',
  ],
  [/^(?:compgen|complete)$/, /^-[CF]$/],
  [
    /^(?:[gb]?s?d?tar)$/,
    /^(?:-\w*[IF]|--use-compress-program|--to-command|--checkpoint-action|--info-script|--new-volume-script|--rsh-command|--rmt-command)$/,
  ],
  [/^zip$/, /^(?:-TT|--unzip-command)$/],
  [/^(?:rsync|scp|sftp)$/, /^(?:-\w*e|--rsh|--rsync-path|-S|-o)$/],
  [/^(?:split|csplit)$/, /^--filter$/],
  [/^sort$/, /^--compress-program$/],
  [/^(?:find|fd|fdfind)$/, /^-(?:exec|execdir|ok|okdir|x|X)$/, 'all'],
  [/^g?make$/, /^--eval$|^-E$/],
  [/^(?:rg|ag)$/, /^--(?:pre|pager|hostname-bin)$/],
  [/^(?:curl|wget)$/, /^(?:-\w*K|--config)$/],
  [/^(?:npm|npx|pnpm|yarn)$/, /^(?:-c|--call|exec|--shell|--script-shell)$/],
];

const places = (words: readonly ShellWord[]): ShellWord[] => {
  const program = baseName(words[0]?.text ?? '');
  const others = words.slice(1);
  const found: ShellWord[] = [];
  const told = orderPlaces(program);
  if (told === 'any') return others;
  const own = PLACES.filter(([name]) => name.test(program)).map(([, option, all]) => [option, all] as const);
  for (const [option, all] of told === undefined ? own : [[told] as const]) {
    const at = others.findIndex(({ text }) => option.test(text));
    if (at >= 0) found.push(...(all === 'all' ? others.slice(at) : others.slice(at + 1, at + 2)));
    found.push(
      ...others.filter(({ text }) => option.test(/^(--[\w-]+)=/.exec(text)?.[1] ?? /^-\w/.exec(text)?.[0] ?? '.')),
    );
  }
  return found;
};

/** Whether a command may take what nobody has read for a program. `source`: how a word stands in the line. */
export const runsUnread = (words: readonly ShellWord[], source: (word: ShellWord) => string): boolean =>
  places(words).some((word) => {
    const inner = word.dynamic ? /(?:[$<]\(|`)(.*)(?:\)|`)/s.exec(source(word))?.[1] : undefined;
    return inner !== undefined && inner.trim() !== 'pwd' && isReaderLine(inner);
  }) ||
  (isLanguage(baseName(words[0]?.text ?? '')) && words.some(({ text }) => CODE_ADDRESS.test(text)));
const CODE_ADDRESS = /(?:^|=)data:(?:text|application)\/(?:\w*script|wasm|json)\b/i;

/** Parts where a value is worked out once more: `$((x))`, `[[ x -eq 1 ]]`, `${x@P}`. */
export const worksOut = ({ type, text }: Node): boolean =>
  /^(?:arithmetic_expansion|test_command|unset_command|subscript|c_style_for_statement)$/.test(type) ||
  (type === 'expansion' && /@[PE]\}$/.test(text));
