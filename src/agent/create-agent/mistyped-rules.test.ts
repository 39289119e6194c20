import { expect, it } from 'vitest';
import { assembled } from '../../../tests/support/assembled.ts';
import { parseRule } from '../../core/policy.ts';
import { BUILT_IN_TOOLS } from '../../tools/index.ts';
import { mistypedRules, uselessDenial } from './mistyped-rules.ts';

const TOOLS = BUILT_IN_TOOLS.filter(({ name }) => ['bash', 'read_file', 'write_file', 'ls'].includes(name));
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

it.each<[string, RegExp]>([
  ['bassh', /would deny nothing: no tool is called bassh\. Did you mean bash\?/],
  ['Bash', /Did you mean bash\?/],
  ['Write', /Did you mean write_file/],
  ['reed_file', /Did you mean read_file\?/],
  ['bsh(rm *)', /Did you mean bash\?/],
  ['no_such_tool', /no tool is called no_such_tool\. .*The tools are: /],
  ['shell(rm *)', /no tool is called shell/],
  ['Task', /no tool is called Task/],
  ['grep', /Did you mean grep_search\? For the command grep write bash\(grep \*\)\./],
])('a program that denies %s is not started', async (rule, words) => {
  await expect(assembled({ deny: [rule] })).rejects.toThrow(words);
});

it.each(['bash', 'rm', 'git', 'curl', 'mcp__files__reed', 'write_*', 'folder:read', 'bash(rm *)'])(
  'one that denies %s is',
  async (rule) => {
    const warnings: string[] = [];
    await assembled({ deny: [rule], onWarning: (code) => warnings.push(code) });
    expect(warnings).toEqual([]);
  },
);

it('a word is no command where no tool runs any', () => {
  const deny = [{ tool: 'rm' }];
  expect(uselessDenial(deny, TOOLS, true)).toBeUndefined();
  expect(uselessDenial(deny, TOOLS, false)).toMatch(/deny rm would deny nothing/);
});

it('what a program allows in vain is told of where an agent is opened', async () => {
  const warnings: string[] = [];
  await assembled({ allow: ['bassh'], onWarning: (code, message) => warnings.push(`${code}: ${message}`) });
  expect(warnings).toEqual([expect.stringMatching(/^unknown_rule: No tool is called bassh/)]);
});
