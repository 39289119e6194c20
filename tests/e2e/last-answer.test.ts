/** A run that reaches a limit with nobody there ends in an answer: on the command line, over HTTP and in the library. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { CLOSING } from '../../src/core/closing.ts';
import { createHarness } from '../../src/index.ts';
import type { ScriptedProviderTurn } from '../../src/testing/index.ts';
import { scriptedProvider, startScriptedServer } from '../../src/testing/index.ts';
import { verifies } from '../requirements.ts';
import { runHalter } from '../support/halter-process.ts';
import { inTurn } from '../support/long.ts';
import { putFiles, scratchFolder } from '../support/scratch.ts';
import { sentEvents } from '../support/sent-events.ts';
import { testServer } from '../support/test-server.ts';

type Writes = (args: object, number: number) => ScriptedProviderTurn;
const native: Writes = (args, number) => ({
  calls: [{ name: 'get_current_time', arguments: { ...args, number } }],
});
const edison: Writes = (args, number) => ({
  text: JSON.stringify({ tool: 'system_stats', args: { ...args, number } }),
});
const zoo: Writes = (args, number) => ({
  text: JSON.stringify({ name: 'get_current_time', arguments: { ...args, number } }),
});

const PRESETS = [
  { what: 'outside a preset', preset: undefined, writes: native, iterations: 10, tool: 'get_current_time' },
  { what: 'in the preset edison', preset: 'edison', writes: edison, iterations: 5, tool: 'system_stats' },
  { what: 'in the preset zoo-keeper', preset: 'zoo-keeper', writes: zoo, iterations: 5, tool: 'get_current_time' },
] as const;

/** What the model does when it is asked for the last time. */
const LAST: { what: string; turn: ScriptedProviderTurn | 'calls'; answer: RegExp; warns: boolean }[] = [
  { what: 'answers', turn: { text: 'The machine is idle.' }, answer: /^The machine is idle\./, warns: false },
  { what: 'says nothing', turn: { text: '' }, answer: /\[(system_stats|get_current_time)\] results: /, warns: true },
  { what: 'calls all the same', turn: 'calls', answer: /\[(system_stats|get_current_time)\] results: /, warns: true },
];

const isLast = (text: string): boolean => text.includes(CLOSING);

describe.each(PRESETS)('at the limit of iterations $what', ({ preset, writes, iterations, tool }) => {
  const flags = preset ? ['--preset', preset] : [];
  const place = PRESETS.findIndex((each) => each.preset === preset);

  it.each(inTurn(LAST, place, PRESETS.length))(
    'halter run gives an answer with 504 and exit code 4 where the model $what',
    async (last) => {
      verifies('Z14', 'E8', 'K7');
      const server = await startScriptedServer({
        turns: ({ number, text }) => (isLast(text) && last.turn !== 'calls' ? last.turn : writes({}, number)),
      });
      onTestFinished(() => server.close());
      const reach = ['--provider', 'openai', '--base-url', server.openaiUrl, '-m', 'test-model', ...flags];
      const ran = await runHalter(['run', 'How busy?', ...reach, '--format', 'json']);
      expect(ran.code, ran.err).toBe(4);
      expect(ran.json()).toMatchObject({ exit_reason: 'limit', error: { code: 504, name: 'ToolLoopLimitReached' } });
      expect(ran.json()['answer']).toMatch(last.answer);
      expect(server.requests).toHaveLength(iterations + 1);
      const closing = server.requests.at(-1);
      expect(closing?.body['tools']).toBeUndefined();
      expect(server.requests.slice(0, -1).some(({ text }) => isLast(text))).toBe(false);
      expect(closing?.text).toContain(tool);
    },
  );

  it.each(inTurn(LAST, (place + 1) % PRESETS.length, PRESETS.length))(
    'POST /api/chat gives it where the model $what',
    async (last) => {
      verifies('E8', 'E9');
      const server = await testServer(
        (request, number) =>
          isLast(JSON.stringify(request.messages)) && last.turn !== 'calls' ? last.turn : writes({}, number),
        { preset },
      );
      const body = { message: 'How busy?', mode: 'agent' };
      const reply = await server.json<{ answer: string; exit_reason: string }>('POST', '/api/chat', body);
      expect(reply).toMatchObject({ exit_reason: 'limit', error: { code: 504 }, tools_used: [tool] });
      expect(reply.answer).toMatch(last.answer);
      expect(reply.answer.endsWith(`\n\nSources: ${tool}`)).toBe(true);
      expect(server.provider.requests).toHaveLength(iterations + 1);
      expect(server.provider.requests.at(-1)?.tools).toEqual([]);
      const types: string[] = [];
      const warnings: unknown[] = [];
      const streamed = await server.call('POST', '/api/chat', { ...body, stream: true });
      for await (const { type, data } of sentEvents(streamed)) {
        types.push(type);
        if (type === 'warning') warnings.push(data['code']);
      }
      expect(types).toContain('limit');
      expect(types.lastIndexOf('text_delta')).toBeGreaterThan(types.lastIndexOf('tool_result'));
      expect(warnings.includes('no_last_answer')).toBe(last.warns);
    },
  );

  it('a session of the page keeps the offer to go on', async () => {
    const server = await testServer((_request, number) => writes({}, number), { preset });
    const { id } = await server.json<{ id: string }>('POST', '/api/sessions');
    const events = server.call('GET', `/api/sessions/${id}/events`);
    await server.json('POST', `/api/sessions/${id}/commands`, { type: 'send_message', content: 'How busy?' });
    for await (const { type } of sentEvents(await events)) if (type === 'turn_end') break;
    expect(server.provider.requests).toHaveLength(iterations);
  });
});

