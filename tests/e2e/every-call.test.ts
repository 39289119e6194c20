/**
 * No call is the answer in silence: every form, at every place, with every kind of arguments, whole and cut at every place,
 * in every preset. It is made, goes back to the model, or the person is told of it.
 */
import { describe, expect, it, onTestFinished } from 'vitest';
import { presetNames } from '../../src/core/presets.ts';
import { startScriptedServer } from '../../src/testing/index.ts';
import { verifies } from '../requirements.ts';
import { runHalter } from '../support/halter-process.ts';
import { everyNth, timeLimit } from '../support/long.ts';
import { testServer } from '../support/test-server.ts';

const FORMS: Record<string, (name: string, args: string) => string> = {
  'a JSON object': (name, args) => `{"name": "${name}", "arguments": ${args}}`,
  'a list': (name, args) => `[{"name": "${name}", "arguments": ${args}}]`,
  'the keys of Edison': (name, args) => `{"tool": "${name}", "args": ${args}}`,
  'the tags of Qwen': (name, args) => `<tool_call>{"name": "${name}", "arguments": ${args}}</tool_call>`,
  'the tag of Llama': (name, args) => `<function=${name}>${args}</function>`,
  'the marks of Mistral': (name, args) => `[TOOL_CALLS]${name}[ARGS]${args}`,
  'the marks of Mistral without the first': (name, args) => `${name}[ARGS]${args}`,
  'the older mark of Mistral': (name, args) => `[TOOL_CALLS] [{"name": "${name}", "arguments": ${args}}]`,
};
const PLACES: Record<string, (call: string) => string> = {
  alone: (call) => call,
  'below words': (call) => `Ok.\n\n${call}`,
  'right below words': (call) => `I check that now\n${call}`,
  'behind a sentence': (call) => `Sure: ${call}`,
  'behind a word': (call) => `I use the tool ${call}`,
};
/** What follows would show that a call was over, so none of these is cut. */
const CLOSED_PLACES: Record<string, (call: string) => string> = {
  'in a fence': (call) => `Ok.\n\n\`\`\`json\n${call}\n\`\`\``,
  'between lines': (call) => `Let me look:\n${call}\nThen I go on.`,
  'in the middle of a line': (call) => `First ${call} and then I summarise.`,
};
const ARGUMENTS = { none: '{}', one: '{"path": "."}' };

type Case = { what: string; text: string; finish: 'stop' | 'length' };

const casesFor = (name: string, knows: boolean): Case[] =>
  Object.entries(FORMS).flatMap(([form, write]) => {
    const whole = Object.entries({ ...PLACES, ...CLOSED_PLACES }).flatMap(([place, put]) =>
      Object.entries(ARGUMENTS).map(([args, text]): Case => {
        return { what: `${form} ${place} (${args})`, text: put(write(name, text)), finish: 'stop' };
      }),
    );
    if (!knows) return [...everyNth(whole, 9)];
    const call = write(name, ARGUMENTS.one);
    const first = call.indexOf(name) + name.length;
    // The last bracket or tag may be missing without a loss.
    const ends = [...Array(call.lastIndexOf('"}') - first).keys()].map((more) => first + more);
    const cut = Object.entries(PLACES).flatMap(([place, put]) =>
      ends.map((end, index): Case => {
        const text = put(call.slice(0, end));
        return { what: `${form} ${place}, cut: ${text}`, text, finish: index % 2 === 0 ? 'stop' : 'length' };
      }),
    );
    return [...everyNth(whole, 7), ...everyNth(cut, 37)];
  });

