import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { CONFIG_KEYS, type ConfigKey, createConfigFile, parseConfigValue } from './config-file.ts';

const MAY_BE_EMPTY =
  /^(?:allow_\w+|api_key_for|plugins|append_system_prompt|status_line|web_search_url|image_\w+|trace_endpoint)$/;
const escaped = (text: string): string => text.replaceAll(/[.\\/]/g, '\\$&');

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'halter-config-'));
});
afterEach(() => rm(folder, { recursive: true }));

describe('the settings file', () => {
  it('is empty where there is none, and keeps what is set', async () => {
    verifies('U1');
    const file = createConfigFile(join(folder, 'new'));
    expect(await file.read()).toEqual({ ok: true, value: { config: {}, warnings: [] } });
    await file.set('model', 'ollama/qwen3');
    await file.set('temperature', 0.2);
    await file.set('model', undefined);
    expect(await file.read()).toEqual({ ok: true, value: { config: { temperature: 0.2 }, warnings: [] } });
    expect((await stat(file.path)).mode & 0o777).toBe(0o600);
  });

  it('leaves keys alone that it does not know, and names them', async () => {
    const file = createConfigFile(folder);
    await writeFile(file.path, '{"from_the_future": {"a": 1}}');
    await file.set('offline', true);
    expect(JSON.parse(await readFile(file.path, 'utf8'))).toEqual({ from_the_future: { a: 1 }, offline: true });
    const read = await file.read();
    expect(read.ok && read.value.warnings[0]).toContain('does not know the key "from_the_future"');
  });

  it.each([
    ['{"model": ', 'is not JSON'],
    ['[1]', 'holds no JSON object'],
    ['{"seed": "7"}', 'seed must be an integer'],
    ['{"preset": "own"}', 'preset must be one of zodollama'],
    ['{"models.roles.planner": "m"}', 'There is no role "planner" for models. The roles are: main, plan, compaction'],
    ['{"models": {"roles": {"title": "m"}}}', 'There is no role "title" for models. The roles are: main, plan'],
    ['{"models.roles": {"plan": 5}}', 'models.roles.plan must be a string'],
    ['{"models": {"roles": {"toString": "m"}}}', 'There is no role "toString"'],
    ['{"model": "a", "models.roles.main": "b"}', 'model and models.roles.main mean the same and name two models'],
    [
      '{"embedding_model": "a", "models": {"roles": {"embeddings": "b"}}}',
      'embedding_model and models.roles.embeddings',
    ],
  ])('is not passed over when it is damaged: %s', async (text, message) => {
    const file = createConfigFile(folder);
    await writeFile(file.path, text);
    const read = await file.read();
    expect(read.ok).toBe(false);
    if (!read.ok) expect(read.error.message).toContain(message);
    expect(await readFile(file.path, 'utf8')).toBe(text);
  });

  it.each([
    ['{"models.roles.main": "a", "models.roles.plan": "b"}'],
    ['{"models.roles": {"main": "a", "plan": "b"}}'],
    ['{"models": {"roles": {"main": "a", "plan": "b"}}}'],
    ['{"model": "a", "models": {"roles.plan": "b"}}'],
  ])('names models by their roles in every form: %s', async (text) => {
    const file = createConfigFile(folder);
    await writeFile(file.path, text);
    expect(await file.read()).toMatchObject({
      ok: true,
      value: { config: { model: 'a', 'models.roles.plan': 'b' }, warnings: [] },
    });
    // Of two names for one thing the last one that was set is left.
    await file.set('model', 'c');
    await file.set('models.roles.plan', undefined);
    expect(JSON.parse(await readFile(file.path, 'utf8'))).toEqual({ model: 'c' });
    await file.set('models.roles.main', 'd');
    expect(JSON.parse(await readFile(file.path, 'utf8'))).toEqual({ 'models.roles.main': 'd' });
  });

  it('takes the size of a window as people write it, in the file and from the command line', async () => {
    const file = createConfigFile(folder);
    for (const [written, tokens] of [
      ['"8k"', 8_192],
      ['8192', 8_192],
      ['"32,768"', 32_768],
    ] as const) {
      await writeFile(file.path, `{"context_length": ${written}}`);
      expect(await file.read()).toMatchObject({ ok: true, value: { config: { context_length: tokens } } });
    }
    expect(parseConfigValue('context_length', '32K')).toEqual({ ok: true, value: 32_768 });
    for (const [written, words] of [
      ['"large"', 'context_length must be a whole number of tokens, such as 8192 or 8k'],
      ['true', 'context_length must be a number of tokens'],
      ['8', 'context_length must be at least 512 tokens'],
    ] as const) {
      await writeFile(file.path, `{"context_length": ${written}}`);
      expect(await file.read()).toMatchObject({ ok: false, error: { message: expect.stringContaining(words) } });
    }
    expect(parseConfigValue('context_length', 'large')).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining('such as 8192 or 8k, not "large"') },
    });
  });

  it.skipIf(process.platform === 'win32')('does not count where others can write it', async () => {
    verifies('S30');
    const file = createConfigFile(folder);
    await writeFile(file.path, '{"mode": "yolo"}');
    await chmod(file.path, 0o666);
    const read = await file.read();
    expect(read).toMatchObject({ ok: false, error: { message: expect.stringContaining('chmod go-w') } });
    await chmod(file.path, 0o644);
    expect(await file.read()).toMatchObject({ ok: true, value: { config: { mode: 'yolo' } } });
  });

  const TEXTS = (Object.keys(CONFIG_KEYS) as ConfigKey[]).filter((key) => CONFIG_KEYS[key].type === 'string');
  it.each(TEXTS)('takes no text of which nothing can be seen: %s', async (key) => {
    for (const empty of ['', ' ', '\t\n', '\u00a0', '\u200b'])
      expect(parseConfigValue(key, empty), JSON.stringify(empty)).toMatchObject({
        ok: false,
        error: { message: expect.stringContaining(key) },
      });
  });

  it.each(TEXTS)('names itself and the setting that is empty: %s', async (key) => {
    const file = createConfigFile(folder);
    for (const empty of ['', ' ', '\u200b']) {
      await writeFile(file.path, JSON.stringify({ [key]: empty }));
      const read = await file.read();
      // A list, words to add or a service may be none.
      if (read.ok) expect(key).toMatch(MAY_BE_EMPTY);
      else expect(read.error.message).toMatch(new RegExp(`^${escaped(file.path)} is wrong: ${escaped(key)} must `));
    }
  });

  it('takes values of the right type only', () => {
    expect(parseConfigValue('seed', '7')).toEqual({ ok: true, value: 7 });
    expect(parseConfigValue('think', 'false')).toEqual({ ok: true, value: false });
    expect(parseConfigValue('model', 'true')).toEqual({ ok: true, value: 'true' });
    expect(parseConfigValue('seed', '').ok).toBe(false);
    expect(parseConfigValue('offline', 'yes').ok).toBe(false);
    expect(parseConfigValue('results', 'none').ok).toBe(false);
  });
});
