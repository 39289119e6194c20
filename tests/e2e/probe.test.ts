/** `halter models probe` against servers of both protocols and of differing ability, and what `run` makes of the profile. */
import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/core/json.ts';
import type { ModelProfile } from '../../src/core/model-profile.ts';
import {
  type ScriptedModel,
  type ScriptedRequest,
  type ScriptedServer,
  startScriptedServer,
} from '../../src/testing/index.ts';
import { verifies } from '../requirements.ts';
import { type Abilities, ableAnswer } from '../support/able-model.ts';
import { runHalter } from '../support/halter-process.ts';
import { putFiles, scratchFolder } from '../support/scratch.ts';

const objectOf = (value: JsonValue | undefined): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};

const schemaOf = ({ body }: ScriptedRequest): JsonObject | undefined => {
  const format = objectOf(body['format'] ?? objectOf(objectOf(body['response_format'])['json_schema'])['schema']);
  return Object.keys(format).length > 0 ? format : undefined;
};
const limitOf = ({ body }: ScriptedRequest): number | undefined => {
  const limit = body['max_tokens'] ?? objectOf(body['options'])['num_predict'];
  return typeof limit === 'number' ? limit : undefined;
};

const server = async (abilities: Abilities, model: ScriptedModel = { id: 'able' }): Promise<ScriptedServer> => {
  const started = await startScriptedServer({
    models: [model],
    turns: (request) => {
      const schema = schemaOf(request);
      const maxTokens = limitOf(request);
      const read = Math.min(request.text.length, abilities.readsCharacters ?? request.text.length);
      const turn = ableAnswer(
        {
          messages: request.body['messages'] as { role: string; content: string }[],
          tools: (request.body['tools'] ?? []) as JsonValue[],
          ...(schema ? { schema } : {}),
          ...(maxTokens === undefined ? {} : { maxTokens }),
        },
        abilities,
      );
      return { ...turn, usage: { prompt_tokens: Math.floor(read / 4), completion_tokens: 20 } };
    },
  });
  onTestFinished(() => started.close());
  return started;
};

const PROTOCOLS = [
  ['openai', (at: ScriptedServer) => ['--provider', 'openai', '--base-url', at.openaiUrl]],
  ['ollama', (at: ScriptedServer) => ['--provider', 'ollama', '--base-url', at.url]],
] as const;

describe.each(PROTOCOLS)('against a server of the %s form', (_, flags) => {
  it('a model that writes its calls as text is given its tools in the prompt from then on', async () => {
    verifies('B3', 'Z16');
    const at = await server({ calls: 'text' });
    const home = scratchFolder();
    const probed = await runHalter(['models', 'probe', 'able', '--json', ...flags(at)], { home });
    expect(probed.code).toBe(0);
    const profile = probed.json() as unknown as ModelProfile;
    expect(profile).toMatchObject({ tool_calls: 'text', dialect: 'hermes', key: { model: 'able' } });
    expect(profile.checks.length).toBeGreaterThanOrEqual(40);

    const asked = at.requests.length;
    const cwd = scratchFolder();
    putFiles(cwd, { 'src/main.ts': 'export {};\n' });
    const run = ['run', 'Read the file src/main.ts.', '--format', 'json', '--allow', 'read_file', '-m', 'able'];
    const ran = await runHalter([...run, ...flags(at)], { home, cwd });
    expect(ran.json()).toMatchObject({ tools_used: ['read_file'] });
    const [first] = at.requests.slice(asked);
    expect(first?.body['tools']).toBeUndefined();
    expect(first?.text).toContain('read_file');
  });
});

