/** What a question about a line offers to keep, beside what the person said yes to before. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { scratchFolder } from '../../../../tests/support/scratch.ts';
import type { Rule } from '../../../core/events.ts';
import type { JsonObject } from '../../../core/json.ts';
import { type PolicyOverride, parseRule, ruleText, type SourcedRule } from '../../../core/policy.ts';
import { bashTool as tool } from '../../../tools/bash.ts';
import { BUILT_IN_TOOLS } from '../../../tools/index.ts';
import { type CommandRules, openCommandRules } from './command-decider.ts';
import { coversLine, offeredRules } from './offered-rules.ts';

let commands: CommandRules;
beforeEach(async () => {
  const root = scratchFolder();
  mkdirSync(path.join(root, 'src'));
  writeFileSync(path.join(root, 'a.ts'), 'a\n');
  writeFileSync(path.join(root, '.env'), 'KEY=1\n');
  commands = await openCommandRules({ root })();
});

const ruleOf = (text: string): Rule => {
  const parsed = parseRule(text);
  if (!parsed.ok) throw new Error(parsed.error.message);
  return parsed.value;
};
const given = (texts: readonly string[]): SourcedRule[] =>
  texts.map((text) => ({ ...ruleOf(text), source: 'remembered' }));
const offered = async (texts: readonly string[], command: string) => {
  const judgement = { verdict: 'ask', because: '', reasons: [], overrides: [] } as const;
  const rules = given(texts);
  const found = { tool, args: { command }, origins: [], reach: {}, rules };
  const { rule, suggestions, asksEachTime } = await offeredRules(
    { commandRules: async () => commands },
    judgement,
    found,
  );
  return { rule: ruleText(rule), suggestions: suggestions.map(ruleText), asksEachTime };
};

const readsOnly = async (command: string, overrides: readonly PolicyOverride[] = []): Promise<boolean> => {
  const judgement = { verdict: 'ask', because: '', reasons: [], overrides } as const;
  const found = { tool, args: { command }, origins: [], reach: {}, rules: [] };
  return (await offeredRules({ commandRules: async () => commands }, judgement, found)).onlyReads === true;
};

it.each([
  ...['echo one', 'echo', "printf '%s\\n' a", 'pwd', 'date', 'true', 'seq 1 9', 'ls', 'ls -la src', 'test -f a.ts'],
  ...[
    '[ -f a.ts ]',
    'cat a.ts',
    'cat a.ts | wc -l',
    'echo one && pwd',
    'pwd; date; ls',
    'git status',
    'node --version',
  ],
])('knows that %s only reads or prints', async (command) => {
  expect(await readsOnly(command)).toBe(true);
});

it.each([
  ...[
    'echo one > a.ts',
    'echo one >> .bashrc',
    'echo $(rm a.ts)',
    'echo `id > x`',
    'printf -v x one && rm x',
    'date -s now',
  ],
  ...[
    'true && rm a.ts',
    'ls; npm test',
    'cat .env',
    'cat /etc/passwd',
    'find . -delete',
    'echo one | sh',
    'git branch new',
  ],
  ...[
    'echo "$(cat .env)"',
    'test -f a.ts && node x.js',
    'PATH=. ls',
    'sort -o a.ts a.ts',
    'seq 1 9 | tee a.ts',
    'echo (',
  ],
])('does not say of %s that it only reads', async (command) => {
  expect(await readsOnly(command)).toBe(false);
});

it('says nothing calm of a call that something else speaks against', async () => {
  expect(await readsOnly('echo one', [{ because: 'quoted', about: 'provenance', counts: () => true }])).toBe(false);
  expect(await readsOnly('echo one', [{ because: 'it weighs', risk: 'high', counts: () => true }])).toBe(false);
  expect(await readsOnly('echo one', [{ because: 'no sandbox', counts: () => true }])).toBe(true);
});

it.each([
  [[], 'npm test', 'bash(=npm test)'],
  [[], 'npm test 2>&1 | tail -20', 'bash(=npm test)'],
  [[], 'git log', 'bash(=git log)'],
  [[], 'cd src && git log', 'bash(=cd src && git log)'],
  [[], 'git log --oneline -3 | head', 'bash(=git log --oneline -3)'],
  [[], 'git push origin main', 'bash(=git push origin main)'],
  [[], 'git commit -m "a b"', 'bash(=git commit -m "a b")'],
  [[], 'docker compose up -d', 'bash(=docker compose up -d)'],
  [[], 'npm install left-pad', 'bash(=npm install left-pad)'],
  [[], 'npm run build:web 2>&1 | grep error', 'bash(=npm run build:web)'],
  // Two programs of which none may run: only the line itself says both.
  [[], 'npm test && git push', 'bash(=npm test && git push)'],
  [['bash(=npm test)'], 'npm test && git push', 'bash(=git push)'],
  [['bash(=npm test)'], 'npm test && git status --short', 'bash(=git status --short)'],
  [['bash(=npm test)'], 'npm test 2>&1 | tail -5; ls src', 'folder:read'],
  [['folder:read'], 'cat a.ts && npm run lint | tail', 'bash(=npm run lint)'],
  [['bash(=npm run lint)'], 'npm run lint && npm test | tail', 'bash(=npm test)'],
  [[], 'grep -n foo a.ts', 'folder:read'],
  [[], 'cat a.ts | wc -l', 'folder:read'],
  [[], 'ls -la && cat a.ts', 'folder:read'],
  // A command that names no file opens none.
  [[], 'echo one', 'bash(=echo one)'],
  [[], 'pwd', 'bash(=pwd)'],
  [['bash(=npm test)'], 'npm test; echo done', 'bash(=echo done)'],
  [[], 'echo one && cat a.ts', 'folder:read'],
  // What a yes to reading would not cover is not offered with it.
  [[], 'cat .env', 'bash(=cat .env)'],
  [[], 'grep -rn KEY .', 'bash(=grep -rn KEY .)'],
  [[], 'cat /etc/hosts', 'bash(=cat /etc/hosts)'],
] as const)('with %j, a question about %s offers %s', async (rules, line, expected) => {
  const { rule, suggestions, asksEachTime } = await offered(rules, line);
  expect(rule).toBe(expected);
  expect(suggestions).toContain(expected);
  expect(asksEachTime).toBe(false);
});

it.each([
  'git log',
  'git log --oneline -3 | head',
  'npm run build:web',
  'docker compose up -d',
  'git push origin main',
])('offers a wider rule for %s after the very command', async (line) => {
  const { rule, suggestions } = await offered([], line);
  const wider = suggestions.findIndex((text) => text.endsWith(' *)'));
  expect(wider).toBeGreaterThan(suggestions.indexOf(rule));
});

describe('every offered rule', () => {
  const LINES = [
    'npm test && git status',
    'cat a.ts | npm test',
    'ls && npm run x',
    'git diff | cat',
    'cd src && npm test',
  ];
  it.each(LINES)('lets %s pass together with those given before, and adds something to them', async (line) => {
    for (const rules of [[], ['bash(=npm test)'], ['folder:read'], ['bash(git status *)']]) {
      const { suggestions } = await offered(rules, line);
      for (const text of suggestions) {
        expect(coversLine(ruleOf(text), tool, line, { commands, given: given(rules) })).toBe(true);
      }
    }
  });
});

describe('a question about a file', () => {
  const whatIsKept = async (name: string, args: JsonObject) => {
    const judgement = { verdict: 'ask', because: '', reasons: [], overrides: [] } as const;
    const [own] = BUILT_IN_TOOLS.filter((each) => each.name === name);
    if (own === undefined) throw new Error(`no tool ${name}`);
    const { rule, suggestions } = await offeredRules({}, judgement, {
      tool: own,
      args,
      origins: [],
      reach: {},
      rules: [],
    });
    return { rule: ruleText(rule), suggestions: suggestions.map(ruleText) };
  };

  // Every surface keeps the rule of the question where the person names no other.
  it.each([
    ['write_file', { path: 'notes.txt', content: '' }, 'write_file(=notes.txt)'],
    ['edit_file', { path: './src/a.ts', old_text: 'a', new_text: 'b' }, 'edit_file(=./src/a.ts)'],
    ['read_file', { path: '/etc/hosts' }, 'read_file(=/etc/hosts)'],
    ['write_file', { content: '' }, 'write_file'],
  ])('%s of %j keeps %s, and offers what is wider', async (name, args, kept) => {
    const { rule, suggestions } = await whatIsKept(name, args);
    expect(rule).toBe(kept);
    expect(suggestions).toContain(kept);
    expect(suggestions.at(-1)).toBe(name);
  });
});
