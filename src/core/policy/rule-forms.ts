/** What the pattern of a rule is compared with, by tool, and why some pattern can match no call of it. */
import type { JsonSchema } from '../json.ts';
import { argumentNames } from '../tool/argument-schemas.ts';
import { ARGUMENT, argumentPairs, isPath, type PolicyTool, patternMatches } from './rules.ts';

export type RuledTool = PolicyTool & { parameters: JsonSchema };

/** A sentence with the form that works; undefined where some call of the tool can match. */
export const patternProblem = (pattern: string, tool: RuledTool, decision: 'allow' | 'deny'): string | undefined => {
  const names = argumentNames(tool.parameters);
  const main = tool.main_argument;
  if (main === undefined) return argumentProblem(pattern, tool.name, names);
  if (!names.includes(main)) return `${tool.name} has no argument "${main}", which it calls its main one.`;
  const [, named, rest = ''] = ARGUMENT.exec(pattern) ?? [];
  if (named !== undefined && names.includes(named)) {
    const form = named === main && rest !== '' ? `${tool.name}(${rest})` : exampleOf(tool, decision);
    return `a pattern of ${tool.name} is its ${main} alone: ${form}.`;
  }
  if (tool.effects === 'process') return pattern.startsWith('=') ? undefined : commandProblem(pattern, tool.name);
  // One that allows was offered for a path such as year=2024/a.
  if (named !== undefined && decision === 'deny' && !isAddressed(tool)) {
    const other = isPath(tool) ? `./${pattern}` : `*${pattern}`;
    return `${tool.name} has no argument "${named}". A pattern of ${tool.name} is its ${main} alone: ${exampleOf(tool, decision)}. For a ${main} that begins with ${named}= write ${tool.name}(${other}).`;
  }
  const plain = pattern.replace(/^=/, '').replaceAll(/\*+|\?/g, 'a');
  const values = isAddressed(tool) ? [plain, `https://${plain}`, `https://${plain}/a`].filter(isAddress) : [plain];
  if (values.some((value) => patternMatches(pattern, tool, value, decision))) return undefined;
  return `no ${main} of ${tool.name} is written so. Write ${exampleOf(tool, decision)}.`;
};

const isAddress = (text: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(text) && URL.canParse(text);

/** Its main argument is an address, and not words for a service. */
const isAddressed = ({ effects, main_argument }: PolicyTool): boolean =>
  effects === 'network' && /^ur[il]$/.test(main_argument ?? '');

const argumentProblem = (pattern: string, tool: string, names: readonly string[]): string | undefined => {
  if (names.length === 0) return `${tool} has no arguments, so a rule for it has no pattern: ${tool}.`;
  const unknown = argumentPairs(pattern).find(([name]) => !names.includes(name ?? ''));
  if (unknown === undefined) return undefined;
  const wrong = unknown[0] === undefined ? '' : `${tool} has no argument "${unknown[0]}". `;
  return `${wrong}A pattern of ${tool} names arguments (${names.join(', ')}): ${tool}(${names[0]}=text*).`;
};

const OPERATOR = /^(?:[;&|<>]+|\d?>&?\d?)$|[;&|]$/;
const QUOTED = /^["'`]|["'`]$/;

/** One command as its words are when the shell has read them. */
const commandProblem = (pattern: string, tool: string): string | undefined => {
  const words = pattern.trim().split(/\s+/);
  const whole = `For one line just as it is written, write ${tool}(=…).`;
  if (words.some((word) => OPERATOR.test(word)))
    return `a pattern of ${tool} is one command, and each command of a line is looked at by itself: ${tool}(git log *). ${whole}`;
  if (words.some((word) => QUOTED.test(word)))
    return `a pattern of ${tool} is words without quotes: ${tool}(git commit -m *). ${whole}`;
  if (/^\w+=/.test(words[0] ?? ''))
    return `a pattern of ${tool} begins with the program, and not with a variable: ${tool}(npm test). ${whole}`;
  return undefined;
};

const exampleOf = (tool: RuledTool, decision: 'allow' | 'deny'): string => {
  if (tool.effects === 'process') return `${tool.name}(git log *)`;
  if (isAddressed(tool)) return `${tool.name}(${decision === 'deny' ? 'docs.example' : 'https://docs.example/**'})`;
  return tool.path_arguments?.includes(tool.main_argument ?? '') ? `${tool.name}(docs/**)` : `${tool.name}(words*)`;
};
