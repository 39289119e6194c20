/** Files that the code of an interpreter opens (`python3 -c …`): by a text that stands there, or by a name that it works out. */
import type { ShellCommand } from './words.ts';
import { baseName, deniableReadings } from './wrappers.ts';

/** `name`: how the option is written that hands over code and nothing else. */
const TAKES_CODE: readonly (readonly [program: RegExp, option: RegExp, name: string])[] = [
  [/^(?:python|pypy)[\d.]*$/, /^-[A-Za-z]*c$/, '-c'],
  [/^(?:node|nodejs|deno|bun|tsx|ts-node)$/, /^(?:-[A-Za-z]*[ep]|--eval|--print|eval)$/, '-e'],
  [/^(?:perl|ruby)[\d.]*$/, /^-[A-Za-z]*[eE]$/, '-e'],
  [/^php[\d.]*$/, /^-[A-Za-z]*r$/, '-r'],
  [/^(?:lua|luajit)[\d.]*$/, /^-e$/, '-e'],
  [/^(?:R|Rscript|julia|elixir|groovy|osascript)$/, /^-[eE]$/, '-e'],
];

/** The option by which a program is told its code in a word; undefined for a program that is no interpreter. */
export const codeOption = (program: string): { test: RegExp; option: string } | undefined => {
  const [, test, option] = TAKES_CODE.find(([name]) => name.test(program)) ?? [];
  return test === undefined || option === undefined ? undefined : { test, option };
};

/** What opens, lists or copies files, in whatever of these languages. */
const OPENERS =
  'open|FileIO|fopen|sysopen|opendir|file|readfile|file_get_contents|readFile(?:Sync)?|createReadStream|openSync|openAsBlob|Path|PurePath|read_text|read_bytes|' +
  'iglob|glob|rglob|listdir|scandir|walk|readdir(?:Sync)?|copy\\w*|cp(?:Sync)?|move|rename(?:Sync)?|link(?:Sync)?|symlink(?:Sync)?|ZipFile|make_archive|' +
  'linecache\\.getlines?|fileinput\\.input|loadtxt|genfromtxt|fromfile|read_csv|read_table|foreach|readlines|readLines|readRDS|read\\.\\w+|scan|read|binread|entries|children|dofile|lines|slurp|require|import_module';
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
  const unknown = command.words.some(({ text, dynamic }) => dynamic && text === '');
  const { commands } = deniableReadings(command.words.map(({ text }) => text));
  const fed = command.redirections.find(({ operator }) => operator === '<<<')?.target.text;
  return commands.some((words) => codeMayOpen(words, fed, unknown));
};

const codeMayOpen = (words: readonly string[], fed: string | undefined, hasUnknown: boolean): boolean => {
  const program = baseName(words[0] ?? '');
  const option = codeOption(program)?.test ?? (SHELL.test(program) && hasUnknown ? /^-[A-Za-z]*c$/ : undefined);
  if (option === undefined) return false;
  const at = words.findIndex((word, index) => index > 0 && option.test(word.split('=')[0] as string));
  const inWord = /^--[a-z]+=(.*)$/s.exec(words[at] ?? '')?.[1] ?? gluedCode(program, words);
  const code = inWord ?? (at < 0 ? fed : words[at + 1]);
  if (code === undefined) return false;
  // What only the shell knows may be any code.
  if (code === '' && hasUnknown) return true;
  const rest = code.replaceAll(WITH_TEXT, '""');
  return OPENS.test(rest) || BY_ANOTHER_NAME.test(rest) || (/^perl/.test(program) && OF_PERL.test(code));
};
const SHELL = /^(?:ba|da|z|k|mk|a)?sh$/;

/** The code of `python3 -cCODE`. */
export const gluedCode = (program: string, words: readonly string[]): string | undefined => {
  const letter = GLUED.find(([name]) => name.test(program))?.[1];
  if (letter === undefined) return undefined;
  const word = words.slice(1).find((each) => letter.test(each));
  return word?.replace(letter, '');
};
const GLUED: readonly (readonly [program: RegExp, letter: RegExp])[] = [
  [/^(?:python|pypy)[\d.]*$/, /^-[BdEiIOqsSuvx]*c(?=.)/s],
  [/^(?:perl|ruby)[\d.]*$/, /^-[acilnpswTWS]*[eE](?=.)/s],
  [/^php[\d.]*$/, /^-[nq]*r(?=.)/s],
  [/^(?:lua|luajit)[\d.]*$/, /^-e(?=.)/s],
];
