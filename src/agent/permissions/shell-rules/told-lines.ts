/** What a command hands to a shell within it: lines, variables that say what runs, words that another program has put in. */
import { AGENT_LIMITS } from '../../limits.ts';
import { isShell, SHELL_OPTION } from './interpreters.ts';
import { type ShellAssignment, type ShellWord, staticWord } from './words.ts';
import { baseName } from './wrappers.ts';

/** `bash -c LINE`, `sudo sh -ec LINE`, `eval LINE`. */
export const linesTold = (words: readonly ShellWord[]): string[] => {
  const lines = words.flatMap(({ text }, at) =>
    isShell(baseName(text)) ? (lineBehind(words.slice(at + 1)) ?? []) : [],
  );
  const others = words.slice(1);
  if (baseName(words[0]?.text ?? '') !== 'eval' || others.some(({ dynamic }) => dynamic)) return lines;
  return [...lines, others.map(({ text }) => text).join(' ')];
};

/** Options of a shell may take a word with them: `bash -O extglob -c LINE`. */
const lineBehind = (words: readonly ShellWord[]): string | undefined => {
  const at = words.slice(0, OPTIONS_MAX).findIndex(({ text }) => SHELL_OPTION.test(text));
  const line = words[at + 1];
  return at < 0 || line === undefined || line.dynamic ? undefined : line.text;
};
const OPTIONS_MAX = 8;

/** `env NAME=VALUE`, `export NAME=VALUE`. What the shell makes a file of (`NAME=<(…)`) stands behind as a word of its own. */
export const variablesTold = (words: readonly ShellWord[]): ShellAssignment[] => {
  if (!/^(?:env|export|declare|typeset|local|readonly)$/.test(baseName(words[0]?.text ?? ''))) return [];
  return words.flatMap((word, at) => {
    const [, name, text = ''] = /^(\w+)=(.*)$/s.exec(word.text) ?? [];
    if (name === undefined) return [];
    const next = words[at + 1];
    const isOpen = text === '' && next?.dynamic === true && next.start === word.end;
    return [{ name, value: isOpen ? { ...next, text: '$' } : { ...word, text } }];
  });
};

/** `xargs CMD`: the command with what comes in among its words, once for each line where it has a place of its own. */
export const withInput = (words: readonly ShellWord[], text: string): ShellWord[][] => {
  const each = words.findIndex(({ text: name }) => /^(?:g?xargs|parallel)$/.test(baseName(name)));
  if (each < 0) return [];
  const given = words.slice(each + 1);
  const at = given.findIndex(({ text: option }) => /^-I/.test(option));
  const place = at < 0 ? '{}' : given[at]?.text.slice(2) || (given[at + 1]?.text ?? '{}');
  const values = at < 0 ? [text.trim()] : text.trim().split('\n').slice(0, AGENT_LIMITS.shellCommands);
  return values.map((value) => [
    ...given.map((word) => ({ ...word, text: word.text.replaceAll(place, () => value) })),
    ...(at < 0 ? wordsOfText(value) : []),
  ]);
};

/** As the shell makes them of a variable without quotes. */
export const wordsOfText = (text: string): ShellWord[] =>
  text
    .trim()
    .split(/\s+/)
    .map((part) => ({ ...staticWord(part), dynamic: /[$`]/.test(part), glob: /[*?[]/.test(part), quoted: false }));
