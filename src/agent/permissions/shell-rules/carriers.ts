/**
 * Programs by which a command is run that is not the first word of any line: the value of an option, a command of git
 * under another name, a word among those of a program that nobody here knows.
 */
import { matchesWildcard } from '../../../core/policy/glob.ts';
import { isPrinter, isReader } from './objections/option-tables.ts';
import { baseName, deniableReadings, isKnownRunner } from './wrappers.ts';

/** Options whose value is a line of a shell, or a program with its words. */
const VALUES: readonly (readonly [program: RegExp, option: RegExp])[] = [
  [/^g?split$/, /^--fi[a-z]*$/],
  [/^(?:[\w-]+-)?(?:cc|c\+\+|gcc|g\+\+|gfortran|clang|clang\+\+|cpp)[-\d.]*$/, /^-{1,2}wrapper$/],
  [/^go$/, /^--?(?:exec|toolexec|vettool)$/],
  [/^g?sort$/, /^--comp[a-z-]*$/],
  [/^(?:rg|rga)$/, /^--(?:pre|hostname-bin)$/],
  [/^(?:compgen|complete)$/, /^-[CW]$/],
  [/^(?:scp|sftp)$/, /^-[SD]$/],
  [/^tcpdump$/, /^-z$|^--postrotate-command$/],
  [/^(?:nc|ncat|netcat)(?:\.\w+)?$/, /^-[ec]$|^--(?:sh-)?exec$/],
  [/^(?:adb|docker-compose|ip|just|cmake|tox|pdflatex|latex)$/, /^(?:shell|run|exec|--command|-c)$/],
  [/^ansible$/, /^-a$|^--args$/],
  [/^svn$/, /^--(?:diff3?|merge|editor)-cmd$/],
  [/^wget$/, /^--use-askpass$/],
  [/^(?:npm|pnpm|yarn|bun)$/, /^--(?:script-shell|shell|node-options)$|^script-shell$/],
];

/** What the options of a command, or its own setting of names, make run. */
export const carriedReadings = (words: readonly string[]): { commands: string[][]; lines: string[] } => {
  const name = baseName(words[0] ?? '');
  const own = /^git-([a-z][\w-]*)$/.exec(name)?.[1];
  const commands = own === undefined ? [] : [['git', own, ...words.slice(1)]];
  const lines: string[] = [];
  const option = VALUES.find(([program]) => program.test(name))?.[1];
  if (option !== undefined)
    for (const [at, word] of words.entries()) {
      const [, given = word, value = words[at + 1] ?? ''] = /^(-[^=]*)=(.*)$/s.exec(word) ?? [];
      if (at === 0 || !option.test(given)) continue;
      lines.push(value, value.replaceAll(',', ' '));
      commands.push(words.slice(at + 1));
    }
  if (name === 'cmake')
    commands.push(
      ...words.map((_, at) => words.slice(at + 1)).filter((rest) => rest.length > 0 && words.includes('-E')),
    );
  if (name === 'git') settingOf(words, commands, lines);
  if (/^(?:npm|pnpm)$/.test(name) && /^(?:pkg|config|set|set-script)$/.test(words[1] ?? ''))
    lines.push(...words.slice(2).map((word) => word.replace(/^[\w.:-]+=/, '')));
  if (EXPORTS.test(name)) lines.push(...words.slice(1).flatMap((word) => /^\w+=(.+)$/s.exec(word)?.[1] ?? []));
  return { commands, lines };
};
const EXPORTS = /^(?:export|declare|typeset|readonly|local)$/;

/** `git config alias.x push`, and settings that name a program. */
const settingOf = (words: readonly string[], commands: string[][], lines: string[]): void => {
  if (!words.includes('config')) return;
  for (const [at, word] of words.entries()) {
    const value = words[at + 1];
    if (value === undefined || !/^[A-Za-z][\w-]*\.\S+$/.test(word)) continue;
    if (/^alias\./i.test(word) && !value.startsWith('!')) commands.push(['git', ...value.trim().split(/\s+/), '']);
    else lines.push(value.replace(/^!/, ''));
  }
};

/** Git's own commands, and the widespread ones of others. What else stands there is an alias, or a program of that name. */
const GIT_COMMANDS: ReadonlySet<string> = new Set(
  (
    'add am annotate apply archive bisect blame branch bugreport bundle cat-file check-attr check-ignore check-mailmap check-ref-format checkout checkout-index cherry ' +
    'cherry-pick citool clean clone column commit commit-graph commit-tree config count-objects credential credential-cache credential-store describe diagnose diff diff-files ' +
    'diff-index diff-tree difftool fast-export fast-import fetch fetch-pack filter-branch fmt-merge-msg for-each-ref format-patch fsck fsmonitor--daemon gc get-tar-commit-id ' +
    'grep gui hash-object help hook http-push imap-send index-pack init init-db interpret-trailers lfs log ls-files ls-remote ls-tree mailinfo mailsplit maintenance merge ' +
    'merge-base merge-file merge-index merge-tree mergetool mktag mktree multi-pack-index mv name-rev notes pack-objects pack-refs patch-id prune prune-packed pull push ' +
    'range-diff read-tree rebase receive-pack reflog remote repack replace replay request-pull rerere reset restore rev-list rev-parse revert rm send-email send-pack ' +
    'shortlog show show-branch show-index show-ref sparse-checkout stage stash status stripspace submodule switch symbolic-ref tag unpack-file unpack-objects update-index ' +
    'update-ref update-server-info upload-archive upload-pack var verify-commit verify-pack verify-tag version whatchanged worktree write-tree'
  ).split(' '),
);

