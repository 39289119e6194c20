/**
 * Commands that read files which they do not name: everything below a folder. A search, an archive, a copy, and a list of
 * files that is handed to another program.
 */
import { matchesWildcard } from '../../../core/policy/glob.ts';
import { isSecretPath } from '../../../core/policy/sensitive-files.ts';
import { showsLoaded } from './env-loaders.ts';
import { asksForNamesOnly } from './objections/option-tables.ts';
import { packed } from './packers.ts';
import { couldNameSecret } from './paths.ts';
import { uploads, valuesOf } from './uploads.ts';
import { baseName, gitCommandAt, withoutVersion } from './wrappers.ts';

export type TreeReading = {
  program: string;
  operands: readonly string[];
  /** Whether it reads a file, by its path from the operand on. */
  reaches(below: string): boolean;
  /** No file with secrets has a name that it asks for, as far as names say. */
  isHarmlessByName?: true;
  /** Files beside what is packed that say what is left out of it. */
  leaves?: readonly string[];
  /** Only the operands themselves count, by their names. */
  printsNames?: true;
  /** It only lists: another program opens what is listed, and where that is a link, what this leads to. */
  handsOn?: true;
};

/** `isHandedOn`: another program of the line reads what is listed. */
export const treeReadingOf = (words: readonly string[], isHandedOn: boolean): TreeReading | undefined => {
  const program = withoutVersion(words[0] ?? '');
  const rest = words.slice(1);
  const reading = (operands: readonly string[], reaches = everything): TreeReading => ({ program, operands, reaches });
  const listing = (...given: Parameters<typeof reading>): TreeReading => ({ ...reading(...given), handsOn: true });
  const options = rest.filter((word) => word.startsWith('-'));
  const plain = rest.filter((word) => !word.startsWith('-'));
  // Which files it reads stands in another file.
  if (LISTS.some(([name, option]) => name.test(program) && rest.some((word) => option.test(word))))
    return listing(['.']);
  if (program === 'git') return readsByGit(words, isHandedOn, reading);
  if (showsLoaded(words) || (/^(?:yarn|pnpm)$/.test(program) && showsLoaded(rest))) return reading(LOADED);
  if (Object.hasOwn(SEARCHERS, program) && SEARCHERS[program]?.(options)) {
    if (!options.includes('--files')) return reading(searchedBy(program, options, plain), searchReach(program, rest));
    return isHandedOn ? reading(['.', ...plain], searchReach(program, rest)) : undefined;
  }
  if (/^g?find$/.test(program)) return isHandedOn || runsReader(rest, FIND_RUNS) ? byFind(rest, listing) : undefined;
  if (/^fd(?:find)?$/.test(program)) {
    if (!isHandedOn && !runsReader(rest, FD_RUNS)) return undefined;
    return listing(['.', ...plain], fdReach(rest));
  }
  if (isHandedOn && printsNames(program, options))
    return { ...listing(namesIn(program, rest), nothing), printsNames: true };
  if (/^(?:ls|dir|vdir)$/.test(program))
    return isHandedOn ? { ...listing(orHere(plain), listReach(options)), printsNames: true } : undefined;
  if (/^(?:du|tree)$/.test(program)) return isHandedOn ? listing(orHere(plain)) : undefined;
  if (program === 'mv') return reading(plain.slice(0, -1), (below) => !isSecretPath(baseName(below)));
  const whole = packed(program, rest) ?? packedByScript(program, rest);
  if (whole !== undefined) return { ...reading(whole.operands, (below) => !whole.skips(below)), leaves: whole.leaves };
  const uploaded = uploads(program, rest);
  if (uploaded !== undefined) return reading(uploaded);
  if (PACKERS.test(program) || copies(program, options) || packs(program, rest))
    return reading(HAS_TARGET.test(program) ? sources(options, plain) : packedBy(program, plain), notExcluded(rest));
  return undefined;
};

/** What lists names of files for another program of the line that opens them, links among them. */
export const linkListingOf = (words: readonly string[], isHandedOn: boolean): TreeReading | undefined => {
  const program = withoutVersion(words[0] ?? '');
  if (program === 'git')
    return isHandedOn && GIT_LISTS.test(words[gitCommandAt(words)] ?? '')
      ? { program, operands: ['.'], reaches: everything, handsOn: true }
      : undefined;
  const reading = treeReadingOf(words, isHandedOn);
  return reading?.handsOn && !listsFilesAlone(program, words.slice(1)) ? reading : undefined;
};
const GIT_LISTS =
  /^(?:ls-files|ls-tree|diff|diff-tree|diff-index|diff-files|status|log|show|whatchanged|grep|check-ignore|clean|stash)$/;
