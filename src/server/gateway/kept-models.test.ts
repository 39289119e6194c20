/** What is known of a model that a client names lasts from one request to the next. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { testServer } from '../../../tests/support/test-server.ts';
import { framesOf, WIRES } from '../../../tests/support/wire-cases.ts';
import type { JsonObject } from '../../core/json.ts';
import { LOADING, type ModelError } from '../../core/model-port.ts';
import { GATEWAY_LIMITS } from '../../gateway/limits.ts';
import { scriptedProvider } from '../../testing/index.ts';
import { createKeptModels } from './kept-models.ts';

describe.each(WIRES)('the wire $name', (wire) => {
  it.each([false, true])(
    'keeps thoughts that the template opened apart once an answer showed them, whatever the model is called',
    async (stream) => {
      const described: string[] = [];
      const scripted = scriptedProvider(async () => ({ text: 'Perhaps 5? No.\n</think>\n\nIt is 4.' }), {
        models: [{ id: 'm' }, { id: 'other' }],
      });
      const describe: typeof scripted.describe = (model, signal) => {
        described.push(model);
        return scripted.describe(model, signal);
      };
      const server = await testServer([], { modelProvider: { ...scripted, describe } });
      const say = async () => {
        const response = await server.call('POST', wire.path, { ...wire.body({ stream }), model: 'other' });
        const body = await response.text();
        return stream ? wire.stream(framesOf(body)) : wire.whole(JSON.parse(body) as JsonObject);
      };
      await say();
      const { text, reasoning } = await say();
      expect([text.trim(), reasoning.trim()]).toEqual(['It is 4.', 'Perhaps 5? No.']);
      // To ask about it costs the server several requests.
      expect(described.filter((model) => model === 'other')).toHaveLength(1);
    },
  );
});

it('asks about a model again after a while, and at once where it could not be opened', async () => {
  let now = 0;
  let isThere = false;
  const asked: string[] = [];
  const chosen = { ok: true, value: { model: 'm' } };
  const failed = { ok: false, error: { code: 'unreachable', message: 'Nobody answers.' } };
  const open = async (name?: string) => {
    asked.push(String(name));
    return (isThere ? chosen : failed) as never;
  };
  const kept = createKeptModels({ open }, { now: () => now });
  await kept.open('m', new AbortController().signal);
  isThere = true;
  expect([
    await kept.open('m', new AbortController().signal),
    await kept.open('m', new AbortController().signal),
    asked.length,
  ]).toEqual([chosen, chosen, 2]);
  now = 60_000;
  await kept.open('m', new AbortController().signal);
  expect(asked).toHaveLength(3);
});

describe('a server that still loads its model', () => {
  const loading = { ok: false, error: { code: 'server_error', reason: LOADING, message: 'Loading model' } };
  const chosen = { ok: true, value: { model: 'm' } };
  const kept = (answers: (asked: number) => unknown, onPause = () => {}) => {
    let [now, asked] = [0, 0];
    const open = async () => {
      asked += 1;
      return answers(asked) as never;
    };
    const pause = async () => {
      now += GATEWAY_LIMITS.modelLoadRetryMs;
      onPause();
      if (now > 2 * GATEWAY_LIMITS.modelLoadMs) throw new Error('It waits for ever.');
    };
    return createKeptModels({ open }, { now: () => now, pause });
  };
  const signal = new AbortController().signal;

  it('is waited for, whatever the name is', async () => {
    verifies('Z15');
    for (const name of ['m', 'm:latest'])
      expect(await kept((asked) => (asked < 5 ? loading : chosen)).open(name, signal)).toEqual(chosen);
  });

  it('is told of in the end, with when to ask again', async () => {
    verifies('Z15');
    const { error } = (await kept(() => loading).open('m', signal)) as { error: ModelError };
    expect(error).toMatchObject({ reason: LOADING, retry_after_seconds: GATEWAY_LIMITS.modelLoadAgainSeconds });
    expect(error.message).toContain('loading its model for 2 minutes');
  });

  it('is not waited for once the client is gone, and no other failure is waited for', async () => {
    verifies('Z15');
    const gone = new AbortController();
    expect(
      await kept(
        () => loading,
        () => gone.abort(),
      ).open('m', gone.signal),
    ).toMatchObject({ ok: false });
    const away = { ok: false, error: { code: 'unreachable', message: 'Nobody answers.' } };
    const paused: number[] = [];
    expect(
      await kept(
        () => away,
        () => paused.push(1),
      ).open('m', signal),
    ).toEqual(away);
    expect(paused).toEqual([]);
  });
});
