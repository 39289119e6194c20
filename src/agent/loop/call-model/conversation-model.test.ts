import { expect, it } from 'vitest';
import { verifies } from '../../../../tests/requirements.ts';
import { assembled, openedSession, say } from '../../../../tests/support/assembled.ts';
import type { ModelProfile } from '../../../core/model-profile.ts';
import { createModelProfiles } from '../../../storage/model-profiles.ts';
import { type ScriptedProviderSource, scriptedProvider } from '../../../testing/index.ts';

const PROFILE: Omit<ModelProfile, 'key'> = {
  version: 1,
  probed_at: 1,
  tool_calls: 'text',
  dialect: 'hermes',
  parallel_calls: true,
  constrained: 'never',
  prompt_tier: 'small',
  reasoning: 'none',
  speed: {},
  checks: [],
};

const start = async (turns: readonly ScriptedProviderSource[], found: Partial<ModelProfile> = {}) => {
  const models = ['able', 'writer'].map((id) => ({ id, context_length: 32_768, tools: true }));
  const provider = scriptedProvider(turns, { models });
  const halter = await assembled({ modelProvider: provider, model: 'able' });
  const key = { provider: provider.name, endpoint: provider.endpoint, model: 'writer' };
  await createModelProfiles(halter.paths).save({ ...PROFILE, ...found, key });
  return { session: await openedSession(halter), provider };
};

it('a model that is changed to is asked as its own profile says', async () => {
  verifies('B3');
  const call = '<tool_call>\n{"name": "get_current_time", "arguments": {}}\n</tool_call>';
  const { session, provider } = await start([{ text: 'one' }, { text: call }, { text: 'two' }, { text: 'three' }]);
  await say(session, 'hello');
  expect(provider.requests[0]?.tools?.length).toBeGreaterThan(0);
  expect(await session.send({ type: 'change_model', model: 'writer' })).toEqual({ ok: true });
  await say(session, 'What time is it?');
  // Its tools stand in the prompt, and a call that it writes as text is one.
  expect(provider.requests[1]).toMatchObject({ model: 'writer' });
  expect(provider.requests[1]?.tools ?? []).toEqual([]);
  expect(JSON.stringify(provider.requests[1]?.messages)).toContain('<tools>');
  expect(session.log().filter(({ type }) => type === 'tool_finished')).toHaveLength(1);
  await session.send({ type: 'change_model', model: 'able' });
  await say(session, 'And now?');
  expect(provider.requests[3]).toMatchObject({ model: 'able' });
  expect(provider.requests[3]?.tools?.length).toBeGreaterThan(0);
});

it('the window of a model that is changed to is the one that was found, and not what its server says', async () => {
  verifies('B7');
  const { session, provider } = await start([{ text: 'one' }], { context_tokens: 600 });
  await say(session, 'hello');
  await session.send({ type: 'change_model', model: 'writer' });
  await say(session, 'hello again');
  expect(session.log().findLast(({ type }) => type === 'model_failed')).toMatchObject({
    code: 'context_overflow',
    message: expect.stringContaining('holds 600'),
  });
  expect(provider.requests).toHaveLength(1);
});

it('a model that is not there is refused, and the session keeps the one it has', async () => {
  const { session, provider } = await start([{ text: 'still here' }]);
  expect(await session.send({ type: 'change_model', model: 'nobody' })).toMatchObject({
    ok: false,
    message: expect.stringContaining('nobody'),
  });
  await say(session, 'hello');
  expect(provider.requests[0]?.model).toBe('able');
  expect(session.log().some(({ type }) => type === 'model_changed')).toBe(false);
});