/** A link is no file to them, unless they are told to follow it. */
const listsFilesAlone = (program: string, words: readonly string[]): boolean => {
  const type = words.findIndex((word) => /^(?:-type|-t|--type)$/.test(word));
  const isOpen = words.some((word) => /^(?:-o|-or|,|!|-not|-L|-H|-follow|--follow)$/.test(word));
  const kind = words[type + 1] ?? '';
  if (type < 0 || isOpen) return false;
  return /^g?find$/.test(program) ? /^[fd]$/.test(kind) : /^(?:f|file|d|dir|directory)$/.test(kind) && onlyOnce(words);
};
const onlyOnce = (words: readonly string[]): boolean =>
  words.filter((word) => /^-t.?$|^--type/.test(word)).length === 1;

/** `python -m build`, `python setup.py sdist`. */
const packedByScript = (program: string, rest: readonly string[]): ReturnType<typeof packed> => {
  if (program === 'pipx' && rest.join(' ').startsWith('run build')) return packed('pyproject-build', rest.slice(2));
  if (!/^(?:python|pypy)[\d.]*$/.test(program)) return undefined;
  const at = rest.findIndex((word) => word === '-m' || baseName(word) === 'setup.py');
  const [first = '', module = ''] = at < 0 ? [] : rest.slice(at);
  if (first !== '-m') return packed(baseName(first), rest.slice(at + 1));
  return packed(module === 'build' ? 'pyproject-build' : module.replace(/\..*$/s, ''), rest.slice(at + 2));
};

/** Where such a file is looked for: some programs go up for it. */
const LOADED = ['.env*', '../.env*', '../../.env*'];

const LISTS: readonly (readonly [program: RegExp, option: RegExp])[] = [
  [/^(?:wc|du|sort|find)$/, /^-{1,2}files0?-from/],
  [/^file$/, /^-[A-Za-z]*f|^--files-f/],
  [/^(?:md5|sha\d+|b2|ck)sum$/, /^-[A-Za-z]*c|^--c/],
  [/^(?:tar|bsdtar|gtar|tarsnap)$/, /^-[a-zA-Z]*T|^--files-from/],
  [/^(?:rsync|rclone|restic|rustic|duplicity|bup)$/, /^--files-from/],
  [/^(?:rdiff-backup|duplicity)$/, /^--include-(?:globbing-)?filelist/],
  [/^borg$/, /^--(?:paths|patterns)-from/],
  [/^star$/, /^-?list=/],
  [/^g?xargs$/, /^-a|^--arg-file/],
  [/^parallel$/, /^--arg-file|^::::/],
  [/^(?:zip|7z|7za|7zz|7zr|rar)$/, /^-?@/],
];

/** They print the names that they are given, and open nothing below them. */
const printsNames = (program: string, options: readonly string[]): boolean =>
  /^(?:stat|file|readlink|realpath|compgen)$/.test(program) ||
  (/^(?:ls|dir|vdir)$/.test(program) && options.some((word) => /^-[A-Za-z0-9]*d|^--directory$/.test(word)));
const namesIn = (program: string, words: readonly string[]): readonly string[] => {
  const plain = words.filter((word) => !word.startsWith('-'));
  if (program !== 'compgen') return plain;
  const glob = valuesOf(words, /^-G$/);
  if (glob.length > 0) return glob;
  const kind = valuesOf(words, /^-[Ao]$/);
  if (!words.some((word) => /^-[A-Za-z]*f/.test(word)) && !kind.some((each) => /file|dir|default/.test(each)))
    return [];
  const beginning = plain.find((word) => !kind.includes(word));
  return beginning === undefined ? ['*', '.*'] : [`${beginning}*`];
};
const nothing: TreeReading['reaches'] = () => false;
const everything: TreeReading['reaches'] = () => true;
const orHere = (operands: readonly string[]): readonly string[] => (operands.length === 0 ? ['.'] : operands);
const segmentsOf = (below: string): string[] => below.split('/');
const isHidden = (below: string): boolean => segmentsOf(below).some((part) => part.startsWith('.'));

