import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { type ClosableProcesses, createProcesses } from '../../io/processes.ts';
import { type ApiKeyOptions, readApiKey } from './api-key.ts';

let folder: string;
let processes: ClosableProcesses;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'halter-key-'));
  processes = createProcesses({ root: folder });
});
afterEach(async () => {
  processes.close();
  await rm(folder, { recursive: true, force: true });
});
const read = (options: Partial<ApiKeyOptions>) => readApiKey({ environment: { KEY: 'sk-env' }, ...options }, processes);
const keyFile = async (text: string, mode: number): Promise<string> => {
  const path = join(folder, 'key');
  await writeFile(path, text, { mode });
  return path;
};

describe('the key of a model server', () => {
  test('comes from the environment, a file of the person’s alone, or the first line a command prints', async () => {
    verifies('U1', 'S24');
    expect(await read({})).toEqual({ ok: true, value: undefined });
    expect(await read({ apiKeyEnv: 'KEY' })).toEqual({ ok: true, value: 'sk-env' });
    expect(await read({ apiKeyFile: await keyFile(' sk-file\n', 0o600) })).toEqual({ ok: true, value: 'sk-file' });
    expect(await read({ apiKeyCommand: 'printf "sk-ring\\nother\\n"' })).toEqual({ ok: true, value: 'sk-ring' });
  });

  test.each<[string, () => Promise<Partial<ApiKeyOptions>>, string]>([
    ['a variable that is not there', async () => ({ apiKeyEnv: 'NONE' }), 'no variable NONE'],
    ['a file that others can read', async () => ({ apiKeyFile: await keyFile('sk-file', 0o644) }), 'chmod 600'],
    ['an empty file', async () => ({ apiKeyFile: await keyFile('\n', 0o600) }), 'is empty'],
    ['a file that is not there', async () => ({ apiKeyFile: join(folder, 'gone') }), 'cannot be read'],
    ['a folder', async () => ({ apiKeyFile: folder }), 'no ordinary file'],
    ['a command that fails', async () => ({ apiKeyCommand: 'echo sk-half; exit 3' }), 'exit code 3'],
    ['a command without a word', async () => ({ apiKeyCommand: 'true' }), 'printed nothing'],
  ])('is refused from %s, without being repeated', async (_name, options, words) => {
    const answer = await read(await options());
    expect(answer).toMatchObject({ ok: false, error: { code: 'unauthorized' } });
    const message = answer.ok ? '' : answer.error.message;
    expect(message).toContain(words);
    expect(message).not.toContain('sk-');
  });
});
