/** What a yes for the session allows: what its question named, and nothing else. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { scratchFolder } from '../../tests/support/scratch.ts';
import { defineTool, type ToolDefinition } from '../core/tool/define-tool.ts';
import type { JsonSchemaInput } from '../schema/index.ts';
import { scriptedProvider } from '../testing/index.ts';
import { BUILT_IN_TOOLS } from '../tools/index.ts';
import { createHarness } from './create-harness.ts';

type Declared = Partial<Pick<ToolDefinition<JsonSchemaInput>, 'risk' | 'effects' | 'path_arguments' | 'main_argument'>>;
/** All the ways in which a tool of a program asks. */
const DECLARED: Declared[] = [
  {},
  { path_arguments: [] },
  { path_arguments: ['file'] },
  { path_arguments: ['file'], main_argument: 'file' },
  { risk: 'medium', effects: 'read' },
  { risk: 'medium', effects: 'read', path_arguments: [] },
  { risk: 'medium', effects: 'read', path_arguments: ['file'] },
  { risk: 'medium', effects: 'write', path_arguments: ['file'] },
  { risk: 'medium', effects: 'network', path_arguments: [] },
  { risk: 'high', path_arguments: [] },
];
const made = (name: string, declared: Declared) =>
  defineTool({
    name,
    description: name,
    parameters: { type: 'object', properties: { file: { type: 'string', default: 'a.txt' } } },
    ...declared,
    run: () => 'done',
  });

test.each(DECLARED)('of a tool with %j covers that tool alone', async (declared) => {
  const workspace = scratchFolder();
  writeFileSync(join(workspace, 'a.txt'), 'x');
  const others = DECLARED.map((one, index) => made(`other_${index}`, one));
  const first = { name: 'first', arguments: {} };
  const later = [
    ...others.map(({ name }) => ({ name, arguments: {} })),
    { name: 'read_file', arguments: { path: 'a.txt' } },
  ];
  const asked: string[] = [];
  const harness = createHarness({
    model: 'm',
    workspace,
    provider: scriptedProvider([
      { calls: [first] },
      ...[first, ...later].map((call) => ({ calls: [call] })),
      { text: 'x' },
    ]),
    tools: [...BUILT_IN_TOOLS, made('first', declared), ...others],
    limits: { iterations: later.length + 3 },
    onPermission: ({ name }) => {
      asked.push(name);
      return name === 'first' ? 'session' : 'allow_once';
    },
  });
  onTestFinished(() => harness.close());
  await harness.chat('Go');
  expect(asked.filter((name) => name !== 'first')).toEqual(later.map(({ name }) => name));
});

test.each(DECLARED)(
  'of read_file, and a mode that reads, cover no tool with %j that does not read files',
  async (declared) => {
    const workspace = scratchFolder();
    writeFileSync(join(workspace, 'a.txt'), 'x');
    const reads = declared.effects === 'read' && declared.path_arguments?.length === 1;
    const call = { name: 'own', arguments: {} };
    for (const permissions of [{ allow: ['folder:read'] }, { mode: 'edit' as const }]) {
      const asked: string[] = [];
      const harness = createHarness({
        model: 'm',
        workspace,
        provider: scriptedProvider([{ calls: [call] }, { text: 'x' }]),
        tools: [made('own', declared)],
        permissions,
        onPermission: ({ name }) => {
          asked.push(name);
          return 'allow_once';
        },
      });
      onTestFinished(() => harness.close());
      await harness.chat('Go');
      const edits = permissions.mode === 'edit' && declared.effects === 'write';
      expect(asked, JSON.stringify(permissions)).toEqual(reads || edits ? [] : ['own']);
    }
  },
);

type Way = 'executeTool' | 'chat';
const WAYS: readonly (readonly [Way, Way])[] = [
  ['executeTool', 'executeTool'],
  ['executeTool', 'chat'],
  ['chat', 'executeTool'],
  ['chat', 'chat'],
];
test.each(
  WAYS.flatMap((ways) => (['session', 'remember', 'allow_once'] as const).map((answer) => [...ways, answer] as const)),
)('given to %s holds for %s as its kind says: %s', async (first, second, answer) => {
  const asked: string[] = [];
  const calls = ['pay', 'pay', 'send'].map((name) => ({ name, arguments: {} }));
  const turns = calls.flatMap((call) => [{ calls: [call] }, { text: 'x' }]);
  // Only those of chats are played.
  const ofChats = [...(first === 'chat' ? turns.slice(0, 2) : []), ...(second === 'chat' ? turns.slice(2) : [])];
  const harness = createHarness({
    model: 'm',
    workspace: scratchFolder(),
    provider: scriptedProvider(ofChats),
    tools: [made('pay', {}), made('send', {})],
    onPermission: ({ name }) => {
      asked.push(name);
      return answer;
    },
  });
  onTestFinished(() => harness.close());
  const call = async (way: Way, name: string): Promise<void> => {
    if (way === 'chat') await harness.chat('Go');
    else expect(await harness.executeTool(name, {})).toMatchObject({ success: true });
  };
  await call(first, 'pay');
  await call(second, 'pay');
  await call(second, 'send');
  expect(asked).toEqual(answer === 'allow_once' ? ['pay', 'pay', 'send'] : ['pay', 'send']);
});

test('a yes that executeTool got holds in no other harness, and against no rule that denies', async () => {
  const asked: string[] = [];
  const open = (permissions: { deny?: string[] } = {}) => {
    const harness = createHarness({
      model: 'm',
      workspace: scratchFolder(),
      provider: scriptedProvider([]),
      tools: [made('pay', { path_arguments: ['file'], main_argument: 'file' })],
      permissions,
      onPermission: ({ name }) => {
        asked.push(name);
        return 'session';
      },
    });
    onTestFinished(() => harness.close());
    return harness;
  };
  const denying = open({ deny: ['pay(b.txt)'] });
  expect(await denying.executeTool('pay', { file: 'a.txt' })).toMatchObject({ success: true });
  expect(await denying.executeTool('pay', { file: 'b.txt' })).toMatchObject({ error_type: 'permission_denied' });
  await open().executeTool('pay', { file: 'a.txt' });
  expect(asked).toEqual(['pay', 'pay']);
});
