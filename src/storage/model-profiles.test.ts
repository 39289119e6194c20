import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ModelProfile, shareProfiles } from '../core/model-profile.ts';
import { createModelProfiles, sharedProfilesFolder } from './model-profiles.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'halter-profiles-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const profile = (more: Partial<ModelProfile['key']> = {}): ModelProfile => ({
  version: 1,
  key: { provider: 'ollama', endpoint: 'http://mine:11434', model: 'qwen3:8b', digest: 'sha256:abc', ...more },
  probed_at: 1_000,
  tool_calls: 'text',
  parallel_calls: false,
  constrained: 'never',
  prompt_tier: 'small',
  reasoning: 'none',
  speed: { decode_tokens_per_second: 12 },
  checks: [],
});
const places = () => ({ data: join(folder, 'data'), config: join(folder, 'config') });
const share = async (name: string, value: unknown): Promise<void> => {
  const shared = sharedProfilesFolder(places().config);
  await mkdir(shared, { recursive: true });
  await writeFile(join(shared, name), typeof value === 'string' ? value : JSON.stringify(value));
};

const sharing = (profiles: object) => ({ kind: 'halter-model-profiles', version: 1, profiles });

describe('profiles that are handed on', () => {
  it('name the model by its digest, and neither the server it was on nor its speed', () => {
    const shared = shareProfiles([profile(), profile({ digest: undefined, model: 'other' })]);
    expect(Object.keys(shared.profiles)).toEqual(['sha256:abc']);
    expect(JSON.stringify(shared)).not.toContain('mine');
    expect(shared.profiles['sha256:abc']?.['ollama']).toMatchObject({ tool_calls: 'text', speed: {} });
  });

  it('count for the same model on the same make of server, where it was not probed here', async () => {
    await share('a.json', shareProfiles([profile()]));
    const profiles = createModelProfiles(places());
    const key = { provider: 'ollama', endpoint: 'http://here:11434', model: 'my-name', digest: 'sha256:abc' };
    const found = await profiles.find(key);
    expect(found).toMatchObject({ profile: { key, tool_calls: 'text', speed: {} } });
    for (const other of [
      { ...key, digest: 'sha256:def' },
      { ...key, digest: undefined },
      { ...key, provider: 'openai' },
    ])
      expect(await profiles.find(other)).toEqual({});
    await profiles.save({ ...profile(), key, tool_calls: 'native' });
    expect(await profiles.find(key)).toMatchObject({ profile: { tool_calls: 'native' } });
    expect(await profiles.list()).toHaveLength(1);
    expect(await createModelProfiles({ data: join(folder, 'elsewhere') }).find(key)).toEqual({});
  });

  it('count before a profile of here that is of another model by now', async () => {
    const profiles = createModelProfiles(places());
    const key = { provider: 'ollama', endpoint: 'http://here:11434', model: 'qwen3:8b', digest: 'sha256:abc' };
    await profiles.save({ ...profile(), key: { ...key, digest: 'sha256:old' } });
    expect(await profiles.find(key)).toEqual({ stale: true });
    await share('a.json', shareProfiles([profile()]));
    expect(await profiles.find(key)).toMatchObject({ profile: { tool_calls: 'text' } });
  });

  it.each([
    ['no JSON', '{', 'it is no JSON object'],
    ['empty', '', 'it is no JSON object'],
    ['a list', [], 'it is no JSON object'],
    ['of another kind', { ...shareProfiles([profile()]), kind: 'else' }, 'its kind is not "halter-model-profiles"'],
    ['without a kind', { version: 1, profiles: {} }, 'its kind is not "halter-model-profiles"'],
    ['of a later version', { ...shareProfiles([profile()]), version: 2 }, 'it is of another version than 1'],
    ['without profiles', { kind: 'halter-model-profiles', version: 1 }, 'it has no profiles'],
    ['with no profile of the model', sharing({ 'sha256:abc': 'good' }), 'what it says of sha256:abc is no profile'],
    [
      'with a damaged one of it',
      sharing({ 'sha256:abc': { ollama: { version: 1 } } }),
      'what it says of sha256:abc on ollama is no profile',
    ],
  ])(
    'count for nothing, and that is told by its name, where a file is %s; the next one counts',
    async (_how, value, why) => {
      const { key } = profile();
      await share('1.json', value);
      const profiles = createModelProfiles(places());
      const file = join(sharedProfilesFolder(places().config), '1.json');
      const problems = [expect.stringContaining(`${file} does not count: ${why}`)];
      expect(await profiles.find(key)).toEqual({ problems });
      await share('2.json', shareProfiles([profile()]));
      expect(await profiles.find(key)).toMatchObject({ profile: { tool_calls: 'text' }, problems });
    },
  );

  it('are no problem where they are of other models, of other servers, or no JSON file by their name', async () => {
    await share('1.json', sharing({ 'sha256:other': 'damaged', 'sha256:abc': { openai: 'damaged' } }));
    await share('2.txt', '{');
    expect(await createModelProfiles(places()).find(profile().key)).toEqual({});
  });
});
