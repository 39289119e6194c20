/** The prompt of `halter run`: the words of the command line, and after them what was piped in. */

import { AGENT_LIMITS } from '../../agent/limits.ts';
import { grouped } from '../../core/number-text.ts';
import { failure, type Outcome, succeed } from '../../core/outcome.ts';
import type { Io } from '../io.ts';
import { readStdin } from '../read-stdin.ts';

/** The most bytes that one UTF-16 unit takes in UTF-8. */
const BYTES_A_CHARACTER = 3;
const ADVICE = 'Put it into a file and name the file in the prompt: the model reads it with its tools.';

export const readPrompt = async (words: readonly string[], io: Io): Promise<Outcome<string>> => {
  const typed = words.join(' ').trim();
  const piped = await readStdin(io, {
    maxBytes: AGENT_LIMITS.userMessageCharacters * BYTES_A_CHARACTER,
    advice: ADVICE,
    optional: typed !== '',
    hint: typed === '' ? '' : 'It is added to the prompt; `< /dev/null` leaves it out.',
  });
  if (!piped.ok) return piped;
  const prompt = [typed, piped.value.trimEnd()].filter((part) => part.trim() !== '').join('\n\n');
  if (prompt === '') {
    return failure('validation_failed', 'There is no prompt: write it behind `halter run`, or pipe it in.');
  }
  if (prompt.length > AGENT_LIMITS.userMessageCharacters) {
    const most = grouped(AGENT_LIMITS.userMessageCharacters);
    return failure('validation_failed', `The prompt is longer than ${most} characters. ${ADVICE}`);
  }
  return succeed(prompt);
};
