export type EscapeCase = { name: string; command: string; background?: boolean };

/** One case for each line. */
export const each = (prefix: string, commands: string): EscapeCase[] =>
  commands
    .trim()
    .split('\n')
    .map((command, index) => ({ name: `${prefix}-${index + 1}`, command: command.trim() }));
