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

const TIME = '{"name": "get_current_time", "arguments": {}}';
/** Of the tools on offer, words beside each of them: asked about once. */
const HELD: [text: string, code: string][] = [
  [`Sure! ${TIME}`, 'unread_call'],
  [`I look: ${TIME}`, 'unread_call'],
  [`Let me run ${TIME} and see.`, 'call_in_text'],
  [`${TIME}\n\nI wait for the result.`, 'unread_call'],
  [`I look.\n\n\`\`\`json\n${TIME}\n\`\`\`\n\nI will wait for the result.`, 'call_in_text'],
  [`For example:\n\n${TIME}`, 'call_in_text'],
];
const NOTATIONS: [preset: string | undefined, says: string[]][] = [
  [undefined, [TIME]],
  ['zodollama', ['{"tool": "get_current_time", "args": {}}']],
];

it.each(HELD)('in the middle of words the model is asked about it once: %j', async (text, code) => {
  verifies('K5', 'L4');
  for (const [preset, says] of NOTATIONS) {
    const server = (...turns: string[]) =>
      testServer(
        turns.map((one) => ({ text: one })),
        { preset },
      );
    const ask = async (...turns: string[]) => {
      const { json, provider } = await server(...turns);
      const reply = await json('POST', '/api/chat', { message: 'go', mode: 'agent' });
      const all = ((reply['warnings'] ?? []) as { code: string }[]).map(({ code }) => code);
      // The scripted model counts tokens in its own way.
      const codes = all.filter((one) => one !== 'prompt_truncated');
      return { reply, codes, requests: provider.requests };
    };
    // Made when it is asked: nothing is left to say about it.
    const made = await ask(text, says[0] as string, 'It is noon.');
    expect(made.reply).toMatchObject({
      exit_reason: 'answered',
      answer: expect.stringMatching(/^It is noon\./),
      tools_used: ['get_current_time'],
    });
    expect(made.codes).toEqual(['call_announced']);
    expect(JSON.stringify(made.requests[1]?.messages.at(-1))).toContain('get_current_time');
    // Answered in words: what it wrote stays, and the words come behind it.
    const answered = await ask(text, 'It is noon.');
    const both = `${text}\n\nIt is noon.`;
    expect(answered.reply).toMatchObject({ exit_reason: 'answered', answer: both, tools_used: [] });
    expect(answered.codes).toEqual(['call_announced', 'call_in_text']);
    // Written the same again: the person is told.
    const again = await ask(text, text);
    expect(again.reply).toMatchObject({ exit_reason: code === 'unread_call' ? 'error' : 'answered', tools_used: [] });
    expect(again.codes).toEqual(['call_announced', code]);
    expect(again.requests).toHaveLength(2);
  }
});

it('what a call in words ends as stands in the exit code', async () => {
  const model = await startScriptedServer({ turns: () => ({ text: `Sure! ${TIME}` }) });
  onTestFinished(() => model.close());
  const ran = await runHalter(['run', 'x', '--provider', 'openai', '--base-url', model.openaiUrl, '-m', 'test-model']);
  expect(ran).toMatchObject({ code: 1, err: expect.stringContaining('a call to get_current_time') });
});

it.each([
  `A call looks like this:\n${CALL}\n\nThat asks for the folder.`,
  `For example:\n\`\`\`json\n${CALL}\n\`\`\`\nThat asks for the folder.`,
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