/** How it is named in a sentence: a command that runs what a rule denies, or may, without saying so plainly. */
export const carrierOf = (words: readonly string[], patterns: readonly (string | undefined)[]): string | undefined => {
  const name = baseName(words[0] ?? '');
  if (
    OPAQUE.test(name) ||
    (/^(?:ba|z|k|da)?sh$/.test(name) && words.some((word) => /^--(?:rcfile|init-file)/.test(word)))
  )
    return `what ${name} runs`;
  const denied = patterns.flatMap((pattern) => (pattern === undefined ? [] : [fixedWords(pattern)]));
  if (name === 'git')
    return denied.some(([first = '']) => matchesWildcard(first, 'git')) ? gitCarrier(words) : undefined;
  if (/^perl/.test(name) && words.slice(1).some((word) => /^\s*\||\|\s*$/.test(word))) return `what ${name} runs`;
  const named = denied.filter(([first = '*']) => !first.startsWith('*'));
  // Its plain words are its own; what an option says, or a word of several, may be what it runs.
  const spoken = isOfItsOwn(name) ? (ITS_OWN.test(name) ? orderWords(words) : []) : words;
  const found = named.some((fixed) => speaksOf(spoken, fixed));
  return found ? `what ${name} may run` : undefined;
};
/** They run files of which no line speaks. */
const OPAQUE = /^(?:run-parts|run-mailcap)$/;

const fixedWords = (pattern: string): string[] => {
  const words = pattern.trim().split(/\s+/);
  return words.at(-1) === '*' ? words.slice(0, -1) : words;
};

const gitCarrier = (words: readonly string[]): string | undefined => {
  const [own] = deniableReadings(words).commands.slice(-1);
  const command = (words[1]?.startsWith('-') ? own : words)?.[1] ?? 'help';
  if (command.startsWith('-') || GIT_COMMANDS.has(command)) {
    const told = words.find((word) => /^(?:ext|fd)::/.test(word) || /\bfor-each-repo\b/.test(word));
    return told === undefined ? undefined : `git ${told}`;
  }
  return /^[\w-]+$/.test(command) ? `git ${command}, which is no command of git itself,` : undefined;
};

/** The values of options, and words that hold several. The first is the program still. */
const orderWords = (words: readonly string[]): string[] =>
  words.filter(
    (word, at) => at === 0 || /[\s=]/.test(word) || (/^-/.test(words[at - 1] ?? '') && words[at - 1] !== '--'),
  );

/** Their words are files, texts, packages or commands of their own; those that run others were looked through already. */
const isOfItsOwn = (name: string): boolean =>
  isReader(name) || isPrinter(name) || isKnownRunner(name) || ITS_OWN.test(name) || SHELL_PARTS.test(name);
const ITS_OWN =
  /^(?:mkdir|rmdir|touch|cp|mv|ln|rm|chmod|chown|install|apt|apt-get|apt-cache|aptitude|brew|dnf|yum|apk|pacman|zypper|dpkg-query|pip[\d.]*|gem|cargo|go|rustup|gh|glab|helm|aws|gcloud|gsutil|az|rclone|terraform|tofu|heroku|fly|flyctl|vercel|netlify|wrangler|supabase|firebase|systemctl|service|journalctl|kill|pkill|pgrep|killall|pidof|ps|whatis|info|curl|wget|jj|svn|dvc|pass|jira|dotnet|mix|composer|rails|php artisan|virsh|zfs|zpool|btrfs|ipfs|nmcli|redis-cli|etcdctl|consul|vault)$/;
const SHELL_PARTS =
  /^(?:cd|pushd|popd|unset|local|export|declare|readonly|typeset|read|test|\[|\[\[|type|whereis|hash|alias|unalias|for|case|let|return|exit|wait|shift|set|shopt|ulimit|umask)$/;

/** The words of the rule stand among these: as words, or within one, where what follows may come from elsewhere. */
const speaksOf = (words: readonly string[], fixed: readonly string[]): boolean =>
  words.some((word, at) => {
    if (at === 0) return false;
    const tail = words.slice(at);
    if (isProgram(fixed[0] as string, word)) {
      const readings = deniableReadings(tail).commands;
      return readings.some((reading) =>
        fixed.every((part, index) => reading[index] !== undefined && isProgram(part, reading[index] as string)),
      );
    }
    const pieces = word.split(ENDS).filter((piece) => piece !== '');
    return (
      pieces.length > 1 &&
      pieces.some((_, from) =>
        fixed.every((part, index) => {
          const piece = pieces[from + index];
          return piece === undefined ? index > 0 : isProgram(part, piece);
        }),
      )
    );
  });
const ENDS = /[\s,;=:'"`()!|{}<>&\\[\]%]+/;
const isProgram = (part: string, word: string): boolean =>
  matchesWildcard(part, word.startsWith('/') && !word.startsWith('//') ? baseName(word) : word);
