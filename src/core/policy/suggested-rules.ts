/** Rules that a person may choose from when a call is asked about, the narrowest first. */
import type { Rule } from '../events.ts';
import type { JsonObject } from '../json.ts';
import { hostPattern, isWebAddress } from './places.ts';
import { isPath, type PolicyTool } from './rules.ts';

const MAX_SUGGESTIONS = 4;

/** `shellPatterns` are those of the shell's own rules, for a tool that runs command lines. */
export const suggestedRules = (tool: PolicyTool, args: JsonObject, shellPatterns: readonly string[]): Rule[] => {
  const value = tool.main_argument === undefined ? undefined : args[tool.main_argument];
  if (typeof value !== 'string' || value === '') return [{ tool: tool.name }];
  const patterns = tool.effects === 'process' ? [`=${value}`, ...shellPatterns] : widening(tool, value);
  const rules = [...new Set(patterns)].map((pattern): Rule => ({ tool: tool.name, pattern }));
  // Nobody is offered a yes to every command.
  return [...rules.slice(0, MAX_SUGGESTIONS - 1), ...(tool.effects === 'process' ? [] : [{ tool: tool.name }])];
};

/** A pattern that says these arguments exactly, for a tool without a main argument; none where that cannot be written. */
export const argumentsPattern = (args: JsonObject, names: readonly string[]): string | undefined => {
  const pairs = names.map((name) => {
    const value = args[name];
    const text = typeof value === 'string' ? value : JSON.stringify(value ?? null);
    const isPlain = text.length > 0 && text.length <= PATTERN_CHARACTERS && !/[*?()'\n\\]|,\s*[\w.-]+=/.test(text);
    return value !== undefined && isPlain && /^[\w.-]+$/.test(name) ? `${name}=${text}` : undefined;
  });
  return pairs.length > 0 && pairs.every((pair) => pair !== undefined) ? pairs.join(', ') : undefined;
};
const PATTERN_CHARACTERS = 120;

/** The value itself, what lies beside a file, and for an address everything on its host. */
const widening = (tool: PolicyTool, value: string): string[] => {
  const { effects } = tool;
  if (isWebAddress(value)) {
    // What names a file is no address, whatever it looks like.
    const host = effects === 'read' || effects === 'write' ? undefined : hostPattern(value);
    return host === undefined ? [`=${value}`] : [`=${value}`, host];
  }
  const plain = value.replace(/^(?:\.\/)+/, '');
  const end = plain.lastIndexOf('/');
  if (end <= 0 || !isPath(tool) || /[*?\s]/.test(plain)) return [`=${value}`];
  return [`=${value}`, `${plain.slice(0, end)}/**`];
};
