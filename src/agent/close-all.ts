/** A part that is closed, with the name that a message gives it. */
export type ClosingPart = readonly [name: string, close: () => unknown];

/**
 * Closes every part in its order, also where one of them fails: one defect must not leak the others. Never rejects;
 * resolves with a sentence for each part that failed.
 */
export const closeAll = async (parts: readonly ClosingPart[]): Promise<string[]> => {
  const problems: string[] = [];
  for (const [name, close] of parts) {
    try {
      await close();
    } catch (error) {
      problems.push(`${name} could not be closed: ${defectText(error)}`);
    }
  }
  return problems;
};

/** A defect in one line: its name and its message. */
export const defectText = (error: unknown): string => {
  const { name, message } = defectOf(error);
  return message === '' ? name : `${name}: ${message}`;
};

/** The name and the message of whatever was thrown. */
export const defectOf = (error: unknown): { name: string; message: string } =>
  error instanceof Error
    ? { name: error.name || 'Error', message: error.message }
    : { name: 'Error', message: String(error) };
