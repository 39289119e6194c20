/** The table of rules in docs/how-to/permissions.md, and rules that could match nothing. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { assembled } from '../../../tests/support/assembled.ts';
import type { JsonObject } from '../../core/json.ts';
import { judgeCall, parseRule, type SourcedRule } from '../../core/policy.ts';
import { defineTool } from '../../core/tool/define-tool.ts';
import type { Tool } from '../../core/tool.ts';
import { BUILT_IN_TOOLS } from '../../tools/index.ts';
import { type CommandPlace, openCommandRules } from '../permissions/authorize/command-decider.ts';
import { mistypedRules, uselessDenial } from './mistyped-rules.ts';

const PAGE = readFileSync(new URL('../../../docs/how-to/permissions.md', import.meta.url), 'utf8');
const send: Tool = {
  ...defineTool({
    name: 'send',
    description: 'Sends money',
    risk: 'high',
    parameters: { type: 'object', properties: { to: { type: 'string' }, amount: { type: 'number' } } },
    run: () => 'sent',
  }),
  name: 'mcp__bank__send',
};
const counted = defineTool({
  name: 'take_ticket',
  description: 'Takes a ticket',
  risk: 'medium',
  main_argument: 'number',
  path_arguments: [],
  parameters: { type: 'object', properties: { number: { type: 'integer' } } },
  run: () => 'taken',
});
const TOOLS: readonly Tool[] = [...BUILT_IN_TOOLS, send, counted];

type Call = readonly [name: string, args: string];
type Row = { form: string; example: string; covers: Call; not: Call };
const ROWS: Row[] = [
  ...PAGE.matchAll(/^\| ([^|]+) \| `([^`]+)` \| `([^`]+)` `([^`]+)` \| `([^`]+)` `([^`]+)` \|$/gm),
].map(([, form = '', example = '', tool = '', args = '', other = '', otherArgs = '']) => ({
  form,
  example,
  covers: [tool, args],
  not: [other, otherArgs],
}));

const ruleOf = (text: string): SourcedRule => {
  const rule = parseRule(text);
  if (!rule.ok) throw new Error(rule.error.message);
  return { ...rule.value, source: 'a test' as SourcedRule['source'] };
};
/** What the rules alone say of the call. */
const judge = (decision: 'allow' | 'deny', text: string, [name, given]: Call) => {
  const tool = TOOLS.find((each) => each.name === name) as Tool;
  const args: JsonObject = given.startsWith('{') ? JSON.parse(given) : { [tool.main_argument as string]: given };
  const rules = { allow: [], deny: [], mode: 'ask' as const, [decision]: [ruleOf(text)] };
  const judged = judgeCall(rules, tool, args, {
    ...(tool.effects === 'process' ? { decideCommand: decide } : {}),
    reach: { inFolder: true },
  });
  return judged.reasons.some(({ says, rule }) => says === decision && rule !== undefined);
};
const { decide } = await openCommandRules({ root: '/w', home: '/h' } as CommandPlace)();

test('the page has a row for each form', () => {
  expect(ROWS).toHaveLength(12);
});

describe.each(ROWS)('$form: $example', ({ form, example, covers, not }) => {
  test('denies what it covers and nothing else', () => {
    expect(judge('deny', example, covers)).toBe(true);
    expect(judge('deny', example, not)).toBe(false);
  });
  test('allows the same, where it may', () => {
    expect(judge('allow', example, covers)).toBe(!form.includes('only in a rule that denies'));
    expect(judge('allow', example, not)).toBe(false);
  });
  test('is taken without a word', () => {
    expect(uselessDenial([ruleOf(example)], TOOLS, true)).toBeUndefined();
  });
});

const NEVER: readonly (readonly [rule: string, words: RegExp])[] = [
  ['web_fetch(host=evil.example)', /Write web_fetch\(docs\.example\)/],
  ['web_fetch(url=https://evil.example)', /its url alone: web_fetch\(https:\/\/evil\.example\)/],
  ['web_fetch(evil)', /Write web_fetch\(docs\.example\)/],
  ['web_fetch(*secret*)', /Write web_fetch\(docs\.example\)/],
  ['read_file(path=.env)', /its path alone: read_file\(\.env\)/],
  ['write_file(content=*key*)', /its path alone: write_file\(docs\/\*\*\)/],
  ['bash(command=rm *)', /its command alone: bash\(rm \*\)/],
  ['bash(a | b)', /one command/],
  ['bash(npm test && ls)', /one command/],
  ['bash(cd x; ls)', /one command/],
  ['bash(git commit -m "x y")', /without quotes/],
  ['bash(FOO=1 npm test)', /begins with the program/],
  ['get_current_time(now)', /no arguments.*: get_current_time\./],
  ['mcp__bank__send(GB29*)', /names arguments.*mcp__bank__send\(/],
  ['mcp__files__read(docs/**)', /names arguments: mcp__files__read\(name=text\*\)/],
  ['read_file(docs/**/../x)', /Write read_file\(docs\/\*\*\)/],
];

describe.each(NEVER)('%s', (rule, words) => {
  test('is an error as a denial, and told of as an allowance', () => {
    expect(uselessDenial([ruleOf(rule)], TOOLS, true)).toMatch(words);
    expect(mistypedRules({ allow: [ruleOf(rule)], deny: [] }, TOOLS)).toEqual([
      expect.stringContaining(`The rule allow ${rule} holds for nothing: `),
    ]);
  });
});

test.each([
  ['read_file(pfad=secret*)', /read_file has no argument "pfad"\..* write read_file\(\.\/pfad=secret\*\)/],
  ['write_file(pfad=secret/**)', /write_file has no argument "pfad"/],
  ['rag_search(wort=secret*)', /rag_search has no argument "wort"\..* write rag_search\(\*wort=secret\*\)/],
  ['take_ticket(nummer=5)', /take_ticket has no argument "nummer"/],
  ['astray(secret/**)', /astray has no argument "pfad"/],
])('%s denies nothing, and says what it names', (rule, words) => {
  const astray: Tool = { ...counted, name: 'astray', main_argument: 'pfad' };
  expect(uselessDenial([ruleOf(rule)], [...TOOLS, astray], true)).toMatch(words);
});

test.each([
  ['read_file(./year=2024/**)', 'read_file', 'year=2024/a'],
  ['read_file(=year=2024/a)', 'read_file', 'year=2024/a'],
  ['rag_search(*a=b*)', 'rag_search', 'a=b'],
  ['write_file(./docs/)', 'write_file', 'docs/a/b.md'],
  ['write_file(docs/)', 'write_file', 'docs/a.md'],
  ['write_file(docs//old/../*.md)', 'write_file', 'docs/a.md'],
  ['web_search(*secret*)', 'web_search', 'my secret a/b'],
  ['rag_search(*key*)', 'rag_search', 'a/key/b'],
  ['take_ticket(5)', 'take_ticket', '{"number": 5}'],
])('%s denies %s %s', (rule, name, args) => {
  expect(judge('deny', rule, [name, args])).toBe(true);
  expect(uselessDenial([ruleOf(rule)], TOOLS, true)).toBeUndefined();
});

test('a host alone allows nothing, which is told of', () => {
  expect(mistypedRules({ allow: [ruleOf('web_fetch(docs.example)')], deny: [] }, TOOLS)).toEqual([
    expect.stringMatching(/Write web_fetch\(https:\/\/docs\.example\/\*\*\)/),
  ]);
});

test('nothing is started with a denial that denies nothing', async () => {
  await expect(assembled({ deny: ['web_fetch(host=evil.example)'] })).rejects.toThrow(/would deny nothing/);
});
