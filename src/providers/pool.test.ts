/** Several servers as one endpoint, over real sockets. */
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import type { ModelPart, ModelProvider, ModelRequest } from '../core/model-port.ts';
import { createNetwork } from '../io/network.ts';
import { type ScriptedServer, type ScriptedServerOptions, startScriptedServer } from '../testing/index.ts';
import { createProvider } from './index.ts';
import { byAffinity, conversationKey } from './pool/affinity.ts';
import { createPool } from './pool.ts';

const request = (content: string, ...more: ModelRequest['messages']): ModelRequest => ({
  model: 'test-model',
  messages: [{ role: 'user', content }, ...more],
  tools: [],
  sampling: {},
});

const server = async (turns: NonNullable<ScriptedServerOptions['turns']>, options: ScriptedServerOptions = {}) => {
  const started = await startScriptedServer({ turns, ...options });
  onTestFinished(() => started.close());
  return started;
};
const settings = () => {
  const network = createNetwork({ environment: {}, offline: false });
  onTestFinished(() => network.close());
  return { network, clock: { now: Date.now, monotonic: () => performance.now() }, sleep: async () => {} };
};
const poolOf = (servers: readonly ScriptedServer[]): ModelProvider => {
  const pool = createProvider('openai', {
    ...settings(),
    baseUrl: servers.map(({ openaiUrl }) => openaiUrl).join(' , '),
  });
  onTestFinished(() => pool.close());
  return pool;
};
const ask = async (pool: ModelProvider, asked: ModelRequest, signal = new AbortController().signal) => {
  const parts: ModelPart[] = [];
  const outcome = await pool.stream(asked, (part) => parts.push(part), signal);
  return { outcome, text: parts.map((part) => (part.type === 'text_delta' ? part.delta : '')).join(''), parts };
};
/** The one that such a conversation belongs to, and the others. */
const ordered = (servers: readonly ScriptedServer[], asked: ModelRequest): ScriptedServer[] =>
  byAffinity(
    conversationKey(asked.messages),
    servers.map((one) => ({ name: one.openaiUrl, one })),
  ).map(({ one }) => one);

