/**
 * Which programs run something of the folder that they are started in, whether it is named or not. What is not known may run
 * anything: rather a runner too many than one too few.
 */
import { possibleCommands } from '../policy/shell-words.ts';
import { PRINTERS } from './command-parts.ts';

/** A variable is a word like others here: what it holds is not known. */
export const commandsIn = (line: string): string[][] =>
  possibleCommands(line.replaceAll(/\$\{?\w+\}?/g, '_')).flatMap((words) => {
    const at = words.findIndex((word) => !BEFORE_PROGRAM.test(word));
    return at === -1 ? [] : [words.slice(at)];
  });
const BEFORE_PROGRAM = /^(?:if|then|elif|else|while|until|do|!)$/;

/** They write, move or list what they are given, and run none of it. */
export const MOVERS: ReadonlySet<string> = new Set('cp mv ln tee dd install rsync'.split(' '));
const KEEPERS: ReadonlySet<string> = new Set(
  'rm rmdir mkdir touch chmod chown true sleep cut tr nl tac rev base64 md5sum sha256sum xxd od realpath basename dirname for done fi esac'.split(
    ' ',
  ),
);
const GIT_KEEPERS: ReadonlySet<string> = new Set(
  'add status diff log show commit mv rm restore checkout switch branch tag push pull blame reset'.split(' '),
);
/** Options by which a printer runs a program. */
const RUNS_PROGRAM = /^--(?:pre|hostname-bin|compress-program|ext-diff|textconv)\b/;
/** They take what they run from a list, or from all that is there. */
export const TAKES_LISTS = /\b(?:xargs|parallel|find|fd|fdfind|entr|read|mapfile|readarray)\b/;

export const runsNothing = ([program = '', ...rest]: readonly string[]): boolean =>
  !rest.some((word) => RUNS_PROGRAM.test(word)) &&
  (PRINTERS.has(program) ||
    MOVERS.has(program) ||
    KEEPERS.has(program) ||
    (program === 'git' && GIT_KEEPERS.has(rest[0] ?? '')));

/**
 * Beside those that run nothing: they look at what they are given, at the system or at the network, and run nothing that lies
 * in the folder. Every other program may: it finds tests, settings, modules and hooks by itself.
 */
const NAMED_ONLY: ReadonlySet<string> = new Set(
  `awk gawk mawk sed sort uniq comm paste column join split fmt fold expand jq yq less more curl wget ssh scp ping dig host
  nslookup ps kill pgrep free uname date whoami id hostname uptime printenv export set unset wait jobs seq yes clear history tar gzip
  gunzip zip unzip xz bzip2 zstd openssl sqlite3 psql mysql redis-cli apt apt-get dpkg journalctl gh`.split(/\s+/),
);
/** Hooks of a repository run with them, and with no option all of them are left out. */
const GIT_HOOKED: ReadonlySet<string> = new Set(
  'commit push merge rebase am cherry-pick revert pull checkout switch'.split(' '),
);
/** Options and commands of such programs that run a program: `tar --to-command`, `ssh -o ProxyCommand=`, `sed s/a/b/e`. */
const RUNS_BESIDE = /command|program|exec|action|script|pager|^[\d,$]*e$|[/|,#@!:][gpimIM\d]*e[gpimIMw\d]*$/i;

export const findsItself = (words: readonly string[]): boolean => {
  const [program = '', ...rest] = words;
  if (program === 'git' && GIT_HOOKED.has(rest[0] ?? '')) return true;
  const isNamedOnly = NAMED_ONLY.has(program) && !rest.some((word) => RUNS_BESIDE.test(word));
  return program !== '' && !runsNothing(words) && !isNamedOnly;
};

/** What no runner takes for a program, unless something names it. */
const PROSE = /\.(?:md|markdown|rst|adoc|txt|csv|tsv|log|pdf|css|svg|png|jpe?g|gif)$/i;
const READ_BY_RUNNERS = /^(?:(?:dev-|test-)?(?:requirements|constraints)[\w.-]*|test.*|cmakelists)\.txt$/i;
export const isProse = (name: string): boolean => PROSE.test(name) && !READ_BY_RUNNERS.test(name);
/** It runs what it puts together itself. */
export const RUNS_WORDS =
  /\b(?:exec\w*|spawn\w*|system|popen|eval|subprocess|function|fork|require|import|source|load|[a-z]*sh)\b/;
