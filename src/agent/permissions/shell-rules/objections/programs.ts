/** What is known of single programs: options that write, run or load something although the name sounds harmless. */

import { closed, line, naming, type Objection, optionObjections, spelled, textsOf } from '../objections.ts';
import { AWK, awkObjections, sedObjections } from '../scripts.ts';
import type { ShellCommand } from '../words.ts';
import { baseName, isWrapper } from '../wrappers.ts';
import { carriedObjections, handedToScript } from './carrying-options.ts';
import { dotnetObjections, isJudgedByDotnet } from './dotnet.ts';
import { gitObjections } from './git.ts';
import { hasTable, tableOf } from './option-tables.ts';
import { runnerObjections } from './runners.ts';
import { sourceObjections } from './sources.ts';

/** What runs code that stands in its words or in a file: a rule has to name the file. What comes after it is the script's. */
const INTERPRETERS: ReadonlySet<string> = new Set(
  (
    'python pypy micropython hy ipython bpython jupyter node nodejs deno perl ruby irb php lua luajit tclsh wish osascript Rscript R julia ' +
    'ghc ghci runghc runhaskell java jshell jrunscript groovy scala scala-cli kotlin clojure clj bb lein elixir iex erl swift dotnet tsx ts-node ' +
    'guile racket scheme mit-scheme chez sbcl clisp ocaml utop swipl gprolog octave nim crystal mono wine wine64 ' +
    'pwsh powershell nu elvish xonsh osh oil ysh yash zx v zig hhvm escript swift-run jbang cscript wscript rakudo raku gforth xsltproc saxon terraform ansible pip gem easy_install'
  ).split(' '),
);
/** What obeys each of its words, or what it reads: only a rule for the very command says enough. */
const OBEDIENT: ReadonlySet<string> = new Set(
  (
    'vi vim view rview rvim vimdiff gvim gview rgvim gvimdiff evim nvim ex ed emacs emacsclient nano pico hx helix kak micro joe jed mg ne less more most ' +
    'gdb lldb r2 radare2 bpftrace stap dtrace psql mysql mariadb duckdb clickhouse clickhouse-client clickhouse-local redis-cli mongo mongosh influx cqlsh sqlplus sqlcmd ' +
    'm4 bc dc maxima sage gp gap gnuplot tex latex pdftex pdflatex xelatex lualatex luatex context w3m lynx links elinks browsh ' +
    'mail mailx mutt sendmail msmtp lftp ncftp ftp tftp telnet rlogin crontab at batch gpg openssl dd socat nc ncat netcat cpio ctags cscope ldd'
  ).split(' '),
);
/** Only those of the list whose first plain word says what will be run. */
const HARMLESS_QUESTION = /^(?:--version|-V|--help|-h|-version)$/;

