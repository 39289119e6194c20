/**
 * The grant to read in the folder: one answer for every reading tool and for commands that only read. Its name holds a
 * colon, so no tool can have it. Secrets still ask, and so does what lies outside.
 */
import { runsCommands } from './modes.ts';

type Rule = { tool: string; pattern?: string };

export const FOLDER_READ = 'folder:read';

export const isFolderRead = ({ tool }: Rule): boolean => tool === FOLDER_READ;

/**
 * Commands that only read, as patterns. What a pattern does not say (files outside, secrets, also those below a folder that
 * is searched, options and scripts that write or run something) is held against the line by the rules of the shell.
 */
export const READING_COMMANDS: readonly string[] = [
  ...[
    ...'ls cat tac head tail wc find stat file du df pwd cut tr nl uniq sort cmp diff comm tree echo printf true'.split(
      ' ',
    ),
    ...'grep egrep fgrep rg sed jq awk rev column paste join fold od hexdump xxd strings seq test [ which type date'.split(
      ' ',
    ),
    ...'basename dirname realpath readlink md5sum sha1sum sha256sum sha512sum cksum whoami id uname nproc'.split(' '),
    ...'status log diff show blame ls-files rev-parse shortlog describe'.split(' ').map((name) => `git ${name}`),
    ...'ls-tree cat-file rev-list merge-base name-rev for-each-ref show-ref diff-tree whatchanged cherry count-objects'
      .split(' ')
      .map((name) => `git ${name}`),
    ...'grep,check-ignore,submodule status,stash list,stash show,reflog show,worktree list'
      .split(',')
      .map((name) => `git ${name}`),
    // With one of these git lists; an option behind it that could take that back stands against the pattern (`shell-rules`).
    ...'tag --list,tag -l,tag -n,branch --list,branch --show-current'.split(',').map((name) => `git ${name}`),
    ...['branch', 'tag'].flatMap((name) =>
      'contains no-contains merged no-merged points-at'.split(' ').map((option) => `git ${name} --${option}`),
    ),
    ...'npm ls,npm list,npm pkg get,zcat,unzip -l,expr,command -v'.split(','),
  ].map((command) => `${command} *`),
  // Without further words they only list; with one they make something.
  ...'git branch,git branch -a,git branch -r,git branch -v,git branch -vv,git remote,git remote -v,git tag'.split(','),
  ...'git reflog,git config user.name,git config user.email,git config --get user.name,git config --get user.email'.split(
    ',',
  ),
  ...'git symbolic-ref HEAD,git symbolic-ref --short HEAD,git remote get-url origin,git rev-parse'.split(','),
  ...'npm run,npm root,npm prefix,hostname,uptime,cal,locale,lscpu,free,free -h,free -m,ps aux,ps -ef'.split(','),
  ...'node npm npx pnpm yarn bun deno python python3 pip pip3 git cargo rustc rustup gcc g++ clang make cmake ruby php java docker'
    .split(' ')
    .map((name) => `${name} --version`),
  ...'node -v,npm -v,pnpm -v,yarn -v,python -V,python3 -V,ruby -v,php -v,java -version,go version,docker -v'.split(','),
];

/** Commands that only read and name no file: to keep a yes to one of them must not open the folder. */
export const FILELESS_COMMANDS: readonly string[] = READING_COMMANDS.filter((pattern) =>
  /^(echo|printf|true|pwd|seq|type|which|date|basename|dirname|whoami|id|uname|nproc|expr|command) |^(hostname|uptime|cal|locale|lscpu|free.*)$|(-version|-v|-V)$|^go version$/.test(
    pattern.replace(/^git (branch|remote) -v$/, ''),
  ),
);

/**
 * The rule as it speaks of this tool: one rule a pattern for a tool that runs the line which it is given. What is typed into
 * a program, and what another tool is told, reads like a command and is none, so it allows nothing there; it denies it.
 */
export const readingRulesFor = <R extends Rule>(
  rule: R,
  tool: ReadingTool,
  purpose: 'allow' | 'deny' = 'allow',
): R[] =>
  (purpose === 'deny' ? tool.effects === 'process' : runsCommands(tool))
    ? READING_COMMANDS.map((pattern) => ({ ...rule, tool: tool.name, pattern }))
    : [];
export type ReadingTool = Parameters<typeof runsCommands>[0] & { name: string };
