import { describe, expect, it } from 'vitest';
import { type ScriptedResponse, scriptedNetwork } from '../testing/scripted-server/network.ts';
import { type HoldOptions, holdModel } from './hold-model.ts';

const json = (value: object, status = 200): ScriptedResponse => ({ status, chunks: [JSON.stringify(value)] });
type Kind = 'ollama' | 'router' | 'llama-swap' | 'one model';

/** A server of this kind that has `m`, and what it was asked for to change that. */
const server = (kind: Kind, status: string, fails = false) => {
  const asked: string[] = [];
  let now: object = { value: status };
  let next: object[] = [];
  const change = (...states: object[]): void => {
    next = fails ? [{ value: 'unloaded', failed: true }] : states;
  };
  const network = scriptedNetwork((request) => {
    const { pathname } = new URL(request.url);
    const route = `${request.method} ${pathname}`;
    if (pathname === '/v1/models') {
      now = next.shift() ?? now;
      const owned_by = kind === 'llama-swap' ? 'llama-swap' : 'llamacpp';
      return json({ data: [{ id: 'm', owned_by, ...(kind === 'one model' ? {} : { status: now }) }] });
    }
    if (pathname === '/props') return json(kind === 'router' ? { role: 'router' } : {});
    asked.push(request.body === undefined ? route : `${route} ${String(request.body)}`);
    if (kind === 'ollama') return json({ done: true });
    if (pathname === '/models/load') change({ value: 'loading' }, { value: 'loaded' });
    if (pathname === '/models/unload') change({ value: 'loaded' }, { value: 'unloaded' });
    return pathname.startsWith('/api/models/unload') ? { chunks: ['OK'] } : json({ success: true });
  });
  return { network, asked };
};
const hold = (at: ReturnType<typeof server>, kind: Kind, wanted: HoldOptions['wanted'], model = 'm') =>
  holdModel({
    network: at.network,
    sleep: async () => undefined,
    provider: kind === 'ollama' ? 'ollama' : kind === 'llama-swap' ? 'openai' : 'llama-cpp',
    baseUrl: 'http://h:1',
    model,
    wanted,
    signal: new AbortController().signal,
  });

describe('a model is taken into memory and out of it', () => {
  it.each<[Kind, HoldOptions['wanted'], string[]]>([
    ['ollama', 'loaded', ['POST /api/generate {"model":"m"}']],
    ['ollama', 'unloaded', ['POST /api/generate {"model":"m","keep_alive":0}']],
    ['router', 'loaded', ['POST /models/load {"model":"m"}']],
    ['router', 'unloaded', ['POST /models/unload {"model":"m"}']],
    ['llama-swap', 'loaded', ['GET /upstream/m/v1/models']],
    ['llama-swap', 'unloaded', ['POST /api/models/unload/m {}']],
  ])('%s: %s', async (kind, wanted, expected) => {
    const at = server(kind, wanted === 'loaded' ? 'unloaded' : 'loaded');
    expect(await hold(at, kind, wanted)).toEqual({ ok: true });
    expect(at.asked).toEqual(expected);
  });

  it('where it is so already, a router is asked for nothing', async () => {
    for (const [status, wanted] of [
      ['loaded', 'loaded'],
      ['unloaded', 'unloaded'],
    ] as const) {
      const at = server('router', status);
      expect(await hold(at, 'router', wanted)).toEqual({ ok: true });
      expect(at.asked).toEqual([]);
    }
  });

  it('what a server cannot is said', async () => {
    const one = await hold(server('one model', 'loaded'), 'one model', 'unloaded');
    expect(one).toMatchObject({ ok: false, error: { code: 'bad_request' } });
    const unknown = await hold(server('router', 'loaded'), 'router', 'loaded', 'x');
    const message = expect.stringContaining('does not know the model "x". It has: m.');
    expect(unknown).toMatchObject({ ok: false, error: { code: 'model_not_found', message } });
    const broken = await hold(server('router', 'unloaded', true), 'router', 'loaded');
    expect(broken).toMatchObject({ ok: false, error: { code: 'load_failed' } });
  });
});
