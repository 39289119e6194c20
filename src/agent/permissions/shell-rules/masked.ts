/**
 * What of a line could be a command that a rule denies, although no word says so: a program whose name is computed, a text
 * that a shell runs and nobody has read, another meaning of names. Such a line is asked about where something is denied.
 */
import { matchesWildcard } from '../../../core/policy/glob.ts';
import { AGENT_LIMITS } from '../../limits.ts';
import { carriedReadings, carrierOf } from './carriers.ts';
import { startsNothing } from './code-in-line.ts';
import { fedOrder, fedWords, settingsVariable } from './fed-orders.ts';
import { gluedCode, isLanguage, isShell } from './interpreters.ts';
import { hasUnknownOrder, programVariable } from './masked-orders.ts';
import { isPlainSed } from './script-safety.ts';
import { AWK, SED_RUNS } from './scripts.ts';
import type { ShellAnalysis, ShellCommand, ShellWord } from './words.ts';
import { baseName, isWrapper } from './wrappers.ts';

/** Parts of the shell that give a command another name, or run a text. */
const RENAMES =
  /^(?:alias|hash|enable|bind|trap|complete|compgen|compopt|mapfile|readarray|coproc|builtin|fc|history)$/;
/** Variables that change which program a name means, or what a shell runs first. */
const MEANINGS =
  /^(?:PATH|BASH_ENV|ENV|ZDOTDIR|IFS|SHELLOPTS|BASHOPTS|PROMPT_COMMAND|PS[0-4]|LD_[A-Z_]+|DYLD_[A-Z_]+)$/;
const SEARCHERS = /^(?:find|fd|fdfind)$/;
const RUNS_WORDS = /^(?:eval|source|\.)$/;
const EACH = /^(?:xargs|parallel)$/;
const EXECUTES = /^(?:-exec|-execdir|-ok|-okdir|-x|-X|--exec|--exec-batch)$/;
/** Their output stands in the line. */
const PRINTERS = /^(?:echo|printf)$/;

/** How it is named in a sentence; undefined where every program of the line is known. */
export const maskedCommand = (commands: readonly ShellCommand[], context: MaskContext): string | undefined =>
  maskedWithin(commands, context, AGENT_LIMITS.shellLinesWithin);

export type MaskContext = {
  /** What is denied. */
  patterns: readonly (string | undefined)[];
  analyse(line: string): ShellAnalysis;
};

const maskedWithin = (commands: readonly ShellCommand[], context: MaskContext, depth: number): string | undefined => {
  const isFed = commands.some(({ words }) => !isPlainPrinter(words) && !startsShell(words));
  const counts = commands.some(({ words }) => words[0]?.text === 'nproc');
  for (const { words, assignments, redirections } of commands) {
    const renamed =
      assignments.find(({ name }) => MEANINGS.test(name) || (words.length > 0 && settingsVariable(name))) ??
      declared(words);
    if (renamed !== undefined) return `what runs with another ${renamed.name}`;
    const named = programVariable(assignments, words);
    if (named !== undefined) return `what ${named} names`;
    const reads = isFed || redirections.some(({ operator }) => operator.startsWith('<'));
    const isRead = reads && commands.length + redirections.length > 1;
    const masked = maskedIn(words, isRead) ?? fedOrder(words, { reads: isRead, redirections });
    if (masked !== undefined) return masked;
    const told = fedWords(words);
    const appended = told && (maskedIn(told, true) ?? unknownOrder(told, false));
    if (appended !== undefined) return appended;
    const unknown = couldBeDenied(words, context.patterns) ?? unknownOrder(words, counts) ?? carried(words, context);
    if (unknown !== undefined) return unknown;
    for (const line of depth > 0 ? linesFor(words) : []) {
      const inner = context.analyse(line);
      const found = maskedWithin(inner.commands, context, depth - 1);
      if (found !== undefined) return found;
    }
  }
  return undefined;
};

/** A pattern of several words, where one of these is known to the shell alone: `git $c` may be `git push`. */
const couldBeDenied = (words: readonly ShellWord[], patterns: readonly (string | undefined)[]): string | undefined => {
  const tails = fedTails(words) ?? tailsOf(words);
  if (!tails.some((tail) => tail.some(({ dynamic, glob }) => dynamic || glob))) return undefined;
  const found = patterns.some(
    (pattern) => pattern !== undefined && tails.some((tail) => tail[0]?.dynamic !== true && couldBe(pattern, tail)),
  );
  return found ? words.map(({ text }) => text).join(' ') : undefined;
};

/** Behind a wrapper the command may begin at any word; one that is unknown was asked about already. */
const tailsOf = (words: readonly ShellWord[]): (readonly ShellWord[])[] =>
  isWrapper(baseName(words[0]?.text ?? '')) ? words.map((_, at) => words.slice(at)) : [words];

