/** Rules as text, whether one covers a call, and the rule that is offered to be kept. */

import type { Rule } from '../events.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import { failure, type Outcome, succeed } from '../outcome.ts';
import { quotedName } from '../quoted-name.ts';
import { textsIn } from '../scalars.ts';
import type { Tool } from '../tool.ts';
import { coversTarget } from './allowed-files.ts';
import { deniesFile, type FilePlaces } from './denied-files.ts';
import { FOLDER_READ } from './folder-read.ts';
import { matchesWildcard } from './glob.ts';
import { coversPlace, deniesPlace, hostPattern, isWebAddress, placeOf } from './places.ts';
import { plainShellWords, possibleCommands } from './shell-words.ts';

export type PolicyTool = Pick<
  Tool,
  'name' | 'risk' | 'effects' | 'main_argument' | 'path_arguments' | 'in_sandbox' | 'typed_into'
>;

/** `bash(git log *)` → a rule. The person's own syntax, on the command line and in files. */
export const parseRule = (text: unknown): Outcome<Rule> => {
  if (typeof text !== 'string') {
    const message = `${JSON.stringify(text) ?? String(text)} is not a rule but ${text === null ? 'null' : `a ${typeof text}`}. A rule is a text such as bash(git log *)`;
    return failure('validation_failed', message);
  }
  const match = /^([A-Za-z0-9_.:*-]+)(?:\((.*)\))?$/s.exec(text.trim());
  const [, tool, pattern] = match ?? [];
  if (tool === undefined) {
    return failure(
      'validation_failed',
      `${quotedName(text)} is not a rule. Write a tool name, or a tool with a pattern: bash(git log *)`,
    );
  }
  const fault = patternFault({ tool, ...(pattern === undefined ? {} : { pattern }) });
  if (fault !== undefined) return failure('validation_failed', fault);
  if (pattern === undefined || pattern === '*' || pattern === '**') return succeed({ tool });
  if (pattern.trim() === '') return failure('validation_failed', `"${text}" has an empty pattern`);
  return succeed({ tool, pattern });
};

/**
 * Why this rule may have no pattern; undefined where it may. What does not narrow it would allow more than a person reads
 * in it.
 */
export const patternFault = ({ tool, pattern }: Rule): string | undefined => {
  if (pattern === undefined) return undefined;
  if (tool === FOLDER_READ)
    return `${FOLDER_READ} is about the whole folder and takes no pattern. For one file write read_file(=src/a.js), for one command bash(cat *)`;
  return /^\*+$/.test(tool)
    ? `"${tool}(${pattern})" has a pattern, but a pattern is about the arguments of one tool. Name the tool: bash(git log *)`
    : undefined;
};

export const ruleText = (rule: Rule): string =>
  rule.pattern === undefined ? rule.tool : `${rule.tool}(${rule.pattern})`;

/** As a person reads it beside the call: that a pattern is exact is a sign for the rules alone. */
export const shownRule = (rule: Rule): string =>
  ruleText(rule.pattern === undefined ? rule : { ...rule, pattern: rule.pattern.replace(/^=/, '') });

/** `places`: with them a rule goes by the file that is meant, and not by its name alone. */
export const ruleMatches = (
  rule: Rule,
  tool: PolicyTool,
  args: JsonObject,
  purpose: 'allow' | 'deny',
  places?: FilePlaces,
): boolean => {
  const { pattern } = rule;
  if (!matchesWildcard(rule.tool, tool.name)) return false;
  if (pattern === undefined) return true;
  if (tool.main_argument === undefined) return argumentsMatch(pattern, tool, args, purpose, places);
  const values = matchedValues(tool, args);
  const files = tool.effects !== 'process' && isPath(tool) ? places : undefined;
  const matches = (value: JsonValue | undefined): boolean => {
    if (value === undefined) return false;
    const isNamed = patternMatches(pattern, tool, plainText(value), purpose);
    if (files === undefined || typeof value !== 'string') return isNamed;
    return purpose === 'allow'
      ? isNamed && coversTarget(pattern, value, files)
      : isNamed || deniesFile(pattern, value, files);
  };
  // Of several paths, a rule that allows covers all of them and a rule that denies covers any of them.
  return purpose === 'allow' ? values.every(matches) : values.some(matches);
};

/** `recipient=GB29*, amount=10`, for a tool without a main argument. Arguments that are not named may be anything. */
const argumentsMatch = (
  pattern: string,
  { path_arguments: paths }: PolicyTool,
  args: JsonObject,
  purpose: 'allow' | 'deny',
  places: FilePlaces | undefined,
): boolean =>
  argumentPairs(pattern).every(([name, text = '']) => {
    if (name === undefined) return false;
    const isNamed = matchesWildcard(text, plainText(args[name]));
    if (places === undefined || paths?.includes(name) === false) return isNamed;
    const values = textsIn(args[name]);
    if (purpose === 'allow')
      return isNamed && values.every((value) => coversTarget(text, value, places, matchesWildcard));
    return (
      isNamed ||
      values.some((value) => matchesWildcard(text, value) || deniesFile(text, value, places, matchesWildcard))
    );
  });

