/** What a line names outside of the workspace: mode `auto` asks about it, though a rule for every command does not. */
import { namedAtHome, tokensOf } from '../../../core/policy/program-folders.ts';
import { isPrinter } from './objections/option-tables.ts';
import type { Objection } from './objections.ts';
import { scriptsOf } from './scripts.ts';
import type { ShellSurroundings } from './surroundings.ts';
import type { ShellCommand } from './words.ts';

/** The first name that leads to something outside; `folders` are those that a `cd` of the line may have gone to. */
export const namedOutside = (
  commands: readonly ShellCommand[],
  objections: readonly Objection[],
  line: string,
  folders: readonly string[],
  surroundings: ShellSurroundings,
): string | undefined => {
  const isOutside = (text: string): boolean => folders.some((folder) => surroundings.isOutside(folder, text));
  const away = objections.find((objection) => objection.away !== undefined && isOutside(objection.away));
  if (away !== undefined) return away.away;
  if (!MAY_LEAVE.test(line)) return undefined;
  for (const command of commands) {
    if (goesHome(command) && isOutside('~')) return command.words[0]?.text;
    const found = textsOf(command).find(isOutside);
    if (found !== undefined) return found;
  }
  // In whatever text it stands: the sandbox shows of the home folder what the line names.
  return namedAtHome(line, surroundings.home).find(isOutside);
};
const MAY_LEAVE = /[/~]|\.\.|\$\{?HOME\b|\b(?:cd|pushd)\b/;

const goesHome = ({ words }: ShellCommand): boolean =>
  /^(?:cd|pushd)$/.test(words[0]?.text ?? '') && words.slice(1).every(({ text }) => /^-[A-Za-z]*$|^--$/.test(text));

/** Every text of a command that may be a path, but for what is only printed, looked for or written into a message. */
const textsOf = ({ words, assignments, redirections }: ShellCommand): string[] => {
  const program = words[0]?.text ?? '';
  const patterns = scriptsOf(words.map(({ text }) => text));
  const given = words.filter((word, at) => {
    const isPattern = at > 0 && patterns.includes(at) && !word.dynamic;
    const isMessage = program === 'git' && /^-[a-z]*m$|^--message/.test(words[at - 1]?.text ?? '');
    return !isPattern && !isMessage && !(at > 0 && isPrinter(program));
  });
  const texts = [...given, ...assignments.map(({ value }) => value), ...redirections.map(({ target }) => target)];
  return texts.flatMap(({ text }) => tokensOf(text).filter((token) => isPath(token, text)));
};

/** A way up is one only where it is a word by itself: programs have other uses for it. */
const isPath = (token: string, text: string): boolean =>
  /^(?:[/~]|\$\{?HOME\b)/.test(token) || (!/\s/.test(text) && /(?:^|\/)\.\.(?:\/|$)/.test(token));
