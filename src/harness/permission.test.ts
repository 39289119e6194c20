/** Answers to a question that are none. */
import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { scratchFolder } from '../../tests/support/scratch.ts';
import { scriptedProvider } from '../testing/index.ts';
import { BUILT_IN_TOOLS } from '../tools/index.ts';
import { createHarness } from './create-harness.ts';
import type { HarnessOptions } from './options.ts';

const write = { calls: [{ name: 'write_file', arguments: { path: 'a.txt', content: 'hello\n' } }] };

test.each<[string, NonNullable<HarnessOptions['onPermission']>, string]>([
  ['that throws', () => Promise.reject(new Error('no bell')), 'the permission callback failed: no bell'],
  ['that gives no answer', () => 'yes' as never, 'the permission answer was "yes", which is none of allow_once'],
])('an onPermission %s denies, and no person is said to have', async (_what, onPermission, words) => {
  const warnings: string[] = [];
  const io = { onWarning: (_code: string, message: string) => void warnings.push(message) };
  const agent = createHarness({
    model: 'm',
    provider: scriptedProvider([write, { text: 'ok' }]),
    workspace: scratchFolder(),
    tools: BUILT_IN_TOOLS,
    onPermission,
    io,
  });
  const [call] = (await agent.chat('write')).toolCalls;
  expect(call?.result).toMatchObject({
    error_type: 'permission_denied',
    metadata: { reason: 'permission_required' },
  });
  const direct = await agent.executeTool('write_file', { path: 'a.txt', content: 'x' });
  for (const said of [call?.result.error_message, direct.error_message, warnings.join()]) {
    expect(said).toContain(`Denied, and by nobody: ${words}`);
    expect(said).not.toMatch(/person denied|Or pass onPermission/);
  }
  await agent.close();
});

test('what an onPermission does with its question changes neither the call nor the grant', async () => {
  const folder = scratchFolder();
  const second = { calls: [{ name: 'bash', arguments: { command: 'touch b.txt' } }] };
  const asked: string[] = [];
  const agent = createHarness({
    model: 'm',
    provider: scriptedProvider([write, second, { text: 'ok' }]),
    workspace: folder,
    tools: BUILT_IN_TOOLS,
    onPermission: (question) => {
      asked.push(question.name);
      const rule = question.rule as { tool: string; pattern?: string } | undefined;
      Object.assign(question.arguments, { path: 'changed.txt', command: 'touch changed.txt' });
      if (rule) Object.assign(rule, { tool: '*', pattern: undefined });
      return asked.length === 1 ? 'session' : 'deny';
    },
  });
  const { toolCalls } = await agent.chat('write');
  expect(toolCalls.map(({ result }) => result.success)).toEqual([true, false]);
  expect(asked).toEqual(['write_file', 'bash']);
  const direct = await agent.executeTool('bash', { command: 'touch c.txt' });
  expect(direct.success).toBe(false);
  expect(readdirSync(folder)).toEqual(['a.txt']);
  await agent.close();
});
