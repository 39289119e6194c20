/** What one types to go on with a session: with the flags that said where its model is, and with its mode. */
import type { Mode } from '../core/policy/modes.ts';
import type { FlagValues } from './flags.ts';

const KEPT = ['directory', 'database', 'provider', 'base-url', 'api-key-env', 'model'] as const;

/** `last`: as the session was left; `plain`: as it begins without a flag. */
export type LeftMode = { last: Mode; plain: Mode };

/**
 * `To go on with this conversation: halter --session ID (or halter -c)`; with flags `halter --session ID --model NAME`.
 * Nothing is said for `yolo`. Where the window is narrow the command has lines of its own, which a shell reads as one.
 */
export const resumeText = (
  id: string,
  flags: Partial<Pick<FlagValues, (typeof KEPT)[number]>>,
  { last, plain }: LeftMode,
  columns = Number.POSITIVE_INFINITY,
): string => {
  const given = KEPT.flatMap((name) => {
    const value = flags[name];
    return value === undefined ? [] : [`--${name} ${quoted(value)}`];
  });
  if (last !== plain && last !== 'yolo') given.push(`--mode ${last}`);
  const parts = ['halter', `--session ${id}`, ...given];
  const shorter = given.length === 0 ? '(or halter -c)' : '';
  const whole = [HEADING, ...parts, ...(shorter === '' ? [] : [shorter])].join(' ');
  const lines =
    whole.length <= columns
      ? [whole]
      : [HEADING, ...commandLines(parts, columns), ...(shorter === '' ? [] : [shorter])];
  if (last === 'yolo' && plain !== 'yolo') lines.push(`It begins in the mode ${plain} again, not in yolo.`);
  return lines.join('\n');
};

const HEADING = 'To go on with this conversation:';
const GOES_ON = ' \\';

/** As many flags on a line as fit; a line that goes on says so to the shell. */
const commandLines = (parts: readonly string[], columns: number): string[] => {
  const lines: string[] = [];
  for (const part of parts) {
    const line = lines.at(-1);
    const joined = `${line} ${part}`;
    if (line !== undefined && joined.length + GOES_ON.length <= columns) lines[lines.length - 1] = joined;
    else lines.push(part);
  }
  return lines.map((line, index) => (index === lines.length - 1 ? line : line + GOES_ON));
};

/** As a shell reads it. */
const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
