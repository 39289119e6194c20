/**
 * Why a rule with a `*` at its end does not cover a command although its first words fit. `unless` says what makes the
 * objection void: the rule spells out the word itself, or the whole command; or nothing but a yes to the very line.
 */
import type { ShellCommand, ShellWord } from './words.ts';

/** What a compiler makes, or a list of packages. */
export type FileKind = 'product' | 'packages';

export type Objection = {
  word: number;
  text: string;
  unless: 'spelled' | 'closed' | 'line';
  /** The word names a file that is asked about under whatever rule. */
  about?: 'secret' | 'auto_executed';
  /** The word says what is run or done: a rule that ends after it says enough. */
  names?: true;
  /** The word that leads out of the workspace. */
  away?: string;
  /** It does not stand where this file carries nothing. */
  file?: { kind: FileKind; name: string };
};

/** Options of one program that do more than its name says. Long ones count in every abbreviation, as the programs read them. */
export type OptionTable = {
  short?: string;
  long?: string;
  /** Short options that take a value, so that its letters are no options. */
  values?: string;
  /** Words with a single dash (find, java): matched whole. */
  words?: RegExp;
  /** More plain words than this: the further ones are files that are written. */
  operands?: number;
  /** Options end at the first plain word, as with programs that read their words by themselves. */
  early?: true;
  /** Options whose value is the next word, which is no operand then. */
  next?: RegExp;
  /** Every word may be anything, known or not: the program only prints it. */
  prints?: true;
  /** Long ones that are harmless although they begin like another. */
  harmless?: RegExp;
  /** Only reads: names of protected files may stand in its words. */
  reads?: true;
  /** Of a file it says no more than its name, size and age. */
  names?: true;
};

const lists = new Map<string, readonly string[]>();
const longOptions = (text: string): readonly string[] => {
  let list = lists.get(text);
  if (list === undefined) {
    list = text.split(' ');
    lists.set(text, list);
  }
  return list;
};

export const optionObjections = (table: OptionTable, words: readonly ShellWord[], from: number): Objection[] => {
  const objections: Objection[] = [];
  const long = table.long === undefined ? [] : longOptions(table.long);
  let operands = 0;
  let plain = false;
  for (let at = from; at < words.length; at += 1) {
    const word = (words[at] as ShellWord).text;
    const object = (): void =>
      void objections.push({ word: at, text: `${word} does more than ${words[0]?.text} alone`, unless: 'spelled' });
    if (plain || word === '-' || !word.startsWith('-')) {
      operands += 1;
      if (table.early) plain = true;
      if (table.operands !== undefined && operands > table.operands) {
        objections.push({ word: at, text: `${word} is a file that would be written`, unless: 'spelled' });
      }
    } else if (word === '--' && table.words === undefined)
      // To find it ends nothing: `find -- . -exec …`.
      plain = true;
    else if (table.next?.test(word)) at += 1;
    else if (table.words !== undefined) {
      if (table.words.test(word)) object();
    } else if (word.startsWith('--')) {
      // Some read a third dash as if it were none: `rg ---pre`.
      const name = word.replace(/^-+/, '').split('=')[0] as string;
      if (table.harmless?.test(`--${name}`)) continue;
      if (long.some((option) => option === name || (name.length > 0 && option.startsWith(name)))) object();
    } else if (hasShort(table, word)) object();
  }
  return objections;
};

/** `-nri`: letters up to the first that takes a value. */
const hasShort = (table: OptionTable, word: string): boolean => {
  for (const letter of word.slice(1)) {
    if (table.short?.includes(letter)) return true;
    if (table.values?.includes(letter)) return false;
  }
  return false;
};

/** A word that the program reads as code or as a name of something to run. */
export const line = (word: number, text: string): Objection => ({ word, text, unless: 'line' });
export const closed = (word: number, text: string): Objection => ({ word, text, unless: 'closed' });
export const spelled = (word: number, text: string): Objection => ({ word, text, unless: 'spelled' });

export const naming = (word: number, text: string): Objection => ({ ...spelled(word, text), names: true });

export const textsOf = (command: ShellCommand): string[] => command.words.map(({ text }) => text);
