/** What the variables of a line may be, and which names its words then are. */
import { codeOption } from './interpreters.ts';
import { APPENDS, appendsToOpener } from './listed-names.ts';
import { changedVariables, NAMES_MAX, PRINTED, UNKNOWN, type Values } from './variable-forms.ts';
import type { ShellAssignment, ShellCommand, ShellWord } from './words.ts';
import { baseName } from './wrappers.ts';

/** Of a word with a substitution only the rest is known, and not where it stood. */
export const isSubstituted = ({ text, dynamic }: ShellWord): boolean => dynamic && !/[$`]/.test(text);

/** Names that other programs list are looked at where those programs are. */
export const aroundSubstitution = ({ text, start, end }: ShellWord, commands: readonly ShellCommand[]): string[] => {
  const within = commands.filter((inner) => start < inner.start && inner.start < end);
  if (text === '') return within.some(isMaking) ? [PRINTED] : within.some(isHere) ? ['.'] : [];
  return [[UNKNOWN, ...[...text].flatMap((letter) => [letter, UNKNOWN])].join('')];
};

/** It prints what stands in the line, or what its own code makes. */
const isMaking = ({ words, redirections }: ShellCommand): boolean =>
  PRINTS.test(words[0]?.text ?? '') ||
  redirections.some(({ operator }) => operator === '<<<') ||
  words.some(({ text }, at) => at > 0 && makesByCode(baseName(words[0]?.text ?? ''), text));
/** A language that is told a text; not where its packages lie. */
const makesByCode = (program: string, code: string): boolean =>
  (program === 'date' && code.includes('%%')) ||
  ((codeOption(program) !== undefined || /^(?:[gm]?awk|jq|sqlite3?|duckdb|psql)$/.test(program)) &&
    /["'`][^"'`]*["'`]/.test(code) &&
    !/\bresolve\s*\(|__file__|\bsysconfig\b/.test(code));
const PRINTS = /^(?:\S*\/)?(?:echo|printf)$/;
const isHere = ({ words }: ShellCommand): boolean => words.length === 1 && words[0]?.text === 'pwd';
/** The same of a substitution as it is written. */
const madeBy = (substitution: string): string => {
  if (/^(?:\$\(|`)\s*pwd\s*[)`]$/.test(substitution)) return '.';
  if (/\b(?:echo|printf)\b|<<</.test(substitution)) return PRINTED;
  const [, program = '', code = ''] = /^(?:\$\(|`)\s*(\S+)\s(.*)$/s.exec(substitution) ?? [];
  return makesByCode(baseName(program), code.replace(/^.*?['"]/s, '')) ? PRINTED : UNKNOWN;
};

/** Text of the line that another program turns into other text: `echo .enw | tr w v`. */
export const turnsText = (commands: readonly ShellCommand[]): boolean =>
  commands.some(({ words, redirections }, at) => {
    if (!TURNS.test(baseName(words[0]?.text ?? '')) || isSplitting(words)) return false;
    const before = commands[at - 1];
    const isFed = redirections.some(({ operator }) => operator === '<<<');
    return isFed || (before !== undefined && before.words.length > 1 && isMaking(before));
  });
const TURNS =
  /^(?:tr|rev|g?sed|[gm]?awk|cut|fold|paste|base\d+|basenc|xxd|od|perl|ruby|php|node|python[\d.]*|iconv|openssl|fmt|jq|tac)$/;
/** `tr ' ' '\n'`: the pieces are what they were. */
const isSplitting = (words: readonly ShellWord[]): boolean =>
  words.length === 3 &&
  words[0]?.text === 'tr' &&
  !words[1]?.text.startsWith('-') &&
  /^(?:\\n|\n|\\0|\\t| )$/.test(words[2]?.text ?? '');
/** Whether `xargs` and its like give what comes in to a program that opens files. */
export const appendsNames = ({ words }: ShellCommand): boolean =>
  words.some(({ text }) => APPENDS.test(baseName(text))) && appendsToOpener(words);

/** What each variable of the line may be; unknown where the shell makes it of something else. */
export const valuesOf = (given: readonly ShellAssignment[], commands: readonly ShellCommand[]): Values => {
  const lastWords = commands.flatMap(({ words }) => words.slice(1).at(-1)?.text ?? []);
  const values = new Map<string, string[]>([
    ['PWD', ['.']],
    ['_', lastWords.filter((text) => !text.includes('$')).slice(0, NAMES_MAX)],
  ]);
  for (const command of commands)
    for (const name of [...printedInto(command, commands), ...otherNamed(command)]) values.set(name, [PRINTED]);
  if (commands.some((command) => setsOperands(command, commands))) values.set(OPERANDS, [PRINTED]);
  for (const { name, value, isAppended } of given) {
    const around = isSubstituted(value)
      ? aroundSubstitution(value, commands)
      : [value.text.replaceAll(SUBSTITUTION, madeBy)];
    const before = values.get(name) ?? [];
    const isOfItself = (text: string): boolean => text.includes(`$${name}`) || text.includes(`\${${name}`);
    // Changed twice, it is not worked out further.
    const isChangedAgain = before.some(isOfItself) && (isAppended === true || around.some(isOfItself));
    const texts = around.length === 0 ? [UNKNOWN] : around.flatMap(bracesOf);
    const longer = isAppended ? before.flatMap((each) => texts.map((text) => each + text)) : [];
    const all = isChangedAgain ? [PRINTED, ...before] : [...before, ...longer, ...texts];
    // More than are looked at: it may be anything.
    values.set(name, all.length > NAMES_MAX ? [...all.slice(0, NAMES_MAX - 1), PRINTED] : all);
  }
  return values;
};

/** Variables that take what the line prints. */
const printedInto = ({ words, redirections }: ShellCommand, commands: readonly ShellCommand[]): string[] => {
  const [program, option, name] = words.map(({ text }) => text);
  if (program === 'printf') return option === '-v' && name !== undefined ? [name] : [];
  if (!/^(?:read|mapfile|readarray)$/.test(program ?? '')) return [];
  if (!redirections.some(({ operator }) => operator === '<<<') && !turnsText(commands)) return [];
  return words.slice(1).flatMap(({ text }) => (/^[A-Za-z_]\w*$/.test(text) ? [text] : []));
};

/** `declare -n a=b`: what is done to one is done to the other. */
const otherNamed = ({ words }: ShellCommand): string[] => {
  const [program = '', ...others] = words.map(({ text }) => text);
  if (!/^(?:declare|typeset|local)$/.test(program) || !others.some((word) => /^-[A-Za-z]*n/.test(word))) return [];
  return others.flatMap((word) => /^([A-Za-z_]\w*)=([A-Za-z_]\w*)$/.exec(word)?.slice(1) ?? []);
};

/** What `$1` and `$@` may be, where the line makes them of what it prints. */
const OPERANDS = '@';
const setsOperands = ({ words }: ShellCommand, commands: readonly ShellCommand[]): boolean =>
  words[0]?.text === 'set' &&
  words.some(({ dynamic, text }) => dynamic && /^(?:$|\$\(|`)/.test(text)) &&
  turnsText(commands);

const VARIABLE = /\$([A-Za-z_]\w*)/;
/** Substitutions, and what the shell knows of itself. */
const SUBSTITUTION = /`[^`]*`|\$\([^()]*(?:\([^()]*\)[^()]*)*\)/g;
const OTHERWISE = /\$\{[^{}]*\}|\$[@*#?$!0-9-]/g;

export const namesOf = (text: string, values: Values): string[] => {
  const substituted = text.replaceAll(SUBSTITUTION, madeBy).replace(/^~\+(?=\/|$)/, '.');
  let names = changedVariables(substituted, values).map((name) =>
    name.replaceAll(OTHERWISE, values.has(OPERANDS) ? PRINTED : UNKNOWN).replaceAll(/[?*+@!]\([^()]*\)/g, UNKNOWN),
  );
  for (let round = 0; round < ROUNDS_MAX && names.some((name) => name.includes('$')); round += 1)
    names = names
      .flatMap((name) => filledIn(name, values))
      .flatMap((name) => changedVariables(name, values))
      .slice(0, NAMES_MAX);
  return names
    .map((name) => name.replaceAll(new RegExp(VARIABLE, 'g'), UNKNOWN))
    .flatMap(bracesOf)
    .slice(0, NAMES_MAX);
};
const ROUNDS_MAX = 8;

const filledIn = (text: string, values: Values): string[] => {
  const [whole, name] = VARIABLE.exec(text) ?? [];
  if (whole === undefined || name === undefined) return [text];
  // The quotes that ended its name are gone: `"$x"nv` stands here as `$xnv`.
  const begins = (each: string): boolean => name.startsWith(each);
  const known = values.has(name) ? name : [...values.keys()].find(begins);
  const rest = known === undefined ? '' : name.slice(known.length);
  return (values.get(known ?? '') ?? [UNKNOWN]).map((value) => text.replace(whole, () => value + rest));
};

/** `{.,x}env` is `.env` and `xenv`. A range may be anything. */
const bracesOf = (text: string): string[] => {
  let names = [text];
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const next = names.flatMap((name) => {
      const [whole, inner = ''] = /\{([^{}]*(?:,|\.\.)[^{}]*)\}/.exec(name) ?? [];
      if (whole === undefined) return [name];
      const choices = inner.includes(',') ? inner.split(',') : [UNKNOWN];
      return choices.map((choice) => name.replace(whole, () => choice));
    });
    if (next.length === names.length && next.every((name, at) => name === names[at])) return names;
    names = next.slice(0, NAMES_MAX);
  }
  return names;
};
