/** Every rule that a question offers covers the very call that it stands under, and nothing that a person would not expect. */
import { existsSync, lstatSync, readlinkSync, realpathSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { verifies } from '../../../../tests/requirements.ts';
import { rounds, timeLimit } from '../../../../tests/support/long.ts';
import { putFiles, scratchFolder } from '../../../../tests/support/scratch.ts';
import type { JsonObject } from '../../../core/json.ts';
import { typedLines } from '../../../core/policy/typed-line.ts';
import { type PolicyRules, ruleText, type SourcedRule } from '../../../core/policy.ts';
import { defineTool } from '../../../core/tool/define-tool.ts';
import type { Tool } from '../../../core/tool.ts';
import { createWorkspace } from '../../../io/workspace.ts';
import { BUILT_IN_TOOLS } from '../../../tools/index.ts';
import { createToolRegistry } from '../../loop/run-tool/tool-registry.ts';
import { type AuthorizePorts, authorize, checkRule } from '../authorize.ts';
import { type KeepQuestion, mayKeep } from '../may-keep.ts';
import { openCommandRules } from './command-decider.ts';

const own = (name: string, given: Partial<Parameters<typeof defineTool>[0]>): Tool =>
  defineTool({
    name,
    description: 'Does something',
    risk: 'high',
    parameters: {
      type: 'object',
      properties: { path: { type: 'string' }, other: { type: 'string' }, paths: { type: 'array' } },
    },
    run: () => 'done',
    ...given,
  } as Parameters<typeof defineTool>[0]);
const OWN = [
  own('own_main', { path_arguments: ['path'], main_argument: 'path' }),
  own('own_two', { path_arguments: ['path', 'other'], main_argument: 'path' }),
  own('own_pairs', { path_arguments: ['path'] }),
  own('own_undeclared', {}),
  own('own_word', { path_arguments: [], main_argument: 'other' }),
  own('own_lookup', { path_arguments: ['path'], main_argument: 'path', effects: 'read' }),
  own('own_network', { effects: 'network', main_argument: 'path' }),
];
const TOOLS: readonly Tool[] = [...BUILT_IN_TOOLS, ...OWN];
const NAMES = TOOLS.filter(({ risk }) => risk !== 'safe').map(({ name }) => name);

const PATHS = [
  ...['a.txt', './a.txt', 'docs/a', './docs/a', 'docs//a', 'docs/../docs/a', 'docs/', 'docs', '.', '..', 'new/deep/x'],
  ...[
    'docs/up/x',
    'docs/up/new',
    'docs/file',
    'docs/chain',
    'docs/new',
    'docs/within/b',
    'docs/whole/deep/y',
    'papers/a',
  ],
  ...['docs/*', 'docs/**', 'do?s/a', 'docs/[a]', '*', '**', '=a.txt', '==', 'a b/c d', ' a.txt', 'a.txt ', 'docs/a\n'],
  ...[
    '.env',
    'docs/.env',
    '.npmrc',
    '.vscode/tasks.json',
    '.mcp.json',
    '.git/config',
    'CLAUDE.md',
    '.halter/policies.json',
  ],
  ...[
    '~/x',
    '~',
    'file:///etc/hosts',
    'https://a.test/x',
    '/etc/hosts',
    '/tmp/x/y',
    'C:\\x',
    'docs\\a',
    'раypal/x',
    '',
  ],
];
const ADDRESSES = [
  ...[
    'https://a.test',
    'https://a.test/',
    'https://a.test/x/../y',
    'https://A.TEST:443/x?y=1#z',
    'http://a.test:8080/x',
  ],
  ...[
    'https://u:p@a.test/x',
    'https://u@a.test/',
    'https://bücher.test/x',
    'https://[::1]/x',
    'https://*.test/x',
    'https://a.test./x',
  ],
  ...[
    'https://a.test/%2e%2e/x',
    'https://a.test/a//b',
    'https://a.test\\x',
    ' https://a.test/x',
    'https:a.test/x',
    'a.test/x',
    'ftp://a.test/x',
  ],
];
const LINES = [
  ...[
    'ls',
    'cat docs/a',
    'cat .env',
    'cat /etc/hosts',
    'npm test',
    'npm run build -- --x',
    'git log -3 | head',
    'cd docs && git log',
  ],
  ...[
    'git push origin main',
    'echo a > docs/b',
    'echo a > docs/up/x',
    'echo a > .npmrc',
    'rm -rf docs',
    'cat docs/*',
    'cat do?s/a',
  ],
  ...[
    'echo "$(cat .env)"',
    'npm test && git push',
    'FOO=1 npm test',
    'sudo npm test',
    'bash -c "npm test"',
    'a=b',
    'echo (',
    '',
    ' npm test',
  ],
  ...[
    'git commit -m "a *"',
    'npm run *',
    '=ls',
    'kubectl -n x delete pod y',
    'cat a.txt; npm test',
    'make -C docs',
    'npm test\ngit push',
  ],
  ...[
    'docker run -v .:/x a',
    'cp a.txt docs/up/',
    'ln -s ../src docs/z',
    'echo a > ~/x',
    'cat ~/.ssh/id_rsa',
    'python3 -c "print(1)"',
  ],
];
const WORDS = ['a', 'two words', '*', '=x', '', 'https://a.test/x', '../x', '**/x', 'a, b=c', 'name=value', 'x\ny'];

const valueFor = (name: string, type: unknown): fc.Arbitrary<JsonObject[string]> => {
  if (type === 'integer' || type === 'number') return fc.integer({ min: 1, max: 3 });
  if (type === 'boolean') return fc.boolean();
  if (type === 'array') return fc.array(fc.constantFrom(...PATHS, ...WORDS), { maxLength: 2 });
  const texts =
    name === 'url'
      ? ADDRESSES
      : name === 'command'
        ? LINES
        : /path|filter|file/.test(name)
          ? PATHS
          : [...WORDS, ...PATHS];
  return fc.constantFrom(...(name === 'path' ? [...texts, ...ADDRESSES] : texts));
};
/** Arguments as the schema of the tool names them, some of those that need not be there left out. */
const argumentsOf = ({ parameters }: Tool): fc.Arbitrary<JsonObject> => {
  const { properties = {}, required = [] } = parameters as {
    properties?: Record<string, { type?: unknown }>;
    required?: string[];
  };
  const values = Object.entries(properties).map(([name, { type }]) => [name, valueFor(name, type)] as const);
  return fc.record(Object.fromEntries(values), { requiredKeys: required }) as fc.Arbitrary<JsonObject>;
};
const TYPED: readonly (readonly string[])[] = [[], [], ['git '], ['npm test\n'], ['cat .e']];
const callsOf = (name: string): fc.Arbitrary<Call> =>
  fc.record({
    name: fc.constant(name),
    arguments: argumentsOf(TOOLS.find((tool) => tool.name === name) as Tool),
    typed: name === 'write_job' ? fc.constantFrom(...TYPED) : fc.constant([]),
  });
const calls = fc.constantFrom(...NAMES).chain(callsOf);

let root: string;
let portsFor: (allow: readonly SourcedRule[]) => AuthorizePorts;
beforeEach(async () => {
  root = path.join(realpathSync(scratchFolder()), 'ws');
  putFiles(root, { 'a.txt': 'a', 'docs/a': 'a', 'docs/deep/b': 'a', 'src/x': 'a', 'src/deep/y': 'a', '.env': 'KEY=1' });
  for (const [name, target] of [
    ['docs/up', '../src'],
    ['docs/file', '../src/x'],
    ['docs/chain', 'file'],
    ['docs/whole', path.join(root, 'src')],
    ['docs/new', '../src/missing'],
    ['docs/within', 'deep'],
    ['papers', 'docs'],
  ] as const)
    symlinkSync(target, path.join(root, name));
  const workspace = await createWorkspace({ root });
  if (!workspace.ok) throw new Error(workspace.error.message);
  const registry = createToolRegistry([...TOOLS], {});
  const commandRules = openCommandRules({ root });
  portsFor = (allow) => {
    const rules: PolicyRules = { allow, deny: [], mode: 'ask' };
    const confinement = { confined: true, network: false } as AuthorizePorts['confinement'];
    return { registry, rules: () => rules, workspace: workspace.value, commandRules, confinement };
  };
});

type Call = { name: string; arguments: JsonObject; typed?: readonly string[] };
/** The line that is typed begins with what was typed before. */
const told = ({ name, arguments: args, typed = [] }: Call): JsonObject =>
  name === 'write_job' ? { ...args, text: typedLines(typed, String(args['text'])) } : args;
const judged = async ({ typed = [], ...call }: Call, allow: readonly SourcedRule[] = []) => {
  const answer = await authorize(portsFor(allow), call, { mode: 'model', typed });
  return answer.kind === 'evaluated' ? answer : undefined;
};
/** Each rule that a person may take, and from where it would count. */
const offeredFor = async (call: Call): Promise<SourcedRule[]> => {
  const asked = await judged(call);
  if (asked === undefined || asked.verdict !== 'ask') return [];
  const { rule, suggestions, asksEachTime, flagRule, reasons } = asked;
  // Some things no remembered rule counts for: the question says which.
  const isForgotten = reasons.some(({ because }) => /does not declare which|no remembered rule counts/.test(because));
  const kept = asksEachTime ? [] : [rule, ...suggestions];
  const flags = flagRule === undefined ? [] : [flagRule];
  return [
    ...kept.map((each): SourcedRule => ({ ...each, source: 'this session', fresh: true, at: 1 })),
    ...(isForgotten ? [] : kept).map((each): SourcedRule => ({ ...each, source: 'remembered' })),
    ...flags.map((each): SourcedRule => ({ ...each, source: 'command line' })),
  ];
};
/** What is offered for the call, and would be refused as an answer, or would ask again. */
const broken = async (call: Call): Promise<string[]> => {
  const faults: string[] = [];
  for (const rule of await offeredFor(call)) {
    const { name, arguments: args, typed = [] } = call;
    const tool = TOOLS.find((each) => each.name === name) as Tool;
    const check = await checkRule(portsFor([]), rule, { tool, args: told(call), grants: [] });
    const again = await judged({ name, arguments: args, typed }, [rule]);
    const named = `${ruleText(rule)} (${rule.source})`;
    if (!check.ok) faults.push(`${named} is refused`);
    if (again?.verdict !== 'allow') faults.push(`${named} asks again: ${again?.because}`);
  }
  return faults;
};

/** What a person reads in a rule, by the disk and the network and not by the code of the rules; a sentence where it differs. */
const beyond = ({ tool: ruled, pattern }: SourcedRule, call: Call): string | undefined => {
  const tool = TOOLS.find(({ name }) => name === call.name) as Tool;
  const line = String(told(call)[tool.main_argument ?? '']);
  if (ruled === 'folder:read') {
    if (tool.effects === 'process')
      return READS.test(line.trim()) && !WEIGHS.test(line.trim()) ? undefined : 'no reading';
    return tool.effects === 'read' && named(tool, call).every(liesWithin) ? undefined : 'not reading in the folder';
  }
  if (ruled !== call.name) return 'another tool';
  if (pattern === undefined) return undefined;
  const main = tool.main_argument;
  if (main === undefined) return 'a pattern for a tool without a main argument';
  const value = told(call)[main];
  const values = tool.path_arguments?.includes(main) === true ? named(tool, call) : [value];
  if (pattern.startsWith('=')) return values.every((each) => each === pattern.slice(1)) ? undefined : 'another value';
  if (/^https?:/.test(pattern)) {
    if (!URL.canParse(String(value))) return 'no address';
    const { protocol, host } = new URL(String(value));
    return pattern === `${protocol}//${host.replace(/\.$/, '')}/**` ? undefined : 'another host';
  }
  const [before = ''] = pattern.split(/ ?\*/);
  if (tool.effects === 'process') return String(value).includes(before) ? undefined : 'another command';
  const isBelow = (file: unknown): boolean =>
    meant(String(file)).startsWith(`${meant(before)}/`) || meant(String(file)) === meant(before);
  return values.every(isBelow) ? undefined : 'another folder';
};
const READS = /^(?:ls|cat|git log|cd docs && git log|echo)(?: |$)/;
const WEIGHS = /\.env|\s[/~]|>|\n|"|\(/;
const named = ({ path_arguments: paths = [] }: Tool, call: Call): unknown[] =>
  paths.flatMap((name) => call.arguments[name] ?? []);
/** Below a file of this machine nothing is a link either: `/tmp/x/y` beside somebody's `/tmp/x`. */
const isLink = (file: string): boolean => {
  try {
    return lstatSync(file).isSymbolicLink();
  } catch {
    return false;
  }
};
const meant = (file: string): string => {
  let known = path.resolve(root, file);
  const rest: string[] = [];
  while (!existsSync(known)) {
    const leadsNowhere = isLink(known);
    if (!leadsNowhere) rest.unshift(path.basename(known));
    known = path.resolve(path.dirname(known), leadsNowhere ? readlinkSync(known) : '.');
  }
  return path.join(realpathSync(known), ...rest);
};
const liesWithin = (file: unknown): boolean =>
  meant(String(file)) === root || meant(String(file)).startsWith(`${root}/`);
const LINES_OF_FILE = { line_start: 1, line_end: 1, new_content: 'b', anchor: 'a' };
const MORE: Readonly<Record<string, JsonObject>> = {
  write_file: { content: 'x' },
  edit_file: { old_text: 'a', new_text: 'b' },
  replace_lines: LINES_OF_FILE,
  insert_lines: LINES_OF_FILE,
};
const RUNS = rounds(250, 3000);

/** A link in the folder of every kind, for every tool that is given files. */
const LINKED: readonly Call[] = TOOLS.flatMap(({ name, path_arguments: paths = [] }) =>
  paths.includes('path')
    ? ['docs/up/x', 'docs/chain', 'docs/new'].map((file) => ({
        name,
        arguments: { path: file, ...(MORE[name] ?? {}) },
      }))
    : [],
);

describe('a rule that a question offers', () => {
  test(
    'covers that very call, whatever tool and arguments it has',
    async () => {
      verifies('Z8');
      await fc.assert(
        fc.asyncProperty(calls, async (call) => {
          expect(await broken(call)).toEqual([]);
        }),
        { numRuns: RUNS, examples: LINKED.map((call) => [call]) },
      );
    },
    timeLimit(60_000),
  );

  test(
    'covers no call that a person would not read in it',
    async () => {
      verifies('Z8');
      await fc.assert(
        fc.asyncProperty(calls, fc.array(calls, { minLength: 8, maxLength: 8 }), async (asked, others) => {
          for (const rule of await offeredFor(asked))
            for (const other of others) {
              const given =
                other.name === asked.name || rule.tool === 'folder:read'
                  ? other
                  : { ...asked, arguments: other.arguments };
              const wide = beyond(rule, given);
              if (wide === undefined || (await judged(given))?.verdict === 'allow') continue;
              expect(
                `${ruleText(rule)} ${JSON.stringify(given)} ${wide}: ${(await judged(given, [rule]))?.verdict}`,
              ).not.toMatch(/: allow$/);
            }
        }),
        { numRuns: RUNS },
      );
    },
    timeLimit(60_000),
  );
});

describe('the rule that a question about what a command changed offers', () => {
  test.each([
    '*.code-workspace',
    '.vscode/*',
    '.vscode/?asks.json',
    '**/.npmrc',
    '=.npmrc',
    '.npmrc',
    '.vscode/tasks.json',
  ])('names %s alone', async (file) => {
    verifies('S34');
    let asked: KeepQuestion | undefined;
    const ask = async (question: KeepQuestion): Promise<boolean> => {
      asked = question;
      return false;
    };
    await mayKeep(portsFor([]), undefined, ask)([{ path: file, kind: 'file', reason: 'it is run', after: 'x' }]);
    const rule = asked?.flag_rule;
    if (rule === undefined) throw new Error('no rule is offered');
    const others = ['a.code-workspace', '.vscode/tasks.json', '.vscode/settings.json', 'deep/.npmrc', '.npmrc', file];
    const write = (path: string) =>
      judged({ name: 'write_file', arguments: { path, content: 'x' } }, [{ ...rule, source: 'command line' }]);
    const covered: string[] = [];
    for (const other of new Set(others)) if ((await write(other))?.verdict === 'allow') covered.push(other);
    expect(covered).toEqual([file]);
  });
});
