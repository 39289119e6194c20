/**
 * The grant to read in the folder: one answer for every reading tool and for commands that only read. Its name holds a
 * colon, so no tool can have it. Secrets still ask, and so does what lies outside.
 */
import type { ToolEffects } from '../tool.ts';

type Rule = { tool: string; pattern?: string };

export const FOLDER_READ = 'folder:read';

export const isFolderRead = ({ tool }: Rule): boolean => tool === FOLDER_READ;

/**
 * Commands that only read, as patterns. What a pattern does not say (files outside, secrets, options that write or run
 * something) is held against the line by the rules of the shell. `grep` and its like are missing: they search a whole
 * folder without naming the secrets in it, which the tool `grep_search` leaves out.
 */
export const READING_COMMANDS: readonly string[] = [
  ...'ls cat head tail wc find stat file du pwd cut tr nl uniq sort cmp tree echo printf'.split(' '),
  ...'basename dirname realpath readlink md5sum sha1sum sha256sum cksum'.split(' '),
  ...'status log diff show blame ls-files rev-parse shortlog describe'.split(' ').map((name) => `git ${name}`),
].map((command) => `${command} *`);

/** The rule as it speaks of this tool: itself, or for a tool that runs commands one rule a pattern. */
export const readingRulesFor = <R extends Rule>(
  rule: R,
  { name, effects }: { name: string; effects: ToolEffects },
): R[] => (effects === 'process' ? READING_COMMANDS.map((pattern) => ({ ...rule, tool: name, pattern })) : []);
