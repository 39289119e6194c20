/** A rule that denies a file holds for that file, however a call or the rule itself spells it. */
import { linkSync, mkdirSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { assembled, nextEvent, openedSession } from '../../../tests/support/assembled.ts';
import { putFiles, scratchFolder } from '../../../tests/support/scratch.ts';
import type { JsonObject } from '../../core/json.ts';
import { type PolicyRules, parseRule } from '../../core/policy.ts';
import { defineTool } from '../../core/tool/define-tool.ts';
import type { Tool } from '../../core/tool.ts';
import { createWorkspace } from '../../io/workspace.ts';
import { scriptedProvider } from '../../testing/index.ts';
import { BUILT_IN_TOOLS } from '../../tools/index.ts';
import { createToolRegistry } from '../loop/run-tool/tool-registry.ts';
import { authorize } from './authorize.ts';

const TEXT = { type: 'string' } as const;
const own = (name: string, more: Partial<Parameters<typeof defineTool>[0]>): Tool =>
  defineTool({
    name,
    description: 'Reads a file',
    risk: 'safe',
    parameters: { type: 'object', properties: { path: TEXT } },
    run: () => 'read',
    ...more,
  });
const LIST = { type: 'object', properties: { path: { type: 'array', items: TEXT } } } as const;
const OWN: readonly Tool[] = [
  own('declared', { main_argument: 'path', path_arguments: ['path'] }),
  own('undeclared', { main_argument: 'path' }),
  own('reading', { main_argument: 'path', path_arguments: ['path'], effects: 'read' }),
  own('writing', { main_argument: 'path', path_arguments: ['path'], risk: 'high' }),
  own('sending', { main_argument: 'path', path_arguments: ['path'], effects: 'network' }),
  own('listed', { main_argument: 'path', path_arguments: ['path'], parameters: LIST }),
  own('paired', { path_arguments: ['path'] }),
  { ...own('server', { effects: 'network', risk: 'medium', parameters: LIST }), name: 'mcp__files__read' },
];
const MORE: Readonly<Record<string, JsonObject>> = {
  write_file: { content: 'x' },
  edit_file: { old_text: 'a', new_text: 'b' },
  replace_lines: { line_start: 1, line_end: 1, new_content: 'b' },
  insert_lines: { line_start: 1, line_end: 1, new_content: 'b' },
};
const BUILT_IN = BUILT_IN_TOOLS.filter(({ path_arguments, main_argument = '' }) =>
  path_arguments?.includes(main_argument),
);

/** `secret` is denied; the other names lead there. */
const laidOut = (): string => {
  const base = realpathSync(scratchFolder());
  putFiles(base, { 'ws/secret/x': 'a', 'ws/secret/deep/y': 'a', 'ws/docs/a': 'a', 'ws/year=1/a': 'a' });
  const root = path.join(base, 'ws');
  for (const [name, target] of [
    ['link', 'secret'],
    ['chain', 'link'],
    ['docs/up', '../secret'],
    ['whole', path.join(root, 'secret')],
    ['file', 'secret/x'],
    ['new', 'secret/missing'],
    ['deep', 'secret/deep'],
    ['kept', 'docs'],
  ] as const)
    symlinkSync(target, path.join(root, name));
  return root;
};

const judgeIn = async (root: string, deny: readonly string[], tools: readonly Tool[] = [...BUILT_IN_TOOLS, ...OWN]) => {
  const workspace = await createWorkspace({ root });
  if (!workspace.ok) throw new Error(workspace.error.message);
  const sourced = deny.map((text) => {
    const rule = parseRule(text);
    if (!rule.ok) throw new Error(rule.error.message);
    return { ...rule.value, source: 'command line' as const };
  });
  const rules: PolicyRules = { allow: [], deny: sourced, mode: 'yolo' };
  const ports = { registry: createToolRegistry(tools, {}), rules: () => rules, workspace: workspace.value };
  return async (name: string, args: JsonObject) => {
    const answer = await authorize(ports, { name, arguments: args }, { mode: 'model' });
    return answer.kind === 'evaluated' ? answer.verdict : answer.message;
  };
};

const argumentsOf = ({ name, parameters }: Tool, file: string): JsonObject => {
  const isList = JSON.stringify(parameters).includes('"items"');
  return { path: isList ? ['docs/a', file] : file, ...MORE[name] };
};
const ruleFor = ({ name, main_argument }: Tool, pattern: string): string =>
  main_argument === undefined ? `${name}(path=${pattern})` : `${name}(${pattern})`;

const SPELLED: readonly ((root: string) => string)[] = [
  () => 'secret/x',
  () => './secret/x',
  () => 'secret//x',
  () => 'secret/./x',
  () => 'docs/../secret/x',
  () => 'link/x',
  () => './link//x',
  () => 'chain/x',
  () => 'docs/up/x',
  () => 'whole/x',
  () => 'file',
  () => 'new',
  () => 'deep/y',
  () => 'deep/../x',
  () => 'secret/missing/z',
  () => 'link/missing/z',
];
/** Names that halter's own tools refuse by themselves. */
const WHOLE: readonly ((root: string) => string)[] = [
  (root) => `${root}/secret/x`,
  (root) => `${root}/link/x`,
  (root) => `//${root}/./secret/x`,
  (root) => pathToFileURL(`${root}/secret/x`).href,
  (root) => `file://${root}/link/x`,
  () => '../ws/secret/x',
  () => '../ws/link/x',
  (root) => `~/${path.relative(homedir(), root)}/secret/x`,
];
const PATTERNS: readonly ((root: string) => string)[] = [
  () => 'secret/**',
  () => './secret/**',
  (root) => `${root}/secret/**`,
  () => '../ws/secret/**',
  () => 'link/**',
  () => 'chain/**',
];

test.each([...BUILT_IN, ...OWN])('$name: every name of a denied file is denied', async (tool) => {
  verifies('H10', 'S34');
  const root = laidOut();
  const spelled = OWN.includes(tool) ? [...SPELLED, ...WHOLE] : SPELLED;
  const passed: string[] = [];
  let rows = 0;
  for (const pattern of PATTERNS.map((of) => of(root))) {
    const judge = await judgeIn(root, [ruleFor(tool, pattern)]);
    for (const file of spelled.map((of) => of(root))) {
      rows += 1;
      if ((await judge(tool.name, argumentsOf(tool, file))) !== 'deny') passed.push(`${pattern} ${file}`);
    }
  }
  expect(passed, `of ${rows}`).toEqual([]);
});

test.each([...BUILT_IN, ...OWN])('$name: another file is not', async (tool) => {
  const root = laidOut();
  for (const pattern of PATTERNS.map((of) => of(root))) {
    const judge = await judgeIn(root, [ruleFor(tool, pattern)]);
    for (const file of ['docs/a', 'kept/a', 'secrets/x', 'docs/secret/x', 'docs'])
      expect([file, pattern, await judge(tool.name, argumentsOf(tool, file))]).not.toContain('deny');
  }
});

test.each([
  ['read_file(=secret/x)', 'file', 'docs/a'],
  ['read_file(secret/*)', 'link/x', 'deep/y'],
  ['read_file(**/deep/**)', 'deep/y', 'link/x'],
  // The name of a link on the way counts too.
  ['read_file(*ink/**)', 'chain/x', 'docs/a'],
  ['read_file(docs/up/**)', 'secret/x', 'docs/a'],
])('%s denies %s and not %s', async (rule, denied, other) => {
  const judge = await judgeIn(laidOut(), [rule]);
  expect(await judge('read_file', { path: denied })).toBe('deny');
  expect(await judge('read_file', { path: other })).not.toBe('deny');
});

/** What a disk that folds case shows of a name: the same file under the other case too. */
test.each([
  ['vault/note', 'vault/secret', 'vault/SECRET', true],
  ['vault/note', 'vault/**', 'vault/SECRET', true],
  ['vault/note', '=vault/deep/Key', 'vault/DEEP/kEY', true],
  ['vault/note', '**/secret', 'vault/Secret', true],
  ['vault/note', 'docs/secret', 'docs/SECRET', false],
  ['docs/note', 'vault/secret', 'vault/SECRET', false],
])(
  'a folder that folds case (%s) within one that does not: %s and %s, denied: %s',
  async (twice, rule, file, denies) => {
    verifies('S34');
    const root = realpathSync(scratchFolder());
    putFiles(root, { 'vault/note': 'x', 'docs/note': 'x' });
    linkSync(path.join(root, twice), path.join(root, path.dirname(twice), 'NOTE'));
    const judge = await judgeIn(root, [`read_file(${rule})`]);
    expect((await judge('read_file', { path: file })) === 'deny').toBe(denies);
  },
);

test('a pattern of the folders above says nothing of the folder itself', async () => {
  const root = laidOut();
  const judge = await judgeIn(root, ['read_file(**/ws/**)', 'declared(ws/**)']);
  expect(await judge('read_file', { path: 'docs/a' })).toBe('allow');
  expect(await judge('declared', { path: `${root}/docs/a` })).toBe('allow');
});

test('a link that comes later counts from then on', async () => {
  const root = laidOut();
  const judge = await judgeIn(root, ['read_file(secret/**)']);
  expect(await judge('read_file', { path: 'later/x' })).toBe('allow');
  mkdirSync(path.join(root, 'a'));
  symlinkSync('../secret', path.join(root, 'a/b'));
  symlinkSync('a/b', path.join(root, 'later'));
  expect(await judge('read_file', { path: 'later/x' })).toBe('deny');
});

/** What a name leads to is changed while a person is asked about it. */
const asked = async (tool: string) => {
  const folder = realpathSync(scratchFolder());
  putFiles(folder, { 'docs/a': 'a\n', 'secret/x': 'a PRIVATE\n' });
  const turn = () => {
    rmSync(path.join(folder, 'docs/a'));
    symlinkSync('../secret/x', path.join(folder, 'docs/a'));
  };
  const args: JsonObject = { path: 'docs/a', ...MORE[tool] };
  const provider = scriptedProvider([{ calls: [{ name: tool, arguments: args }] }, { text: 'done' }]);
  const options = { folder, deny: [`${tool}(secret/**)`], modelProvider: provider, onAsk: 'wait' as const };
  const agent = await assembled(options);
  return { folder, turn, args, agent, provider };
};
const TURNED = ['read_file', 'write_file', 'edit_file', 'replace_lines', 'insert_lines'];

test.each(TURNED)('%s: a link that comes while it is asked about is denied, whoever calls', async (tool) => {
  verifies('S18');
  const { folder, turn, args, agent } = await asked(tool);
  const ask = async () => {
    turn();
    return { decision: 'allow_once' };
  };
  const result = await agent.executeTool(tool, args, { ask });
  expect(result).toMatchObject({ success: false, error_type: 'permission_denied', metadata: { reason: 'rule' } });
  expect(readFileSync(path.join(folder, 'secret/x'), 'utf8')).toBe('a PRIVATE\n');
});

test.each(TURNED)('%s: so it is for a model', async (tool) => {
  verifies('S18');
  const { folder, turn, agent, provider } = await asked(tool);
  const session = await openedSession(agent);
  const question = nextEvent(session, 'permission_requested');
  await session.send({ type: 'send_message', content: 'go' });
  const { tool_call_id } = await question;
  turn();
  await session.send({ type: 'resolve_permission', tool_call_id, decision: 'allow_once' });
  await session.idle();
  await session.close();
  expect(JSON.stringify(provider.requests.at(-1)?.messages)).not.toContain('PRIVATE');
  expect(readFileSync(path.join(folder, 'secret/x'), 'utf8')).toBe('a PRIVATE\n');
});
