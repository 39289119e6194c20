/** What is known of single programs: options that write, run or load something although the name sounds harmless. */
import { gitObjections } from './git-objections.ts';
import { closed, line, type Objection, type OptionTable, optionObjections, spelled, textsOf } from './objections.ts';
import { isPlainAwk, isPlainSed } from './script-safety.ts';
import type { ShellCommand } from './shell-words.ts';
import { baseName, isWrapper } from './shell-wrappers.ts';

const READER: OptionTable = { reads: true };
const TABLES: Readonly<Record<string, OptionTable>> = {
  echo: { prints: true },
  true: { prints: true },
  false: { prints: true },
  ':': { prints: true },
  ls: READER,
  cat: READER,
  head: READER,
  tail: READER,
  wc: { reads: true, long: 'files0-from' },
  nl: READER,
  tac: READER,
  rev: READER,
  cut: READER,
  tr: READER,
  paste: READER,
  join: READER,
  comm: READER,
  cmp: READER,
  fold: READER,
  fmt: READER,
  column: READER,
  strings: READER,
  od: READER,
  hexdump: READER,
  base64: READER,
  base32: READER,
  md5sum: READER,
  sha1sum: READER,
  sha256sum: READER,
  sha512sum: READER,
  cksum: READER,
  stat: READER,
  readlink: READER,
  realpath: READER,
  basename: READER,
  dirname: READER,
  seq: READER,
  pwd: READER,
  whoami: READER,
  id: READER,
  uname: READER,
  nproc: READER,
  df: READER,
  grep: READER,
  egrep: READER,
  fgrep: READER,
  which: READER,
  type: READER,
  jq: { reads: true, short: 'fL', long: 'from-file slurpfile rawfile library-path' },
  du: { reads: true, long: 'files0-from' },
  date: { reads: true, short: 's', long: 'set', values: 'dfrI' },
  hostname: { operands: 0, short: 'F', long: 'file boot' },
  file: { reads: true, short: 'CzZm', long: 'compile uncompress uncompress-noreport magic-file', values: 'efFP' },
  diff: { reads: true, values: 'CUIFxXSDW' },
  sdiff: { short: 'o', long: 'output diff-program' },
  diff3: { long: 'diff-program' },
  uniq: { reads: true, operands: 1, values: 'fsw', next: /^-[fsw]$/ },
  xxd: { reads: true, operands: 1, early: true, words: /^-(?:r|rev.*|e?r.*)$/, next: /^-[cglosn]$/ },
  shuf: { short: 'o', long: 'output random-source', values: 'in' },
  sort: {
    reads: true,
    short: 'oT',
    long: 'output compress-program temporary-directory files0-from random-source',
    values: 'ktS',
  },
  tree: { reads: true, short: 'oR', long: 'output', values: 'LPIH' },
  find: { reads: true, words: /^-(?:exec|execdir|ok|okdir|delete|fprint|fprint0|fprintf|fls|files0-from)$/ },
  fd: { reads: true, short: 'xX', long: 'exec exec-batch', values: 'edtEoScjHI' },
  fdfind: { reads: true, short: 'xX', long: 'exec exec-batch', values: 'edtEoScj' },
  rg: {
    reads: true,
    short: 'zf',
    long: 'pre pre-glob search-zip hostname-bin file ignore-file',
    values: 'egtTABCmMdEjr',
  },
  ag: { reads: true, long: 'pager' },
  ack: { long: 'pager ackrc noenv' },
  bat: { long: 'pager config-file' },
  tar: {
    short: 'IFTCPx',
    long: 'use-compress-program checkpoint-action to-command info-script new-volume-script rsh-command rmt-command extract get files-from directory absolute-names',
    values: 'f',
  },
  zip: { short: 'TO@', long: 'unzip-command test output-file' },
  unzip: { short: 'd' },
  rsync: { short: 'e', long: 'rsh rsync-path files-from log-file write-batch partial-dir temp-dir backup-dir daemon' },
  scp: { short: 'SoFJDi' },
  sftp: { short: 'SoFJDbi' },
  ssh: { short: 'oFJWLRDESwIMiOQ' },
  curl: {
    short: 'oOKTEcdFDQxw',
    long: 'output write-out remote-name remote-name-all output-dir config upload-file data data-binary data-raw data-urlencode form dump-header cookie-jar trace trace-ascii stderr quote proxy engine libcurl etag-save unix-socket netrc-file cert key json url-query create-dirs',
    values: 'HXAebmuUr',
  },
  wget: {
    long: 'output-document output-file append-output use-askpass config execute input-file post-file body-file directory-prefix save-cookies warc-file load-cookies',
    short: 'OoaeiP',
  },
  make: { short: 'fCEI', long: 'file makefile directory eval include-dir' },
  gcc: { words: /^-(?:wrapper|fplugin.*|B.*|specs.*|o.+|o)$/ },
  clang: { words: /^-(?:fplugin.*|load|Xclang|B.*|o.*)$/ },
  cargo: { long: 'config' },
  go: { words: /^-?-(?:exec|toolexec|vettool|overlay|modfile|o)(?:=.*)?$/ },
  man: { short: 'PHBC', long: 'pager html preprocessor config-file' },
  npm: { long: 'script-shell node-options prefix userconfig globalconfig ignore-scripts git' },
  cp: { short: 'tST', values: 't' },
  xz: {},
};

