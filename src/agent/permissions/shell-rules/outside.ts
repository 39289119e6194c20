/** What a line names outside of the workspace: mode `auto` asks about it, though a rule for every command does not. */
import { namedAtHome, tokensOf } from '../../../core/policy/program-folders.ts';
import { isMessage } from './messages.ts';
import { isPrinter } from './objections/option-tables.ts';
import type { Objection } from './objections.ts';
import { scriptsOf } from './scripts.ts';
import type { ShellSurroundings } from './surroundings.ts';
import type { ShellCommand } from './words.ts';

type Reading = { folders: readonly string[]; objections: readonly Objection[] };

/** The first name that leads to something outside, seen from where its command may run. There is a reading a command. */
export const namedOutside = (
  commands: readonly ShellCommand[],
  readings: readonly Reading[],
  line: string,
  surroundings: ShellSurroundings,
): string | undefined => {
  const isOutsideOf = (folders: readonly string[], text: string): boolean =>
    folders.some((folder) => surroundings.isOutside(folder, text));
  for (const { folders, objections } of readings) {
    const away = objections.find((objection) => objection.away !== undefined && isOutsideOf(folders, objection.away));
    if (away !== undefined) return away.away;
  }
  const all = [...new Set(readings.flatMap(({ folders }) => folders))];
  const isOutside = (text: string): boolean => isOutsideOf(all, text);
  const link = [...new Set(tokensOf(line))].filter(isPlainName).slice(0, LINKS_MAX).find(isOutside);
  if (link !== undefined) return link;
  if (!MAY_LEAVE.test(line)) return undefined;
  for (const [index, command] of commands.entries()) {
    const folders = readings[index]?.folders ?? all;
    if (goesHome(command) && isOutsideOf(folders, '~')) return command.words[0]?.text;
    const found = textsOf(command).find((text) => isOutsideOf(folders, text));
    if (found !== undefined) return found;
  }
  // In whatever text it stands: the sandbox shows of the home folder what the line names.
  return namedAtHome(line, surroundings.home).find(isOutside);
};
/** Wherever it stands (`x=f; cat $x`, `done < f`, `echo f | xargs cat`), it may be a link of the folder that leads out. */
const isPlainName = (token: string): boolean =>
  !/^[/~-]|[$*?[\\{#!%+]/.test(token) && !token.includes('..') && token.length <= NAME_MAX;
const NAME_MAX = 255;
const LINKS_MAX = 200;
const MAY_LEAVE = /[/~]|\.\.|\$\{?HOME\b|\b(?:cd|pushd)\b/;

const goesHome = ({ words }: ShellCommand): boolean =>
  /^(?:cd|pushd)$/.test(words[0]?.text ?? '') && words.slice(1).every(({ text }) => /^-[A-Za-z]*$|^--$/.test(text));

/** Every text of a command that may be a path, but for what is only printed, looked for or written into a message. */
const textsOf = ({ words, assignments, redirections }: ShellCommand): string[] => {
  const program = words[0]?.text ?? '';
  const texts = words.map(({ text }) => text);
  const patterns = scriptsOf(texts);
  const given = words.filter((word, at) => {
    const isPattern = at > 0 && patterns.includes(at) && !word.dynamic;
    const isText = isMessage(texts, at);
    return !isPattern && !isText && !(at > 0 && isPrinter(program));
  });
  const named = [...given, ...assignments.map(({ value }) => value), ...redirections.map(({ target }) => target)];
  return named.flatMap(({ text }) => tokensOf(text).filter((token) => isPath(token, text)));
};

/** A way up is one only where it is a word by itself: programs have other uses for it. */
const isPath = (token: string, text: string): boolean =>
  /^(?:[/~]|\$\{?HOME\b)/.test(token) || (!/\s/.test(text) && /(?:^|\/)\.\.(?:\/|$)/.test(token));
