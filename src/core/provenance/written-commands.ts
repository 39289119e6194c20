/**
 * The commands in a text that is written where a runner takes them from: lines, values, and words in quotes, whatever the
 * notation of the file. Rather a command too many than one too few.
 */
import type { JsonObject } from '../json.ts';
import { isCommandFile, isNamedCommandFile } from '../policy/command-files.ts';
import { possibleCommands } from '../policy/shell-words.ts';
import { type Scalar, scalarsIn } from '../scalars.ts';
import { commandParts, PRINTERS, redirectedIn } from './command-parts.ts';
import { decodedReadings } from './encodings.ts';
import { wordsOf } from './text-index.ts';
import { PARTS_MAX, type Part } from './values.ts';

type WrittenBy = { paths?: readonly string[]; readsOnly?: boolean; isCommand?: boolean };

/** The texts that a call writes where a runner takes its commands from. `names`: its weighty arguments. */
export const writtenForRunners = (
  { paths, readsOnly = false, isCommand = false }: WrittenBy,
  names: readonly string[],
  args: JsonObject,
): Scalar[] => {
  const texts = names.flatMap((name) => scalarsIn(args[name], name)).filter(({ value }) => typeof value === 'string');
  if (readsOnly) return [];
  if (isCommand) return texts.filter(({ value }) => writesForRunners(String(value)));
  const isPlace = ({ place, key, value }: Scalar): boolean => {
    const text = String(value);
    if (paths !== undefined) return paths.includes(place) && isCommandFile(text);
    return isNamedCommandFile(text) || (PLACE_NAME.test(key) && isCommandFile(text));
  };
  const isScript = ({ value }: Scalar): boolean => String(value).startsWith('#!');
  return texts.some(isPlace) ? texts.filter((text) => !isPlace(text)) : texts.filter(isScript);
};

const PLACE_NAME = /path|file/i;
/** Settings of package managers that are scripts. */
const SETS_SCRIPTS = /\b(?:pkg\s+set|set-script|composer\s+config)\b/;
const TO_FILES = /^(?:tee|cp|mv|dd|install)$/;

/** It names such a file; a name without an ending counts where something is written into it. */
const writesForRunners = (line: string): boolean =>
  SETS_SCRIPTS.test(line) ||
  redirectedIn(line).some((target) => !/^(?:\d|\/dev\/\w+)$/.test(target) && isCommandFile(target)) ||
  possibleCommands(line).some(
    ([program = '', ...operands]) =>
      !PRINTERS.has(program) &&
      [program, ...operands]
        .flatMap((word) => word.split(SEPARATORS))
        .some(
          (word) => isNamedCommandFile(word) || (TO_FILES.test(program) && word !== program && isCommandFile(word)),
        ),
  );
const SEPARATORS = /[,:=[\]]+/;

const IMPORT_LINE =
  /^[ \t]*(?:import\s[^;()|&`$\n]*|from\s+[\w.]+\s+import\s[^;()|&`$\n]*|(?:const|let|var)\s[^=;()\n]*=\s*require\(["'][^"'()\n]*["']\));?[ \t]*$/gm;

/** A program that takes the same modules as a page says nothing of its own. */
export const withoutImports = (text: string): string => text.replaceAll(IMPORT_LINE, '');

/** Undefined for more than can be looked at. */
export const writtenCommands = (text: string): Part[] | undefined => {
  const parts = new Map<string, Part>();
  for (const reading of [text, ...decodedReadings(text)]) {
    for (const candidate of candidatesIn(reading)) {
      const found = commandParts(candidate, 'written');
      if (found === undefined || parts.size > PARTS_MAX) return undefined;
      for (const part of found) parts.set(part.text, part);
    }
  }
  return [...parts.values()];
};

const CONTINUED = /\\\r?\n[ \t]*/g;

const candidatesIn = (text: string): Set<string> => {
  const lines = text.replaceAll(CONTINUED, ' ').split(/[\r\n]+/);
  const found = new Set<string>();
  for (const line of [...lines, ...listsIn(lines)])
    for (const candidate of piecesOf(line)) if (candidate.trim() !== '') found.add(candidate);
  return found;
};

/** `"a": ["rm", "-rf"]`, `- run: rm -rf src`, `sh 'rm -rf src'`, `s/a/rm -rf src/`. */
const piecesOf = (line: string): string[] => [
  line,
  line.replace(/^[^:=]*[:=]/, ''),
  ...line.split(/["'`]+/),
  ...line.split(/[:=[\]]+\s*/),
  ...(/[syaic][\\/]/.test(line) ? line.split(/["'\\/]+/) : []),
  // `run('rm', '-rf', force=True)`, `"command": "rm", "args": ["-rf"]`
  [...line.matchAll(/(["'`])((?:(?!\1).)*)\1(?!\s*[:=])/g)].map(([, , inner]) => inner).join(' '),
];

/** Lists with a word or two on each line, as one line. */
const SHORT_LINE = 2;
const listsIn = (lines: readonly string[]): string[] => {
  const lists: string[][] = [[]];
  for (const line of lines) {
    if (wordsOf(line).length > SHORT_LINE || /[:=]/.test(line)) lists.push([]);
    lists.at(-1)?.push(line);
  }
  return lists.filter((list) => list.length > 1).map((list) => list.join(' '));
};
