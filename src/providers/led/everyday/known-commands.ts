/** Commands beside the reading ones that a small model may ask for, each as its whole line. */
const KNOWN_COMMANDS: ReadonlySet<string> = new Set([
  'npm test',
  'make test',
  'python3 -m pytest',
  'go test ./...',
  'cargo test',
  ...['node', 'npm', 'python3', 'git'].map((program) => `${program} --version`),
]);

export const isKnownCommand = (line: string): boolean => KNOWN_COMMANDS.has(line.trim());
