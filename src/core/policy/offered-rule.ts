/** A rule that comes with an answer, whatever program sends it: one that the question offered, or a pattern of that tool. */
import type { EventOf, Rule } from '../events.ts';
import { isObject } from '../json.ts';
import { failure, type Outcome, succeed } from '../outcome.ts';
import type { Tool } from '../tool.ts';
import { isWebAddress } from './places.ts';
import { patternFault, ruleText } from './rules.ts';

const FIELDS = ['tool', 'pattern'];

const checkForm = (rule: unknown): Outcome<Rule> => {
  const fault = (message: string): Outcome<never> => failure('validation_failed', `The rule ${message}.`);
  if (!isObject(rule)) return fault('must be an object with tool and pattern');
  const unknown = Object.keys(rule).find((key) => !FIELDS.includes(key) && rule[key] !== undefined);
  if (unknown !== undefined) return fault(`has an unknown field ${JSON.stringify(unknown)}; it has tool and pattern`);
  const { tool, pattern } = rule;
  if (typeof tool !== 'string' || tool === '') return fault('needs the name of a tool');
  if (pattern !== undefined && (typeof pattern !== 'string' || pattern.trim() === ''))
    return fault('has a pattern that is no text');
  const checked: Rule = pattern === undefined ? { tool } : { tool, pattern };
  const wrong = patternFault(checked);
  return wrong === undefined ? succeed(checked) : failure('validation_failed', `${wrong}.`);
};

type Asked = Pick<EventOf<'permission_requested'>, 'rule' | 'suggestions'>;
type Called = Pick<Tool, 'name' | 'effects' | 'main_argument'>;

/** `sent` may come from a program in another language. What names nothing is allowed by an answer only where it was offered. */
export const ruleOfAnswer = (sent: unknown, { rule: usual, suggestions = [] }: Asked, tool: Called): Outcome<Rule> => {
  const form = checkForm(sent);
  if (!form.ok) return form;
  const rule = form.value;
  const offered = [usual, ...suggestions];
  const isOffered = offered.some(
    (each) => each.tool === rule.tool && (each.pattern === rule.pattern || each.pattern === undefined),
  );
  if (isOffered || (rule.tool === tool.name && namesSomething(rule.pattern, tool))) return form;
  const names = [...new Set(offered.map(ruleText))].join(', ');
  return failure(
    'validation_failed',
    `${ruleText(rule)} is wider than an answer may be. Take what was offered (${names}), or name in a pattern what ${tool.name} may do.`,
  );
};

/** `*`, `**` and `https://*` name nothing: of a command its program is to be named, of an address its host. */
const namesSomething = (pattern: string | undefined, { effects, main_argument }: Called): boolean => {
  if (pattern === undefined) return false;
  if (main_argument === undefined)
    return pattern.split(',').some((pair) => isLiteral(pair.slice(pair.indexOf('=') + 1)));
  if (pattern.startsWith('=')) return true;
  if (effects === 'process') return !/[*?]/.test(pattern.trim().split(/\s+/)[0] ?? '*');
  return isLiteral(isWebAddress(pattern) || SCHEME.test(pattern) ? hostOf(pattern) : pattern);
};

const SCHEME = /^[^/]*:\/*/;
const hostOf = (pattern: string): string => pattern.replace(SCHEME, '').split(/[/:]/)[0] ?? '';
const isLiteral = (pattern: string): boolean => /[^*?/.:\s]/.test(pattern);
