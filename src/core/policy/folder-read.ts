/**
 * The grant to read in the folder: one answer for every reading tool and for commands that only read. Its name holds a
 * colon, so no tool can have it. Secrets still ask, and so does what lies outside.
 */
import type { ToolEffects } from '../tool.ts';

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
    ...'stash list,tag --list,tag -l,branch --list,branch --show-current'.split(',').map((name) => `git ${name}`),
  ].map((command) => `${command} *`),
  // Without further words they only list; with one they make something.
  ...'git branch,git branch -a,git branch -r,git branch -v,git branch -vv,git remote,git remote -v,git tag'.split(','),
  ...'node --version,node -v,npm --version,npm -v,python3 --version,git --version,go version,cargo --version'.split(
    ',',
  ),
];

/** Commands that only read and name no file: to keep a yes to one of them must not open the folder. */
export const FILELESS_COMMANDS: readonly string[] = READING_COMMANDS.filter((pattern) =>
  /^(echo|printf|true|pwd|seq|type|which|date|basename|dirname|whoami|id|uname|nproc) |(--version|-v)$/.test(
    pattern.replace(/^git (branch|remote) -v$/, ''),
  ),
);

/** The rule as it speaks of this tool: itself, or for a tool that runs commands one rule a pattern. */
export const readingRulesFor = <R extends Rule>(
  rule: R,
  { name, effects }: { name: string; effects: ToolEffects },
): R[] => (effects === 'process' ? READING_COMMANDS.map((pattern) => ({ ...rule, tool: name, pattern })) : []);
