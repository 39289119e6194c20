/** An answer that ends in a call behind words, where no notation is named: on the command line and over HTTP. */
import { expect, it, onTestFinished } from 'vitest';
import { startScriptedServer } from '../../src/testing/index.ts';
import { verifies } from '../requirements.ts';
import { runHalter } from '../support/halter-process.ts';
import { testServer } from '../support/test-server.ts';

const CALL = '{"name": "get_working_directory", "arguments": {}}';

const both = async (text: string, preset?: string) => {
  const turns = [{ text }, { text: 'Done.' }];
  const model = await startScriptedServer({ turns });
  onTestFinished(() => model.close());
  const flags = preset === undefined ? [] : ['--preset', preset];
  const reach = ['--provider', 'openai', '--base-url', model.openaiUrl, '-m', 'test-model', ...flags];
  const ran = await runHalter(['run', 'Where am I?', ...reach, '--format', 'json']);
  const http = await testServer(turns, { preset });
  const reply = await http.json('POST', '/api/chat', { message: 'Where am I?', mode: 'agent' });
  return { ran, reply };
};

it.each([undefined, 'local-harness'])('on lines of its own it is a call, with the preset %s', async (preset) => {
  verifies('K5', 'L4');
  const { ran, reply } = await both(`Sure!\n${CALL}`, preset);
  expect(ran, ran.err).toMatchObject({ code: 0 });
  const call = {
    name: 'get_working_directory',
    repairs: expect.arrayContaining([{ kind: 'call_after_words', detail: expect.any(String) }]),
  };
  expect(ran.json()).toMatchObject({ answer: 'Done.', tool_calls: [call], tools_used: ['get_working_directory'] });
  expect(reply).toMatchObject({ exit_reason: 'answered', tools_used: ['get_working_directory'] });
});

it('in the line of words it is a call where the document looks for calls anywhere', async () => {
  verifies('K5');
  const { ran, reply } = await both(`I will look. ${CALL}`, 'zoo-keeper');
  expect(ran.json(), ran.err).toMatchObject({ answer: 'Done.', tools_used: ['get_working_directory'] });
  expect(reply).toMatchObject({ exit_reason: 'answered', tools_used: ['get_working_directory'] });
});

it('is a call in llama-chat, whose parser reads every notation', async () => {
  verifies('L4');
  const turns = [{ text: 'Sure!\n{"name": "bash", "arguments": {"command": "echo hi"}}' }, { text: 'Done.' }];
  const server = await testServer(turns, { preset: 'llama-chat', allow: ['bash'] });
  const reply = await server.json('POST', '/api/chat', { message: 'Go', mode: 'agent' });
  expect(reply).toMatchObject({ exit_reason: 'answered', tools_used: ['bash'] });
});

it.each([undefined, 'zodollama'])('in the line of words it is told, with the preset %s', async (preset) => {
  const call = '{"name": "get_current_time", "arguments": {}}';
  const { ran, reply } = await both(`Sure! ${call}`, preset);
  expect(ran).toMatchObject({ code: 1, err: expect.stringContaining('ends in a call to get_current_time') });
  expect(ran.json()).toMatchObject({ tool_calls: [], error: { name: 'UnreadCall' } });
  expect(reply).toMatchObject({ exit_reason: 'error', warnings: [{ code: 'unread_call' }], tools_used: [] });
});

it.each([
  `A call looks like this:\n${CALL}`,
  `Here it is:\n${CALL}\nThat asks for the folder.`,
  'A person:\n{"name": "Ann", "arguments": "none"}',
])('a sample stays an answer: %j', async (text) => {
  const { ran, reply } = await both(text);
  expect(ran, ran.err).toMatchObject({ code: 0 });
  expect(ran.json()).toMatchObject({ answer: text, tool_calls: [] });
  expect(reply).toMatchObject({ answer: text, exit_reason: 'answered' });
});

it('is no call where no tools are on offer', async () => {
  const model = await startScriptedServer({ turns: [{ text: `Sure!\n${CALL}` }] });
  onTestFinished(() => model.close());
  const reach = ['--provider', 'openai', '--base-url', model.openaiUrl, '-m', 'test-model'];
  const ran = await runHalter(['run', 'x', ...reach, '--no-tools', '--format', 'json']);
  expect(ran.json()).toMatchObject({ answer: `Sure!\n${CALL}`, tool_calls: [] });
});