/** What xargs and parallel run goes on with words that they read. */
const fedTails = (words: readonly ShellWord[]): (readonly ShellWord[])[] | undefined => {
  const told = fedWords(words);
  return told === undefined ? undefined : tailsOf(told);
};

/** What a word of the command makes run, which is no program of the line. */
const carried = (words: readonly ShellWord[], { patterns }: MaskContext): string | undefined => {
  for (const tail of tailsOf(words)) {
    const found = carrierOf(
      tail.map(({ text }) => text),
      patterns,
    );
    if (found !== undefined) return found;
  }
  return undefined;
};

const couldBe = (pattern: string, words: readonly ShellWord[]): boolean => {
  const expected = pattern.trim().split(/\s+/);
  const fixed = expected.at(-1) === '*' ? expected.slice(0, -1) : expected;
  for (const [at, part] of fixed.entries()) {
    const word = words[at];
    if (word === undefined) return false;
    // Without quotes it may become several words, or none.
    if (word.dynamic)
      return !word.quoted || fixed.slice(at + 1).every((next, more) => mayBe(next, words[at + 1 + more]));
    // Of a glob the shell makes names of files, and one may be called so.
    if (word.glob && at > 0 && matchesWildcard(word.text, part)) return true;
    if (!matchesWildcard(part, at === 0 ? baseName(word.text) : word.text)) return false;
  }
  return false;
};
const mayBe = (part: string, word: ShellWord | undefined): boolean =>
  word !== undefined && (word.dynamic || matchesWildcard(part, word.text));

const unknownOrder = (words: readonly ShellWord[], counts: boolean): string | undefined => {
  const program = baseName(words[0]?.text ?? '');
  const isTold = words.some(({ text }, at) => isShellName(baseName(text)) && isUnknownText(words.slice(at + 1)));
  return isTold || hasUnknownOrder(program, words.slice(1), counts) ? `what ${program} runs` : undefined;
};

const isUnknownText = ([option, text]: readonly ShellWord[]): boolean =>
  option !== undefined && /^-[A-Za-z]*c$/.test(option.text) && text?.dynamic === true;

/** What a shell of the line is told, as another line. */
const linesFor = (words: readonly ShellWord[]): string[] => {
  const values = carriedReadings(words.map(({ text }) => text)).lines;
  const at = words.findIndex(
    ({ text }) => isShellName(baseName(text)) || /^(?:env|watch|su|flock|script)$/.test(baseName(text)),
  );
  if (at < 0) return values;
  const told = words.slice(at + 1);
  const option = told.findIndex(({ text }) => /^-[A-Za-z]*[cS]$|^--(?:command|split-string)$/.test(text));
  const text = option < 0 ? undefined : told[option + 1];
  return text === undefined || text.dynamic ? values : [...values, text.text];
};

const DECLARES = /^(?:export|declare|typeset|readonly|local|env)$/;
const declared = (words: readonly ShellWord[]): { name: string } | undefined => {
  if (!DECLARES.test(baseName(words[0]?.text ?? ''))) return undefined;
  const names = words.slice(1).flatMap(({ text }) => /^(\w+)=/.exec(text)?.[1] ?? []);
  const name = names.find((each) => MEANINGS.test(each) || settingsVariable(each));
  return name === undefined ? undefined : { name };
};

const TAKES_VALUE = /^-[auUgCDdEIPhp]$|^--(?:user|group|chdir|arg-file|delimiter|replace|unset|adjustment)$/;

const startsShell = (words: readonly ShellWord[]): boolean => isShellName(baseName(words[0]?.text ?? ''));
const isShellName = (program: string): boolean => isShell(program) || /^(?:busy|toy)box$/.test(program);
const isPlainPrinter = (words: readonly ShellWord[]): boolean =>
  PRINTERS.test(words[0]?.text ?? '') && words.every(({ dynamic }) => !dynamic);

