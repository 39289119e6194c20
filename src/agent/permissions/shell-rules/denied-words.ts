/** Whether a command is one that the words of a denying rule mean: rather too many than one too few. */
import { matchesWildcard } from '../../../core/policy/glob.ts';

/** Of cargo, too: `+nightly`. */
const isOption = (word: string | undefined): boolean => word !== undefined && /^-.|^\+[a-z]/.test(word);

/** Options, and one word behind each that may be its value: whose it is, only their program knows. */
const overOptions = (words: readonly string[], from: Iterable<number>): Set<number> => {
  const reached = new Set(from);
  // What is added while it runs is looked at as well.
  for (const at of reached) {
    const word = words[at];
    if (!isOption(word)) continue;
    reached.add(at + 1);
    if (!word?.includes('=') && at + 1 < words.length && !isOption(words[at + 1])) reached.add(at + 2);
  }
  return reached;
};

/** The name of a program may itself be a glob: /bin/r? is /bin/rm. */
const isProgram = (pattern: string, word: string): boolean =>
  matchesWildcard(pattern, word) ||
  (/[*?[]/.test(word) && matchesWildcard(word.replaceAll(/\[[^\]]+\]/g, '?'), pattern));

/** Where what stands behind these words begins: `kubectl delete` in `kubectl -n x delete pod`. */
const behind = ([program, ...others]: readonly string[], words: readonly string[]): Set<number> => {
  if (program === undefined) return new Set([0]);
  if (words[0] === undefined || !isProgram(program, words[0])) return new Set();
  let reached = new Set([1]);
  for (const pattern of others)
    reached = new Set(
      [...overOptions(words, reached)].flatMap((at) =>
        at < words.length && matchesWildcard(pattern, words[at] as string) ? [at + 1] : [],
      ),
    );
  return reached;
};

/** The words stand in this order, with nothing but options between them. A `*` at the end stands for all that follows. */
export const meansWords = (expected: readonly string[], words: readonly string[]): boolean => {
  const open = expected.at(-1) === '*';
  const reached = behind(open ? expected.slice(0, -1) : expected, words);
  return open ? reached.size > 0 : reached.has(words.length);
};

/** The same, where options may follow as well. */
export const meansPlainWords = (expected: readonly string[], words: readonly string[], open: boolean): boolean => {
  const reached = behind(expected, words);
  return open ? reached.size > 0 : overOptions(words, reached).has(words.length);
};
