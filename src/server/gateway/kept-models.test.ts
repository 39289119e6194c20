/** What is known of a model that a client names lasts from one request to the next. */
import { describe, expect, it } from 'vitest';
import { testServer } from '../../../tests/support/test-server.ts';
import { framesOf, WIRES } from '../../../tests/support/wire-cases.ts';
import type { JsonObject } from '../../core/json.ts';
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
  const kept = createKeptModels({ open }, () => now);
  await kept.open('m');
  isThere = true;
  expect([await kept.open('m'), await kept.open('m'), asked.length]).toEqual([chosen, chosen, 2]);
  now = 60_000;
  await kept.open('m');
  expect(asked).toHaveLength(3);
});
