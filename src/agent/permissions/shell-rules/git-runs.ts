/** The commands of git that a line runs, by themselves or within another program, and the folders that they may work in. */
import { possibleCommands } from '../../../core/policy/shell-words.ts';
import { AGENT_LIMITS } from '../../limits.ts';
import type { ShellSurroundings } from './surroundings.ts';
import type { ShellCommand, ShellWord } from './words.ts';
import { baseName, deniableReadings, gitCommandAt } from './wrappers.ts';

type GitRun = { command: string; operands: readonly string[] };

const GIT = /^git(?:-([a-z][a-z-]*))?$/;
/** Before a folder to work in: of git, env, make; of a shell; of sudo. */
const TO_FOLDER = /^(?:-C|--chdir|--directory|--git-dir|--work-tree|cd|pushd|-D)$/;
const FOLDER = /^(?:--chdir|--directory|--git-dir|--work-tree|GIT_DIR|GIT_WORK_TREE|GIT_COMMON_DIR)=(.+)$/s;

/**
 * What the settings of a repository make a command run that nobody has named. `line`: the text of every command, since a
 * variable that is set before holds for those after it.
 */
export const hiddenPrograms = (
  command: ShellCommand,
  line: readonly ShellCommand[],
  folders: readonly string[],
  { repositoryPrograms }: Pick<ShellSurroundings, 'repositoryPrograms'>,
): string[] => {
  const words = command.words.map(({ text }) => text);
  if (!words.some((word) => word.includes('git'))) return [];
  const runs = runsIn(words, AGENT_LIMITS.shellLinesWithin);
  if (runs.length === 0) return [];
  const unreadable = unreadablePlace(command, line, runs);
  if (unreadable !== undefined) return [`the folder that git works in (${unreadable}) is known to the shell alone`];
  const places = placesIn(line, words);
  const found = folders.flatMap((folder) =>
    runs.flatMap(({ command: name, operands }) => [
      ...places.flatMap((place) => repositoryPrograms(within(folder, place), name)),
      // What is pushed to is a repository with hooks of its own.
      ...(name === 'push' ? operands.flatMap((word) => repositoryPrograms(within(folder, word), 'receive-pack')) : []),
    ]),
  );
  return [...new Set(found)].map((reason) => `git would run what the settings of this repository say: ${reason}`);
};

const within = (folder: string, place: string): string => (place.startsWith('/') ? place : `${folder}/${place}`);

const runsIn = (words: readonly string[], depth: number): GitRun[] => {
  const { commands, lines } = deniableReadings(words);
  const own = commands.flatMap((reading): GitRun[] => {
    const found = GIT.exec(baseName(reading[0] ?? ''));
    if (found === null) return [];
    const at = found[1] === undefined ? gitCommandAt(reading) : 0;
    const operands = reading.slice(at + 1).filter((word) => /^(?:[./~]|file:|[^-:]+\/)/.test(word));
    return [
      { command: found[1] ?? reading[at] ?? '', operands: operands.map((word) => word.replace(/^file:\/\//, '')) },
    ];
  });
  if (depth === 0) return own;
  const inner = lines.filter((line) => line.includes('git')).flatMap((line) => possibleCommands(line));
  return [...own, ...inner.flatMap((each) => runsIn(each, depth - 1))];
};

/** Letters that the shell, or a program that fills in names, makes something else of. */
const UNKNOWN = '[$`*?[{]';
const unknownAfter = (before: string): RegExp =>
  new RegExp(`(?:^|[\\s;&|(])((?:${before})(?:\\s+|=)(?:--\\s+)?["']?[^\\s"';&|(]*${UNKNOWN}\\S*)`);
const UNKNOWN_FOLDER = unknownAfter('-C|--chdir|--directory|--git-dir|--work-tree|-D|cd|pushd');
/** They hold for all commands of the line. */
const UNKNOWN_BEFORE = unknownAfter('cd|pushd|GIT_DIR|GIT_WORK_TREE|GIT_COMMON_DIR');
const PREVIOUS_FOLDER = /(?:^|[\s;&|(])(cd\s+-)(?=[\s;&|)]|$)/;
/** They put names of folders in place of a word, or run in each. */
const FILLS_IN = /^(?:xargs|parallel)$/;
const EACH_FOLDER = /^-(?:exec|ok)dir$/;

/** What says where git works, where no reading tells which folder that is. */
const unreadablePlace = (
  command: ShellCommand,
  line: readonly ShellCommand[],
  runs: readonly GitRun[],
): string | undefined => {
  const words = command.words.map(marked);
  const texts = line.map(({ words: all, assignments }) =>
    [...assignments.map(({ name, value }) => `${name}=${marked(value)}`), ...all.map(marked)].join(' '),
  );
  for (const text of texts) {
    const found = UNKNOWN_BEFORE.exec(text) ?? PREVIOUS_FOLDER.exec(text);
    if (found !== null) return found[1];
  }
  const told = UNKNOWN_FOLDER.exec(words.join(' '))?.[1];
  if (told !== undefined) return told;
  if (words.some((word) => FILLS_IN.test(baseName(word)))) return words.find((word) => TO_FOLDER.test(word));
  // What is pushed to is a folder, or its name.
  const isPushed = runs.some(({ command: name }) => name === 'push');
  return (
    words.find((word) => EACH_FOLDER.test(word)) ??
    (isPushed ? words.find((word) => /^[^-+:]*[$`]/.test(word)) : undefined)
  );
};

/** The text of a substitution is left out of its word. */
const marked = ({ text, dynamic }: ShellWord): string => (dynamic && !/[$`]/.test(text) ? `${text}$` : text);

/** Below the folder that the command runs in: each folder that it is told of, and those one behind the other. */
const placesIn = (line: readonly ShellCommand[], words: readonly string[]): string[] => {
  const told = possibleCommands(words.join(' ')).flat();
  const set = line.flatMap(({ words: all, assignments }) => [
    ...assignments.map(({ name, value }) => `${name}=${value.text}`),
    ...all.map(({ text }) => text),
  ]);
  const before = line.flatMap(({ words: all }) => (all[0]?.text === 'pushd' ? [all[1]?.text ?? ''] : []));
  const places = [
    ...before,
    ...told.flatMap((word, at) => (TO_FOLDER.test(told[at - 1] ?? '') ? [word] : [])),
    ...[...told, ...set].flatMap((word) => FOLDER.exec(word)?.[1] ?? []),
  ].filter((place) => place !== '' && !place.includes('$'));
  const chain: string[] = [];
  for (const place of places) chain.push(within(chain.at(-1) ?? '.', place));
  return [...new Set(['.', ...places, ...chain])];
};
