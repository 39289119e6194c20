/** Commands that pass on what another program prints, and that read and run nothing of their own. */
import { scriptsOf } from './scripts.ts';
import type { ShellCommand } from './words.ts';

type Filter = {
  /** Options whose value is the next word: it names no file. */
  values?: RegExp;
  /** Plain words that are no files: a set of characters, a pattern. */
  operands?: number;
};

const COUNTS: Filter = { values: /^-[nc]$|^--(?:lines|bytes)$/ };
const PATTERN: Filter = { values: /^-[A-Za-z]*[ABCm]$/, operands: 1 };
const FILTERS: Readonly<Record<string, Filter>> = {
  cat: {},
  tac: {},
  head: COUNTS,
  tail: COUNTS,
  wc: {},
  nl: {},
  sort: { values: /^-[ktS]$/ },
  uniq: { values: /^-[fsw]$/ },
  cut: { values: /^-[dfcb]$/ },
  tr: { operands: 2 },
  grep: PATTERN,
  egrep: PATTERN,
  fgrep: PATTERN,
  sed: { operands: 1 },
};
/** Of a search through a folder, and of a pattern that stands in a file, another one says more. */
const NOT_FILTERING = /^-[A-Za-z]*[rRdef]|^--(?:rec|deref|dir|file|regexp|expr|follow|retry)/;
const SEARCHER = /^(?:[ef]?grep|sed|tail)$/;

/** True for a command that reads only what is piped into it, and for `echo` with words that are known. */
export const isFilter = ({ words, redirections }: ShellCommand): boolean => {
  const [program, ...rest] = words;
  if (program === undefined || words.some(({ glob }) => glob)) return false;
  const texts = words.map(({ text }) => text);
  if (/^(?:echo|true|false|:)$/.test(program.text))
    return rest.every(({ dynamic, text }) => !dynamic || STATUS_ONLY.test(text));
  const filter = Object.hasOwn(FILTERS, program.text) ? FILTERS[program.text] : undefined;
  if (filter === undefined || words.some(({ dynamic }) => dynamic)) return false;
  if (redirections.some(({ operator }) => operator === '<')) return false;
  const options = texts.slice(1).filter((text) => text.startsWith('-') && text !== '-');
  if (SEARCHER.test(program.text) && options.some((text) => NOT_FILTERING.test(text))) return false;
  const scripts = scriptsOf(texts);
  const operands = rest.filter(({ text }, index) => {
    const isOption = text.startsWith('-');
    return !isOption && !filter.values?.test(rest[index - 1]?.text ?? '');
  });
  const known = filter.operands ?? 0;
  const isKnown = operands.length <= known;
  return isKnown && (scripts.length === 0 || operands.length === scripts.length);
};
/** `$?`: how the command before ended. */
const STATUS_ONLY = /^[^$`]*(?:\$\?[^$`]*)+$/;
