import { expect, test } from 'vitest';
import { needsPermission } from './refusal-words.ts';

test('says why, and the rule that lets the call pass on a command line and in a program', () => {
  expect(needsPermission('bash', 'bash has high risk', { tool: 'bash', pattern: 'ls *' })).toBe(
    "bash needs permission and nobody is there to ask: bash has high risk. Allow it with --allow 'bash(ls *)', in a program with permissions: { allow: ['bash(ls *)'] }.",
  );
});

test('says so where no rule does', () => {
  const words = needsPermission('bash', 'the line cannot be read', undefined);
  expect(words).toMatch(/: the line cannot be read\. No rule lets it pass: a person has to answer\.$/);
});

test('quotes a rule so that it can be copied, and shows what nobody could see', () => {
  const words = needsPermission('bash', 'x', { tool: 'bash', pattern: "=echo 'a'" });
  expect(words).toContain(String.raw`--allow 'bash(=echo '\''a'\'')'`);
  expect(words).toContain(`allow: ["bash(=echo 'a')"]`);
  expect(needsPermission('bash', 'x', { tool: 'bash', pattern: '=echo \u001b[2J' })).not.toContain('\u001b');
});