describe('a pool of model servers', () => {
  test('keeps a conversation on one server, and spreads conversations', async () => {
    verifies('B12', 'B4');
    const servers = await Promise.all(['a', 'b', 'c'].map((text) => server(() => ({ text }))));
    const pool = poolOf(servers);
    const said = new Set<string>();
    // The servers' ports decide who gets which: of 60 none goes without in all but one of 10 billion runs.
    for (let n = 0; n < 60; n += 1) {
      const asked = request(`conversation ${n}`);
      const first = await ask(pool, asked);
      const second = await ask(pool, {
        ...asked,
        messages: [
          ...asked.messages,
          { role: 'assistant', content: first.text, tool_calls: [], finish: 'stop' },
          { role: 'user', content: 'and then?' },
        ],
      });
      expect(second.text).toBe(first.text);
      said.add(first.text);
    }
    expect([...said].sort()).toEqual(['a', 'b', 'c']);
    expect(servers.reduce((sum, { requests }) => sum + requests.length, 0)).toBe(120);
  });

  test('asks another one while nothing of an answer came, and not after', async () => {
    verifies('B12');
    const asked = request('hello');
    const failing = [
      { status: 500, body: 'broken' },
      { text: 'begun and cut off here', cutAfterWrites: 3 },
    ] as const;
    for (const [index, turn] of failing.entries()) {
      const servers = await Promise.all([0, 1].map(() => server(() => ({ text: 'whole' }))));
      const [own] = ordered(servers, asked);
      const replaced = await server(() => turn);
      // The one that the conversation belongs to is the one that fails.
      const network = settings();
      const providers = servers.map((one) => {
        const made = createProvider('openai', {
          ...network,
          attempts: 0,
          baseUrl: one === own ? replaced.openaiUrl : one.openaiUrl,
        });
        return { ...made, endpoint: one.openaiUrl };
      });
      const pool = createPool({ providers, sleep: network.sleep });
      onTestFinished(() => pool.close());
      const { outcome, text } = await ask(pool, asked);
      if (index === 0) {
        expect([outcome.ok, text]).toEqual([true, 'whole']);
      } else {
        expect(text).not.toContain('whole');
        expect(text).not.toBe('');
      }
      expect(replaced.requests).toHaveLength(1);
    }
  });

  test('goes on without a server that is gone, and says so when none is left', async () => {
    verifies('B12');
    const asked = request('hello');
    const servers = await Promise.all(['a', 'b'].map((text) => server(() => ({ text }))));
    const [own, other] = ordered(servers, asked) as [ScriptedServer, ScriptedServer];
    const pool = poolOf(servers);
    const before = await ask(pool, asked);
    await own.close();
    const without = await ask(pool, asked);
    expect(without.text).not.toBe(before.text);
    expect(other.requests).toHaveLength(1);
    await other.close();
    const nobody = await ask(pool, asked);
    expect(nobody.outcome).toMatchObject({ ok: false, error: { code: 'unreachable' } });
    if (!nobody.outcome.ok) expect(nobody.outcome.error.hint).toContain(own.openaiUrl);
  });

  test('takes a server that has a request and does not answer any more for gone', async () => {
    verifies('B12');
    const asked = request('hello');
    let isThere = true;
    const never = new Promise<never>(() => {});
    const silent: ModelProvider = {
      name: 'openai',
      endpoint: 'http://silent',
      stream: (_request, _emit, signal) =>
        new Promise((resolve) => {
          isThere = false;
          signal.addEventListener('abort', () =>
            resolve({ ok: false, error: { code: 'cancelled', message: 'cancelled' }, partial: false }),
          );
        }),
      models: async () =>
        isThere ? { ok: true, models: [] } : { ok: false, error: { code: 'timeout', message: 'silence' } },
      describe: () => never,
      close: async () => {},
    };
    const talks = createProvider('openai', {
      ...settings(),
      baseUrl: (await server(() => ({ text: 'here' }))).openaiUrl,
    });
    const both = [silent, { ...talks, endpoint: 'http://talks' }];
    const key = byAffinity(
      conversationKey(asked.messages),
      both.map(({ endpoint }) => ({ name: endpoint })),
    );
    const named =
      key[0]?.name === 'http://silent'
        ? both
        : both.map((one, at) => ({ ...one, endpoint: both[1 - at]?.endpoint ?? '' }));
    const pool = createPool({ providers: named, probeMs: 1 });
    onTestFinished(() => pool.close());
    expect((await ask(pool, asked)).text).toBe('here');
  });

  test('lets no more requests through than the servers take, and each gets its turn', async () => {
    verifies('B12');
    let together = 0;
    let most = 0;
    const slow = await server(async () => {
      together += 1;
      most = Math.max(most, together);
      await new Promise((resolve) => setImmediate(resolve));
      together -= 1;
      return { text: 'served' };
    });
    const provider = createProvider('openai', { ...settings(), baseUrl: slow.openaiUrl });
    const pool = createPool({ providers: [provider], requestsPerServer: 2 });
    onTestFinished(() => pool.close());
    const all = await Promise.all(Array.from({ length: 9 }, (_, n) => ask(pool, request(`request ${n}`))));
    expect(all.map(({ text }) => text)).toEqual(all.map(() => 'served'));
    expect(most).toBeLessThanOrEqual(2);
    expect(all.some(({ parts }) => parts.some(({ type }) => type === 'loading'))).toBe(true);
  });

  test('gives up its place in the queue when the person does not want it any more', async () => {
    verifies('B12', 'E11');
    const held = Promise.withResolvers<void>();
    const slow = await server(async () => {
      await held.promise;
      return { text: 'late' };
    });
    const provider = createProvider('openai', { ...settings(), baseUrl: slow.openaiUrl });
    const pool = createPool({ providers: [provider], requestsPerServer: 1 });
    onTestFinished(() => pool.close());
    const first = ask(pool, request('first'));
    const cancel = new AbortController();
    const second = ask(pool, request('second'), cancel.signal);
    cancel.abort();
    expect((await second).outcome).toMatchObject({ ok: false, error: { code: 'cancelled' } });
    held.resolve();
    expect((await first).text).toBe('late');
    expect(slow.requests).toHaveLength(1);
  });

  test('has the models of all, and the smallest of their windows', async () => {
    verifies('B12', 'B7');
    const servers = await Promise.all([
      server([], { models: [{ id: 'test-model', context_length: 8_192 }] }),
      server([], { models: [{ id: 'test-model', context_length: 4_096 }, { id: 'another' }] }),
    ]);
    const pool = poolOf(servers);
    const signal = new AbortController().signal;
    const listed = await pool.models(signal);
    expect(listed.ok && listed.models.map(({ id }) => id).sort()).toEqual(['another', 'test-model']);
    const described = await pool.describe('test-model', signal);
    expect(described.ok && described.model.context_length).toBe(4_096);
  });
});

test('when a server is gone only its own conversations move', () => {
  verifies('B12');
  const names = ['one', 'two', 'three', 'four'].map((name) => ({ name }));
  fc.assert(
    fc.property(fc.nat(2 ** 32 - 1), fc.nat(3), (key, gone) => {
      const before = byAffinity(key, names);
      const left = byAffinity(
        key,
        names.filter((_, at) => at !== gone),
      );
      expect(left).toEqual(before.filter((one) => one !== names[gone]));
    }),
  );
  const counts = new Map<string, number>();
  for (let n = 0; n < 4_000; n += 1) {
    const name = byAffinity(conversationKey([{ role: 'user', content: `conversation ${n}` }]), names)[0]?.name ?? '';
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  for (const count of counts.values()) expect(count).toBeGreaterThan(800);
});
