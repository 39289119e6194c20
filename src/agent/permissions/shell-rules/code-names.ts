/** Files that the code of an interpreter opens (`python3 -c …`): by a text that stands there, or by a name that it works out. */
import { carriedReadings } from './carriers.ts';
import { codeOption, gluedCode, isShell, isSqlConsole, SHELL_OPTION, takesOrders } from './interpreters.ts';
import { isPlainSed } from './script-safety.ts';
import { AWK, SED_RUNS, scriptsOf } from './scripts.ts';
import type { ShellCommand, ShellWord } from './words.ts';
import { baseName, deniableReadings } from './wrappers.ts';
import { runsNothing } from './written-texts.ts';

/** What opens, lists or copies files, in whatever of these languages. */
const OPENERS =
  'open|FileIO|fopen|sysopen|opendir|file|File|ReadFile|Open|OpenFile|ReadDir|read_to_string|read_dir|FileReader|FileInputStream|do(?=\\()|(?<![.\\w])load(?:file)?|readfile|file_get_contents|readFile(?:Sync)?|createReadStream|openSync|openAsBlob|Path|PurePath|read_text|read_bytes|' +
  'iglob|glob|rglob|listdir|scandir|walk|readdir(?:Sync)?|copy\\w*|cp(?:Sync)?|move|rename(?:Sync)?|link(?:Sync)?|symlink(?:Sync)?|ZipFile|make_archive|' +
  'readTextFile(?:Sync)?|readFileSync|fromFile|Get-Content|gc|ReadAll\\w+|insert-file(?:-contents)?|call-with-input-file|open-input-file|with-open-file|read-file-string|(?<=\\.)text|' +
  'linecache\\.getlines?|fileinput\\.input|loadtxt|genfromtxt|fromfile|read_csv|read_table|foreach|readlines|readLines|readRDS|read\\.\\w+|scan|read|binread|entries|children|dofile|lines|slurp|require|import_module';