/** What runs code that stands in its words or in a file: a rule has to name the file. */
const INTERPRETERS =
  /^(?:python|pypy|node|nodejs|deno|bun|perl|ruby|irb|php|lua|luajit|tclsh|wish|osascript|Rscript|R|julia|ghci|runghc|java|jshell|groovy|scala|elixir|iex|erl|swift|dotnet|tsx|ts-node|m4|bc|dc|gdb|psql|mysql|sqlite|vim?|nvim|ex|ed|emacs|nano|pico|less|more|most|crontab|at|batch|gpg|openssl|dd|socat|nc|ncat|netcat|telnet|ansible|terraform|pip|pipenv|poetry|uv|gem|easy_install)[0-9.]*$/;
/** Only those of the list whose first plain word says what will be run. */
const HARMLESS_QUESTION = /^(?:--version|-V|--help|-h|-version)$/;

/** They run the package that their first word names. */
const RUNNERS = /^(?:npx|bunx|uvx)$/;

/** Parts of the shell itself that change what later words mean, or that evaluate their words. */
const NPM_RUNS = /^(?:exec|x|dlx|create|init|config|set|link|explore|edit)$/;
const BUILTINS: ReadonlySet<string> = new Set(
  (
    'alias unalias bind builtin caller compgen complete compopt declare disown enable eval exec exit export fc fg bg getopts hash help history jobs kill let local logout ' +
    'mapfile popd pushd dirs read readarray readonly return set shift shopt source . suspend times trap typeset ulimit umask unset wait coproc time'
  ).split(' '),
);
const EVALUATED = /[`$]|.\[.*[^\]]$|^[A-Za-z_]\w*\[/s;

export const isPrinter = (program: string): boolean => tableOf(program)?.prints === true;
export const isReader = (program: string): boolean =>
  tableOf(program)?.reads === true || tableOf(program)?.prints === true;

const tableOf = (program: string): OptionTable | undefined => {
  const name = baseName(program);
  return Object.hasOwn(TABLES, name) ? TABLES[name] : undefined;
};

/** What there is to say against a rule for this program alone. The words are those of the program itself, looked through. */
export const programObjections = (command: ShellCommand): Objection[] => {
  const words = textsOf(command);
  const program = words[0] ?? '';
  const name = baseName(program);
  if (name === 'git') return gitObjections(command);
  if (BUILTINS.has(program)) return [line(0, `${program} changes what the shell does next`)];
  if (program === 'command' && /^-[vV]$/.test(words[1] ?? '')) return [];
  if (RUNNERS.test(name))
    return [
      (words[1] ?? '-').startsWith('-')
        ? closed(0, `${name} runs other programs`)
        : spelled(1, `${name} runs ${words[1]}`),
    ];
  if (name === 'hg') return [closed(0, 'hg runs what the settings of this repository say')];
  if (name === 'env' && words.length === 1) return [];
  if (isWrapper(name)) return [closed(0, `${name} runs other programs`)];
  if (name === 'test' || name === '[') return testObjections(words);
  if (name === 'printf') return printfObjections(words);
  if (name === 'cd')
    return words.length === 2 && !/^-/.test(words[1] as string) ? [] : [line(0, 'cd to where only the shell knows')];
  if (name === 'sed') return sedObjections(words);
  if (AWK.test(name)) return awkObjections(words);
  if (
    name === 'jq' &&
    words.some((word) => /\b(?:import|include|input_line_number|modulemeta|getpath\/1)\b/.test(word))
  ) {
    return [spelled(1, 'the program of jq loads another')];
  }
  const table = tableOf(name);
  if (table?.reads === true || table?.prints === true) return optionObjections(table, command.words, 1);
  if (INTERPRETERS.test(name)) return interpreterObjections(name, words);
  const found = table === undefined ? [] : optionObjections(table, command.words, 1);
  if (name === 'tar') found.push(...bundled(words));
  if (name === 'ssh' && words.slice(1).filter((word) => !word.startsWith('-')).length > 1) {
    found.push(closed(words.length - 1, 'ssh runs a command on the other side'));
  }
  if (/^(?:docker|podman|nerdctl|kubectl)$/.test(name)) found.push(...containerObjections(words));
  if (/^(?:npm|pnpm|yarn|bun)$/.test(name) && NPM_RUNS.test(words[1] ?? '')) {
    found.push(spelled(2, `${name} ${words[1]} runs what it is told to`));
  }
  if (/^g?make$/.test(name)) {
    // SHELL=… and its like change what every line of a makefile runs.
    found.push(
      ...words.flatMap((word, index) =>
        /^[^-].*=/.test(word) ? [spelled(index, `${word} may change what is run`)] : [],
      ),
    );
  }
  return found;
};

const testObjections = (words: readonly string[]): Objection[] =>
  words.slice(1).some((word) => EVALUATED.test(word)) || words.includes('-v') || words.includes('-R')
    ? [line(1, 'the shell evaluates a word of this test')]
    : [];

const printfObjections = (words: readonly string[]): Objection[] =>
  words[1] === undefined || words[1].startsWith('-') ? [line(1, 'printf sets a variable')] : [];

/** Which words are scripts and no files: `sed /x/d file`. */
export const scriptsOf = (words: readonly string[]): readonly number[] => {
  if (words[0] === 'sed') return readSed(words).scripts;
  return AWK.test(words[0] ?? '') ? [awkProgramAt(words)] : [];
};
const AWK = /^(?:[gmn]?awk|original-awk)$/;

const sedObjections = (words: readonly string[]): Objection[] => readSed(words).objections;
const readSed = (words: readonly string[]): { objections: Objection[]; scripts: number[] } => {
  const objections: Objection[] = [];
  const scripts: number[] = [];
  const script = (at: number, text: string | undefined): void => {
    scripts.push(at);
    if (text === undefined || !isPlainSed(text))
      objections.push(spelled(at, 'the script of sed may write or run something'));
  };
  const operands: number[] = [];
  for (let at = 1; at < words.length; at += 1) {
    const word = words[at] as string;
    if (word === '-' || !word.startsWith('-')) operands.push(at);
    else if (/^--(?:quiet|silent|regexp-extended|separate|unbuffered|null-data|posix|sandbox|debug)$/.test(word))
      continue;
    else if (word.startsWith('--expression=')) script(at, word.slice(13));
    else if (/^-[nErsuz]*e$/.test(word) || word === '--expression') {
      at += 1;
      script(at, words[at]);
    } else if (/^-[nErsuz]+$/.test(word)) continue;
    else objections.push(spelled(at, `${word} lets sed write or load something`));
  }
  const first = operands[0];
  if (scripts.length === 0) script(first ?? 0, first === undefined ? undefined : words[first]);
  return { objections, scripts };
};

const awkProgramAt = (words: readonly string[]): number => {
  let at = 1;
  for (; at < words.length; at += 1) {
    const word = words[at] as string;
    if (word === '-F' || word === '-v') at += 1;
    else if (!/^-[Fv]./s.test(word)) break;
  }
  return words[at] === '--' ? at + 1 : at;
};

const awkObjections = (words: readonly string[]): Objection[] => {
  const at = awkProgramAt(words);
  const program = words[at];
  if (program !== undefined && !program.startsWith('-') && isPlainAwk(program)) return [];
  return [spelled(at, 'the program of awk may write or run something')];
};

const interpreterObjections = (name: string, words: readonly string[]): Objection[] => {
  if (words.length === 2 && HARMLESS_QUESTION.test(words[1] as string)) return [];
  const at = words.findIndex((word, index) => index > 0 && !word.startsWith('-'));
  const objections = words.flatMap((word, index) =>
    index > 0 && (at < 0 || index < at) && !HARMLESS_QUESTION.test(word)
      ? [spelled(index, `${word} tells ${name} what to run or load`)]
      : [],
  );
  if (at < 0) return objections.length > 0 ? objections : [closed(0, `${name} runs whatever it reads`)];
  return [...objections, spelled(at, `${name} runs what ${words[at]} says, so that a rule has to name it`)];
};

/** `tar xf …`: the first word needs no dash. */
const bundled = (words: readonly string[]): Objection[] =>
  /^[A-Za-z]*[xIFTCP]/.test(words[1] ?? '') ? [spelled(1, `tar ${words[1]} writes files or runs a program`)] : [];

const containerObjections = (words: readonly string[]): Objection[] => {
  const name = words[1] ?? '';
  if (/^(?:ps|images|version|info|logs|get|describe|top|stats|events|history|search|port)$/.test(name)) return [];
  if (/^(?:run|exec|create|cp|container|debug|attach|proxy|port-forward|-.*)$/.test(name)) {
    return [closed(words.length - 1, `${words[0]} ${name} runs what it is told to`)];
  }
  return [spelled(1, `${words[0]} ${name} reaches outside the workspace`)];
};
