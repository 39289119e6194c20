/** Thoughts that the prompt opened, while an answer streams: on the command line and through the gateway. */
import { expect, it, onTestFinished } from 'vitest';
import { renderCall } from '../../src/dialects/index.ts';
import { scriptedProvider, startScriptedServer } from '../../src/testing/index.ts';
import { verifies } from '../requirements.ts';
import { runHalter } from '../support/halter-process.ts';
import { scratchFolder } from '../support/scratch.ts';
import { testServer } from '../support/test-server.ts';

const THOUGHT = 'They greet me.\n</think>\n\nHello.';

/** Runs again and again against one server, with what was learned of its model. */
const runner = async (says: () => string, model: string) => {
  const home = scratchFolder();
  const server = await startScriptedServer({ turns: () => ({ text: says() }), models: [{ id: model }] });
  onTestFinished(() => server.close());
  return async () => {
    const reach = ['--provider', 'openai', '--base-url', server.openaiUrl, '-m', model];
    const ran = await runHalter(['run', 'Hi', ...reach, '--format', 'stream-json'], { home });
    const lines = ran.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, string>);
    const told = (type: string): string =>
      lines.flatMap((line) => (line['type'] === type ? [line['delta']] : [])).join('');
    return { text: told('text_delta').trim(), thoughts: told('reasoning_delta'), answer: lines.at(-1)?.['answer'] };
  };
};

it('stream-json has thoughts of a model named for them as thoughts', async () => {
  verifies('B11');
  const run = await runner(() => THOUGHT, 'deepseek-r1:8b');
  expect(await run()).toEqual({ text: 'Hello.', thoughts: 'They greet me.\n', answer: 'Hello.' });
  const plain = await runner(() => 'Hello.', 'deepseek-r1:8b');
  expect(await plain()).toMatchObject({ text: 'Hello.', answer: 'Hello.' });
});

it('and of another model from its second answer on, until it thinks no more', async () => {
  verifies('B11');
  let text = THOUGHT;
  const run = await runner(() => text, 'some-model');
  expect(await run()).toMatchObject({ answer: 'Hello.' });
  expect(await run()).toEqual({ text: 'Hello.', thoughts: 'They greet me.\n', answer: 'Hello.' });
  text = 'Hello again.';
  expect(await run()).toMatchObject({ text, answer: text });
  expect(await run()).toEqual({ text, thoughts: '', answer: text });
});

it.each([
  ['deepseek-r1:8b', false],
  ['m', true],
])('a caller of the gateway that streams gets them apart (%s)', async (model, isSecond) => {
  verifies('B2');
  const provider = scriptedProvider(() => ({ text: THOUGHT }), { name: 'openai', models: [{ id: model }] });
  const server = await testServer([], { modelProvider: provider, model });
  const ask = async () => {
    const body = { model, messages: [{ role: 'user', content: 'Hi' }], stream: true };
    const events = await (await server.call('POST', '/v1/chat/completions', body)).text();
    const deltas = events.split('\n').flatMap((line) => {
      if (!line.startsWith('data: {')) return [];
      const { choices } = JSON.parse(line.slice(6)) as { choices: { delta: Record<string, string> }[] };
      return choices.map(({ delta }) => delta);
    });
    const said = (field: string): string => deltas.map((delta) => delta[field] ?? '').join('');
    return { text: said('content').trim(), thoughts: said('reasoning_content').trim() };
  };
  if (isSecond) await ask();
  expect(await ask()).toEqual({ text: 'Hello.', thoughts: 'They greet me.' });
});

it.each([
  ['functionary-v3.2', '<think>\n\n</think>\n'],
  ['functionary-v3.2', '</think>\n'],
  ['react', '<think></think></think>\n'],
])('a call behind thought marks that hold nothing is made in a named dialect: %s %j', async (dialect, left) => {
  verifies('L1');
  const text = left + renderCall(dialect, { name: 'ls', arguments: { path: '.' } });
  const model = await startScriptedServer({ turns: [{ text }, { text: 'Done.' }] });
  onTestFinished(() => model.close());
  const reach = ['--provider', 'openai', '--base-url', model.openaiUrl, '-m', 'test-model'];
  const ran = await runHalter(['run', 'go', ...reach, '--dialect', dialect, '--format', 'json']);
  expect(ran.json(), ran.err).toMatchObject({ answer: 'Done.', tool_calls: [{ name: 'ls' }] });
  const server = await testServer([{ text }, { text: 'Done.' }], { dialect });
  const reply = await server.json('POST', '/api/chat', { message: 'go', mode: 'agent' });
  expect(reply).toMatchObject({ answer: 'Done.\n\nSources: ls', tool_events: [{ tool: 'ls' }] });
});
