import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { putFiles, scratchFolder } from '../../tests/support/scratch.ts';
import type { Io } from './io.ts';
import { modelKeyPort } from './serve-settings.ts';

const SERVER = 'http://127.0.0.1:7921/v1';
const world = (config: object, flags = {}, inUse?: string) => {
  const home = scratchFolder();
  putFiles(home, { '.config/halter/config.json': JSON.stringify(config) });
  const folder = path.join(home, '.config/halter');
  const io = { env: { HOME: home }, cwd: home, platform: 'linux' } as unknown as Io;
  const port = modelKeyPort(flags, io, async () => inUse);
  const configNow = () => JSON.parse(readFileSync(path.join(folder, 'config.json'), 'utf8')) as object;
  return { folder, port, configNow };
};

describe('the key of the model server', () => {
  it('is kept where nobody else can read it, replaced and removed, and never told', async () => {
    const { folder, port, configNow } = world({ model: 'a/b' }, { 'base-url': SERVER });
    expect(await port.tell()).toEqual({ ok: true, value: { from: 'none', server: SERVER, is_settable: true } });
    expect(await port.set(' sk-one \n')).toMatchObject({ ok: true });
    const file = path.join(folder, 'model-key');
    expect(readFileSync(file, 'utf8')).toBe('sk-one\n');
    expect(statSync(file).mode & 0o077).toBe(0);
    expect(configNow()).toEqual({ model: 'a/b', api_key_file: 'model-key', api_key_for: SERVER });
    const told = { from: 'here', for: SERVER, server: SERVER, is_settable: true };
    expect(await port.tell()).toEqual({ ok: true, value: told });
    await port.set('sk-two');
    expect(readFileSync(file, 'utf8')).toBe('sk-two\n');
    await port.set(undefined);
    expect(existsSync(file)).toBe(false);
    expect(configNow()).toEqual({ model: 'a/b' });
  });

  it.each(['', '   ', 'two words', 'a\nb', 'clé', 'x'.repeat(100_000)])(
    'is refused where it can be none: %j',
    async (key) => {
      const { folder, port, configNow } = world({}, { 'base-url': SERVER });
      expect(await port.set(key)).toMatchObject({ ok: false, error: { error_type: 'validation_failed' } });
      expect(existsSync(path.join(folder, 'model-key'))).toBe(false);
      expect(configNow()).toEqual({});
    },
  );

  it.each<[string, object, object, string | undefined, string | undefined]>([
    ['a flag', {}, { 'base-url': SERVER }, undefined, SERVER],
    ['a flag beside a setting', { base_url: 'http://a.test' }, { 'base-url': SERVER }, undefined, SERVER],
    ['a setting', { base_url: SERVER }, {}, 'http://found.test', SERVER],
    ['a provider', {}, { provider: 'llama-cpp' }, undefined, 'http://127.0.0.1:8080/v1'],
    ['the provider in a name', { model: 'ollama/x' }, {}, undefined, 'http://127.0.0.1:11434'],
    ['nothing, and one was found', {}, {}, 'http://found.test', 'http://found.test'],
    ['nothing, and none was found', {}, {}, undefined, undefined],
    ['the engine of this process', {}, { provider: 'embedded' }, undefined, undefined],
  ])('is for the server of now, named by %s', async (_by, config, flags, inUse, server) => {
    verifies('S24');
    const { port, configNow } = world(config, flags, inUse);
    const told = { from: 'none', server, is_settable: server !== undefined };
    expect(await port.tell()).toEqual({ ok: true, value: told });
    expect((await port.set('sk-one')).ok).toBe(server !== undefined);
    const bound = { ...config, api_key_file: 'model-key', api_key_for: server };
    expect(configNow()).toEqual(server === undefined ? config : bound);
  });

  it('goes with its server when halter is started with another one, and the page says which', async () => {
    const before = world({}, { 'base-url': SERVER });
    await before.port.set('sk-one');
    const now = world(before.configNow(), { 'base-url': 'http://other.test/v1' });
    const told = { from: 'here', for: SERVER, server: 'http://other.test/v1', is_settable: true };
    expect(await now.port.tell()).toEqual({ ok: true, value: told });
  });

  it('that was kept without an address is for the server of the settings, or for none', async () => {
    const without = world({ api_key_file: 'model-key' }, { 'base-url': SERVER });
    expect(await without.port.tell()).toEqual({ ok: true, value: { from: 'here', server: SERVER, is_settable: true } });
    const within = world({ api_key_file: 'model-key', base_url: SERVER });
    expect(await within.port.tell()).toMatchObject({ value: { from: 'here', for: SERVER } });
  });

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