type Make = (operands: readonly string[], reaches?: TreeReading['reaches']) => TreeReading;

/** Git reads what it keeps track of, unless it is told to look at the folder itself. */
const readsByGit = (words: readonly string[], isHandedOn: boolean, reading: Make): TreeReading | undefined => {
  const at = gitCommandAt(words);
  const rest = words.slice(at + 1);
  const plain = rest.filter((word) => !word.startsWith('-'));
  if (words[at] === 'grep' && rest.some((word) => /^--(?:no-index|untr|no-exc)/.test(word)))
    return reading(['.', ...plain], (below) => !segmentsOf(below).includes('.git'));
  if (words[at] === 'diff' && rest.some((word) => /^--no-ind/.test(word))) return reading(plain);
  const name = words[at] ?? '';
  const has = (option: RegExp): boolean => rest.some((word) => option.test(word));
  if (name === 'archive') return archived(rest, reading);
  // What git ignores is taken in all the same, and its other commands show it.
  if (name === 'add' && has(/^-[A-Za-z]*f|^--f/)) return reading(orHere(plain.map(ofPathspec)));
  if (name === 'stash' && has(/^-[A-Za-z]*a|^--al/)) return reading(['.']);
  if (Object.hasOwn(STDIN_NAMES, name) && STDIN_NAMES[name]?.test(rest.join(' '))) return reading(['.']);
  return isHandedOn && listsHidden(name, has) ? reading(['.']) : undefined;
};

/**
 * Behind the commit stand the paths, or the folder stands in it: `HEAD:src`. Whether a commit holds the secret is not known:
 * the list of tracked files is that of the next commit.
 */
const archived = (rest: readonly string[], reading: Make): TreeReading => {
  const plain = rest.filter(
    (word, at) =>
      !word.startsWith('-') && !/^(?:-o|--(?:output|format|prefix|exec|remote|add-file))$/.test(rest[at - 1] ?? ''),
  );
  const [commit = '', ...paths] = plain;
  const added = valuesOf(rest, /^--add-file$/);
  const told = paths.length > 0 ? paths.map(ofPathspec) : orHere(commit.split(':').slice(1).filter(Boolean));
  return reading([...told, ...added], (below) => !segmentsOf(below).includes('.git'));
};

const ofPathspec = (word: string): string => word.replace(/^:(?:\([^)]*\)|[/!^]*)/, '') || '.';
const STDIN_NAMES: Readonly<Record<string, RegExp>> = {
  'hash-object': /--stdin-p/,
  'update-index': /--stdin/,
  add: /--pathspec-fr/,
  stash: /--pathspec-fr/,
};
/** Names of files that git does not keep track of. */
const listsHidden = (name: string, has: (option: RegExp) => boolean): boolean => {
  if (name === 'check-ignore') return true;
  if (name === 'status') return has(/^--ign/);
  if (name === 'clean') return has(/^-[a-zA-Z]*[xX]/);
  if (name !== 'ls-files') return false;
  return has(/^-[a-z]*i|^--ign/) || (has(/^-[a-z]*o|^--oth/) && !has(/^--exclude-st/));
};

const isRecursive = (options: readonly string[]): boolean =>
  options.some((word) => /^-[A-Za-z]*[rR]|^--(?:dereference-)?rec|^--directories=rec|^-d$|^-[A-Za-z]*drec/.test(word));
const always = (): boolean => true;
const SEARCHERS: Readonly<Record<string, (options: readonly string[]) => boolean>> = {
  ...Object.fromEntries(
    'grep egrep fgrep zgrep diff ugrep ggrep pcregrep pcre2grep bzgrep xzgrep zstdgrep'
      .split(' ')
      .map((name) => [name, isRecursive]),
  ),
  ...Object.fromEntries('rgrep rg ag ack ug rga ripgrep-all pt sift'.split(' ').map((name) => [name, always])),
};
/** They leave out the folder of a repository unless they are told to look into what is hidden. */
const SKIPS_HIDDEN = /^(?:rg|rga|ripgrep-all|ag|ack|ug|pt|sift)$/;
const LOOKS_HIDDEN = /^--(?:hidden|unr|all|no-?env)|^-[A-Za-z]*[u.a]/;

