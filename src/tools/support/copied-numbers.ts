/** The numbers that read_file puts before each line, copied by a model into what it wants to write. */
import { type Lines, lineCount, lineText } from './lines.ts';

const NUMBERED = /^(\d+)(?:#[0-9a-z]{4})?:(?: |$)/;

/** Undefined unless every line bears a number and each counts on from the one before. */
const firstNumber = (written: readonly string[]): number | undefined => {
  const numbers = written.map((line) => Number(NUMBERED.exec(line)?.[1] ?? Number.NaN));
  const [first] = numbers;
  const counts = numbers.every((number, index) => number === (first ?? 0) + index);
  return first !== undefined && counts ? first : undefined;
};

/**
 * The lines without numbers that were copied: those of the place they go to. A file whose own lines look like that near
 * by is left alone, since there the numbers are its text, and so is an empty one, of which no numbers were shown.
 */
export const withoutCopiedNumbers = (
  lines: Lines,
  at: number,
  written: readonly string[],
): { written: readonly string[]; stripped: boolean } => {
  const isTheirs = firstNumber(written) !== at || lineCount(lines) === 0;
  const near = [at - 1, at, at + 1].filter((number) => number >= 1 && number <= lineCount(lines));
  if (isTheirs || near.some((number) => NUMBERED.test(lineText(lines, number)))) return { written, stripped: false };
  return { written: written.map((line) => line.replace(NUMBERED, '')), stripped: true };
};

/** The same for a text, where it is known that the file holds it without the numbers. */
export const textWithoutNumbers = (text: string): string | undefined => {
  const written = text.split('\n');
  const filled = written.at(-1) === '' ? written.slice(0, -1) : written;
  if (firstNumber(filled) === undefined) return undefined;
  return written.map((line) => line.replace(NUMBERED, '')).join('\n');
};

export const STRIPPED = ' (the line numbers that stood in the text were left out)';
