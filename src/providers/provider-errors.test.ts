/** When a provider asks again, and what it says when it cannot go on: one table over all that talk to a server. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { overNetwork, PROVIDERS, quiet, request, tell } from '../testing/scripted-server/table.ts';
import type { ProviderOptions } from './provider-options.ts';

describe.each(PROVIDERS)('$name', ({ name, contentType, write }) => {
  const headers = { 'content-type': contentType };

  describe('sends again', () => {
    const good = { headers, chunks: [write({ text: 'hello' })] };

    it.each([429, 500, 502, 503])('after %i, three times, each time later', async (status) => {
      const setup = overNetwork(name, () => ({ status, chunks: ['boom'] }));
      const told = await tell(setup.make);
      expect(setup.chats()).toHaveLength(4);
      expect(told.waits).toEqual([500, 1_000, 2_000]);
      expect(told.parts.map((part) => part.type)).toEqual(['warning', 'warning', 'warning']);
      expect(told.outcome).toMatchObject({
        ok: false,
        error: { code: status === 429 ? 'rate_limited' : 'server_error' },
      });
      if (!told.outcome.ok) expect(told.outcome.error.message).toContain(String(status));
      if (!told.outcome.ok) expect(told.outcome.error.message).toContain('boom');
    });

    it('and prints no page of a proxy, only what it is called', async () => {
      verifies('Z16');
      const page =
        '<!DOCTYPE html>\n<html><head><title>502 Bad Gateway</title></head><body><hr>nginx of mine</body></html>';
      for (const body of [
        page,
        JSON.stringify({ error: { message: page } }),
        page.replace('<!DOCTYPE html>\n', 'upstream: '),
      ]) {
        const told = await tell(overNetwork(name, () => ({ status: 502, chunks: [body] })).make);
        expect(told.outcome).toMatchObject({ ok: false });
        if (told.outcome.ok) return;
        expect(told.outcome.error.message).toContain('an HTML page: "502 Bad Gateway"');
        expect(told.outcome.error.message).not.toMatch(/<|nginx/);
      }
    });

    it('after a refused connection, soon', async () => {
      const refused = { kind: 'refused', message: 'connection refused by 127.0.0.1:11434' } as const;
      const setup = overNetwork(name, (number) => (number < 2 ? { failure: refused } : good));
      const told = await tell(setup.make);
      expect(told.outcome).toMatchObject({ ok: true });
      expect(told.waits).toEqual([200, 400]);
      const dead = await tell(overNetwork(name, () => ({ failure: refused })).make);
      expect(dead.waits.reduce((sum, wait) => sum + wait, 0)).toBeLessThan(3_000);
      expect(dead.outcome).toMatchObject({ ok: false, error: { code: 'unreachable', hint: expect.any(String) } });
      if (!dead.outcome.ok) expect(dead.outcome.error.message).toContain('refused by 127.0.0.1:11434');
    });

    it('no sooner than the server asks, and no later than the limit', async () => {
      const waitsFor = async (retryAfter: string): Promise<number[]> => {
        const limited = { status: 429, headers: { 'retry-after': retryAfter } };
        return (await tell(overNetwork(name, (number) => (number === 0 ? limited : good)).make)).waits;
      };
      expect(await waitsFor('2')).toEqual([2_000]);
      expect(await waitsFor('45')).toEqual([20_000]);
      expect(await waitsFor('Tue, 14 Nov 2023 22:13:23 GMT')).toEqual([3_000]);
      expect(await waitsFor('soon')).toEqual([500]);
    });

    it.each(['61', '3600', 'Wed, 21 Oct 2099 07:28:00 GMT'])(
      'not at all where the server asks for longer than all waits together (%s)',
      async (retryAfter) => {
        const limited = { status: 429, headers: { 'retry-after': retryAfter } };
        const told = await tell(overNetwork(name, () => limited).make);
        expect(told.waits).toEqual([]);
        expect(told.outcome).toMatchObject({ ok: false, error: { code: 'rate_limited', status: 429 } });
      },
    );

    it('not at all where the server asks to be left alone for longer than the request allows', async () => {
      const ask = async (retryAfter: string) => {
        const limited = { status: 429, headers: { 'retry-after': retryAfter }, chunks: ['{"error":"slow down"}'] };
        return tell(overNetwork(name, () => limited).make, { retry_within_ms: 20_000 });
      };
      const long = await ask('70');
      expect(long.waits).toEqual([]);
      expect(long.outcome).toMatchObject({ ok: false, error: { status: 429, retry_after_seconds: 70 } });
      expect((await ask('20')).waits).toEqual([20_000, 20_000, 20_000]);
    });

    it.each([400, 401, 403, 404, 413, 422])('never after %i', async (status) => {
      const setup = overNetwork(name, () => ({ status, chunks: ['{"error":{"message":"no"}}'] }));
      const told = await tell(setup.make);
      expect(setup.chats()).toHaveLength(1);
      expect(told.waits).toEqual([]);
      expect(told.outcome).toMatchObject({ ok: false });
    });

    it.each(['connect_timeout', 'certificate', 'blocked', 'invalid_url'] as const)('never after %s', async (kind) => {
      const setup = overNetwork(name, () => ({ failure: { kind, message: 'scripted' } }));
      const told = await tell(setup.make);
      expect(setup.chats()).toHaveLength(1);
      expect(told.outcome).toMatchObject({ ok: false });
    });

    it('once where the connection broke before the first word, which is an empty reply', async () => {
      const lost = { kind: 'disconnected', message: 'scripted' } as const;
      for (const broken of [
        { failure: lost },
        { headers, chunks: [], end: lost.kind },
        { headers, chunks: ['d'], end: lost.kind },
      ]) {
        const setup = overNetwork(name, () => broken);
        await tell(setup.make);
        expect(setup.chats()).toHaveLength(2);
      }
    });

    it('not while the person cancels the wait', async () => {
      const stop = new AbortController();
      const setup = overNetwork(name, () => ({ status: 500 }));
      const provider = setup.make({
        ...quiet([]),
        sleep: async () => {
          stop.abort();
        },
      });
      const outcome = await provider.stream(request(), () => undefined, stop.signal);
      expect(outcome).toMatchObject({ ok: false, error: { code: 'cancelled' } });
      expect(setup.chats()).toHaveLength(1);
    });
  });

  describe('says what happened and what to do', () => {
    const answered = async (status: number, body: string, more: Partial<ProviderOptions> = {}) => {
      const told = await tell(overNetwork(name, () => ({ status, chunks: [body] }), more).make);
      if (told.outcome.ok) throw new Error('an error was due');
      return told.outcome.error;
    };

    it('of a model that takes no tools', async () => {
      verifies('Z16');
      for (const [status, message] of [
        [400, 'registry.ollama.ai/library/gemma:2b does not support tools'],
        [400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'],
        [500, 'tools param requires --jinja flag'],
      ] as const) {
        const said = await answered(status, JSON.stringify({ error: message }));
        expect(said.code).toBe('tools_unsupported');
        expect(said.hint).toBeDefined();
      }
    });

    it('of a conversation that is too long', async () => {
      verifies('B7');
      for (const message of [
        'request (9928 tokens) exceeds the available context size (4096 tokens), try increasing it',
        "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens",
        'the input length exceeds the context length',
        'prompt is too long: 210000 tokens > 200000 maximum',
      ]) {
        expect((await answered(400, JSON.stringify({ error: { message } }))).code, message).toBe('context_overflow');
      }
      for (const body of ['too long', 'Too long.', 'Error: prompt too large', '{"error":{"message":"too long"}}']) {
        const said = await answered(400, body);
        expect(said.code, body).toBe('context_overflow');
        expect(said.message).toMatch(/\.$/);
      }
      for (const body of ['the name of the tool is too long', 'too long for a user name', 'it took too long']) {
        expect((await answered(400, body)).code, body).toBe('bad_request');
      }
    });

    it.each([
      [500, '{"error":"model requires more system memory (5.6 GiB) than is available (3.2 GiB)"}'],
      // llama.cpp in router mode, and llama-swap.
      [500, '{"error":{"code":500,"message":"model name=qwen3 failed to load","type":"server_error"}}'],
      [500, '{"error":"unspecific error: upstream command exited prematurely","src":"llama-swap"}'],
    ])('of a model that cannot be loaded, without trying again: %i %s', async (status, body) => {
      const setup = overNetwork(name, () => ({ status, chunks: [body] }));
      const { outcome } = await tell(setup.make);
      const hint = expect.stringContaining('memory');
      expect(outcome).toMatchObject({ ok: false, error: { code: 'load_failed', hint } });
      expect(setup.chats()).toHaveLength(1);
    });

    it('of a key that is refused, without the key', async () => {
      const body = '{"error":{"message":"bad key sk-SECRET123 my-own-key-000 Bearer abcdef"}}';
      const said = await answered(401, body, { apiKey: 'my-own-key-000' });
      expect(said.code).toBe('unauthorized');
      expect(JSON.stringify(said)).not.toMatch(/SECRET123|my-own-key-000|abcdef/);
    });
  });
});
