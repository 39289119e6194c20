/** Where the little programs stand that sed, awk and the searchers are given: they are no files, and may do more than read. */
import { naming, type Objection, spelled } from './objections.ts';
import { isPlainAwk, isPlainSed } from './script-safety.ts';

/** Which words are scripts or patterns and no files: `sed /x/d file`, `grep /api/users src`. */
export const scriptsOf = (words: readonly string[]): readonly number[] => {
  const program = words[0] ?? '';
  if (program === 'sed') return readSed(words).scripts;
  if (AWK.test(program)) return [awkProgramAt(words)];
  return SEARCHERS.test(program) ? patternsOf(words) : [];
};

const SEARCHERS = /^(?:[ef]?grep|rg)$/;
const FLAGS =
  /^-(?:[abcEFGHhiIlLnoPqRrsSvwxyZ0-9]+|-[a-z-]+=.*|-(?:hidden|no-ignore|files|files-with-matches|ignore-case|smart-case|fixed-strings|word-regexp|line-number|count|multiline|pcre2|only-matching|invert-match|no-heading|heading|vimgrep|json|column|trim|sort-files|stats|follow|text|no-messages|recursive|extended-regexp|perl-regexp))$/;
/** Their values are no patterns, and no paths either. */
const WITH_VALUE: readonly (readonly [RegExp, RegExp])[] = [
  [/^-[a-zA-Z]*[ABCm]$/, /^[0-9]+$/],
  [
    /^-[tTg]$|^--(?:type|type-not|glob|iglob|max-depth|max-count|context)$/,
    /^[^/]*$|^!?(?:\*\*\/)?[\w.*-]+(?:\/[\w.*-]+)*\/?$/,
  ],
];

/** The first plain word, where everything before it is understood and no option brings a pattern of its own. */
const patternsOf = (words: readonly string[]): number[] => {
  // Wherever it stands, it makes a file of the first plain word.
  if (words.some((word) => /^-[A-Za-z]*[ef]|^--(?:re|fi)/.test(word))) return [];
  for (let at = 1; at < words.length; at += 1) {
    const word = words[at] as string;
    if (word === '--') return at + 1 < words.length ? [at + 1] : [];
    if (!word.startsWith('-') || word === '-') return [at];
    const known = words[0] === 'rg' ? WITH_VALUE : WITH_VALUE.slice(0, 1);
    const value = known.find(([option]) => option.test(word))?.[1];
    if (value !== undefined) {
      at += 1;
      if (!value.test(words[at] ?? '/')) return [];
    } else if (
      /^--(?:re|fi|ig|ex|in|pr)/.test(word) &&
      !/^--(?:include|exclude|exclude-dir|ignore-case|invert-match)\b/.test(word)
    )
      return [];
    else if (!FLAGS.test(word)) return [];
  }
  return [];
};

export const AWK = /^(?:[gmn]?awk|original-awk)$/;

export const sedObjections = (words: readonly string[]): Objection[] => readSed(words).objections;
const readSed = (words: readonly string[]): { objections: Objection[]; scripts: number[] } => {
  const objections: Objection[] = [];
  const scripts: number[] = [];
  const script = (at: number, text: string | undefined): void => {
    scripts.push(at);
    if (text === undefined || !isPlainSed(text))
      objections.push(spelled(at, 'the script of sed may write or run something'));
  };
  const operands: number[] = [];
  for (let at = 1; at < words.length; at += 1) {
    const word = words[at] as string;
    if (word === '-' || !word.startsWith('-')) operands.push(at);
    else if (/^--(?:quiet|silent|regexp-extended|separate|unbuffered|null-data|posix|sandbox|debug)$/.test(word))
      continue;
    else if (word.startsWith('--expression=')) script(at, word.slice(13));
    else if (/^-[nErsuz]*e$/.test(word) || word === '--expression') {
      at += 1;
      script(at, words[at]);
    } else if (/^-[nErsuz]+$/.test(word)) continue;
    else objections.push((word === '-i' ? naming : spelled)(at, `${word} lets sed write or load something`));
  }
  const first = operands[0];
  if (scripts.length === 0) script(first ?? 0, first === undefined ? undefined : words[first]);
  return { objections, scripts };
};

const awkProgramAt = (words: readonly string[]): number => {
  let at = 1;
  for (; at < words.length; at += 1) {
    const word = words[at] as string;
    if (word === '-F' || word === '-v') at += 1;
    else if (!/^-[Fv]./s.test(word)) break;
  }
  return words[at] === '--' ? at + 1 : at;
};

export const awkObjections = (words: readonly string[]): Objection[] => {
  const at = awkProgramAt(words);
  const program = words[at];
  if (program !== undefined && !program.startsWith('-') && isPlainAwk(program)) return [];
  return [spelled(at, 'the program of awk may write or run something')];
};

/** The order `e`, and the flag `e` behind what is put in. */
export const SED_RUNS = /(?:^|[\s;{}\d$/!])e(?:$|[\s;}])|[/|,#:@!%~+_=][gpiImM0-9]*e[gpiImMw0-9]*(?:$|[\s;}])/;