it('the error of the library carries the last answer', async () => {
  verifies('Z14');
  const provider = scriptedProvider((request, number) =>
    isLast(JSON.stringify(request.messages)) ? { text: 'It is idle.' } : native({}, number),
  );
  const harness = createHarness({ provider, model: 'm', limits: { iterations: 2 } });
  onTestFinished(() => harness.close());
  const failed = await harness.chat('How busy?').then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(failed).toMatchObject({ code: 504, name: 'ToolLoopLimitReached', partial: { answer: 'It is idle.' } });
  expect(provider.requests).toHaveLength(3);
  expect(provider.requests.at(-1)?.tools).toEqual([]);
});

it.each(['the template refuses this', 'the template refuses this.'])(
  'a last request that the server refuses gives what was found (%s)',
  async (said) => {
    const server = await startScriptedServer({
      turns: ({ number, text }) =>
        isLast(text) ? { status: 400, body: JSON.stringify({ error: { message: said } }) } : native({}, number),
    });
    onTestFinished(() => server.close());
    const reach = ['--provider', 'openai', '--base-url', server.openaiUrl, '-m', 'test-model'];
    const ran = await runHalter(['run', 'How busy?', ...reach, '--max-iterations', '2', '--format', 'stream-json']);
    expect(ran.code, ran.err).toBe(4);
    expect(ran.lines().at(-1)).toMatchObject({
      exit_reason: 'limit',
      answer: expect.stringMatching(/get_current_time/),
    });
    expect(ran.lines()).toContainEqual(
      expect.objectContaining({
        type: 'warning',
        code: 'no_last_answer',
        message: expect.stringMatching(/refuses this\. What/),
      }),
    );
  },
);

it('a model that goes round in circles ends with what it found', async () => {
  const server = await startScriptedServer({
    turns: () => ({ calls: [{ name: 'get_working_directory', arguments: {} }] }),
  });
  onTestFinished(() => server.close());
  const reach = ['--provider', 'openai', '--base-url', server.openaiUrl, '-m', 'test-model'];
  const ran = await runHalter(['run', 'Where?', ...reach, '--format', 'json']);
  expect(ran.code, ran.err).toBe(4);
  expect(ran.json()).toMatchObject({ exit_reason: 'loop' });
  expect(ran.json()['answer']).toMatch(/\[get_working_directory\] results: \//);
  expect(server.requests).toHaveLength(3);
});

it('a run whose time is up says what was found until then', async () => {
  const never = new Promise(() => {});
  const server = await startScriptedServer({
    turns: ({ number }) => (number === 0 ? native({}, number) : { headersGate: never }),
  });
  onTestFinished(() => server.close());
  const reach = ['--provider', 'openai', '--base-url', server.openaiUrl, '-m', 'test-model'];
  const ran = await runHalter(['run', 'When?', ...reach, '--max-time', '3', '--format', 'json']);
  expect(ran.code, ran.err).toBe(4);
  expect(ran.json()).toMatchObject({ exit_reason: 'limit', error: { name: 'max_time' } });
  expect(ran.json()['answer']).toMatch(/\[get_current_time\] results: /);
});

it('a last answer under --json-schema is given where it fits, and is none where it does not', async () => {
  const folder = scratchFolder();
  putFiles(folder, { 'schema.json': '{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}' });
  for (const [said, out] of [
    ['{"n": 3}', '{"n":3}'],
    ['I do not know.', ''],
  ]) {
    const server = await startScriptedServer({
      turns: ({ number, text }) => (isLast(text) ? { text: said as string } : native({}, number)),
    });
    onTestFinished(() => server.close());
    const reach = ['--provider', 'openai', '--base-url', server.openaiUrl, '-m', 'test-model'];
    const limited = [...reach, '--max-iterations', '1', '--json-schema', 'schema.json'];
    const ran = await runHalter(['run', 'When?', ...limited], { cwd: folder });
    expect(ran.code, ran.err).toBe(4);
    expect(ran.out.replaceAll(/\s/g, '')).toBe(out);
  }
});