/** Parts of the shell itself that change what later words mean, or that evaluate their words. */
const BUILTINS: ReadonlySet<string> = new Set(
  (
    'alias unalias bind builtin caller compgen complete compopt declare disown enable eval exec exit export fc fg bg getopts hash help history jobs let local logout ' +
    'mapfile popd pushd dirs read readarray readonly return set shift shopt source . suspend times trap typeset ulimit umask unset wait coproc'
  ).split(' '),
);
const EVALUATED = /[`$]|.\[.*[^\]]$|^[A-Za-z_]\w*\[/s;

/** What there is to say against a rule for this program alone. The words are those of the program itself, looked through. */
export const programObjections = (command: ShellCommand): Objection[] => {
  const words = textsOf(command);
  const program = words[0] ?? '';
  const name = baseName(program);
  if (name === 'git') return gitObjections(command);
  if (BUILTINS.has(program)) return [line(0, `${program} changes what the shell does next`)];
  if (program === 'command' && /^-[vV]$/.test(words[1] ?? '')) return [];
  if (name === 'hg') return [closed(0, 'hg runs what the settings of this repository say')];
  if (name === 'patch') return [closed(0, 'patch writes the files that its input names')];
  if (name === 'env' && words.length === 1) return [];
  if (name === 'test' || name === '[') return testObjections(words);
  if (name === 'printf') return printfObjections(words);
  if (name === 'cd')
    return words.length === 2 && !/^-/.test(words[1] as string) ? [] : [line(0, 'cd to where only the shell knows')];
  if (name === 'sed' || name === 'gsed') return sedObjections(words);
  if (AWK.test(name)) return awkObjections(words);
  const runs = runnerObjections(command, programObjections);
  if (runs !== undefined) return runs;
  if (isWrapper(name)) return [closed(0, `${name} runs other programs`)];
  if (
    name === 'jq' &&
    words.some((word) => /\b(?:import|include|input_line_number|modulemeta|getpath\/1)\b/.test(word))
  ) {
    return [spelled(1, 'the program of jq loads another')];
  }
  if (name === 'jq' && words.some((word) => JQ_READS.test(word)))
    return [spelled(1, 'the program of jq reads variables')];
  if (name === 'yq') {
    const at = words.findIndex((word, index) => index > 0 && YQ_READS.test(word));
    if (at > 0) return [spelled(at, 'the program of yq reads something else')];
  }
  // A file of further options.
  const listed = READS_OPTIONS.test(name) ? words.findIndex((word, index) => index > 0 && word.startsWith('@')) : -1;
  if (listed > 0) return [spelled(listed, `${words[listed]} brings options that are not seen here`)];
  if (name === 'date') {
    const at = words.findIndex((word, index) => /^\d{2}/.test(word) && !TAKES_DATE.test(words[index - 1] ?? ''));
    if (at > 0) return [spelled(at, `${words[at]} may be a time that date sets`)];
  }
  const table = tableOf(name);
  if (table.reads === true || table.prints === true) return optionObjections(table, command.words, 1);
  const plainName = name.replace(/-?[0-9.]+$/, '');
  if (OBEDIENT.has(name) || OBEDIENT.has(plainName))
    return isQuestion(words) ? [] : [closed(words.length - 1, `${name} does what each of its words says`)];
  if (plainName === 'sqlite') return databaseObjections(words);
  if (INTERPRETERS.has(name) || INTERPRETERS.has(plainName)) return interpreterObjections(name, command);
  return [
    ...optionObjections(table, command.words, 1),
    ...ownObjections(name, command),
    ...carriedObjections(plainName, words, 1),
    ...(program.includes('/') && !hasTable(name) ? handedToScript(words) : []),
  ];
};

const TAKES_DATE = /^-[A-Za-z]*[drfv]$|^--(?:date|reference|file)$/;

/** What no table of options says. */
const ownObjections = (name: string, command: ShellCommand): Objection[] => {
  const words = textsOf(command);
  if (/^(?:tar|bsdtar|gtar)$/.test(name)) return archiveObjections(words);
  if (name === 'unzip' || /^7z[ar]?$/.test(name)) return unpackingObjections(name, words);
  if (name === 'curl') return [...addressObjections(words), ...sentFileObjections(words)];
  if (name === 'man') return manualObjections(words);
  if (name === 'ssh' && words.slice(1).filter((word) => !word.startsWith('-')).length > 1) {
    return [closed(words.length - 1, 'ssh runs a command on the other side')];
  }
  if (name === 'ssh' && words.length > 1 && !isQuestion(words))
    return [closed(words.length - 1, 'ssh does on the other side what it reads')];
  if (/^(?:docker|podman|nerdctl|kubectl)$/.test(name)) return containerObjections(command);
  if (/^(?:gh|glab)$/.test(name) && REACHES_FAR.test(words[1] ?? ''))
    return [spelled(1, `${name} ${words[1]} runs or changes more than a rule for ${name} says`)];
  if (name === 'ip' && words.includes('exec')) return [closed(words.length - 1, 'ip runs other programs')];
  // SHELL=… and its like change what every line of a makefile runs; @file brings options of a compiler.
  const odd = /^g?make$/.test(name)
    ? /^(?!(?!SHELL|MAKE|[A-Z_]*FLAGS)[A-Za-z_]\w*=(?:[0-9]|true|false|yes|no|on|off|)$)[^-].*=/
    : COMPILER.test(name)
      ? /^@/
      : /^mvnw?$/.test(name)
        ? /exec[\w-]*:/
        : Object.hasOwn(ODD_WORDS, name)
          ? ODD_WORDS[name]
          : undefined;
  if (odd === undefined) return [];
  return words.flatMap((word, index) =>
    index > 0 && odd.test(word) ? [spelled(index, `${word} may change what is run`)] : [],
  );
};
/** Of programs whose plain words may be more than files: a delegate (`msl:x`), a program (`|x`), a setting. */
const OF_MAGICK = /^\||^[A-Za-z][A-Za-z0-9]+:|^@/;
const ODD_WORDS: Readonly<Record<string, RegExp>> = {
  rustc: /^(?:linker|link-args?|profile-use|dlltool|llvm-args)=/,
  ...Object.fromEntries(
    'magick convert mogrify identify composite montage display gm'.split(' ').map((name) => [name, OF_MAGICK]),
  ),
};
const REACHES_FAR =
  /^(?:alias|extension|extensions|ext|config|auth|codespace|cs|api|secret|variable|ssh-key|gpg-key|-.*)$/;
const COMPILER = /^(?:cc|c\+\+|gcc|g\+\+|clang|clang\+\+)[-0-9.]*$/;

const READS_OPTIONS =
  /^(?:[\w-]+-)?(?:cc|c\+\+|cpp|gcc|g\+\+|gfortran|clang|clang\+\+|nm|ar|ranlib|objdump|objcopy|strip|strings|readelf|size|addr2line|c\+\+filt|elfedit|ld|ld\.\w+|lld|as|javac|javadoc|jar|msbuild|csc|vbc|fsc|rustc|swiftc|kotlinc|scalac|msgfmt|tsc|pytest|py\.test)[-0-9.]*$/;

const testObjections = (words: readonly string[]): Objection[] =>
  words.slice(1).some((word) => EVALUATED.test(word)) || words.includes('-v') || words.includes('-R')
    ? [line(1, 'the shell evaluates a word of this test')]
    : [];

/** `-v` sets a variable by its name, and so does `%n`; %% is a percent sign. */
const printfObjections = (words: readonly string[]): Objection[] => {
  const format = words[1] ?? '-';
  const sets = format.startsWith('-') || /%[^%A-Za-z]*[hlLjzt]*n/.test(format.replaceAll('%%', ''));
  return sets ? [line(1, 'printf sets a variable')] : [];
};

const interpreterObjections = (name: string, command: ShellCommand): Objection[] => {
  const words = textsOf(command);
  if (isQuestion(words)) return [];
  // The project's own tests, wherever they lie.
  if (name === 'node' && words[1] === '--test') {
    return words.flatMap((word, index) =>
      index > 0 && word.startsWith('-')
        ? [(index === 1 ? naming : spelled)(index, `${word} tells node what to run or load`)]
        : [],
    );
  }
  const at = words.findIndex((word, index) => index > 0 && !word.startsWith('-'));
  const objections = words.flatMap((word, index) =>
    index > 0 && (at < 0 || index < at) && !HARMLESS_QUESTION.test(word)
      ? [(word === '-m' ? naming : spelled)(index, `${word} tells ${name} what to run or load`)]
      : [],
  );
  if (at < 0) return objections.length > 0 ? objections : [closed(0, `${name} runs whatever it reads`)];
  const text = `${name} runs what ${words[at]} says, so that a rule has to name it`;
  objections.push(...handedOver(name, command, at));
  if (name !== 'deno' || !/^(?:run|eval|repl|serve|compile|install|x)$/.test(words[at] as string))
    return [...objections, naming(at, text)];
  const script = words.findIndex((word, index) => index > at && !word.startsWith('-'));
  const flags = words.flatMap((word, index) =>
    index > at && index < script && word.startsWith('-') ? [spelled(index, `${word} lets deno do more`)] : [],
  );
  return script < 0 || words[at] === 'eval'
    ? [closed(words.length - 1, text)]
    : [...objections, ...flags, naming(script, text)];
};

/** What its script or its own command is handed: of a module that is a program (`python3 -m pytest`), as that program. */
const handedOver = (name: string, command: ShellCommand, at: number): Objection[] => {
  const words = textsOf(command);
  if (words[at - 1] === '-m') {
    const inner = programObjections({ ...command, words: command.words.slice(at) });
    return inner.map((objection) => ({ ...objection, word: objection.word + at }));
  }
  if (name === 'dotnet')
    return [
      ...dotnetObjections(words, at + 1),
      ...carriedObjections(name, words, at + 1).filter(({ word }) => !isJudgedByDotnet(words[word] ?? '')),
    ];
  const own = hasTable(name) ? optionObjections(tableOf(name), command.words, at + 1) : [];
  return [...own, ...carriedObjections(name, words, at + 1), ...sourceObjections(name, words, at)];
};

const isQuestion = (words: readonly string[]): boolean =>
  words.length === 2 && HARMLESS_QUESTION.test(words[1] as string);

/** `env` as a function, not as a key. */
const JQ_READS = /\$ENV\b|(?<![\w."$])env\b(?!\s*:)/;
/** Its functions read other files, or variables. */
const YQ_READS = /\b(?:load\w*|env|strenv|envsubst|eval)\b/;

/** A statement is one of SQL; what begins with a dot is an order to the program. */
const databaseObjections = (words: readonly string[]): Objection[] => {
  if (isQuestion(words)) return [];
  if (words.length < 3 || (words[1] as string).startsWith('-'))
    return [closed(words.length - 1, 'sqlite3 does what it reads')];
  const orders = /^[-.]|\n\s*\.|load_extension|readfile|writefile|\bedit\s*\(|\battach\b|\bvacuum\b/i;
  return [
    naming(1, `sqlite3 works on ${words[1]}, so that a rule has to name it`),
    ...words.flatMap((word, index) =>
      index > 1 && orders.test(word) ? [spelled(index, `${word} is an order to sqlite3`)] : [],
    ),
  ];
};

/** `tar xf …`: the first word needs no dash. An archive that is called `host:file` is asked of another program. */
const archiveObjections = (words: readonly string[]): Objection[] => [
  ...(/^[A-Za-z]*[xIFTCPg]/.test(words[1] ?? '') ? [spelled(1, `tar ${words[1]} writes files or runs a program`)] : []),
  ...words.flatMap((word, index) =>
    index > 0 && /^(?:-[A-Za-z]*f|--file=)?[^-/=][^/=]*:/.test(word)
      ? [spelled(index, `${word} is on another machine`)]
      : [],
  ),
];

/** What they write is named in the archive. */
const unpackingObjections = (name: string, words: readonly string[]): Objection[] => {
  const at = words.findIndex((word, index) => index > 0 && !/^-q+$/.test(word));
  const looks = (name === 'unzip' ? LOOKS : /^[lthi]$/).test((name === 'unzip' ? words[at] : words[1]) ?? '');
  if (!looks) return [spelled(1, `${name} writes the files that the archive names`)];
  if (name !== 'unzip') return [];
  // `--l` takes `-l` back, and it unpacks.
  return words.flatMap((word, index) =>
    index > at && word.startsWith('-') && !LOOKS.test(word) && !/^-(?:q+|x)$/.test(word)
      ? [spelled(index, `${word} may make unzip write the files that the archive names`)]
      : [],
  );
};
const LOOKS = /^-(?:q*[lvtz][lvtzq]*|Z[12smlvhtzT]*)$/;

/** curl makes several addresses of one, and takes options for variables. */
const addressObjections = (words: readonly string[]): Objection[] =>
  words.flatMap((word, index) => {
    if (word.startsWith('--expand-')) return [spelled(index, `${word} is worked out by curl alone`)];
    return /^[^/]*[{[].*:\/\//.test(word) ? [spelled(index, `${word} is an address that curl alone knows`)] : [];
  });

/** `-H @FILE` sends the lines of a file. */
const sentFileObjections = (words: readonly string[]): Objection[] =>
  words.flatMap((word, index) => {
    const isHeader = /^(?:-[A-Za-z]*H|--(?:proxy-)?header)$/.test(words[index - 1] ?? '');
    const sends = /^-[A-Za-z]*H@|^--(?:proxy-)?header=@/.test(word) || (isHeader && word.startsWith('@'));
    return sends ? [spelled(index, `${word} is a file that is sent`)] : [];
  });

/** A page that is a file may hold more than text; nearly all options name a program or a folder. */
const manualObjections = (words: readonly string[]): Objection[] =>
  words.flatMap((word, index) => {
    if (index === 0 || /^-[kfwa]$|^--(?:apropos|whatis|where|path|all)$/.test(word)) return [];
    return /^-|[/.]/.test(word) ? [spelled(index, `${word} lets man run or read something else`)] : [];
  });

const containerObjections = (command: ShellCommand): Objection[] => {
  const words = textsOf(command);
  const name = words[1] ?? '';
  if (/^(?:ps|images|version|info|logs|get|describe|top|stats|events|history|search|port)$/.test(name)) return [];
  const inner =
    name === 'compose' ? (words.find((word, index) => index > 1 && /^(?:run|exec|cp)$/.test(word)) ?? name) : name;
  if (/^(?:run|exec|create|cp|container|debug|attach|proxy|port-forward|-.*)$/.test(inner)) {
    return [closed(words.length - 1, `${words[0]} ${name} runs what it is told to`)];
  }
  const follows = name === 'compose' && words[2] === 'logs';
  const built =
    !follows && /^(?:build|buildx|builder|compose|image)$/.test(name)
      ? optionObjections(tableOf('docker build'), command.words, 2)
      : [];
  return [
    naming(1, `${words[0]} ${name} reaches outside the workspace`),
    ...built,
    ...words.flatMap((word, at) =>
      at > 1 && (word === '-' || isProxy(word)) ? [spelled(at, `${word} says what is built, or through whom`)] : [],
    ),
    ...sourceObjections('docker', words, 1),
  ];
};
/** What a build is told by a variable of its own. */
const isProxy = (word: string): boolean => /^(?:--build-arg=)?\w*proxy=/i.test(word);
