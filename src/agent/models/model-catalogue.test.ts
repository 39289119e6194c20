import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { scratchFolder } from '../../../tests/support/scratch.ts';
import { STARTER_MODEL } from '../../providers/embedded/model-store.ts';
import { startScriptedServer } from '../../testing/index.ts';
import { openTestAgent, type TestAgentOptions } from '../../testing/test-agent.ts';
import { type ListedModel, modelsBeside, modelsOfEngine, withoutRepeats } from './model-catalogue/listing.ts';

const agentFor = async (options: Partial<TestAgentOptions>, environment: Record<string, string> = {}) => {
  const home = scratchFolder();
  const opened = await openTestAgent({
    folder: scratchFolder(),
    environment: { HOME: home, XDG_CONFIG_HOME: `${home}/config`, XDG_DATA_HOME: `${home}/data`, ...environment },
    onWarning: () => {},
    sandbox: false,
    ...options,
  } as TestAgentOptions);
  if (!opened.ok) throw new Error(opened.error.message);
  onTestFinished(() => opened.value.close());
  return opened.value;
};

const startServer = async (models: { id: string }[]) => {
  const server = await startScriptedServer({ models });
  onTestFinished(() => server.close());
  return server;
};

/** What a request may name besides the model halter was started with. */
const NAMES = ['other', 'ollama/other', 'default'];

describe('a server that the person named', () => {
  it.each(NAMES)('is the only one that is asked for %s, though it is away', async (name) => {
    const [away, elsewhere] = [await startServer([]), await startServer([{ id: 'other' }])];
    await away.close();
    const { models } = await agentFor({ baseUrl: away.openaiUrl, provider: 'openai' }, { OLLAMA_HOST: elsewhere.url });
    expect(await models.open(name)).toMatchObject({ ok: false, error: { code: 'unreachable' } });
    expect(elsewhere.paths).toEqual([]);
  });

  it.each(NAMES)('is the only one that is asked for %s, though it has no models', async (name) => {
    const [empty, elsewhere] = [await startServer([]), await startServer([{ id: 'other' }])];
    const { models } = await agentFor({ baseUrl: empty.url, provider: 'ollama' }, { OLLAMA_HOST: elsewhere.url });
    expect(await models.open(name)).toMatchObject({ ok: false, error: { code: 'model_not_found' } });
    expect(elsewhere.paths).toEqual([]);
  });

  const MAINS = [{ model: 'm', provider: 'openai' }, { model: 'openai/m' }, { model: 'm' }, { model: 'llama-cpp/m' }];
  it.each(MAINS)('is not asked for what a role names of another provider: %j', async (main) => {
    const [own, elsewhere] = [await startServer([{ id: 'm' }]), await startServer([{ id: 'q' }])];
    const { models } = await agentFor(
      { ...main, baseUrl: own.openaiUrl, roles: { other: 'ollama/q', far: 'other' } },
      { OLLAMA_HOST: elsewhere.url },
    );
    for (const role of ['other', 'far'])
      expect(await models.open(role)).toMatchObject({
        ok: true,
        value: { model: 'q', provider: { name: 'ollama', endpoint: elsewhere.url } },
      });
    expect(own.requests).toEqual([]);
  });

  it.each(MAINS)('is not given the name of a model of another provider that it does not have: %j', async (main) => {
    const [own, elsewhere] = [await startServer([{ id: 'm' }]), await startServer([{ id: 'q' }])];
    const { models } = await agentFor(
      { ...main, baseUrl: own.openaiUrl, describe: false },
      { OLLAMA_HOST: elsewhere.url },
    );
    expect(await models.open('ollama/q')).toMatchObject({ ok: false, error: { code: 'model_not_found' } });
    expect(elsewhere.paths).toEqual([]);
  });

  it.each(MAINS)('may have a model whose name begins like a provider: %j', async (main) => {
    const own = await startServer([{ id: 'm' }, { id: 'ollama/q' }]);
    const { models } = await agentFor({ ...main, baseUrl: own.openaiUrl, describe: false });
    expect(await models.open('ollama/q')).toMatchObject({ ok: true, value: { model: 'ollama/q' } });
  });

  it.each(MAINS)('is asked for a role that names a model of its list, whatever that is called: %j', async (main) => {
    const [own, elsewhere] = [await startServer([{ id: 'm' }, { id: 'ollama/q' }]), await startServer([{ id: 'q' }])];
    const { models } = await agentFor(
      { ...main, baseUrl: own.openaiUrl, roles: { other: 'ollama/q' } },
      { OLLAMA_HOST: elsewhere.url },
    );
    expect(await models.open('other')).toMatchObject({ ok: true, value: { model: 'ollama/q' } });
    expect(elsewhere.paths).toEqual([]);
  });

  it.each(MAINS)('stays the only one for others after a role was opened elsewhere: %j', async (main) => {
    const [own, elsewhere] = [await startServer([{ id: 'm' }]), await startServer([{ id: 'q' }])];
    const { models } = await agentFor(
      { ...main, baseUrl: own.openaiUrl, roles: { other: 'ollama/q' } },
      { OLLAMA_HOST: elsewhere.url },
    );
    expect(await models.open('other')).toMatchObject({ ok: true, value: { model: 'q' } });
    expect(await models.open('ollama/q')).toMatchObject({ ok: false, error: { code: 'model_not_found' } });
    expect(await models.open('other')).toMatchObject({ ok: true, value: { model: 'q' } });
  });

  it('is asked for what a role names of its own provider', async () => {
    const own = await startServer([{ id: 'm' }, { id: 'n' }]);
    const { models } = await agentFor({ model: 'm', baseUrl: own.openaiUrl, roles: { other: 'openai/n' } });
    expect(await models.open('other')).toMatchObject({ ok: true, value: { model: 'n' } });
  });

  it.each<Partial<TestAgentOptions>>([{ provider: 'ollama' }, { model: 'ollama/m' }])(
    'is asked whether it answers, also by its provider alone: %j',
    async (options) => {
      const away = await startServer([]);
      await away.close();
      const { models } = await agentFor(options, { OLLAMA_HOST: away.url });
      expect(await models.answers()).toMatchObject({ ok: false, error: { code: 'unreachable' } });
    },
  );

  it('is not asked for where none was named', async () => {
    const { models } = await agentFor({});
    expect(models.answers()).toBeUndefined();
  });
});

