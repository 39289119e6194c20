/** What one types to go on with a session: with the flags that said where its model is, and with its mode. */
import type { Mode } from '../core/policy/modes.ts';
import type { FlagValues } from './flags.ts';

const KEPT = ['directory', 'database', 'provider', 'base-url', 'api-key-env', 'model'] as const;

/** `last`: as the session was left; `plain`: as it begins without a flag. */
export type LeftMode = { last: Mode; plain: Mode };

/** `halter --session ID (or halter -c)`; with flags `halter --session ID --model NAME`. Nothing is said for `yolo`. */
export const resumeText = (
  id: string,
  flags: Partial<Pick<FlagValues, (typeof KEPT)[number]>>,
  { last, plain }: LeftMode,
): string => {
  const given = KEPT.flatMap((name) => {
    const value = flags[name];
    return value === undefined ? [] : [`--${name} ${quoted(value)}`];
  });
  if (last !== plain && last !== 'yolo') given.push(`--mode ${last}`);
  const named = ['halter --session', id, ...given].join(' ');
  const line = given.length === 0 ? `${named} (or halter -c)` : named;
  return last === 'yolo' && plain !== 'yolo' ? `${line}\nIt begins in the mode ${plain} again, not in yolo.` : line;
};

/** As a shell reads it. */
const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
