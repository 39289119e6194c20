/** Rules that a person may choose from when a call is asked about, the narrowest first. */
import type { Rule } from '../events.ts';
import type { JsonObject } from '../json.ts';
import type { PolicyTool } from '../policy.ts';
import { hostPattern, isWebAddress } from './places.ts';

const MAX_SUGGESTIONS = 4;

/** `shellPatterns` are those of the shell's own rules, for a tool that runs command lines. */
export const suggestedRules = (tool: PolicyTool, args: JsonObject, shellPatterns: readonly string[]): Rule[] => {
  const value = tool.main_argument === undefined ? undefined : args[tool.main_argument];
  if (typeof value !== 'string' || value === '') return [{ tool: tool.name }];
  const patterns = tool.effects === 'process' ? [`=${value}`, ...shellPatterns] : widening(value);
  const rules = [...new Set(patterns)].map((pattern): Rule => ({ tool: tool.name, pattern }));
  // Nobody is offered a yes to every command.
  return [...rules.slice(0, MAX_SUGGESTIONS - 1), ...(tool.effects === 'process' ? [] : [{ tool: tool.name }])];
};

/** The value itself, what lies beside it, and for an address everything on its host. */
const widening = (value: string): string[] => {
  if (isWebAddress(value)) {
    const host = hostPattern(value);
    return host === undefined ? [`=${value}`] : [`=${value}`, host];
  }
  const plain = value.replace(/^(?:\.\/)+/, '');
  const end = plain.lastIndexOf('/');
  if (end <= 0 || /[*?\s]/.test(plain)) return [`=${value}`];
  return [`=${value}`, `${plain.slice(0, end)}/**`];
};
