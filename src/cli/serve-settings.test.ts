import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { putFiles, scratchFolder } from '../../tests/support/scratch.ts';
import type { Io } from './io.ts';
import { modelKeyPort } from './serve-settings.ts';

const world = (config: object, flags = {}) => {
  const home = scratchFolder();
  putFiles(home, { '.config/halter/config.json': JSON.stringify(config) });
  const folder = path.join(home, '.config/halter');
  const port = modelKeyPort(flags, { env: { HOME: home }, cwd: home, platform: 'linux' } as unknown as Io);
  const configNow = () => JSON.parse(readFileSync(path.join(folder, 'config.json'), 'utf8')) as object;
  return { folder, port, configNow };
};

describe('the key of the model server', () => {
  it('is kept where nobody else can read it, replaced and removed, and never told', async () => {
    const { folder, port, configNow } = world({ model: 'a/b' });
    expect(await port.tell()).toEqual({ ok: true, value: { from: 'none', is_settable: true } });
    expect(await port.set(' sk-one \n')).toMatchObject({ ok: true });
    const file = path.join(folder, 'model-key');
    expect(readFileSync(file, 'utf8')).toBe('sk-one\n');
    expect(statSync(file).mode & 0o077).toBe(0);
    expect(configNow()).toEqual({ model: 'a/b', api_key_file: 'model-key' });
    expect(await port.tell()).toEqual({ ok: true, value: { from: 'here', is_settable: true } });
    await port.set('sk-two');
    expect(readFileSync(file, 'utf8')).toBe('sk-two\n');
    await port.set(undefined);
    expect(existsSync(file)).toBe(false);
    expect(configNow()).toEqual({ model: 'a/b' });
  });

  it.each(['', '   ', 'two words', 'a\nb', 'clé', 'x'.repeat(100_000)])(
    'is refused where it can be none: %j',
    async (key) => {
      const { folder, port, configNow } = world({});
      expect(await port.set(key)).toMatchObject({ ok: false, error: { error_type: 'validation_failed' } });
      expect(existsSync(path.join(folder, 'model-key'))).toBe(false);
      expect(configNow()).toEqual({});
    },
  );

  it.each([
    [{ api_key_env: 'A_KEY' }, {}, { from: 'variable', name: 'A_KEY' }],
    [{}, { 'api-key-env': 'B_KEY' }, { from: 'variable', name: 'B_KEY' }],
    [{ api_key_file: '~/other' }, {}, { from: 'file', name: '~/other' }],
    [{ api_key_command: 'pass show x' }, {}, { from: 'command' }],
  ])('that is named elsewhere stays so: %j %j', async (config, flags, told) => {
    const { folder, port, configNow } = world(config, flags);
    writeFileSync(path.join(folder, 'model-key'), 'left');
    expect(await port.tell()).toEqual({ ok: true, value: { ...told, is_settable: false } });
    await port.set(undefined);
    expect(configNow()).toEqual(config);
  });
});
