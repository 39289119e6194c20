import fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ableAnswer } from '../../tests/support/able-model.ts';
import { scratchFolder } from '../../tests/support/scratch.ts';
import { TOKEN, testServer } from '../../tests/support/test-server.ts';
import { machineMemory, memoryFit } from '../agent/models/memory-fit.ts';
import type { JsonObject } from '../core/json.ts';
import { type ScriptedServerOptions, startScriptedServer } from '../testing/index.ts';
import type { ModelJob } from './model-jobs.ts';

type Row = { id: string; fit?: string; probe?: { passed: number; tool_calls: string }; current: boolean };

/** halter with an Ollama server of the test. */
const withOllama = async (options: ScriptedServerOptions = {}) => {
  const ollama = await startScriptedServer({
    models: [
      { id: 'small', size_bytes: 1_000_000 },
      { id: 'huge', size_bytes: 2 * machineMemory() },
    ],
    ...options,
  });
  onTestFinished(() => ollama.close());
  const server = await testServer([], {
    modelProvider: undefined as never,
    provider: 'ollama',
    baseUrl: ollama.url,
    model: 'small',
  });
  return { ollama, ...server };
};
type Server = Awaited<ReturnType<typeof withOllama>>;

const jobs = async ({ json }: Server): Promise<ModelJob[]> =>
  (await json<{ jobs: ModelJob[] }>('GET', '/api/models/jobs')).jobs;
const begin = (server: Server, kind: string, model: string): Promise<Response> =>
  server.call('POST', '/api/models/jobs', { kind, model });
const ended = async (server: Server): Promise<ModelJob> => {
  const job = await expect
    .poll(async () => (await jobs(server))[0], { timeout: 20_000 })
    .toMatchObject({ state: expect.stringMatching(/done|failed|stopped/) })
    .then(async () => (await jobs(server))[0]);
  return job as ModelJob;
};
const ids = async ({ json }: Server): Promise<string[]> =>
  (await json<{ models: Row[] }>('GET', '/api/models')).models.map(({ id }) => id);

