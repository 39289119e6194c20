/** Git: options that write files, run programs or change its settings, by command. */
import { closed, line, naming, type Objection, optionObjections, spelled, textsOf } from '../objections.ts';
import type { ShellCommand } from '../words.ts';

/** Options before the command that change nothing about what is run. */
const HARMLESS_BEFORE =
  /^(?:--no-pager|-P|--no-optional-locks|--literal-pathspecs|--icase-pathspecs|--no-replace-objects)$/;
const QUESTION = /^(?:--version|-v|--help|-h|--html-path|--man-path|--info-path|--exec-path)$/;

/** Options that no command of git should get by a `*`, in every abbreviation, and what single commands have besides. */
const EVERYWHERE =
  'output open-files-in-pager ext-diff textconv exec upload-pack receive-pack config template editor extcmd tool filters strategy merge-strategy config-env ' +
  'separate-git-dir git-dir work-tree exec-path paginate command edit gpg-sign server-option receive-pack attr-source ' +
  'output-directory output-indicator-new pathspec-from-file contents no-index super-prefix recurse-submodules ' +
  'edit-description edit-todo untracked no-exclude-standard';
/** The exact name of a harmless option that an abbreviation of a listed one could be, too. */
const HARMLESS_LONG = /^--text$/;

const SHORT: Readonly<Record<string, { short: string; values: string }>> = {
  grep: { short: 'Of', values: 'eABCm' },
  diff: { short: 'O', values: 'lUSGM' },
  log: { short: 'O', values: 'nlLSGUM' },
  show: { short: 'O', values: 'nlLSGUM' },
  commit: { short: 'FtepcCS', values: 'm' },
  clone: { short: 'uc', values: 'bo' },
  fetch: { short: 'u', values: 'jo' },
  pull: { short: 's', values: 'jX' },
  merge: { short: 'sFeS', values: 'mX' },
  rebase: { short: 'xsiSX', values: '' },
  'ls-remote': { short: 'u', values: 'o' },
  am: { short: 'iS', values: '' },
  tag: { short: 'Fseu', values: 'mn' },
  blame: { short: 'S', values: 'L' },
  add: { short: 'eip', values: '' },
  'cherry-pick': { short: 'esSX', values: 'm' },
  revert: { short: 'eS', values: 'm' },
  archive: { short: 'o', values: '' },
  'format-patch': { short: 'o', values: 'v' },
  branch: { short: '', values: 'u' },
};

/** Commands that run, write or set what they are told to: a rule with a `*` after them says too little. */
const RUNS =
  /^(?:config|bisect|filter-branch|filter-repo|difftool|mergetool|hook|maintenance|gc|daemon|shell|upload-pack|receive-pack|upload-archive|instaweb|gui|citool|gitk|send-email|imap-send|svn|p4|cvsimport|fast-import|fast-export|init|remote-ext|remote-fd|credential|credential-.*|update-server-info|http-backend|lfs|annex|web--browse|for-each-repo|sh-setup|subtree|worktree|read-tree|checkout-index|update-index|apply|am|clone|interpret-trailers|var|replay|scalar|bundle|merge-index|cvsserver|mailsplit|unpack-file|web--browse)$/;
const RUNS_UNLESS_SPELLED = /^(?:worktree|apply|am|clone|init|gc|lfs|update-index|subtree|bundle)$/;

export const gitObjections = (command: ShellCommand): Objection[] => {
  const words = textsOf(command);
  let at = 1;
  const objections: Objection[] = [];
  while (at < words.length && (words[at] as string).startsWith('-')) {
    const word = words[at] as string;
    if (QUESTION.test(word) && words.length === 2) return [];
    if (!HARMLESS_BEFORE.test(word)) return [closed(at, `git ${word} changes what git runs`)];
    at += 1;
  }
  const name = words[at];
  if (name === undefined) return objections;
  if (!/^[a-z][a-z0-9-]*$/.test(name)) return [line(at, `${name} is no command of git`)];
  if (name === 'config' && asksOnly(words.slice(at + 1))) return objections;
  // An option between `git` and its command cannot stand in a rule that begins with the command.
  if (RUNS.test(name)) {
    objections.push(
      RUNS_UNLESS_SPELLED.test(name)
        ? naming(at, `git ${name} runs or writes what it is told to`)
        : closed(words.length - 1, `git ${name} runs or writes what it is told to`),
    );
  }
  const own = Object.hasOwn(SHORT, name) ? SHORT[name] : undefined;
  const found = optionObjections({ long: EVERYWHERE, ...(own ?? {}) }, command.words, at + 1);
  objections.push(...found.filter(({ word }) => !HARMLESS_LONG.test((words[word] as string).split('=')[0] as string)));
  if (name === 'submodule') {
    const what = words.findIndex((word, index) => index > at && !word.startsWith('-'));
    const text = `git submodule ${words[what] ?? ''} follows settings of other repositories`;
    objections.push(
      words[what] === 'foreach' || words[what] === 'update' ? closed(at, text) : spelled(Math.max(what, at), text),
    );
  }
  if (name === 'archive' && words.some((word, index) => index > at && /^--re(?:m|$)/.test(word)))
    objections.push(closed(words.length - 1, 'git archive --remote runs a program on the other side'));
  if (TALKS.test(name)) objections.push(...otherRepositories(words, at));
  objections.push(...listingObjections(name, words, at + 1));
  if (name === 'cat-file' && words.includes('--textconv')) objections.push(closed(at, 'textconv runs a program'));
  for (let index = at + 1; index < words.length; index += 1) {
    // A transport that is a program, and the addresses that stand for an option.
    if (/^(?:ext|fd)::|::/.test(words[index] as string))
      objections.push(spelled(index, `${words[index]} may name a program`));
  }
  return objections;
};

