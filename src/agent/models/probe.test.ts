import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { type Abilities, ableAnswer } from '../../../tests/support/able-model.ts';
import { messageText } from '../../core/message.ts';
import type { ModelInfo, ModelProvider, ModelRequest } from '../../core/model-port.ts';
import type { ModelProfile } from '../../core/model-profile.ts';
import { readProfile } from '../../core/model-profile.ts';
import { scriptedProvider } from '../../testing/index.ts';
import { CHECKS } from './probe/checks.ts';
import { probeModel } from './probe.ts';

const steady = (): { now(): number; monotonic(): number } => {
  let ms = 0;
  return { now: () => 1_000, monotonic: () => (ms += 10) };
};

const model = (abilities: Abilities, more: Partial<ModelProvider> = {}, info: Partial<ModelInfo> = {}) => {
  const prompts = new Set<string>();
  const provider = scriptedProvider((request: ModelRequest) => {
    const messages = request.messages.map(({ role, content }) => ({ role, content: messageText(content) }));
    const characters = JSON.stringify(messages).length;
    const key = JSON.stringify(messages);
    const cached_tokens = prompts.has(key) ? Math.floor(characters / 4) : 0;
    prompts.add(key);
    const read = Math.min(characters, abilities.readsCharacters ?? characters);
    const { finish, ...turn } = ableAnswer(
      {
        messages,
        tools: request.tools as never,
        ...(request.response_schema ? { schema: request.response_schema } : {}),
        ...(request.sampling.max_tokens === undefined ? {} : { maxTokens: request.sampling.max_tokens }),
      },
      { ...abilities, ...(request.sampling.think === false ? { thinks: undefined as never } : {}) },
    );
    return {
      ...turn,
      ...(finish === 'length' ? { finish } : {}),
      usage: { prompt_tokens: Math.floor(read / 4), completion_tokens: 20, cached_tokens },
    };
  });
  const known: ModelInfo = { id: 'able', context_length: 8_192, ...info };
  return { provider: { ...provider, constrains: true as const, ...more }, scripted: provider, info: known };
};

const probe = async (tried: ReturnType<typeof model>): Promise<ModelProfile> => {
  const { provider, info } = tried;
  const signal = new AbortController().signal;
  const probed = await probeModel({ provider, model: 'able', info, clock: steady(), signal });
  if (!probed.ok) throw new Error(probed.error.message);
  return probed.profile;
};
const failedIds = (profile: ModelProfile): string[] =>
  profile.checks.filter(({ outcome }) => outcome === 'failed').map(({ id }) => id);

describe('probing a model', () => {
  it('asks about forty different things, each once named', () => {
    verifies('B3');
    expect(CHECKS.length).toBeGreaterThanOrEqual(40);
    expect(new Set(CHECKS.map(({ id }) => id)).size).toBe(CHECKS.length);
  });

  it('finds nothing wrong with one that can do everything, and its profile can be read again', async () => {
    verifies('B3');
    const profile = await probe(model({ calls: 'native', thinks: 'field' }));
    expect(failedIds(profile).filter((id) => !id.startsWith('text_'))).toEqual([]);
    expect(profile).toMatchObject({
      tool_calls: 'native',
      parallel_calls: true,
      constrained: 'last_retry',
      reasoning: 'separate',
    });
    expect(profile.speed.prefill_tokens_per_second).toBeGreaterThan(0);
    expect(readProfile(JSON.parse(JSON.stringify(profile)))).toEqual(profile);
  });

  it('takes calls as text where the server makes none, in the format that was read', async () => {
    const tried = model({ calls: 'text' });
    const profile = await probe(tried);
    expect(profile).toMatchObject({ tool_calls: 'text', dialect: 'hermes', parallel_calls: true });
    // What follows is asked in the way that works.
    const arguments_ = profile.checks.filter(({ group }) => group === 'arguments');
    expect(arguments_.every(({ outcome }) => outcome === 'passed')).toBe(true);
  });

  it('says of a model without any calls that there are none, and asks no more about them', async () => {
    const profile = await probe(model({ calls: 'never' }));
    expect(profile).toMatchObject({ tool_calls: 'none', parallel_calls: false });
    expect(profile.checks.filter(({ group }) => group === 'arguments').map(({ outcome }) => outcome)).not.toContain(
      'failed',
    );
  });

  it.each([
    ['one call at a time', { calls: 'native', single: true }, { parallel_calls: false }],
    ['bad arguments', { calls: 'native', wrongTypes: true }, { constrained: 'first_retry' }],
    ['schemas that are not kept', { calls: 'native', ignoresSchema: true }, { constrained: 'never' }],
    ['thoughts in the text', { calls: 'native', thinks: 'text' }, { reasoning: 'in_text' }],
  ] as const)('finds out about %s', async (_, abilities, expected) => {
    verifies('B3');
    expect(await probe(model(abilities))).toMatchObject(expected);
  });

  it('gives a model that judges badly the small prompt', async () => {
    const weak = await probe(
      model({ calls: 'native', eager: true, single: true, wrongTypes: true }, {}, { context_length: 65_536 }),
    );
    expect(weak.prompt_tier).toBe('small');
    expect((await probe(model({ calls: 'native' }, {}, { context_length: 65_536 }))).prompt_tier).toBe('standard');
  });

  it('finds the window of a server that cuts prompts in silence', async () => {
    verifies('B3', 'B7');
    const profile = await probe(model({ calls: 'native', readsCharacters: 8_192 }, {}, { context_length: 32_768 }));
    expect(profile.context_tokens).toBe(2_048);
    expect(failedIds(profile)).toContain('code_word');
  });

  it('ends with the reason where there is no model, and at once on cancel', async () => {
    const error = { code: 'unreachable' as const, message: 'Nothing answers.' };
    const { info } = model({ calls: 'native' });
    const gone = scriptedProvider(() => ({ error }));
    const clock = steady();
    const never = new AbortController().signal;
    expect(await probeModel({ provider: gone, model: 'able', info, clock, signal: never })).toMatchObject({
      ok: false,
      error,
    });
    expect(gone.requests).toHaveLength(1);

    const stop = new AbortController();
    const { provider } = model({ calls: 'native' });
    const onResult = () => stop.abort();
    const stopped = await probeModel({ provider, model: 'able', info, clock, signal: stop.signal, onResult });
    expect(stopped).toMatchObject({ ok: false, error: { code: 'cancelled' } });
    if (!stopped.ok) expect(stopped.checks.length).toBeLessThan(3);
  });
});

describe('a profile', () => {
  it('counts for nothing when it is damaged or of another version', async () => {
    const profile = await probe(model({ calls: 'native' }));
    for (const damaged of [
      { ...profile, version: 2 },
      { ...profile, tool_calls: 'magic' },
      { ...profile, context_tokens: -1 },
      { ...profile, speed: { prefill_tokens_per_second: 'fast' } },
      { ...profile, key: { model: 'able' } },
      { ...profile, checks: [{ id: 'x' }] },
      null,
      [],
      'text',
    ]) {
      expect(readProfile(damaged)).toBeUndefined();
    }
  });
});
