/** A rule that denies an option denies it in every spelling: `rm -rf` is `rm -f -r`, `rm --recursive --force` and `rm x -fr`. */
import { matchesWildcard } from '../../../core/policy/glob.ts';
import { meansPlainWords } from './denied-words.ts';

/** Long names that mean the same letter with most programs. */
const LETTERS: Readonly<Record<string, string>> = {
  '--recursive': 'r',
  '--force': 'f',
  '--all': 'a',
  '--delete': 'd',
  '--yes': 'y',
  '--assume-yes': 'y',
  '--in-place': 'i',
  '--global': 'g',
  '--quiet': 'q',
  '--verbose': 'v',
};
/** Their options are words behind one dash. */
const WORDS_BEHIND_ONE_DASH = /^(?:find|java|javac|go|terraform|tofu|openssl|ffmpeg|convert|magick|dotnet|adb|node)$/;

type Parts = { plain: string[]; options: Set<string> };

const partsOf = (words: readonly string[]): Parts => {
  const parts: Parts = { plain: [], options: new Set() };
  const isWhole = WORDS_BEHIND_ONE_DASH.test(words[0] ?? '');
  let ended = false;
  for (const word of words) {
    if (ended || !/^-./.test(word)) parts.plain.push(word);
    else if (word === '--') ended = true;
    else for (const option of optionsIn(word, isWhole)) parts.options.add(option);
  }
  return parts;
};

/** `-rf` → r and f; `--recurs` → r, since programs take what begins a long name for it. */
const optionsIn = (word: string, isWhole: boolean): string[] => {
  if (!word.startsWith('--')) {
    const cluster = /^-([A-Za-z]+)/.exec(word)?.[1];
    return isWhole || cluster === undefined ? [word] : [...cluster].map((letter) => (letter === 'R' ? 'r' : letter));
  }
  const name = word.split('=')[0] as string;
  const long = Object.keys(LETTERS).find((each) => each === name || (name.length > SHORTEST && each.startsWith(name)));
  return [long === undefined ? name : (LETTERS[long] as string)];
};
const SHORTEST = 4;

/** True where the command has all options of the pattern, in any order and spelling, and begins with its other words. */
export const hasDeniedOptions = (expected: readonly string[], words: readonly string[]): boolean => {
  const open = expected.at(-1) === '*';
  const denied = partsOf(open ? expected.slice(0, -1) : expected);
  if (denied.options.size === 0) return false;
  const { plain, options } = partsOf(words);
  const beginsAlike =
    (open ? plain.length >= denied.plain.length : plain.length === denied.plain.length) &&
    denied.plain.every((part, at) => matchesWildcard(part, plain[at] as string));
  return (
    (beginsAlike || meansPlainWords(denied.plain, words, open)) &&
    [...denied.options].every(
      (option) => options.has(option) || [...options].some((given) => matchesWildcard(option, given)),
    )
  );
};