/** Options that take the word behind them. */
const VALUE_BEHIND = {
  grep: /^-[A-Za-z]*[efABCmdD]$|^--(?:regexp|file|include|exclude|exclude-dir|max-count|directories|(?:after-|before-)?context)$/,
  rg: /^-[A-Za-z]*[efgtTABCmMdEjr]$|^--(?:regexp|file|glob|iglob|type|type-not|max-count|max-depth|replace|(?:after-|before-)?context)$/,
};

const searchedBy = (program: string, options: readonly string[], plain: readonly string[]): readonly string[] => {
  const namesPattern = program !== 'diff' && !options.some((word) => /^-[A-Za-z]*[ef]|^--(?:regexp|file)/.test(word));
  const operands = namesPattern ? plain.slice(1) : plain;
  // Where options may have taken all that looks like an operand, the folder itself is read.
  const behind = VALUE_BEHIND[/^r(?:g|ga)$/.test(program) ? 'rg' : 'grep'];
  const isWhole = operands.length <= options.filter((word) => behind.test(word)).length;
  return isWhole ? ['.', ...operands] : operands;
};

const searchReach = (program: string, words: readonly string[]): TreeReading['reaches'] => {
  if (SKIPS_HIDDEN.test(program)) {
    const looks = words.some((word) => LOOKS_HIDDEN.test(word));
    return (below) => looks || !segmentsOf(below).includes('.git');
  }
  const excluded = notExcluded(words);
  const included = includedBy(words);
  return (below) => excluded(below) && (included === undefined || isNamedBy(included, below));
};

const isNamedBy = (globs: readonly string[], below: string): boolean =>
  globs.some((glob) => matchesWildcard(glob, baseName(below)));

