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
