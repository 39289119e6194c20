/**
 * Names that a command takes out of a file, and another program of the line opens: `cat list | xargs cat`. Which files these
 * are stands nowhere in the line.
 */
import { isReader } from './objections/option-tables.ts';
import { isNoReader } from './tree-readers.ts';
import type { ShellAssignment, ShellCommand, ShellWord } from './words.ts';
import { baseName } from './wrappers.ts';

/** Their first operand is a pattern or a script. */
const SCRIPTED = /^(?:[efz]?grep|rg|ag|ack|g?sed|[gm]?awk|jq|yq|perl)$/;
/** They print what is in the files that they are given. */
const PRINTS =
  /^(?:cat|tac|head|tail|sort|uniq|shuf|cut|nl|paste|comm|join|fold|rev|column|strings|zcat|xzcat|bzcat|base64|xxd|tee)$/;
const OPENS = /^(?:cp|tar|zip|7z|scp|rsync|curl|openssl|python[\d.]*|node|ruby|source|\.)$/;
const TAKES = /^(?:read|mapfile|readarray)$/;
/** Where one of them stands in the line, `read` has its names from it, else from a file: what a loop is given is not known. */
const LISTS = /^(?:g?find|fd|fdfind|ls|dir|tree|du|git|rg|[efz]?grep|printf|echo|seq)$/;
export const APPENDS = /^(?:xargs|gxargs|parallel|cpio|rush)$/;
const NO_NAME = /^(?:-.*|[0-9]+|\{\}|%|.)$/;

const programOf = ([first]: readonly ShellWord[]): string => baseName(first?.text ?? '');
/** The program that `xargs` and its like start. */
export const appendedTo = (words: readonly ShellWord[]): string =>
  words.slice(1).find(({ text }) => !NO_NAME.test(text))?.text ?? '';
/** `sudo xargs cat` too. */
export const appendsToOpener = (words: readonly ShellWord[]): boolean => {
  const at = words.findIndex(({ text }) => APPENDS.test(baseName(text)));
  return at >= 0 && opens(appendedTo(words.slice(at)));
};

const operandsOf = (words: readonly ShellWord[]): readonly ShellWord[] => {
  const rest = words.slice(1);
  const plain = rest.filter(({ text, dynamic }) => dynamic || !NO_NAME.test(text));
  const hasScript = SCRIPTED.test(programOf(words)) && !rest.some(({ text }) => /^-[A-Za-z]*[ef]$|^--file/.test(text));
  return hasScript ? plain.slice(1) : plain;
};

const opens = (program: string): boolean =>
  !isNoReader(program) && (isReader(program) || SCRIPTED.test(baseName(program)) || OPENS.test(baseName(program)));
const namesOnly = (words: readonly ShellWord[]): boolean =>
  words.some(({ text }) => /^-[A-Za-z]*[lLcq][A-Za-z]*$|^--(?:files|count|quiet)/.test(text));

const readsFile = ({ words, redirections }: ShellCommand): boolean => {
  if (redirections.some(({ operator, target }) => operator === '<' && !target.text.startsWith('/dev/'))) return true;
  const program = programOf(words);
  if (SCRIPTED.test(program) ? namesOnly(words) : !PRINTS.test(program)) return false;
  return operandsOf(words).some(({ dynamic }) => !dynamic);
};

type Line = { commands: readonly ShellCommand[]; loops?: readonly ShellAssignment[] };

/** Says of a command whether another one opens the files whose names it takes out of a file. */
export const listing = ({ commands, loops = [] }: Line): ((command: ShellCommand) => boolean) => {
  const opened = commands.filter(({ words }) => opens(programOf(words))).flatMap(({ words }) => operandsOf(words));
  // What `<(…)` prints is read, and names nothing.
  const filled = opened.filter(({ dynamic, text }) => dynamic && !/^[<>]\(/.test(text));
  const appends = commands.some(({ words }) => appendsToOpener(words));
  const isListed = commands.some(({ words }) => LISTS.test(programOf(words)));
  const takes = filled.length > 0 && commands.some(({ words }) => TAKES.test(programOf(words)));
  const values = [...commands.flatMap(({ assignments }) => assignments), ...loops].map(({ value }) => value);
  const within = [...filled, ...(filled.length > 0 ? values : [])];
  return (command) =>
    (takes && !isListed && TAKES.test(programOf(command.words))) ||
    (readsFile(command) &&
      (appends || takes || within.some((word) => word.start < command.start && command.start < word.end)));
};
