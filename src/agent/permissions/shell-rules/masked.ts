/**
 * What of a line could be a command that a rule denies, although no word says so: a program whose name is computed, a text
 * that a shell runs and nobody has read, another meaning of names. Such a line is asked about where something is denied.
 */
import type { ShellCommand, ShellWord } from './words.ts';
import { baseName, isWrapper } from './wrappers.ts';

/** Parts of the shell that give a command another name, or run a text. */
const RENAMES = /^(?:alias|hash|enable|bind|trap|complete|compopt|mapfile|readarray|coproc|builtin|fc|history)$/;
/** Variables that change which program a name means, or what a shell runs first. */
const MEANINGS =
  /^(?:PATH|BASH_ENV|ENV|ZDOTDIR|IFS|SHELLOPTS|BASHOPTS|PROMPT_COMMAND|PS[0-4]|LD_[A-Z_]+|DYLD_[A-Z_]+)$/;
const SHELL = /^(?:(?:ba|da|z|k|mk|a|c|tc|fi)?sh|busybox|toybox|at|batch)$/;
/** They run a text that they are given, too. */
const INTERPRETER = /^(?:python[\d.]*|pypy[\d.]*|perl|ruby|node|deno|bun|php|lua|tclsh|osascript|pwsh|powershell)$/;
const RUNS_WORDS = /^(?:eval|source|\.)$/;
const EACH = /^(?:xargs|parallel)$/;
const EXECUTES = /^(?:-exec|-execdir|-ok|-okdir|-x|-X|--exec|--exec-batch)$/;
/** Their output stands in the line. */
const PRINTERS = /^(?:echo|printf)$/;

/** How it is named in a sentence; undefined where every program of the line is known. */
export const maskedCommand = (commands: readonly ShellCommand[]): string | undefined => {
  const isFed = commands.some(({ words }) => !isPlainPrinter(words) && !isShell(words));
  for (const { words, assignments, redirections } of commands) {
    const renamed = assignments.find(({ name }) => MEANINGS.test(name)) ?? declared(words);
    if (renamed !== undefined) return `what runs with another ${renamed.name}`;
    const reads = isFed || redirections.some(({ operator }) => operator.startsWith('<'));
    const masked = maskedIn(words, reads && commands.length + redirections.length > 1);
    if (masked !== undefined) return masked;
  }
  return undefined;
};

const DECLARES = /^(?:export|declare|typeset|readonly|local|env)$/;
const declared = (words: readonly ShellWord[]): { name: string } | undefined => {
  if (!DECLARES.test(baseName(words[0]?.text ?? ''))) return undefined;
  const names = words.slice(1).flatMap(({ text }) => /^(\w+)=/.exec(text)?.[1] ?? []);
  const name = names.find((each) => MEANINGS.test(each));
  return name === undefined ? undefined : { name };
};

const TAKES_VALUE = /^-[auUgCDdEIPhp]$|^--(?:user|group|chdir|arg-file|delimiter|replace|unset|adjustment)$/;

const isShell = (words: readonly ShellWord[]): boolean => SHELL.test(baseName(words[0]?.text ?? ''));
const isPlainPrinter = (words: readonly ShellWord[]): boolean =>
  PRINTERS.test(words[0]?.text ?? '') && words.every(({ dynamic }) => !dynamic);

/** `reads`: something that nobody has read may come in. */
const maskedIn = (words: readonly ShellWord[], reads: boolean): string | undefined => {
  const [first] = words;
  if (first === undefined) return undefined;
  if (first.dynamic || RENAMES.test(first.text)) return first.text || 'a command';
  const program = baseName(first.text);
  const others = words.slice(1);
  if (RUNS_WORDS.test(program)) return others.some(({ dynamic }) => dynamic) ? `what ${program} runs` : undefined;
  if (SHELL.test(program) || INTERPRETER.test(program)) return maskedText(program, others, reads);
  const executed = words.findIndex(({ text }) => EXECUTES.test(text));
  if (executed >= 0) return maskedIn(words.slice(executed + 1), false);
  return isWrapper(program) ? maskedBehind(program, others, reads) : undefined;
};

/** A shell or an interpreter: the text that it is told, the script that it is given, else what comes in. */
const maskedText = (program: string, words: readonly ShellWord[], reads: boolean): string | undefined => {
  for (const [index, word] of words.entries()) {
    if (/^-[A-Za-z]*[ceErs]$|^--?(?:eval|print|command|exec)$/.test(word.text) && word.text !== '-s') {
      const text = words[index + 1];
      // Without a text it comes from what runs the shell: `xargs sh -c`.
      return text === undefined || text.dynamic || text.text.includes('{}') ? `what ${program} runs` : undefined;
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
    // What xargs reads becomes words of the shell.
    const masked = maskedIn(words.slice(index), EACH.test(wrapper) || reads);
    // Of an option's value it is not known whether it is one.
    if (masked !== undefined || !TAKES_VALUE.test(words[index - 1]?.text ?? '')) return masked;
  }
  return undefined;
};
