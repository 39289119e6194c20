import { expect, it } from 'vitest';
import { assembled } from '../../../tests/support/assembled.ts';
import { parseRule } from '../../core/policy.ts';
import { mistypedRules } from './mistyped-rules.ts';

const TOOLS = ['bash', 'read_file', 'write_file', 'ls'];
const sentences = (decision: 'allow' | 'deny', text: string): string[] => {
  const rule = parseRule(text);
  if (!rule.ok) throw new Error(rule.error.message);
  const given = [{ ...rule.value, source: 'a test' }];
  return mistypedRules({ allow: [], deny: [], [decision]: given }, TOOLS);
};

it.each<['allow' | 'deny', string, RegExp]>([
  ['deny', 'bassh', /^No tool is called bassh, .* It denies the command bassh alone\. Did you mean bash\?$/],
  ['deny', 'reed_file', /It denies the command reed_file alone\. Did you mean read_file\?$/],
  ['deny', 'bsh(rm *)', /It holds for nothing\. Did you mean bash\?$/],
  ['allow', 'write_flie', /It holds for nothing\. Did you mean write_file\?$/],
])('%s %s is told of', (decision, rule, words) => {
  expect(sentences(decision, rule)).toEqual([expect.stringMatching(words)]);
});

it.each<['allow' | 'deny', string]>([
  ['allow', 'bash'],
  ['allow', 'bash(git log *)'],
  ['allow', 'folder:read'],
  ['allow', 'mcp__files__reed'],
  ['allow', 'write_*'],
  ['deny', 'rm'],
  ['deny', 'git'],
  ['deny', 'curl'],
])('%s %s is not', (decision, rule) => {
  expect(sentences(decision, rule)).toEqual([]);
});

it('is said where an agent is opened', async () => {
  const warnings: string[] = [];
  await assembled({ deny: ['bassh'], onWarning: (code, message) => warnings.push(`${code}: ${message}`) });
  expect(warnings).toEqual([expect.stringMatching(/^unknown_rule: No tool is called bassh/)]);
});
