/** Models that the settings name by what they are used for. */
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startScriptedServer } from '../../src/testing/index.ts';
import { verifies } from '../requirements.ts';
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

it('a model for plan mode answers there, over the command line and over HTTP', async () => {
  const server = await startScriptedServer({ turns: () => ({ text: 'Done.' }) });
  onTestFinished(() => server.close());
  const home = scratchFolder();
  const settings = {
    provider: 'openai',
    base_url: `${server.url}/v1`,
    models: { roles: { main: 'usual', plan: 'planner' } },
  };
  putFiles(path.join(home, '.config/halter'), { 'config.json': JSON.stringify(settings) });
  for (const flags of [[], ['--plan'], ['--model', 'plan']]) {
    const ran = await runHalter(['run', 'go', ...flags], { home });
    expect(ran.code, ran.err).toBe(0);
  }
  expect(server.requests.map(({ body }) => body['model'])).toEqual(['usual', 'planner', 'planner']);
  const wrong = await runHalter(['config', 'set', 'models.roles.planner', 'm'], { home });
  expect(wrong.code).toBe(2);
  expect(wrong.err).toContain('There is no role "planner" for models. The roles are: main, plan,');
  putFiles(path.join(home, '.config/halter'), { 'config.json': '{"models": {"roles": {"planner": "m"}}}' });
  for (const command of [['run', 'go'], ['config', 'get'], ['models', 'list'], ['doctor'], ['serve', '--port', '0']]) {
    const refused = await runHalter(command, { home });
    expect(refused.code, command.join(' ')).not.toBe(0);
    expect(refused.err + refused.out, command.join(' ')).toContain('There is no role "planner"');
  }
});

it.each([undefined, 'zoo-keeper'])('a request names a model by its role (preset %s)', async (preset) => {
  const models = [{ id: 'm' }, { id: 'large' }];
  const server = await testServer({ text: 'Done.' }, { models, roles: { deep: 'large' }, preset });
  const chat = { message: 'go', chat_id: 'one' };
  await server.json('POST', '/api/chat', { ...chat, model: 'deep' });
  await server.json('POST', '/api/chat', { ...chat, chat_id: 'two' });
  expect(server.provider.requests.map(({ model }) => model)).toEqual(['large', 'm']);
});

it.each(['model_fast', 'models.roles.plan', 'embedding_model', 'api_key_env', 'dialect'])(
  'a setting of which nothing can be seen is not kept, and named where it stands: %s',
  async (key) => {
    verifies('U1');
    const home = scratchFolder();
    const file = path.join(home, '.config/halter/config.json');
    const set = await runHalter(['config', 'set', key, ' '], { home });
    expect([set.code, set.err]).toEqual([2, expect.stringContaining(`${key} must not be blank`)]);
    putFiles(path.dirname(file), { 'config.json': JSON.stringify({ [key]: '' }) });
    for (const command of [
      ['run', 'go'],
      ['serve', '--port', '0'],
    ]) {
      const ran = await runHalter(command, { home });
      expect(ran.code, command.join(' ')).not.toBe(0);
      expect(ran.err, command.join(' ')).toContain(`${file} is wrong: ${key} must not be empty`);
    }
    expect((await runHalter(['config', 'set', key, ''], { home })).code).toBe(0);
  },
);