describe('models over HTTP', () => {
  it('are got from Ollama while others go on, and are there then', async () => {
    const server = await withOllama();
    const begun = await begin(server, 'pull', 'ollama/new');
    expect(begun.status).toBe(202);
    expect(await ended(server)).toMatchObject({ kind: 'pull', model: 'ollama/new', state: 'done' });
    expect(await ids(server)).toContain('ollama/new');
  });

  it('say how far they are, are stopped, and are not got twice at once', async () => {
    let asked = (): void => {};
    const gate = new Promise<void>((resolve) => {
      asked = resolve;
    });
    onTestFinished(() => asked());
    const server = await withOllama({
      async *pulls() {
        yield { status: 'pulling layer', total: 100, completed: 25 } as JsonObject;
        await gate;
      },
    });
    await begin(server, 'pull', 'ollama/slow');
    await expect.poll(async () => (await jobs(server))[0]).toMatchObject({ message: 'pulling layer', fraction: 0.25 });
    expect((await begin(server, 'pull', 'ollama/slow')).status).toBe(409);
    const [job] = await jobs(server);
    expect((await server.call('DELETE', `/api/models/jobs/${job?.id}`)).status).toBe(200);
    expect((await jobs(server))[0]).toMatchObject({ state: 'stopped' });
    // One that is over is taken off the list.
    await server.call('DELETE', `/api/models/jobs/${job?.id}`);
    expect(await jobs(server)).toEqual([]);
    expect((await server.call('DELETE', `/api/models/jobs/${job?.id}`)).status).toBe(404);
  });

  it.each([
    'openai/x',
    'no-provider',
    'ollama/',
    'ollama/a b',
    'ollama/a\nb',
    'ollama/$(x)',
    'embedded/nothing-like-it',
  ])('are not got under the name %j', async (model) => {
    const server = await withOllama();
    await begin(server, 'pull', model);
    const job = await ended(server);
    expect(job.state).toBe('failed');
    expect(job.message).not.toBe('');
    expect(server.ollama.paths).not.toContain('POST /api/pull');
  });

  it('say why Ollama has none of that name', async () => {
    const server = await withOllama({ pulls: () => [{ error: 'pull model manifest: file does not exist' }] });
    await begin(server, 'pull', 'ollama/misspelt');
    expect(await ended(server)).toMatchObject({
      state: 'failed',
      message: 'Ollama cannot pull misspelt: pull model manifest: file does not exist',
    });
  });

  it('are removed from Ollama, but for the one that is open', async () => {
    const server = await withOllama();
    await server.halter.model();
    const removed = await server.call('DELETE', '/api/models?model=ollama/huge');
    expect([removed.status, await removed.text()]).toEqual([200, '{"ok":true}']);
    expect(await ids(server)).toEqual(['ollama/small']);
    expect((await server.call('DELETE', '/api/models?model=ollama/huge')).status).toBe(404);
    const refused = await server.call('DELETE', '/api/models?model=ollama/small');
    expect(refused.status).toBe(409);
    expect(await refused.text()).toContain('halter was started with');
    expect((await server.call('DELETE', '/api/models?model=openai/x')).status).toBe(400);
    expect((await server.call('DELETE', '/api/models')).status).toBe(400);
    expect(await ids(server)).toEqual(['ollama/small']);
  });

  it("are removed from halter's own folder and from nowhere else", async () => {
    const home = scratchFolder();
    const environment = { HOME: home, XDG_CONFIG_HOME: `${home}/config`, XDG_DATA_HOME: `${home}/data` };
    const server = await testServer([], { modelProvider: undefined as never, model: 'embedded/mine', environment });
    const folder = join(home, 'data/halter/models');
    fs.mkdirSync(folder, { recursive: true });
    fs.writeFileSync(join(folder, 'mine.gguf'), 'GGUF');
    fs.writeFileSync(join(home, 'other.gguf'), 'GGUF');
    for (const name of ['../../../other', '/other', 'other'])
      await server.call('DELETE', `/api/models?model=${encodeURIComponent(`embedded/${name}`)}`);
    expect(fs.existsSync(join(home, 'other.gguf'))).toBe(true);
    expect((await server.call('DELETE', '/api/models?model=embedded/mine')).status).toBe(200);
    expect(fs.existsSync(join(folder, 'mine.gguf'))).toBe(false);
  });

  it('tell whether they fit the memory of this machine', async () => {
    const server = await withOllama();
    await server.halter.model();
    const { models, memory_bytes } = await server.json<{ models: Row[]; memory_bytes: number }>(
      'GET',
      '/api/models?details=true',
    );
    expect(memory_bytes).toBe(machineMemory());
    expect(models.map(({ id, fit }) => [id, fit])).toEqual([
      ['ollama/small', 'fits'],
      ['ollama/huge', 'too_large'],
    ]);
    expect((await server.json<{ models: Row[] }>('GET', '/api/models')).models[0]).not.toHaveProperty('fit');
  });

  it('are suggested by the memory of this machine, each with what gets it', async () => {
    const server = await withOllama();
    type Suggested = { fits: string; memory_bytes: number; size_bytes: number; pull?: string; command: string };
    const told = await server.json<{ models: Suggested[]; memory_bytes: number }>('GET', '/api/models/suggestions');
    expect(told.models.length).toBeGreaterThan(0);
    for (const { fits, memory_bytes, size_bytes, pull, command } of told.models) {
      expect(['yes', 'tight']).toContain(fits);
      expect(memory_bytes).toBeGreaterThan(size_bytes / 2);
      // halter's own engine is none of the server that was named.
      if (pull === undefined) expect(command).toBe('halter models pull starter');
      else expect(command).toBe(`halter models pull ${pull}`);
    }
    expect(told.models.some(({ pull }) => pull?.startsWith('ollama/hf.co/'))).toBe(true);
  });

  it('are probed, and tell what came of it', async () => {
    const server = await withOllama({
      turns: ({ body }) => {
        const { finish: _finish, ...turn } = ableAnswer(
          { messages: body['messages'] as never, tools: (body['tools'] ?? []) as never },
          { calls: 'native' },
        );
        return turn;
      },
    });
    await begin(server, 'probe', 'ollama/small');
    expect(await ended(server)).toMatchObject({ state: 'done' });
    const { models } = await server.json<{ models: Row[] }>('GET', '/api/models?details=true');
    expect(models.find(({ id }) => id === 'ollama/small')?.probe).toMatchObject({
      tool_calls: 'native',
      passed: expect.any(Number),
    });
  }, 60_000);

  it.each([
    ['POST', '/api/models/jobs', { kind: 'pull', model: 'ollama/x' }],
    ['GET', '/api/models/jobs', undefined],
    ['GET', '/api/models/suggestions', undefined],
    ['DELETE', '/api/models/jobs/x', undefined],
    ['DELETE', '/api/models?model=ollama/huge', undefined],
  ])('are touched by nobody without the token, nor from another page: %s %s', async (method, path, body) => {
    const server = await withOllama();
    expect((await server.call(method, path, body, { authorization: 'Bearer wrong' })).status).toBe(401);
    const foreign = { origin: 'https://evil.test', authorization: `Bearer ${TOKEN}` };
    expect((await server.call(method, path, body, foreign)).status).toBe(403);
    expect(server.ollama.paths.filter((each) => /pull|delete/.test(each))).toEqual([]);
  });

  it('take no kind of work that is not known', async () => {
    const server = await withOllama();
    expect((await begin(server, 'format-disk', 'ollama/x')).status).toBe(400);
    expect((await server.call('POST', '/api/models/jobs', { kind: 'pull' })).status).toBe(400);
  });
});

describe('the fit of a model', () => {
  it.each([
    [1e9, 16e9, 'fits'],
    [9e9, 16e9, 'fits'],
    [11e9, 16e9, 'tight'],
    [16e9, 16e9, 'too_large'],
    [98e6, 1e9, 'fits'],
  ] as const)('of %d bytes in %d bytes is %s', (size, memory, fit) => {
    expect(memoryFit(size, memory)).toBe(fit);
  });
});
