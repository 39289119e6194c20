import { thrownName, thrownText } from '../core/thrown-text.ts';
import { AGENT_LIMITS } from './limits.ts';

/** A part that is closed, with the name that a message gives it. */
export type ClosingPart = readonly [name: string, close: () => unknown];

/**
 * Closes every part in its order, also where one of them fails or does not end: no part leaks the others. Never
 * rejects; resolves with a sentence for each part that failed.
 */
export const closeAll = async (
  parts: readonly ClosingPart[],
  limitMs: number = AGENT_LIMITS.closePartMs,
): Promise<string[]> => {
  const problems: string[] = [];
  for (const [name, close] of parts) {
    try {
      if (!(await endsWithin(limitMs, close()))) {
        problems.push(`${name} did not close within ${limitMs / 1_000} s`);
      }
    } catch (error) {
      problems.push(`${name} could not be closed: ${defectText(error)}`);
    }
  }
  return problems;
};

const endsWithin = async (limitMs: number, closing: unknown): Promise<boolean> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), limitMs);
  });
  try {
    return await Promise.race([Promise.resolve(closing).then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
};

/** A defect in one line: its name and its message. */
export const defectText = (error: unknown): string => {
  const { name, message } = defectOf(error);
  return message === '' ? name : `${name}: ${message}`;
};

/** The name and the message of whatever was thrown. */
export const defectOf = (error: unknown): { name: string; message: string } => ({
  name: thrownName(error),
  message: thrownText(error),
});
