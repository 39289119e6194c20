import { describe, expect, it } from 'vitest';
import type { ModelPart } from '../core/model-port.ts';
import { scriptedProvider, startScriptedServer } from './index.ts';

const REQUEST = { model: 'test-model', messages: [], tools: [], sampling: {} };
const never = (): AbortSignal => new AbortController().signal;

describe('the scripted provider', () => {
  it('plays its turns in order, keeps the requests, and fails past the end', async () => {
    const provider = scriptedProvider([
      { text: 'Hello', calls: [{ name: 'ls', arguments: { path: '.' }, id: 'a' }] },
      (request, number) => ({ text: `${number} ${request.model}`, finish: 'length' }),
    ]);
    const parts: ModelPart[] = [];
    const first = await provider.stream(REQUEST, (part) => parts.push(part), never());
    expect(first).toMatchObject({ ok: true, answer: { finish: 'tool_calls', calls: [{ id: 'a', name: 'ls' }] } });
    expect(parts.map((part) => part.type)).toEqual(['text_delta', 'text_delta', 'tool_call_delta']);
    expect(await provider.stream(REQUEST, () => undefined, never())).toMatchObject({ answer: { finish: 'length' } });
    expect(await provider.stream(REQUEST, () => undefined, never())).toMatchObject({ error: { code: 'bad_request' } });
    expect(provider.requests).toHaveLength(3);
  });

  it('resolves on cancel while it waits', async () => {
    const stop = new AbortController();
    const provider = scriptedProvider([{ text: 'x', endGate: new Promise(() => undefined) }]);
    const outcome = await provider.stream(REQUEST, () => stop.abort(), stop.signal);
    expect(outcome).toMatchObject({ ok: false, partial: true, error: { code: 'cancelled' } });
  });

  it('ends in the error of the turn', async () => {
    const error = { code: 'timeout', message: 'late' } as const;
    const outcome = await scriptedProvider([{ text: 'x', error }]).stream(REQUEST, () => undefined, never());
    expect(outcome).toEqual({ ok: false, error, partial: true });
  });
});

describe('the scripted server', () => {
  it('records every request and says when its response was cut', async () => {
    await using server = await startScriptedServer({ turns: [{ text: 'ok' }, { text: 'cut', cutAfterWrites: 1 }] });
    const post = (): Promise<Response> =>
      fetch(`${server.openaiUrl}/chat/completions`, { method: 'POST', body: '{"model":"m","stream":true}' });
    expect(await (await post()).text()).toContain('[DONE]');
    await expect((await post()).text()).rejects.toThrow();
    expect(await Promise.all(server.requests.map((request) => request.ended))).toEqual([true, false]);
    expect(server.requests[0]?.body).toEqual({ model: 'm', stream: true });
    expect((await post()).status).toBe(400);
  });

  it('wants the key it was given', async () => {
    await using server = await startScriptedServer({ apiKey: 'k' });
    expect((await fetch(`${server.openaiUrl}/models`)).status).toBe(401);
    const headers = { authorization: 'Bearer k' };
    expect((await fetch(`${server.openaiUrl}/models`, { headers })).status).toBe(200);
  });
});