/** Where the first of its kind is `--include`, grep reads nothing else. */
const includedBy = (words: readonly string[]): string[] | undefined => {
  const first = words.find((word) => /^--(?:in|ex)clude(?:=|$)/.test(word));
  return first?.startsWith('--include') ? valuesOf(words, /^--include$/) : undefined;
};
/** `--exclude=.env`, `--exclude-dir=.git`; where something is taken in again nothing is known. */
const notExcluded = (words: readonly string[]): TreeReading['reaches'] => {
  if (words.some((word) => /^--(?:include|filter|no-wildcards|anchored|exclude-.*from)\b|^-[A-Za-z]*f\+/.test(word)))
    return everything;
  const globs = valuesOf(words, /^--exclude(?:-dir)?$/).filter((glob) => !/[/[\\]/.test(glob.replace(/\/$/, '')));
  const names = globs.map((glob) => glob.replace(/\/$/, ''));
  return (below) => !segmentsOf(below).some((part) => names.some((glob) => matchesWildcard(glob, part)));
};

const FIND_RUNS = /^-(?:exec|execdir|ok|okdir)$/;
const FD_RUNS = /^-[A-Za-z]*[xX]$|^--exec(?:-batch)?$/;
/** Takes a file away or asks about its name; what is in it does not come out. */
const NO_READER = /^(?:rm|rmdir|unlink|mkdir|touch|chmod|chown|chgrp|echo|printf|true|basename|dirname|sleep)$/;
export const isNoReader = (program: string): boolean => NO_READER.test(baseName(program)) || asksForNamesOnly(program);
const runsReader = (words: readonly string[], option: RegExp): boolean =>
  words.some((word, index) => option.test(word) && !isNoReader(words[index + 1] ?? ''));

const byFind = (words: readonly string[], reading: Make): TreeReading => {
  const first = words.findIndex((word) => /^(?:-[^HLPOD]|-[HLPD].|[(!]$)/.test(word));
  const before = first < 0 ? words : words.slice(0, first);
  const names = namesFound(first < 0 ? [] : words.slice(first));
  const operands = orHere(before.filter((word) => !word.startsWith('-')));
  if (names === undefined) return reading(operands);
  const found = reading(operands, (below) => isNamedBy(names, below.toLowerCase()));
  return names.some(couldNameSecret) ? found : { ...found, isHarmlessByName: true };
};

/**
 * The names that an expression of find asks for: `-name A`, `( -name A -o -name B )`. Undefined where any name may pass: a
 * test for something else stands as an alternative.
 */
const namesFound = (words: readonly string[]): string[] | undefined => {
  const end = words.findIndex((word) => FIND_RUNS.test(word));
  const tests = end < 0 ? words : words.slice(0, end);
  const isName = (word: string | undefined): boolean => word === '-name' || word === '-iname';
  const open = tests.indexOf('(');
  const close = tests.indexOf(')', open);
  const group = open < 0 ? [] : tests.slice(open + 1, close);
  const others = open < 0 ? tests : [...tests.slice(0, open), ...tests.slice(close + 1)];
  if (others.some((word) => /^(?:-o|-or|,|\(|\))$/.test(word)) || (open >= 0 && close < 0)) return undefined;
  const namesIn = (part: readonly string[]): string[] =>
    part.flatMap((word, index) =>
      isName(word) && !/^(?:!|-not)$/.test(part[index - 1] ?? '') ? [part[index + 1] ?? '*'] : [],
    );
  const isNegated = open > 0 && /^(?:!|-not)$/.test(tests[open - 1] ?? '');
  const isOnlyNames = group.every(
    (word, index) => isName(word) || isName(group[index - 1]) || /^(?:-o|-or)$/.test(word),
  );
  const inGroup = open >= 0 && !isNegated && isOnlyNames ? namesIn(group) : [];
  const plain = namesIn(others);
  const names = plain.length > 0 ? plain.slice(0, 1) : inGroup;
  // Within brackets of a glob nothing is worked out.
  return names.length === 0 || names.some((name) => /[[\]\\]/.test(name)) ? undefined : names.map(lower);
};
const lower = (text: string): string => text.toLowerCase();

const fdReach = (words: readonly string[]): TreeReading['reaches'] => {
  const looks = words.some((word) => /^-[A-Za-z]*[Hu]|^--(?:hidden|unr)/.test(word));
  const endings = valuesOf(words, /^(?:-e|--extension)$/).map((ending) => `.${lower(ending.replace(/^\./, ''))}`);
  return (below) =>
    (looks || !isHidden(below)) &&
    (endings.length === 0 || endings.some((ending) => below.toLowerCase().endsWith(ending)));
};

const listReach = (options: readonly string[]): TreeReading['reaches'] => {
  const looks = options.some((word) => /^-[A-Za-z]*[aAf]|^--al/.test(word));
  const goesDown = options.some((word) => /^-[A-Za-z]*R|^--rec/.test(word));
  return (below) => (looks || !isHidden(below)) && (goesDown || !below.includes('/'));
};

/** Programs that put a folder into one file, or print what they find in it. */
const PACKERS =
  /^(?:rsync|mksquashfs|genisoimage|mkisofs|shar|repomix|files-to-prompt|code2prompt|gitingest|gitleaks|trufflehog|rclone)$/;
const HAS_TARGET = /^(?:cp|gcp|scp|rsync|rclone)$/;
const copies = (program: string, options: readonly string[]): boolean =>
  /^(?:cp|gcp|scp|gzip|pigz|bzip2|zstd|brotli|lz4|xz)$/.test(program) &&
  options.some((word) => /^-[A-Za-z]*[rRa]|^--(?:rec|arc)/.test(word));
/** `7z a x`: told of no file, it takes all that is here. */
const packedBy = (program: string, plain: readonly string[]): readonly string[] =>
  /^(?:7z|rar)/.test(program) && plain.length < THREE_WORDS ? ['.'] : orHere(plain);
const THREE_WORDS = 3;
const sources = (options: readonly string[], plain: readonly string[]): readonly string[] =>
  options.some((word) => /^-[A-Za-z]*t|^--tar/.test(word)) ? plain : plain.slice(0, -1);
const packs = (program: string, words: readonly string[]): boolean => {
  const [first = ''] = words;
  if (/^(?:tar|bsdtar|gtar|tarsnap|jar)$/.test(program))
    return (
      /^-?[A-Za-z]*[cru]/.test(first) || words.some((word) => /^-[A-Za-z]*[cru]|^--(?:cre|app|upd|cat)/.test(word))
    );
  if (program === 'zip') return words.some((word) => /^-[A-Za-z]*[rR]|^--rec/.test(word));
  if (/^(?:7z|7za|7zz|7zr|rar)$/.test(program)) return /^[au]$/.test(first);
  return program === 'pax' && words.some((word) => /^-[A-Za-z]*w/.test(word));
};