/** `name=text`, the form that names an argument. */
export const ARGUMENT = /^\s*([\w.-]+)=(.*)$/s;

/** The arguments that a pattern names, each with its text; what names none is an empty pair. */
export const argumentPairs = (pattern: string): (readonly [name?: string, text?: string])[] =>
  pattern.split(/,\s*(?=[\w.-]+=)/).map((pair) => {
    const [, name, text] = ARGUMENT.exec(pair) ?? [];
    return name === undefined ? [] : [name, text ?? ''];
  });

const plainText = (value: JsonValue | undefined): string =>
  typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);

/** What a pattern is compared with: the main argument, and every other path where that is a path. */
const matchedValues = (
  { main_argument, path_arguments = [] }: PolicyTool,
  args: JsonObject,
): (JsonValue | undefined)[] => {
  if (main_argument === undefined || !path_arguments.includes(main_argument)) return [args[main_argument ?? '']];
  const main = textsIn(args[main_argument]);
  const others = path_arguments.filter((name) => name !== main_argument);
  // One without a path is covered by no rule about paths.
  return [...(main.length === 0 ? [undefined] : main), ...others.flatMap((name) => textsIn(args[name]))];
};

export const patternMatches = (
  pattern: string,
  tool: PolicyTool,
  value: string,
  purpose: 'allow' | 'deny',
): boolean => {
  // A pattern that begins with `=` is the value itself, stars and all.
  const exact = pattern.startsWith('=') ? pattern.slice(1) : undefined;
  if (exact === value) return true;
  // An allowing rule compares the value as written; a denying rule compares what it means.
  if (exact !== undefined && (purpose === 'allow' || tool.effects === 'process')) return false;
  if (tool.effects === 'process') return commandMatches(pattern, value, purpose);
  if (purpose === 'allow') return coversPlace(pattern, value, tool.effects);
  const place = placeOf(value, tool.effects);
  if (place === undefined) return false;
  if (exact !== undefined) return placeOf(exact, tool.effects) === place;
  // Words for a search are no path, so a star stands for all of them.
  if (!isPath(tool) && !isWebAddress(value) && matchesWildcard(pattern, value)) return true;
  return deniesPlace(pattern, value, tool.effects);
};

export const isPath = ({ main_argument = '', path_arguments }: PolicyTool): boolean =>
  path_arguments === undefined || path_arguments.includes(main_argument);

/** Word by word; a `*` at the end stands for any further words. An allowing rule covers plain lines only. */
const commandMatches = (pattern: string, line: string, purpose: 'allow' | 'deny'): boolean => {
  const expected = pattern.trim().split(/\s+/);
  if (purpose === 'deny') return possibleCommands(line).some((words) => wordsMatch(expected, words));
  const words = plainShellWords(line);
  return words !== undefined && wordsMatch(expected, words);
};

const wordsMatch = (expected: readonly string[], words: readonly string[]): boolean => {
  const open = expected.at(-1) === '*';
  const fixed = open ? expected.slice(0, -1) : expected;
  if (open ? words.length < fixed.length : words.length !== fixed.length) return false;
  return fixed.every((pattern, index) => matchesWildcard(pattern, words[index] as string));
};

/**
 * The rule that Session and Remember would store. A shell line is covered by its first words, so that a yes to
 * `git log -3` is not a yes to `git push`; where the first words say too little, or the line is not plain, it is
 * covered exactly as it is. An address is covered by its host, so that a yes to one site is not a yes to every other.
 */
export const suggestedRule = (tool: PolicyTool, args: JsonObject): Rule => {
  const value = tool.main_argument === undefined ? undefined : args[tool.main_argument];
  if (typeof value !== 'string') return { tool: tool.name };
  if (tool.effects === 'network' && isWebAddress(value)) {
    return { tool: tool.name, pattern: hostPattern(value) ?? `=${value}` };
  }
  if (tool.effects !== 'process') return { tool: tool.name };
  const words = plainShellWords(value) ?? [];
  const [program = '', subcommand = ''] = words;
  if (words.length > 2 && PROGRAMS_OF_COMMANDS.has(program) && SUBCOMMAND.test(subcommand)) {
    return { tool: tool.name, pattern: `${program} ${subcommand} *` };
  }
  return { tool: tool.name, pattern: `=${value}` };
};

/** Programs whose second word says what they do; of any other, the second word is just an argument. */
const PROGRAMS_OF_COMMANDS: ReadonlySet<string> = new Set(
  'git npm pnpm yarn cargo go docker podman kubectl pip uv apt brew systemctl gh'.split(' '),
);
const SUBCOMMAND = /^[a-z][a-z0-9-]*$/;
