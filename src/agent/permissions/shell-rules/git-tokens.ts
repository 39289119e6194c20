/** Commands of git that print its settings: an address with a password in it, a header with a token. */
import { gitCommandAt } from './wrappers.ts';

/** The setting with a key in it that a command of git would print. `keys`: those that hold one. */
export const printedToken = (words: readonly string[], keys: readonly string[]): string | undefined => {
  const at = gitCommandAt(words);
  const name = words[at] ?? '';
  const rest = words.slice(at + 1);
  if (name === 'remote' && rest.some((word) => /^(?:-v|--verb.*|get-url|show)$/.test(word))) return addressOf(keys);
  if (name === 'ls-remote' && rest.some((word) => /^--get/.test(word))) return addressOf(keys);
  if (name === 'config') return askedFor(rest, keys);
  if (name === 'var' && rest.includes('-l')) return keys[0];
  return /^(?:diagnose|bugreport)$/.test(name) ? keys[0] : undefined;
};

/** The folder that git is told to work in. */
export const folderOfGit = (words: readonly string[]): string => {
  const given = words.slice(1, gitCommandAt(words));
  const ways = given.flatMap((word, index) => {
    const next = given[index + 1];
    if (word === '-C' && next !== undefined) return [next];
    if (word === '--git-dir' && next !== undefined) return [next];
    return /^--git-dir=(.+)$/.exec(word)?.slice(1) ?? [];
  });
  return ways.join('/') || '.';
};

/** What is put in the place of an address is printed with it. */
const addressOf = (keys: readonly string[]): string | undefined => keys.find((key) => /^(?:remote|url)\./i.test(key));

const askedFor = (words: readonly string[], keys: readonly string[]): string | undefined => {
  const plain = words.filter((word) => !word.startsWith('-'));
  // With a name and a value it sets one; by a pattern, or a section, it may print any.
  const named = plain.filter((word) => word.includes('.')).map((word) => word.toLowerCase());
  const isOpen =
    plain.length === 0 ||
    named.length === 0 ||
    words.some((word) => /^(?:-l|--list|list|--get-regexp|--get-urlmatch|--get-color.*|--regexp|--url.*)$/.test(word));
  const isSetting = /^(?:set|unset|rename-section|remove-section|edit)$/.test(plain[0] ?? '');
  if (isSetting) return undefined;
  return isOpen ? keys[0] : keys.find((key) => named.includes(key.toLowerCase()));
};
