import { expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { ruleOfAnswer } from './offered-rule.ts';

const BASH = { name: 'bash', effects: 'process', main_argument: 'command' } as const;
const FETCH = { name: 'web_fetch', effects: 'network', main_argument: 'url' } as const;
const WRITE = { name: 'write_file', effects: 'write', main_argument: 'path' } as const;
const SEND = { name: 'mcp__mail__send', effects: 'network' } as const;

it.each([
  [BASH, ['*', '* *', '?* *', 'gi? *', ' * x']],
  [FETCH, ['*', '**', 'https://*/**', 'https://**', 'http*://*/**', '*://*', 'https://*:443/**', 'https:**']],
  [WRITE, ['*', '**', '**/*', './**', '/**', '*/**', '**/*.*', '..*']],
  [SEND, ['to=*', 'to=**, body=*', 'to=?*']],
])('of what was not offered, a pattern has to name something: %j', (tool, patterns) => {
  verifies('S28');
  const asked = { rule: { tool: tool.name, pattern: '=the call' } };
  const taken = patterns.filter((pattern) => ruleOfAnswer({ tool: tool.name, pattern }, asked, tool).ok);
  expect(taken).toEqual([]);
  expect(ruleOfAnswer({ tool: tool.name }, asked, tool).ok).toBe(false);
  const whole = { ...asked, suggestions: [{ tool: tool.name }] };
  expect(patterns.filter((pattern) => !ruleOfAnswer({ tool: tool.name, pattern }, whole, tool).ok)).toEqual([]);
});

it.each([
  [BASH, 'git *'],
  [FETCH, 'https://*.example/**'],
  [WRITE, '**/*.md'],
  [SEND, 'to=*@home.example, body=*'],
])('a pattern that does is the decision of the person: %j %s', (tool, pattern) => {
  const asked = { rule: { tool: tool.name, pattern: '=the call' } };
  expect(ruleOfAnswer({ tool: tool.name, pattern }, asked, tool)).toEqual({
    ok: true,
    value: { tool: tool.name, pattern },
  });
});
