/** A call in a text that cannot be read is answered once, and stands once in what the model reads of its own answer. */
import { expect, it, onTestFinished } from 'vitest';
import { startScriptedServer } from '../../src/testing/index.ts';
import { verifies } from '../requirements.ts';
import { runHalter } from '../support/halter-process.ts';
import { everyNth } from '../support/long.ts';
import { testServer } from '../support/test-server.ts';

const FORMS: Readonly<Record<string, (args: string) => string>> = {
  hermes: (args) => `<tool_call>{"name": "ls", "arguments": ${args}}</tool_call>`,
  'mistral-args': (args) => `[TOOL_CALLS]ls[ARGS]${args}`,
  'llama3-function': (args) => `<function=ls>${args}</function>`,
  'plain-json': (args) => `{"name": "ls", "arguments": ${args}}`,
  'deepseek-v3.1': (args) =>
    `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>ls<｜tool▁sep｜>${args}<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
};
const BROKEN = '{"path": [[[}';
type Place = { place: string; put(form: (args: string) => string): string; answers: number };
const PLACES: readonly Place[] = [
  { place: 'alone', put: (form) => form(BROKEN), answers: 1 },
  { place: 'behind words', put: (form) => `Let me look.\n${form(BROKEN)}`, answers: 1 },
  { place: 'behind a call', put: (form) => `${form('{"path": "."}')}\n${form(BROKEN)}`, answers: 2 },
  { place: 'before a call', put: (form) => `${form(BROKEN)}\n${form('{"path": "."}')}`, answers: 2 },
];
const ROWS = Object.entries(FORMS).flatMap(([notation, form]) =>
  PLACES.flatMap(({ put, ...place }) =>
    // JSON without marks among words is asked about where no notation is named.
    (notation === 'plain-json' ? [notation] : [notation, 'auto']).map((dialect) => ({
      ...place,
      notation,
      dialect,
      text: put(form),
    })),
  ),
);

const countOf = (text: string, part: string): number => text.split(part).length - 1;

it.each(everyNth(ROWS, 3))(
  '$notation read as $dialect, $place: once over the command line',
  async ({ dialect, text, answers }) => {
    verifies('K4', 'L4');
    const server = await startScriptedServer({ turns: ({ number }) => ({ text: number === 0 ? text : 'Done.' }) });
    onTestFinished(() => server.close());
    const reach = ['--provider', 'openai', '--base-url', server.openaiUrl, '-m', 'test-model'];
    const ran = await runHalter(['run', 'go', '--dialect', dialect, '--format', 'json', ...reach]);
    expect(ran.code, ran.err).toBe(0);
    expect(ran.json()['tool_calls']).toHaveLength(answers);
    const messages = server.requests[1]?.body['messages'] as { role: string }[];
    const said = messages.find(({ role }) => role === 'assistant');
    expect(countOf(JSON.stringify(said), '[[['), JSON.stringify(said)).toBe(1);
  },
);

it.each(everyNth(ROWS, 3))('$notation read as $dialect, $place: once over HTTP', async ({ dialect, text, answers }) => {
  verifies('K4', 'L4');
  const server = await testServer([{ text }, { text: 'Done.' }], { dialect });
  const reply = await server.json('POST', '/api/chat', { message: 'go', mode: 'agent' });
  expect(reply['tool_events']).toHaveLength(answers);
  const said = server.provider.requests[1]?.messages.find(({ role }) => role === 'assistant');
  expect(countOf(String(said?.content), '[[['), JSON.stringify(said)).toBe(1);
});
