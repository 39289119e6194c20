/** Programs that run a text, and how each is given one. Whoever asks whether a program is a shell or an interpreter asks here. */

type Interpreter = {
  name: RegExp;
  /** `shell`: lines of a shell. `code`: a language of its own. `orders`: does work of its own, and takes orders that may run or open anything. */
  kind: 'shell' | 'code' | 'orders';
  /** The option whose next word is the text, and how it is written alone. */
  option?: RegExp;
  written?: string;
  /** The same with the text behind it in one word. */
  glued?: RegExp;
  /** What comes in is run: where no file is named, always, or never. */
  input: 'without_file' | 'always' | 'never';
  /** Orders that are none of SQL begin a line of their own. */
  sql?: true;
  /** Options whose next word, or what is glued to them, is an order; `any`: each of its words may be one. */
  told?: RegExp | 'any';
};
/** `-c ORDER`, `--command=ORDER`, `+ORDER`. */
const ORDER = /^-\w*c$|^--c(?:omman|m)d$|^\+.*$/;

const words = (text: string): RegExp => new RegExp(`^(?:${text.split(' ').join('|')})$`);

const INTERPRETERS: readonly Interpreter[] = [
  {
    name: words('(?:ba|da|z|k|mk|a|c|tc|fi|ya|pdk|rba|hu)?sh'),
    kind: 'shell',
    option: /^[-+][A-Za-z]*c$/,
    written: '-c',
    input: 'without_file',
  },
  { name: words('at batch'), kind: 'shell', input: 'always' },
  { name: words('script'), kind: 'orders', input: 'always', told: 'any' },
  { name: words('su newgrp chroot nsenter fakeroot fakechroot'), kind: 'orders', input: 'always', told: ORDER },
  { name: words('screen tmux'), kind: 'orders', input: 'without_file', told: 'any' },
  { name: words('sg unshare proot'), kind: 'orders', input: 'without_file', told: ORDER },
  { name: words('busybox toybox'), kind: 'orders', input: 'never' },
  { name: words('ssh rsh mosh'), kind: 'orders', input: 'without_file' },
  {
    name: /^(?:i?python|pypy|bpython)[\d.]*$/,
    kind: 'code',
    option: /^-[A-Za-z]*c$/,
    written: '-c',
    glued: /^-[BdEiIOqsSuvx]*c(?=.)/s,
    input: 'without_file',
  },
  {
    name: words('node nodejs deno bun tsx ts-node'),
    kind: 'code',
    option: /^(?:-[A-Za-z]*[ep]|--eval|--print|eval)$/,
    written: '-e',
    input: 'without_file',
  },
  {
    name: /^(?:perl|ruby)[\d.]*$/,
    kind: 'code',
    option: /^-[A-Za-z]*[eE]$/,
    written: '-e',
    glued: /^-[acilnpswTWS]*[eE](?=.)/s,
    input: 'without_file',
  },
  {
    name: /^php[\d.]*$/,
    kind: 'code',
    option: /^-[A-Za-z]*[rBRE]$/,
    written: '-r',
    glued: /^-[nq]*r(?=.)/s,
    input: 'without_file',
  },
  {
    name: /^(?:lua|luajit)[\d.]*$/,
    kind: 'code',
    option: /^-e$/,
    written: '-e',
    glued: /^-e(?=.)/s,
    input: 'without_file',
  },
  {
    name: words(
      'R Rscript julia elixir groovy osascript scala erl swipl ghc runghc stack octave gnuplot racket bb clojure clj',
    ),
    kind: 'code',
    option: /^-[eEf]$|^--e(?:val|xec)\w*$|^-eval$/,
    written: '-e',
    input: 'without_file',
  },
  {
    name: words('pwsh powershell nu xonsh elvish rc es guile tclsh wish sbcl clisp ecl emacs emacsclient swift jshell'),
    kind: 'code',
    option: /^-(?:c|C\w*|-?eval|-?execute|e)$/i,
    written: '-c',
    input: 'without_file',
  },
  {
    name: words('expect'),
    kind: 'code',
    option: /^-(?:c|C\w*|-?eval|-?execute|e)$/i,
    written: '-c',
    input: 'without_file',
    told: 'any',
  },
  {
    name: words(
      'iex escript irb pry erb coffee crystal raku janet fennel hy csi gosh newlisp abcl qjs d8 rhino mujs pike gforth osh ysh posh ghci ocaml utop groovysh kotlin jython gp sage maxima crontab sftp watchman jupyter',
    ),
    kind: 'orders',
    input: 'without_file',
  },
  { name: words('m4 dc'), kind: 'orders', input: 'without_file', told: 'any' },
  { name: words('gdb lldb'), kind: 'orders', input: 'always', told: 'any' },
  { name: words('ex'), kind: 'orders', input: 'always', told: ORDER },
  { name: words('pdb ed red ftp lftp telnet'), kind: 'orders', input: 'always' },
  { name: words('vi vim nvim view'), kind: 'orders', input: 'never', told: ORDER },
  { name: words('sqlite3? duckdb psql mysql mariadb sqlplus mongosh'), kind: 'orders', input: 'always', sql: true },
  { name: words('mongo clickhouse-client'), kind: 'orders', input: 'without_file', sql: true },
];

const found = new Map<string, Interpreter | undefined>();
const FOUND_MAX = 1_000;
const interpreterOf = (program: string): Interpreter | undefined => {
  if (found.has(program)) return found.get(program);
  const interpreter = INTERPRETERS.find(({ name }) => name.test(program));
  if (found.size >= FOUND_MAX) found.clear();
  found.set(program, interpreter);
  return interpreter;
};

/** It runs lines of a shell: a shell itself, and what keeps them for later. */
export const isShell = (program: string): boolean => interpreterOf(program)?.kind === 'shell';
/** It has a language of its own. */
export const isLanguage = (program: string): boolean => interpreterOf(program)?.kind === 'code';
/** Its words may be orders that run or open anything. */
export const takesOrders = (program: string): boolean => interpreterOf(program)?.kind === 'orders';
/** Which of its words may be orders, beside those that its own option names. */
export const orderPlaces = (program: string): RegExp | 'any' | undefined => interpreterOf(program)?.told;
export const isSqlConsole = (program: string): boolean => interpreterOf(program)?.sql === true;
/** Whether what comes in is run, where it is. */
export const runsInput = (program: string): 'without_file' | 'always' | 'never' =>
  interpreterOf(program)?.input ?? 'never';

/** The option by which a language is told its code in a word; undefined for a program that has none. */
export const codeOption = (program: string): { test: RegExp; option: string } | undefined => {
  const { kind, option, written } = interpreterOf(program) ?? {};
  return kind !== 'code' || option === undefined || written === undefined
    ? undefined
    : { test: option, option: written };
};
export const SHELL_OPTION = /^[-+][A-Za-z]*c$/;

/** The code of `python3 -cCODE`. */
export const gluedCode = (program: string, told: readonly string[]): string | undefined => {
  const letter = interpreterOf(program)?.glued;
  if (letter === undefined) return undefined;
  const word = told.slice(1).find((each) => letter.test(each));
  return word?.replace(letter, '');
};
