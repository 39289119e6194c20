/** What one types to go on with a session: with the flags that said where its model is. */
import type { FlagValues } from './flags.ts';

const KEPT = ['directory', 'database', 'provider', 'base-url', 'api-key-env', 'model'] as const;

/** `halter --session ID (or halter -c)`; with flags `halter --session ID --model NAME`. */
export const resumeText = (id: string, flags: Partial<Pick<FlagValues, (typeof KEPT)[number]>>): string => {
  const given = KEPT.flatMap((name) => {
    const value = flags[name];
    return value === undefined ? [] : [`--${name} ${quoted(value)}`];
  });
  const named = ['halter --session', id, ...given].join(' ');
  return given.length === 0 ? `${named} (or halter -c)` : named;
};

/** As a shell reads it. */
const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