/** `reads`: something that nobody has read may come in. */
const maskedIn = (words: readonly ShellWord[], reads: boolean): string | undefined => {
  const [first] = words;
  if (first === undefined) return undefined;
  // Of a glob the shell makes a name of a file, which is then the program.
  const isName = !first.glob || /^\[\[?$/.test(first.text);
  if (first.dynamic || !isName || RENAMES.test(first.text)) return first.text || 'a command';
  const program = baseName(first.text);
  const others = words.slice(1);
  if (RUNS_WORDS.test(program)) return others.some(({ dynamic }) => dynamic) ? `what ${program} runs` : undefined;
  if (isShellName(program)) return maskedText(program, others, reads);
  const told = isLanguage(program) ? maskedText(program, others, reads) : undefined;
  if (told !== undefined) return told;
  if (isCodeOfWords(program, others)) return `what ${program} runs`;
  const executed = SEARCHERS.test(program) ? words.findIndex(({ text }) => EXECUTES.test(text)) : -1;
  // What is found is what runs, or an option that says what does.
  if (executed >= 0 && words[executed + 1]?.text.includes('{}')) return `what ${program} runs`;
  const ends = executed < 0 && others.some(({ text }) => /^(?:\{\}|;|\+)$/.test(text));
  if (SEARCHERS.test(program) && others.some(({ dynamic, quoted }) => dynamic && (!quoted || ends)))
    return `what ${program} runs`;
  if (executed >= 0) return maskedIn(words.slice(executed + 1), false);
  if (program === 'parallel' && !others.some(({ text }) => /^[^-:]/.test(text))) return `what ${program} runs`;
  return isWrapper(program) ? maskedBehind(program, others, reads) : undefined;
};

/** The programs of awk and sed, and of what is told its code by an option. */
const isCodeOfWords = (program: string, words: readonly ShellWord[]): boolean => {
  const texts = words.map(({ text }) => text);
  if (AWK.test(program)) return texts.some((text) => !startsNothing(program, text) || /^-l$|^--load/.test(text));
  if (/^g?sed$/.test(program)) return texts.some((text) => !isPlainSed(text) && SED_RUNS.test(text));
  const at = OTHER_CODE.find(([name]) => name.test(program))?.[1];
  return at !== undefined && texts.some((text) => at.test(text));
};
const OTHER_CODE: readonly (readonly [program: RegExp, option: RegExp])[] = [
  [
    /^(?:R|Rscript|julia|rake|tsx|ts-node|elixir|erl|groovy|scala|octave|swipl|guile|racket|gnuplot|bb|clojure)$/,
    /^-(?:e|E|eval)$|^--e/,
  ],
  [/^(?:emacs|emacsclient)$/, /^-(?:-eval|-execute|eval|e|f|l)$|^--(?:load|funcall)/],
  [/^(?:vim?|nvim|ex|view)$/, /(?:^|[|+:\s])(?:call|exe\w*|py\w*|perl|ruby|lua|so\w*)\b|system\s*\(/],
  [/^java$/, /^-(?:XX:On|agent|javaagent)/],
  [/^(?:gawk)$/, /@load|@include/],
  [/^sqlite3?$/, /\bedit\s*\(|load_extension/i],
  [/^(?:rpm|rpmbuild)$/, /%\(/],
  [/^(?:pandoc)$/, /^-(?:F|L)|^--(?:lua-)?filter/],
];

/** A shell or an interpreter: the text that it is told, the script that it is given, else what comes in. */
const maskedText = (program: string, words: readonly ShellWord[], reads: boolean): string | undefined => {
  const glued = gluedCode(program, [program, ...words.map(({ text }) => text)]);
  if (glued !== undefined && !startsNothing(program, glued)) return `what ${program} runs`;
  for (const [index, word] of words.entries()) {
    if (/^-[A-Za-z]*[cepErsBR]$|^--?(?:eval|print|command|exec)$/.test(word.text) && word.text !== '-s') {
      const text = words[index + 1];
      // Without a text it comes from what runs the shell: `xargs sh -c`.
      const isKnown = isShellName(program) || (text !== undefined && startsNothing(program, text.text));
      return !isKnown || text === undefined || text.dynamic || text.text.includes('{}')
        ? `what ${program} runs`
        : undefined;
    }
    if (word.text === '-' || word.text === '-s') break;
    if (!word.text.startsWith('-') || word.dynamic) return word.dynamic ? `what ${program} runs` : undefined;
    if (/^--?(?:version|help|v|V|h)$/.test(word.text)) return undefined;
  }
  return reads ? `what ${program} runs` : undefined;
};

/** What a wrapper runs: the first of its words that is no option, no number and no variable. */
const maskedBehind = (wrapper: string, words: readonly ShellWord[], reads: boolean): string | undefined => {
  const place = /^-I(.*)$/.exec(words.find(({ text }) => /^-I/.test(text))?.text ?? '')?.[1];
  const isFilled = (text: string): boolean =>
    text.includes('{}') || (place !== undefined && place !== '' && text === place);
  for (const [index, word] of words.entries()) {
    if (/^(?:-S|--split-string)/.test(word.text) && wrapper === 'env')
      return word.dynamic || words[index + 1]?.dynamic ? 'what env runs' : undefined;
    if (word.dynamic) return word.text || 'a command';
    if (/^(?:-.*|\w+=.*|[\d.]+[smhd]?)$/s.test(word.text)) continue;
    if (EACH.test(wrapper) && isFilled(word.text)) return `what ${wrapper} runs`;
    const isTold = EACH.test(wrapper) && isShellName(baseName(word.text));
    if (isTold && words.slice(index).some(({ text }) => isFilled(text) || (place && text.includes(place))))
      return `what ${wrapper} runs`;
    // What xargs reads becomes words of the shell.
    const masked = maskedIn(words.slice(index), EACH.test(wrapper) || reads);
    // Of an option's value it is not known whether it is one.
    if (masked !== undefined || !TAKES_VALUE.test(words[index - 1]?.text ?? '')) return masked;
  }
  return undefined;
};
