/** Commands that show one file: reading it by a command is reading it, whatever the tool. */
import { plainShellWords } from '../policy/shell-words.ts';

/** The file that a command line shows, or a part of it; undefined where it does anything else. */
export const shownFile = (line: string): string | undefined => {
  const [first = '', ...behind] = line.replace(ERRORS, '').split(' | ');
  const [file, ...more] = filesShown(first) ?? [];
  // What stands behind it picks lines of it, and reads nothing itself.
  const isOne = more.length === 0 && behind.every((part) => filesShown(part)?.length === 0);
  return isOne ? file : undefined;
};

/** What becomes of errors, at the end of a line. */
const ERRORS = /\s+2>\s*(?:\/dev\/null|&1)\s*$/;

/** Programs that show what they read, with their options that take the next word. */
const SHOW: Readonly<Record<string, RegExp>> = {
  cat: /^$/,
  head: /^(?:-[nc]|--lines|--bytes)$/,
  tail: /^(?:-[nc]|--lines|--bytes)$/,
  nl: /^-[bdfhilnsvw]$/,
  sed: /^(?:-e|--expression)$/,
};
/** A script of sed that prints lines by their numbers, and does nothing else. */
const PRINTS = /^(?:[\d$]+(?:,\+?[\d$]+)?p;? *)+$/;

/** What a command shows that shows files: none where its input comes from the command before it. */
const filesShown = (command: string): readonly string[] | undefined => {
  const [program = '', ...rest] = plainShellWords(command) ?? [];
  const takesNext = Object.hasOwn(SHOW, program) ? SHOW[program] : undefined;
  if (takesNext === undefined) return undefined;
  const isValue = (at: number): boolean => at > 0 && takesNext.test(rest[at - 1] as string);
  const files = rest.filter((word, at) => !/^[-+]./.test(word) && !isValue(at));
  if (program !== 'sed') return files;
  const isPrinting = rest.some((word) => /^-n|^--quiet$|^--silent$/.test(word));
  const hasOption = rest.some((word) => takesNext.test(word));
  const scripts = hasOption ? rest.filter((_word, at) => isValue(at)) : files.slice(0, 1);
  if (!isPrinting || scripts.length === 0 || !scripts.every((script) => PRINTS.test(script))) return undefined;
  return hasOption ? files : files.slice(1);
};
