/** What a command line does to what: each of its commands as it is written, and the paths that it names. */
import { possibleCommands } from '../policy/shell-words.ts';
import { bareHosts } from './bare-hosts.ts';
import { addressesIn, folded, lettersOf, withPort, wordsOf } from './text-index.ts';
import { PARTS_MAX, type Part } from './values.ts';

/** What is shorter stands anywhere by chance: `npm test`. */
const COMMAND_WORDS = 3;

/** They only print; where that goes is looked at by itself. */
export const PRINTERS: ReadonlySet<string> = new Set(
  'ls cat head tail wc grep egrep fgrep rg stat file du df pwd echo printf which type diff cmp cd test ['.split(' '),
);
/** Each of their words may be a path. */
const CHANGERS: ReadonlySet<string> = new Set(
  'rm rmdir unlink shred mv cp ln install truncate dd tee touch mkdir chmod chown chgrp source .'.split(' '),
);

/** Programs that run the file which they are given. */
export const INTERPRETER = /^(?:source|\.|[a-z]*sh|python[\d.]*|node|deno|bun|tsx|ts-node|perl|ruby|php|lua|Rscript)$/;
/** They stand before a command. */
const KEYWORD = /^(?:if|then|else|elif|do|while|until|shell|!|[A-Z]+|[@+-]+)$/;

/**
 * Undefined for more than can be looked at. `written`: the line stands in a file of other things too, so that only what a
 * command runs and changes is a path of weight.
 */
export const commandParts = (line: string, from: 'line' | 'written' = 'line'): Part[] | undefined => {
  const parts = new Map<string, Part>();
  const add = (text: string): void => {
    const words = wordsOf(text);
    if (words.length > 0) parts.set(words.join(' '), { kind: 'name', text: lettersOf(text), words });
  };
  const commands = possibleCommands(line).map(withoutKeywords).map(withWrapped);
  for (const words of commands.flatMap((each) => each ?? [])) {
    const [program = '', ...rest] = words;
    if (PRINTERS.has(program)) continue;
    const whole = wordsOf(words.join(' '));
    // Its words elsewhere say nothing: only in this order they are this command.
    if (whole.length >= COMMAND_WORDS) parts.set(words.join(' '), { kind: 'name', text: whole.join('') });
    // A word is a machine where it stands: it is the person's where they said it, and a page's where it stands there alone.
    for (const host of bareHosts(words)) parts.set(host, { kind: 'name', text: lettersOf(host), words: wordsOf(host) });
    const operands = rest.filter((word) => !word.startsWith('-'));
    for (const word of CHANGERS.has(program) ? operands : []) add(word);
    for (const word of from === 'line' ? [program, ...rest.map(afterEquals)] : ranBy(program, operands))
      if (isPath(word)) add(word);
    if (from === 'written' && rest.length > 0 && !/[:=]$/.test(program)) addHosts(rest, parts);
    if (parts.size > PARTS_MAX) return undefined;
  }
  for (const target of redirectedIn(line)) if (!/^\d$/.test(target)) add(target);
  return parts.size > PARTS_MAX || commands.includes(undefined) ? undefined : [...parts.values()];
};

const TARGET = /(?<!>)>+[&|]?\s*["']?([^\s"'|&;<>()]+)/g;
/** What a line is redirected into. */
export const redirectedIn = (line: string): string[] => [...line.matchAll(TARGET)].map(([, target = '']) => target);

/** Of a line that is given whole they are weighed with its other values. */
const addHosts = (words: readonly string[], parts: Map<string, Part>): void => {
  for (const { host, port } of addressesIn(folded(words.join(' '))))
    parts.set(host, { kind: 'host', text: withPort(host, port) });
};

const withoutKeywords = (words: string[]): string[] => {
  const at = words.findIndex((word) => !KEYWORD.test(word));
  const [program = '', ...rest] = at > 0 ? words.slice(at) : words;
  // `@rm` in a makefile.
  return [program.replace(/^[@+-]+(?=\w)/, ''), ...rest];
};

const ranBy = (program: string, operands: readonly string[]): readonly string[] => {
  if (INTERPRETER.test(program)) return operands.slice(0, 1);
  return /^(?:\.{0,2}\/|~)/.test(program) || (program.includes('/') && operands.length > 0) ? [program] : [];
};

const WRAPPERS: ReadonlySet<string> = new Set(
  'sudo doas env command exec eval nohup nice ionice time timeout setsid stdbuf xargs sh bash dash zsh ksh fish busybox npx'.split(
    ' ',
  ),
);
const WRAPS_MAX = 16;
/** The command itself, and what it wraps: `sudo rm a`, `bash -c "rm a"`. Undefined where that goes too deep. */
const withWrapped = (words: string[]): string[][] | undefined => {
  const all = [words];
  for (let inner = words; WRAPPERS.has(inner[0] ?? ''); ) {
    const at = inner.findIndex((word, index) => index > 0 && !/^-|^[A-Za-z_]\w*=|^\d+[smhd]?$/.test(word));
    if (at < 0) break;
    inner = inner.slice(at);
    all.push(inner);
    if (all.length > WRAPS_MAX) return undefined;
  }
  return all;
};

/** `--output=src/a`. */
const afterEquals = (word: string): string => (word.startsWith('-') ? word.slice(word.indexOf('=') + 1) : word);
const isPath = (word: string): boolean => /[./]/.test(word) && !word.startsWith('-') && !word.includes('://');
