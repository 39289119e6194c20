import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { assembled, openedSession, say } from '../../../tests/support/assembled.ts';
import { scratchFolder } from '../../../tests/support/scratch.ts';
import type { JsonObject } from '../../core/json.ts';
import { largerModelCommand } from '../../providers/led/larger-model.ts';
import { scriptedProvider } from '../../testing/index.ts';

const after = async (model: string, name: string, args: JsonObject) => {
  const folder = scratchFolder();
  writeFileSync(path.join(folder, 'a.txt'), 'precious\n');
  const modelProvider = scriptedProvider([{ calls: [{ name, arguments: args }] }, { text: 'done' }], {
    models: [{ id: model }],
  });
  const options = { folder, modelProvider, model, mode: 'yolo' as const, platform: process.platform };
  const halter = await assembled({ ...options, environment: { PATH: process.env['PATH'] } });
  const session = await openedSession(halter);
  await say(session);
  const finished = session.log().find((event) => event.type === 'tool_finished');
  return { folder, result: finished?.type === 'tool_finished' ? finished.result : undefined };
};

it.each([
  ['write_file', { path: 'a.txt', content: 'x' }],
  ['edit_file', { path: 'a.txt', old_text: 'precious', new_text: 'gone' }],
  ['bash', { command: 'rm a.txt' }],
  ['bash', { command: 'mv a.txt b.txt' }],
  ['bash', { command: 'echo x > a.txt' }],
] as const)('the starter changes no file that is there, whatever is allowed: %s %j', async (name, args) => {
  const { folder, result } = await after('starter', name, args);
  expect(result).toMatchObject({ success: false, error_type: 'permission_denied' });
  expect(result?.error_message).toContain('a larger model can: `ollama pull');
  expect(readFileSync(path.join(folder, 'a.txt'), 'utf8')).toBe('precious\n');
});

it('the starter may make a file and run a command that reads', async () => {
  const made = await after('starter', 'write_file', { path: 'new.txt', content: 'x' });
  expect(existsSync(path.join(made.folder, 'new.txt'))).toBe(true);
  expect((await after('starter', 'bash', { command: 'ls' })).result).toMatchObject({ success: true });
});

it('holds for no other model', async () => {
  const { folder } = await after('larger', 'write_file', { path: 'a.txt', content: 'x' });
  expect(readFileSync(path.join(folder, 'a.txt'), 'utf8')).toBe('x');
});

it('names a model that fits the memory', () => {
  expect(largerModelCommand(4 * 1024 ** 3)).toBe('ollama pull qwen3:1.7b');
  expect(largerModelCommand(64 * 1024 ** 3)).toBe('ollama pull qwen3:14b');
});
