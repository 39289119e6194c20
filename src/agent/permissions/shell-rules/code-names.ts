/** Files that the code of an interpreter opens (`python3 -c …`): by a text that stands there, or by a name that it works out. */
import { AWK } from './scripts.ts';
import type { ShellCommand } from './words.ts';
import { baseName, lookThrough } from './wrappers.ts';

const TAKES_CODE: readonly (readonly [program: RegExp, option: RegExp])[] = [
  [/^(?:python|pypy)[\d.]*$/, /^-[A-Za-z]*c$/],
  [/^(?:node|nodejs|deno|bun|tsx|ts-node)$/, /^(?:-[A-Za-z]*[ep]|--eval|--print|eval)$/],
  [/^(?:perl|ruby)[\d.]*$/, /^-[A-Za-z]*[eE]$/],
  [/^php[\d.]*$/, /^-[A-Za-z]*r$/],
  [/^(?:lua|luajit)[\d.]*$/, /^-e$/],
];

/** What opens, lists or copies files, in whatever of these languages. */
const OPENERS =
  'open|FileIO|fopen|sysopen|opendir|file|readfile|file_get_contents|readFile(?:Sync)?|createReadStream|openSync|openAsBlob|Path|PurePath|read_text|read_bytes|' +
  'iglob|glob|rglob|listdir|scandir|walk|readdir(?:Sync)?|copy\\w*|cp(?:Sync)?|move|rename(?:Sync)?|link(?:Sync)?|symlink(?:Sync)?|ZipFile|make_archive|' +
  'linecache\\.getlines?|fileinput\\.input|loadtxt|genfromtxt|fromfile|read_csv|read_table|foreach|readlines|read|binread|entries|children|dofile|lines|slurp|require|import_module';
const OPENS = new RegExp(`\\b(?:${OPENERS})\\b\\s*(?:\\((?!\\s*\\))|(?=["'$<]))`);
/** With a text, the whole of its first argument, that nothing is put into; or a word of the line, which is judged as a word. */
const WITH_TEXT = new RegExp(
  `\\b(?:${OPENERS})\\b\\s*\\(?\\s*[bru]?(?:"[^"\\\\$%{}*?]*"|'[^'\\\\$%{}*?]*'|(?:sys\\.|process\\.)?argv\\[-?\\d\\]|ARGV\\[\\d\\]|(?:sys\\.)?stdin|\\d+)\\s*(?=[);]|$|,(?<!\\bPath\\s*\\([^,]*,))`,
  'g',
);
/** `open F, '.e'.'nv'`: perl's own has no brackets. */
const OF_PERL = /\bopen\b(?![^;]*,\s*(?:"[^"$@]*"|'[^']*')\s*(?:[;)]|or\b|\|\||$))|@ARGV\b|\bARGV\b\s*=/;

/** An opener that is called by another name, or takes whole folders. */
const BY_ANOTHER_NAME = /\breadFile(?:Sync)?\s*:|=\s*open\b(?!\s*\()|\btarfile\b/;

/** Whether the code in a command may open any file. */
export const mayOpenAny = (command: ShellCommand): boolean => {
  const { words: inner } = lookThrough(command)?.command ?? command;
  const words = inner.map(({ text }) => text);
  const program = baseName(words[0] ?? '');
  if (AWK.test(program)) return false;
  const [, option] = TAKES_CODE.find(([name]) => name.test(program)) ?? [];
  if (option === undefined) return false;
  const at = words.findIndex((word, index) => index > 0 && option.test(word.split('=')[0] as string));
  const inWord = /^--[a-z]+=(.*)$/s.exec(words[at] ?? '')?.[1];
  const fed = command.redirections.find(({ operator }) => operator === '<<<')?.target.text;
  const code = inWord ?? (at < 0 ? fed : words[at + 1]);
  if (code === undefined) return false;
  const rest = code.replaceAll(WITH_TEXT, '""');
  return OPENS.test(rest) || BY_ANOTHER_NAME.test(rest) || (/^perl/.test(program) && OF_PERL.test(code));
};