it('shows a table for people, and where the profile was kept', async () => {
  verifies('B3');
  const at = await server({ calls: 'native', single: true });
  const home = scratchFolder();
  const probed = await runHalter(['models', 'probe', 'able', ...PROTOCOLS[0][1](at)], { home });
  expect(probed.code).toBe(0);
  expect(probed.out).toMatch(/✓ {2}answers a greeting/);
  expect(probed.out).toMatch(/✗ {2}two calls in one answer .*one call only/);
  expect(probed.out).toContain('one call in an answer');
  expect(probed.err).toContain('profiles');

  // The server is told that one call is what this model can do.
  const asked = at.requests.length;
  await runHalter(['run', 'Good morning!', '-m', 'able', ...PROTOCOLS[0][1](at)], { home });
  expect(at.requests[asked]?.body['parallel_tool_calls']).toBe(false);
});

it.each([
  ['a word', ['able'], []],
  ['-m', [], ['-m', 'able']],
  ['its server alone', [], []],
])('writes what it found of the model that is named by %s', async (_, words, named) => {
  verifies('B3');
  const at = await server({ calls: 'native' }, { id: 'able', digest: 'sha256:abc' });
  const cwd = scratchFolder();
  const flags = [...named, ...PROTOCOLS[1][1](at)];
  const probed = await runHalter(['models', 'probe', ...words, ...flags, '--export', 'found.json'], { cwd });
  expect(probed.code, probed.err).toBe(0);
  expect(probed.err).toContain('1 profile in found.json');
});

it('the window that was found counts, not the one the server names', async () => {
  verifies('B3', 'B7');
  const at = await server({ calls: 'native', readsCharacters: 8_192 }, { id: 'able', context_length: 32_768 });
  const home = scratchFolder();
  const flags = PROTOCOLS[0][1](at);
  const probed = await runHalter(['models', 'probe', 'able', '--json', ...flags], { home });
  expect(probed.json()).toMatchObject({ context_tokens: 2_048, prompt_tier: 'small' });
  const context = await runHalter(['context', '--json', '-m', 'able', ...flags], { home });
  expect(context.json()).toMatchObject({ context_length: 2_048 });
  const doctor = await runHalter(['doctor', '-m', 'able', ...flags], { home });
  expect(doctor.out).toMatch(/model +openai\/able: window of 2048 tokens.*probed on .*reads \d+ tokens\/s/);
});

it('a profile of another digest does not count, and that is said', async () => {
  verifies('B3');
  const model: ScriptedModel = { id: 'able', digest: 'abc' };
  const at = await server({ calls: 'text' }, model);
  const home = scratchFolder();
  const flags = PROTOCOLS[1][1](at);
  await runHalter(['models', 'probe', 'able', '--json', ...flags], { home });
  model.digest = 'def';
  const asked = at.requests.length;
  const ran = await runHalter(['run', 'Good morning!', '-m', 'able', ...flags], { home });
  expect(ran.code).toBe(0);
  expect(ran.err).toContain('another one than it was when it was probed');
  expect(at.requests[asked]?.body['tools']).toBeDefined();
});

it('a damaged file of profiles that was handed on does not count, and that is said', async () => {
  verifies('B3');
  const at = await server({ calls: 'native' });
  const home = scratchFolder();
  putFiles(home, { '.config/halter/model-profiles/of-a-friend.json': '{"kind": "halter-model-prof' });
  const flags = ['-m', 'able', ...PROTOCOLS[0][1](at)];
  const ran = await runHalter(['run', 'Good morning!', ...flags], { home });
  expect(ran.code).toBe(0);
  expect(ran.err).toContain('of-a-friend.json does not count: it is no JSON object.');
  const doctor = await runHalter(['doctor', ...flags], { home });
  expect(doctor.out).toMatch(/model +openai\/able[\s\S]*of-a-friend\.json does not count: it is no JSON object/);
});

it('a model that is not there is exit code 5, and nothing is kept', async () => {
  const at = await startScriptedServer({ models: [{ id: 'other' }], strictModels: true });
  onTestFinished(() => at.close());
  const probed = await runHalter(['models', 'probe', 'able', ...PROTOCOLS[1][1](at)]);
  expect(probed.code).toBe(5);
  expect(probed.out).toBe('');
});