/** A bare name is a word like any other. */
const isBareName = ({ text }: Case): boolean => /(?:^|[\s])\w+$/.test(text) && !/[{<[]/.test(text);
const toolOf = (preset: string | undefined): string =>
  preset === 'edison'
    ? 'system_stats'
    : preset === 'llama-chat'
      ? 'bash'
      : preset === 'zodollama'
        ? 'list_tasks'
        : 'ls';

/** A server may leave out white space. */
const bare = (text: string): string => text.replaceAll(/\s/g, '');

/** Which of them a model's user never hears of. */
const silentOf = async (preset: string | undefined, cases: readonly Case[]): Promise<string[]> => {
  const server = await testServer(
    (request) => {
      const said = request.messages.filter(({ role }) => role === 'assistant').length;
      const asked = request.messages.findLast(({ role }) => role === 'user');
      const index = /case (\d+)!/.exec(JSON.stringify(asked?.content))?.[1];
      const one = said === 0 && index !== undefined ? cases[Number(index)] : undefined;
      return one === undefined ? { text: 'Done.' } : { text: one.text, finish: one.finish };
    },
    { preset, allow: ['bash'] },
  );
  const silent: string[] = [];
  for (const [index, { what, text }] of cases.entries()) {
    const message = `Do case ${index}!`;
    const reply = await server.json<{ answer?: string; warnings?: { code: string }[] }>('POST', '/api/chat', {
      message,
      mode: 'agent',
    });
    const told = (reply.warnings ?? []).some(({ code }) => code === 'unread_call' || code === 'call_in_text');
    if (bare(reply.answer ?? '') === bare(text) && !told) silent.push(what);
  }
  return silent;
};

describe.each([undefined, ...presetNames])('with the preset %s', (preset) => {
  it(
    'a call to a tool on offer is never the answer in silence',
    async () => {
      verifies('K5', 'L4');
      const cases = casesFor(toolOf(preset), true).filter((one) => !isBareName(one));
      expect(cases.length).toBeGreaterThan(30);
      expect(await silentOf(preset, cases)).toEqual([]);
    },
    timeLimit(300_000),
  );

  it('neither is a whole call to a tool that there is not', async () => {
    verifies('K5');
    expect(await silentOf(preset, casesFor('list_dir', false))).toEqual([]);
  });
});

/** As the five documents' author wrote them, on the command line. */
const SAID: [preset: string | undefined, text: string][] = [
  [undefined, 'Ok.\n\n{"name": "ls", "arguments": {}}'],
  [undefined, 'Ok.\n[{"name": "ls", "arguments": {}}]'],
  [undefined, 'Ok.\n\n{"tool": "ls", "args": {}}'],
  [undefined, 'Ok.\n\n{"name": "write_file", "arguments": {"path": "x.txt", "content": "hi'],
  [undefined, '{"name": "ls", "arg'],
  ['zoo-keeper', '{"name": "ls"'],
  ['zoo-keeper', 'Ok.\n\n<function=ls>{"path": "."}</function>'],
  ['zoo-keeper', 'I use the tool ls {"name": "ls", "arguments": {"path": "."}}'],
  ['zoo-keeper', 'What time? {"name": "get_current_time", "arguments": {}}'],
  ['zoo-keeper', 'First {"name": "ls", "arguments": {}} and then I summarise.'],
  ['edison', '{"tool": "sys'],
  ['edison', 'Ok.\n\n<tool_call>{"name": "system_stats", "arguments": {}}</tool_call>'],
  ['edison', 'Ok.\n\n[TOOL_CALLS]system_stats[ARGS]{"path": "."}'],
  ['llama-chat', '[TOOL_CALLS]'],
  ['llama-chat', '[TOOL_CALLS]bash'],
  ['llama-chat', 'I will do it. [TOOL_CALLS]'],
  ['llama-chat', 'I check that now.\n\nbash[ARGS]{"command": "ls"}'],
];

it.each(everyNth(SAID, 4))(
  'on the command line with the preset %s %j is made or goes back to the model',
  async (preset, text) => {
    verifies('K5', 'L4');
    const model = await startScriptedServer({ turns: [{ text }, { text: 'Done.' }] });
    onTestFinished(() => model.close());
    const reach = ['--provider', 'openai', '--base-url', model.openaiUrl, '-m', 'test-model', '--allow', 'bash'];
    const flags = preset === undefined ? [] : ['--preset', preset];
    const ran = await runHalter(['run', 'go', ...reach, ...flags, '--format', 'json']);
    expect(ran, ran.err).toMatchObject({ code: 0 });
    expect(ran.json()['answer']).toBe('Done.');
    expect(model.requests).toHaveLength(2);
  },
);

it.each([
  'It says `[TOOL_CALLS]ls[ARGS]{}` in the file.',
  'Write `{"name": "ls", "arguments": {}}` to list the files.',
  'The person is {"name": "Ann", "age": 7}.',
  'Two lists: [1, 2] and [{"a": 1}]',
  'An open bracket is written {',
  'In the array a[A',
])('prose stays an answer, and nobody is warned: %j', async (text) => {
  for (const preset of [undefined, ...presetNames]) {
    const server = await testServer({ text }, { preset });
    const reply = await server.json('POST', '/api/chat', { message: 'go', mode: 'agent' });
    expect(reply, preset).toMatchObject({ exit_reason: 'answered', answer: text });
    expect(reply['warnings'] ?? []).toEqual([]);
  }
});

it('a call to no tool among words is told, where no notation is named', async () => {
  const text = 'Ok.\n\n{"name": "list_dir", "arguments": {"path": "."}}';
  const server = await testServer({ text });
  const reply = await server.json('POST', '/api/chat', { message: 'go', mode: 'agent' });
  expect(reply).toMatchObject({ answer: text, warnings: [{ code: 'call_in_text' }] });
});