describe('a model file of the engine', () => {
  const listed = (look?: Parameters<typeof modelsOfEngine>[1]) => {
    const folder = scratchFolder();
    fs.writeFileSync(path.join(folder, STARTER_MODEL.fileName), '');
    fs.truncateSync(path.join(folder, STARTER_MODEL.fileName), STARTER_MODEL.sizeBytes);
    const place = { modelsFolder: folder, io: { environment: {}, offline: true } };
    return modelsOfEngine(place as never, look);
  };

  it('says that the engine is missing as long as it is', async () => {
    const [without] = await listed(() => ({ code: 'load_failed', message: 'No engine.', hint: 'Get it.' }));
    expect(without?.problem).toBe('No engine. Get it.');
    const [beside] = await listed(() => undefined);
    expect(beside?.problem).toBeUndefined();
  });

  it('is called as it is got and as it is opened, and has its size, before it is opened and afterwards', async () => {
    const [before] = await listed();
    expect(before?.id).toBe('embedded/starter');
    const { info } = before as ListedModel;
    const provider = { name: 'embedded', endpoint: '/models', models: async () => ({ ok: true, models: [info] }) };
    const opened = { provider, model: 'starter', info: { id: 'starter', size_bytes: info.size_bytes! - 1 } };
    const [after] = await modelsBeside(opened as never, new AbortController().signal);
    expect([after?.id, after?.info.size_bytes]).toEqual([before?.id, STARTER_MODEL.sizeBytes]);
  });
});

describe('a model file with several names', () => {
  it.each(['starter', 'smollm2', 'smollm2-135m-instruct', 'SmolLM2-135M-Instruct.Q4_1'])(
    'stands once in the list, also as %s',
    (name) => {
      const info = { id: 'smollm2-135m-instruct', aliases: ['starter', 'smollm2', 'SmolLM2-135M-Instruct.Q4_1'] };
      const at = { provider: 'embedded', endpoint: '/models', current: false };
      const opened = {
        ...at,
        id: `embedded/${name}`,
        current: true,
        info: { id: name, aliases: [info.id, ...info.aliases] },
      };
      const listed = [
        opened,
        { ...at, id: `embedded/${info.id}`, info },
        { ...at, id: 'embedded/other', info: { id: 'other' } },
      ];
      expect(withoutRepeats(listed).map(({ id }) => id)).toEqual([`embedded/${name}`, 'embedded/other']);
      // Another place has its own.
      expect(withoutRepeats([...listed, { ...opened, endpoint: '/elsewhere' }])).toHaveLength(3);
    },
  );

  it.each(['starter', 'smollm2-135m-instruct'])(
    'is named by the server beside the one that is open: %s',
    async (name) => {
      const info = { id: 'smollm2-135m-instruct', aliases: ['starter'] };
      const provider = {
        name: 'embedded',
        endpoint: '/models',
        models: async () => ({ ok: true, models: [info, { id: 'other' }] }),
      };
      const listed = await modelsBeside(
        { provider, model: name, info: { id: name } } as never,
        new AbortController().signal,
      );
      expect(listed.map(({ id, current }) => [id, current])).toEqual([
        [`embedded/${name}`, true],
        ['embedded/other', false],
      ]);
    },
  );
});