const OPENS = new RegExp(`\\b(?:${OPENERS})\\b[!?]?\\s*(?:\\((?!\\s*\\))|(?=["'$<]))`);
/** With a text, the whole of its first argument, that nothing is put into; or a word of the line, which is judged as a word. */
const WITH_TEXT = new RegExp(
  `\\b(?:${OPENERS})\\b\\s*\\(?\\s*[bru]?(?:"[^"\\\\$%{}*?]*"|'[^'\\\\$%{}*?]*'|(?:sys\\.|process\\.)?argv\\[-?\\d\\]|ARGV\\[\\d\\]|(?:sys\\.)?stdin|\\d+)\\s*(?=[);]|$|,(?<!\\bPath\\s*\\([^,]*,))`,
  'g',
);
/** `open F, '.e'.'nv'`: perl's own has no brackets. */
const OF_PERL =
  /\bopen\b(?!\s*\(?[^,;]*,\s*(?:["'][^"',]*["']\s*,\s*)?(?:"[^"$@]*"|'[^']*')\s*(?:[;)]|or\b|\|\||$))|@ARGV\b|\bARGV\b\s*=/;

/** An opener that is called by another name, or takes whole folders. */
const BY_ANOTHER_NAME =
  /\bprocess\.binding\b|\breadFile(?:Sync)?\s*:|[=(,[]\s*(?:(?:io|os)\.)?open\b(?!\s*\()|[(,]\s*(?:\w+\.)?readFile(?:Sync)?\s*[,)]|\btarfile\b/;

/** A copy of the folder itself, or of the one above. */
const COPIES_FOLDER =
  /\bmake_archive\s*\([^(),]*,[^(),]*\)|\b(?:make_archive|copytree|cp(?:_r|Sync)?|copy(?:Sync)?)\s*\([^)]*["'`]\.{1,2}\/?["'`]/;

/** Code that runs a text which it works out: as code of its own. */
const EVALUATES =
  /(?<![.\w])(?:exec|eval|compile|Function|__import__|execfile|instance_eval|class_eval|invoke-expression|iex)\b\s*(?:\(\s*(?!["'`][^"'`+$]*["'`]\s*[,)])(?=[^\s)])|(?=[A-Z$<]))|\brunpy\b|\b(?:im(?:p|portlib))\.(?:util|load)\w*/i;
/** Code that starts programs. */
const STARTS =
  /\b(?:os\s*\.\s*(?:system|popen\w*|exec\w+|spawn\w+)|subprocess|child_process|execSync|execFile\w*|spawnSync|shell_exec|passthru|proc_open|popen\d?|Open3|IO\.popen|pty\.spawn|e?syscmd|Process\.run|do shell script|system|shell|spawn|qx|exec)\b|Deno\.Command|Bun\.spawn/;
const STARTS_BY_TICKS = /^(?:perl|ruby|php)/;
/** What it starts stands in no text of it, or in pieces. */
const PUTS_TOGETHER =
  /["'`]\s*(?:\+|\.(?=\s*["'`$\w]))|\+\s*["'`]|\bf["']|\.join\b|\.format\b|["']\s*%|\bchr\b|fromCharCode|\$\{|\\x|decode|atob|unhexlify|\b(?:input\s*\(|raw_input|stdin|STDIN|argv|ARGV|environ|getenv)\b|<STDIN>/;
const QUOTED = /(["'`])((?:(?!\1)[^\\]|\\.)*)\1/gs;

type Told = { program: string; code: string };

/** The codes that stand in a command. */
const codesOf = (command: ShellCommand): Told[] => {
  const unknown = command.words.some(({ text, dynamic }) => dynamic && text === '');
  const { commands } = deniableReadings(command.words.map(({ text }) => text));
  const fed = command.redirections.find(({ operator }) => operator === '<<<')?.target.text;
  return commands.flatMap((words) => toldTo(words, fed, unknown));
};

const toldTo = (words: readonly string[], fed: string | undefined, hasUnknown: boolean): Told[] => {
  const program = baseName(words[0] ?? '');
  const told = (codes: readonly string[]): Told[] => codes.map((code) => ({ program, code }));
  if (AWK.test(program) || SED.test(program) || takesOrders(program)) return told(words.slice(1));
  const option = codeOption(program)?.test ?? (isShell(program) && hasUnknown ? SHELL_OPTION : undefined);
  if (option === undefined)
    return runsNothing(words)
      ? []
      : told(words.slice(1).filter((word, at) => isSpoken(words, at + 1) && STRONG.test(word)));
  const at = words.findIndex((word, index) => index > 0 && option.test(word.split('=')[0] as string));
  const inWord = /^--[a-z]+=(.*)$/s.exec(words[at] ?? '')?.[1] ?? gluedCode(program, words);
  const code = inWord ?? (at < 0 ? fed : words[at + 1]);
  const others = words.slice(1).filter((word) => word !== code && /[("']/.test(word) && STRONG.test(word));
  return [...told(code === undefined ? [] : [code]), ...told(others)];
};
const SED = /^g?sed$/;
/** Names that nobody but code has. */
const STRONG =
  /\b(?:open|fopen|readFile(?:Sync)?|readTextFile(?:Sync)?|file_get_contents|File\.read|slurp|createReadStream|readlines)\s*\(/;

/** Whether the code in a command may open any file. */
export const mayOpenAny = (command: ShellCommand): boolean => {
  const hasUnknown = command.words.some(({ text, dynamic }) => dynamic && text === '');
  const texts = command.words.map(({ text }) => text);
  const { commands, lines } = carriedReadings(texts);
  // A shell that another program is told to start gets what that one reads.
  if (commands.some(([first = '', second]) => isShell(baseName(first)) && !/^-/.test(second ?? ''))) return true;
  if (lines.some((text) => isShell(baseName(text.trim())))) return true;
  if (/^(?:pwsh|powershell)$/.test(baseName(texts[0] ?? '')) && texts.some((text) => /^-e(?:nc\w*|c)?$/i.test(text)))
    return true;
  if (SED.test(baseName(texts[0] ?? '')) && scriptsOf(texts).some((at) => isUnknown(command.words[at]))) return true;
  return codesOf(command).some(
    // What only the shell knows may be any code.
    ({ program, code }) =>
      (code === '' && hasUnknown && !takesOrders(program) && !AWK.test(program) && !SED.test(program)) ||
      codeMayOpen(program, code),
  );
};

const isUnknown = (word: ShellWord | undefined): boolean => word?.dynamic === true && word.text === '';

const codeMayOpen = (program: string, code: string): boolean => {
  if (AWK.test(program)) return awkMayOpen(code);
  if (SED.test(program)) return !isPlainSed(code) && SED_RUNS.test(code);
  const rest = code.replaceAll(WITH_TEXT, '""');
  if (isSqlConsole(program)) return /\b(?:readfile|load_extension|edit|pg_read_file)\s*\(/.test(rest);
  if (EDITORS.test(program) && /\bexe(?:c(?:ute?)?)?\b[^|]*["']\s*\.{1,2}\s*["'\w]/.test(code)) return true;
  if (takesOrders(program) && !/\(/.test(code)) return false;
  if (/\biterdir\b/.test(code) && /\bread\w*\s*\(/.test(code)) return true;
  if (COPIES_FOLDER.test(code)) return true;
  if (OPENS.test(rest) || BY_ANOTHER_NAME.test(rest) || (/^perl/.test(program) && OF_PERL.test(code))) return true;
  if (TCL.test(program) && /\b(?:open|source|exec|glob|spawn)\b[^;\n]*[[$*]/.test(code)) return true;
  if (STARTS_BY_TICKS.test(program) && /`[^`]*[$#][^`]*`|<[^>$\s]*[*?][^>]*>/.test(code)) return true;
  return EVALUATES.test(code) || (startsPrograms(program, code) && PUTS_TOGETHER.test(code));
};

const EDITORS = /^(?:vim?|nvim|view|ex)$/;
const TCL = /^(?:tclsh|wish|expect)[\d.]*$/;

const startsPrograms = (program: string, code: string): boolean =>
  STARTS.test(code) || (STARTS_BY_TICKS.test(program) && code.includes('`'));

const awkMayOpen = (code: string): boolean => {
  if (/\bARGV\s*\[[^\]]*\]\s*=(?!=)/.test(code)) return true;
  if (/\bgetline\b[^<;|]*<\s*(?!"[^"]*"\s*(?:[;)}]|$))/.test(code)) return true;
  return /\bsystem\s*\(\s*(?!"[^"]*"\s*\))|(?<!")\|&?\s*getline|@\w/.test(code);
};

/** Lines of a shell that the code of a command starts, and texts of several words that its program may run. */
export const spokenLines = (command: ShellCommand): string[] => {
  const texts = command.words.map(({ text }) => text);
  const program = baseName(texts[0] ?? '');
  const started = codesOf(command).flatMap((told) =>
    AWK.test(told.program) || startsPrograms(told.program, told.code) || LINES.test(told.program)
      ? [told.code, ...quotedIn(told.code)]
      : [],
  );
  const values = command.assignments.filter(({ value }) => !value.dynamic).map(({ value }) => value.text);
  const isWhole = !runsNothing(texts) && codeOption(program) === undefined && !AWK.test(program) && !SED.test(program);
  const spoken = isWhole ? texts.filter((_, at) => at > 0 && isSpoken(texts, at)) : [];
  return [
    ...started,
    ...[...values, ...spoken, ...carriedReadings(texts).lines].map((text) => text.replace(/^[\w.:-]+=|^[!|]+/, '')),
  ]
    .filter((text) => /\s/.test(text) && /[*?[{]/.test(text))
    .flatMap((text) => [text, ...(text.includes(',') ? [text.replaceAll(',', ' ')] : [])]);
};
const LINES = /^(?:xonsh|nu|elvish|pwsh|powershell|rc|es)$/;
const quotedIn = (code: string): string[] => [...code.matchAll(QUOTED)].map(([, , text = '']) => text);

/** Not a message, a name to look for, or what is sent. */
const isSpoken = (words: readonly string[], at: number): boolean =>
  !/^(?:-[mtkdbHFg]|--(?:message|body|title|data[\w-]*|header|grep|testNamePattern|notes|description|filter|format|json|include|exclude|ignore[\w-]*|glob))$/.test(
    words[at - 1] ?? '',
  ) &&
  !/^--(?:message|body|title|data[\w-]*|header|grep|testNamePattern|notes|description|filter|format|include|exclude|ignore[\w-]*|glob)=/.test(
    words[at] ?? '',
  );