/**
 * With one of these first git lists, and behind them no option may take that back (`--no-list`, `--no-points-at`, `-n-1`) or
 * ask for more: what then follows would be made or removed.
 */
const FILTERS = '--(?:no-)?(?:contains|merged)(?:=.*)?|--points-at(?:=.*)?';
const SHOWS = `${FILTERS}|--(?:sort|format)(?:=.*)?|--(?:no-)?(?:column|color)(?:=.*)?|--ignore-case|-i|--`;
const LISTING: Readonly<Record<string, { first: RegExp; further: RegExp }>> = {
  branch: {
    first: new RegExp(`^(?:-l|--list|--show-current|${FILTERS})$`, 's'),
    further: new RegExp(`^(?:-[alqrv]{1,9}|--(?:list|all|remotes|verbose|quiet|abbrev=\\d+|no-abbrev)|${SHOWS})$`, 's'),
  },
  tag: {
    first: new RegExp(`^(?:-l|--list|-n\\d{0,4}|${FILTERS})$`, 's'),
    further: new RegExp(`^(?:-l|--list|-n\\d{0,4}|${SHOWS})$`, 's'),
  },
};
const listingObjections = (name: string, words: readonly string[], from: number): Objection[] => {
  const listing = Object.hasOwn(LISTING, name) ? LISTING[name] : undefined;
  if (listing?.first.test(words[from] ?? '') !== true) return [];
  return words.flatMap((word, index) =>
    index > from && word.startsWith('-') && !listing.further.test(word)
      ? [spelled(index, `${word} may do more than list`)]
      : [],
  );
};

const TALKS = /^(?:push|pull|fetch|ls-remote|fetch-pack|send-pack)$/;
/** A path names a repository with hooks and settings of its own; git runs them there. */
const otherRepositories = (words: readonly string[], at: number): Objection[] =>
  words.flatMap((word, index) => {
    const named = /^--(?:repo|remote)=(.*)$/.exec(word)?.[1] ?? word;
    const isFirst = index > at && words.slice(at + 1, index).every((before) => before.startsWith('-'));
    const follows =
      index > at &&
      words.slice(at + 1, index).every((before, place) => /^-/.test(before) || /^-/.test(words[at + place] ?? ''));
    const isAddress =
      /^[a-z][a-z0-9+.-]*:\/\/|^[\w.-]+@[\w.-]+:/i.test(named) ||
      (isFirst && /^[^-/:]+:/.test(named)) ||
      (follows && /^[\w-]+(?:\.[\w-]+)+:/.test(named));
    if (index > at && isAddress) return [spelled(index, `${word} is a host that the rule does not name`)];
    const isPath = /^(?:[./~]|file:)/i.test(named) || (isFirst && /^[^-:]+\//.test(named));
    return index > at && isPath ? [spelled(index, `${word} is a repository with settings of its own`)] : [];
  });

/** `git config` says what is set, and sets nothing. */
const asksOnly = ([first = '', ...others]: readonly string[]): boolean =>
  /^(?:-l|--list|--get|--get-all|--get-regexp)$/.test(first) &&
  others.every((word) =>
    /^(?:[^-].*|-z|--(?:global|local|system|worktree|show-origin|show-scope|name-only|null|default=.*))$/.test(word),
  );

/** The words of git without harmless options before its command, so that `git --no-pager log` is a `git log`. */
export const withoutOptionsBefore = (command: ShellCommand): ShellCommand => {
  let at = 1;
  while (HARMLESS_BEFORE.test(command.words[at]?.text ?? '')) at += 1;
  return at === 1 ? command : { ...command, words: [...command.words.slice(0, 1), ...command.words.slice(at)] };
};
