/** Models that the settings name by what they are used for. */
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startScriptedServer } from '../../src/testing/index.ts';
import { runHalter } from '../support/halter-process.ts';
import { putFiles, scratchFolder } from '../support/scratch.ts';
import { testServer } from '../support/test-server.ts';

it.each([[[]], [['--preset', 'zoo-keeper']]])(
  '--model fast is the model that the settings call so (%j)',
  async (flags) => {
    const server = await startScriptedServer({ turns: () => ({ text: 'Done.' }) });
    onTestFinished(() => server.close());
    const home = scratchFolder();
    const settings = {
      provider: 'openai',
      base_url: `${server.url}/v1`,
      model: 'usual',
      model_fast: 'tiny',
      model_deep: 'large',
    };
    putFiles(path.join(home, '.config/halter'), { 'config.json': JSON.stringify(settings) });
    for (const model of ['fast', 'deep', 'other']) {
      const ran = await runHalter(['run', 'go', '--model', model, ...flags], { home });
      expect(ran.code, ran.err).toBe(0);
    }
    expect((await runHalter(['run', 'go', ...flags], { home })).code).toBe(0);
    expect(server.requests.map(({ body }) => body['model'])).toEqual(['tiny', 'large', 'other', 'usual']);
  },
);

it.each([undefined, 'zoo-keeper'])('a request names a model by its role (preset %s)', async (preset) => {
  const models = [{ id: 'm' }, { id: 'large' }];
  const server = await testServer({ text: 'Done.' }, { models, roles: { deep: 'large' }, preset });
  const chat = { message: 'go', chat_id: 'one' };
  await server.json('POST', '/api/chat', { ...chat, model: 'deep' });
  await server.json('POST', '/api/chat', { ...chat, chat_id: 'two' });
  expect(server.provider.requests.map(({ model }) => model)).toEqual(['large', 'm']);
});
