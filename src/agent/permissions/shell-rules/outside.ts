/** What a line names outside of the workspace: mode `auto` asks about it, though a rule for every command does not. */
import { namedAtHome, tokensOf } from '../../../core/policy/program-folders.ts';
import { APPENDS } from './listed-names.ts';
import { isMessage } from './messages.ts';
import { isPrinter } from './objections/option-tables.ts';
import type { Objection } from './objections.ts';
import { scriptsOf } from './scripts.ts';
import type { ShellSurroundings } from './surroundings.ts';
import type { ShellCommand } from './words.ts';
import { baseName } from './wrappers.ts';

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
  const link = linkOutside(commands, line, isOutside);
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
/**
 * A name within the folder may be a link that leads out. Where the line hands names on (`x=f; cat $x`, `done < f`, `echo f |
 * xargs cat`), each word of it may be such a name, also one that is printed or written into a message.
 */
const linkOutside = (
  commands: readonly ShellCommand[],
  line: string,
  isOutside: (text: string) => boolean,
): string | undefined => {
  const texts = commands.some(handsOn) ? [...commands.flatMap(wordsOf), line] : commands.flatMap(givenTo);
  const names = [...new Set(texts.flatMap((text) => [text, ...tokensOf(text)]))].filter(isPlainName);
  const found = names.slice(0, NAMES_MAX).find(isOutside);
  // What is not looked at counts as outside.
  return found ?? names[NAMES_MAX];
};
const NAMES_MAX = 2_000;

const handsOn = ({ words, assignments, redirections }: ShellCommand): boolean =>
  assignments.length > 0 ||
  words.some(({ text, dynamic }) => dynamic || APPENDS.test(baseName(text))) ||
  redirections.some(({ operator }) => operator === '<');

const wordsOf = ({ words, assignments, redirections }: ShellCommand): string[] => [
  ...words.map(({ text }) => text),
  ...assignments.map(({ value }) => value.text),
  ...redirections.map(({ target }) => target.text),
];

/** What has another way out than a link is seen below. No path is longer than the system takes. */
const isPlainName = (text: string): boolean =>
  text !== '' && text.length <= PATH_CHARACTERS && !/^[/~-]|[$*?[\\{\n]|(?:^|\/)\.\.(?:\/|$)/.test(text);
const PATH_CHARACTERS = 4_096;

const MAY_LEAVE = /[/~]|\.\.|\$\{?HOME\b|\b(?:cd|pushd)\b/;

const goesHome = ({ words }: ShellCommand): boolean =>
  /^(?:cd|pushd)$/.test(words[0]?.text ?? '') && words.slice(1).every(({ text }) => /^-[A-Za-z]*$|^--$/.test(text));

/** Every text of a command that may be a path, but for what is only printed, looked for or written into a message. */
const givenTo = ({ words, assignments, redirections }: ShellCommand): string[] => {
  const program = words[0]?.text ?? '';
  const texts = words.map(({ text }) => text);
  const patterns = scriptsOf(texts);
  const given = words.filter((word, at) => {
    const isPattern = at > 0 && patterns.includes(at) && !word.dynamic;
    const isText = isMessage(texts, at);
    return !isPattern && !isText && !(at > 0 && isPrinter(program));
  });
  return [...given, ...assignments.map(({ value }) => value), ...redirections.map(({ target }) => target)].map(
    ({ text }) => text,
  );
};

const textsOf = (command: ShellCommand): string[] =>
  givenTo(command).flatMap((text) => tokensOf(text).filter((token) => isPath(token, text)));

/** A way up is one only where it is a word by itself: programs have other uses for it. */
const isPath = (token: string, text: string): boolean =>
  /^(?:[/~]|\$\{?HOME\b)/.test(token) || (!/\s/.test(text) && /(?:^|\/)\.\.(?:\/|$)/.test(token));
