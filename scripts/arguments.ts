type Accepted = { flags?: readonly string[]; words?: number };

/**
 * What stands behind a script's name: at most `words` words, and flags of `flags`. `--help` prints the usage. A flag that
 * there is not ends the script, since it would be taken for a folder, or change nothing.
 */
export const scriptArguments = (usage: string, { flags = [], words = 0 }: Accepted = {}): string[] => {
  const given = process.argv.slice(2);
  if (given.includes('--help') || given.includes('-h')) {
    process.stdout.write(`Usage: ${usage}\n`);
    process.exit(0);
  }
  const isFlag = (word: string): boolean => word.startsWith('-');
  const unknown = given.find((word) => isFlag(word) && !flags.includes(word));
  const wrong = unknown ?? given.filter((word) => !isFlag(word))[words];
  if (wrong !== undefined) {
    process.stderr.write(`"${wrong}" is not known here.\nUsage: ${usage}\n`);
    process.exit(2);
  }
  return given;
};
