/** The words of the command line → the command that is meant, its words and its flags; or what is wrong with them. */

import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { quotedName } from '../core/quoted-name.ts';
import { readTokenCount } from '../core/token-count.ts';
import { didYouMean } from '../core/tool/nearest-names.ts';
import type { CommandSpec } from './command-spec.ts';
import { COMMANDS, GROUPS, inGroup, TERMINAL_APP } from './commands.ts';
import { contradictionIn } from './contradictions.ts';
import { FLAG_NAMES, type FlagName, type FlagValues, flagSpec, isFlagName, isSwitch } from './flags.ts';
import { habitualFlag, habitualWord } from './habits.ts';
import { UsageError } from './io.ts';

export type Parsed =
  | { kind: 'command'; command: CommandSpec; words: string[]; flags: FlagValues }
  /** `topic`: a command, a group of commands, or '' for all. */
  | { kind: 'help'; topic: string }
  | { kind: 'version' };

const OPTIONS = Object.fromEntries(
  FLAG_NAMES.map((name) => {
    const { short } = flagSpec(name);
    return [name, { type: isSwitch(name) ? 'boolean' : 'string', ...(short ? { short } : {}) } as const];
  }),
);

export const parseArguments = (argv: readonly string[], cwd: string): Parsed => {
  // Not strict: unknown flags get a better sentence below than the one parseArgs has.
  const { tokens } = parseArgs({
    args: [...argv],
    options: OPTIONS,
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  const positionals = tokens.flatMap((token) => (token.kind === 'positional' ? [token.value] : []));
  const given = new Map<string, string[]>();
  for (const token of tokens) {
    if (token.kind === 'option' && !isFlagName(token.name)) given.set(token.name, []);
  }
  const wantsHelp = tokens.some((token) => token.kind === 'option' && token.name === 'help');
  if (tokens.some((token) => token.kind === 'option' && token.name === 'version')) return { kind: 'version' };
  if (positionals[0] === 'help') return helpOn(positionals.slice(1));
  if (wantsHelp) return helpOn(positionals);

  const [first = ''] = positionals;
  const habitual = tokens.flatMap((token) =>
    token.kind === 'option' && !isFlagName(token.name) ? [token.rawName] : [],
  );
  checkHabits(habitual, positionals);
  const isBareGroup =
    positionals.length === 1 && !COMMANDS.some(({ name }) => name === first) && inGroup(first).length > 0;
  if (isBareGroup && !hasList(first)) return { kind: 'help', topic: first };
  const { command, words } = findCommand(isBareGroup ? [first, 'list'] : positionals, cwd);
  const flags: Record<string, string | number | boolean | string[]> = {};
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const name = knownFlag(token.name, token.rawName, command);
    const value = readValue(name, token, command);
    if (flagSpec(name).multiple) flags[name] = [...((flags[name] as string[] | undefined) ?? []), String(value)];
    else flags[name] = value;
  }
  checkWords(command, words);
  const contradiction = contradictionIn(flags as FlagValues, command.name, words);
  if (contradiction !== undefined) throw new UsageError(contradiction, command.name);
  return { kind: 'command', command, words, flags: flags as FlagValues };
};

/** A flag that another program has. `serve -p 80` means something else there too. */
const checkHabits = (unknown: readonly string[], positionals: readonly string[]): void => {
  const [first = '', ...rest] = positionals;
  if (first !== 'run' && GROUPS.includes(first)) return;
  for (const flag of unknown) {
    const hint = habitualFlag(flag, first === 'run' ? rest : positionals);
    if (hint !== undefined) throw new UsageError(`Unknown flag ${flag}.${hint}`);
  }
};

/** The most words of a command's name that stand in front: `tools call` before `tools`. */
const helpOn = (positionals: readonly string[]): Parsed => {
  const two = positionals.slice(0, 2).join(' ');
  const one = positionals[0] ?? '';
  if (COMMANDS.some(({ name }) => name === two)) return { kind: 'help', topic: two };
  if (GROUPS.includes(one) || one === '' || one === 'all') return { kind: 'help', topic: one };
  throw new UsageError(`There is no command ${quotedName(one)}.${didYouMean(one, GROUPS)}`);
};

/** A group alone shows its list. */
const hasList = (group: string): boolean => COMMANDS.some(({ name }) => name === `${group} list`);

/** Of what no folder can be called (a whole message, say) there is none. */
const isFolder = (path: string): boolean => {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch {
    return false;
  }
};

const findCommand = (positionals: readonly string[], cwd: string): { command: CommandSpec; words: string[] } => {
  const [first, second, ...rest] = positionals;
  if (first === undefined) return { command: TERMINAL_APP, words: [] };
  // `mcp` is a command, and `mcp add` is another.
  const both = COMMANDS.find(({ name }) => name === `${first} ${second}`);
  if (both) return { command: both, words: rest };
  const single = COMMANDS.find(({ name }) => name === first);
  if (single) return { command: single, words: positionals.slice(1) };
  const group = inGroup(first);
  if (group.length > 0) {
    const names = group.map(({ name }) => name.slice(first.length + 1));
    const found = group[names.indexOf(second ?? '')];
    if (found) return { command: found, words: rest };
    const problem = `There is no ${quotedName(`${first} ${second ?? ''}`)}`;
    throw new UsageError(`${problem}: ${names.join(', ')}.${didYouMean(second ?? '', names)}`, first);
  }
  if (isFolder(resolve(cwd, first))) return { command: TERMINAL_APP, words: [...positionals] };
  const guess = didYouMean(first, GROUPS);
  const habit = habitualWord(positionals, guess);
  const looksLikePath = /[/\\.~]/.test(first) && habit === undefined;
  throw new UsageError(
    looksLikePath
      ? `There is no folder ${quotedName(first)}.`
      : `There is no command and no folder ${quotedName(first)}.${habit ?? guess}`,
  );
};

const knownFlag = (name: string, rawName: string, command: CommandSpec): FlagName => {
  const own = command.flags.map((flag) => `--${flag}`);
  const where = command.name === '' ? 'the terminal app' : `halter ${command.name}`;
  if (!isFlagName(name)) throw new UsageError(`Unknown flag ${rawName}.${didYouMean(rawName, own)}`, command.name);
  if (!command.flags.includes(name)) {
    const meant = name === 'json' && command.flags.includes('format') ? ' Did you mean --format json?' : undefined;
    throw new UsageError(`${rawName} means nothing to ${where}.${meant ?? didYouMean(rawName, own)}`, command.name);
  }
  return name;
};

const readValue = (
  name: FlagName,
  { rawName, value, inlineValue }: { rawName: string; value?: string | undefined; inlineValue?: boolean | undefined },
  { name: command, flagHelp }: CommandSpec,
): string | number | boolean => {
  const own = flagHelp?.[name]?.choices;
  const spec = own ? { ...flagSpec(name), choices: own } : flagSpec(name);
  if (spec.kind === 'switch') {
    if (value !== undefined) throw new UsageError(`${rawName} takes no value.`, command);
    return true;
  }
  if (spec.kind === 'optional') return value?.trim() ? value.trim() : true;
  // `--allow --yolo`: a value was forgotten. A negative number is a value.
  if (value === undefined || (inlineValue !== true && /^-(?!\d)./.test(value))) {
    const hint = value === undefined ? '' : ` If the value is ${quotedName(value)}, write ${rawName}=${value}.`;
    throw new UsageError(`${rawName} needs a value: ${spec.value ?? 'VALUE'}.${hint}`, command);
  }
  if (spec.kind === 'text' && spec.mayBeEmpty !== true && value.trim() === '') {
    throw new UsageError(`${rawName} needs a value: ${spec.value ?? 'VALUE'}. What it was given is empty.`, command);
  }
  if (spec.kind === 'choice' && !spec.choices?.includes(value)) {
    const choices = spec.choices ?? [];
    throw new UsageError(
      `${rawName} is one of ${choices.join(', ')}, not ${quotedName(value)}.${didYouMean(value, choices)}`,
      command,
    );
  }
  if (spec.kind === 'tokens') {
    const read = readTokenCount(value);
    if (!read.ok) throw new UsageError(`${rawName} ${read.problem}, not ${quotedName(value)}.`, command);
    return read.tokens;
  }
  if (spec.kind === 'integer' || spec.kind === 'number') {
    const number = value.trim() === '' ? Number.NaN : Number(value);
    const right = spec.kind === 'integer' ? Number.isSafeInteger(number) : Number.isFinite(number);
    if (!right)
      throw new UsageError(
        `${rawName} is a${spec.kind === 'integer' ? 'n integer' : ' number'}, not ${quotedName(value)}.`,
        command,
      );
    return number;
  }
  return value;
};

const checkWords = (command: CommandSpec, words: readonly string[]): void => {
  const called = command.name === '' ? 'halter' : command.name;
  if (words.length < command.words.min) {
    throw new UsageError(`${called} needs ${command.usage}.`, command.name);
  }
  if (words.length > command.words.max) {
    const extra = words[command.words.max] as string;
    throw new UsageError(`${called} does not know what to do with ${quotedName(extra)}.`, command.name);
  }
};
