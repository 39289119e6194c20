/** Rules that a program keeps in a file: `{ "allow": […], "deny": […] }`, or the form of policies.json. Unsure is an error. */
import { readFile } from 'node:fs/promises';
import { isObject, type JsonValue } from '../core/json.ts';
import { failure, type Outcome, succeed } from '../core/outcome.ts';
import { parseRule, ruleText } from '../core/policy.ts';
import { errorCode } from '../disk/disk-failure.ts';

export type RuleTexts = { allow: readonly string[]; deny: readonly string[] };

export const readRulesFile = async (path: string): Promise<Outcome<RuleTexts>> => {
  let value: JsonValue;
  try {
    value = JSON.parse(await readFile(path, 'utf8')) as JsonValue;
  } catch (error) {
    const why = error instanceof SyntaxError ? `it is no JSON (${error.message})` : errorCode(error);
    return failure('io_error', `The rules of ${path} cannot be read: ${why}. Nothing is allowed or denied by them.`);
  }
  const rules = rulesIn(value);
  return typeof rules === 'string' ? failure('validation_failed', `The rules of ${path}: ${rules}.`) : succeed(rules);
};

/** In words what is wrong with it, where something is: a rule that is left out would not hold. */
const rulesIn = (value: JsonValue): RuleTexts | string => {
  if (!isObject(value)) return 'it is no object with "allow" and "deny"';
  const { version, rules, allow = [], deny = [], ...further } = value;
  const [unknown] = Object.keys(further);
  if (unknown !== undefined) return `"${unknown}" is not known beside "allow" and "deny"`;
  if (version !== undefined && version !== 1) return `version ${JSON.stringify(version)} is not known`;
  if (!isTexts(allow) || !isTexts(deny)) return '"allow" and "deny" are lists of texts such as "bash(git log *)"';
  for (const [name, texts] of Object.entries({ allow, deny })) {
    for (const [index, text] of texts.entries()) {
      const rule = parseRule(text);
      if (!rule.ok) return `${name}[${index}]: ${rule.error.message}`;
    }
  }
  if (rules !== undefined && !Array.isArray(rules)) return '"rules" is a list';
  const read = { allow: [...allow], deny: [...deny] };
  for (const rule of rules ?? []) {
    if (!isObject(rule) || typeof rule['tool'] !== 'string') return 'a rule names no tool';
    const { tool, pattern, decision } = rule;
    if (decision !== 'allow' && decision !== 'deny') return `the decision of ${tool} is "allow" or "deny"`;
    if (pattern !== undefined && typeof pattern !== 'string') return `the pattern of ${tool} is text`;
    const text = ruleText({ tool, ...(pattern === undefined ? {} : { pattern }) });
    const parsed = parseRule(text);
    if (!parsed.ok) return parsed.error.message;
    read[decision].push(text);
  }
  return read;
};

const isTexts = (value: JsonValue): value is string[] =>
  Array.isArray(value) && value.every((entry) => typeof entry === 'string');
