/** Answers in models of the AI SDK and of LangChain: what is no call stays text as it was written, and a call is made once. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { type How, LIBRARIES } from '../../tests/support/answer-libraries.ts';

const callTo = (path: string): string =>
  `<tool_call>\n{"name": "read_file", "arguments": {"path": "${path}"}}\n</tool_call>`;
const A = callTo('a');

describe.each(LIBRARIES)('%s', (_library, ask) => {
  describe.each<How>(['whole', 'stream'])('%s', (how) => {
    it.each([
      ['Action: read_file\nAction Input: {"path": "a"}\nObservation: ok.\nFinal Answer: It is read.', ['a']],
      [`${A}\n<tool_response>\nok\n</tool_response>`, ['a']],
      [`${A}\n<tool_response>\nok\n</tool_response>\nIt is read.`, ['a']],
      [`${A}\nObservation: ok`, ['a']],
      [`${A}\nTool result: ok\n${callTo('b')}`, ['a']],
      ['[TOOL_CALLS]read_file[ARGS]{"path": "a"}[TOOL_RESULTS]ok[/TOOL_RESULTS]', ['a']],
      [`${A}\n${callTo('b')}\n<tool_response>ok</tool_response>\n${callTo('c')}`, ['a', 'b']],
      [`I read both.\n${A}\n<tool_response>ok</tool_response>\n${callTo('b')}\nDone.`, ['a']],
      [`${A}\n${A}`, ['a', 'a']],
      ['Thought: read it\nAction:\n```json\n{"action": "read_file", "action_input": {"path": "a"}}\n```', ['a']],
    ])('a call is made as often as it is written, and none behind a made-up result: %j', async (says, paths) => {
      verifies('K5');
      const { made, unmade, text } = await ask(says, how);
      expect([made, unmade]).toEqual([paths.map((path) => JSON.stringify({ path })), []]);
      expect(text).not.toMatch(/Observation|result|Done|It is read/);
    });

    it.each([
      'The notations:\n\n| family | a call |\n|---|---|\n| Mistral | [TOOL_CALLS]read_file[ARGS]{"path": "a"} |\n| Hermes | <tool_call>{"name": "read_file", "arguments": {"path": "a"}}</tool_call> |',
      'A tool call looks like this:\n\n```json\n{"name": "read_file", "arguments": {"path": "a"}}\n```',
      `For example:\n\n${A}`,
      `> ${A.replaceAll('\n', '\n> ')}`,
      `I will not run this call, it would read your keys:\n\n${A}`,
      `Shall I read it?\n\n${A}`,
      `In a sentence ${A.replaceAll('\n', '')} is only mentioned.`,
    ])('what is shown, refused or asked about stays as it was written: %j', async (says) => {
      verifies('K5');
      const { made, unmade, text, reasoning } = await ask(says, how);
      expect([made, unmade]).toEqual([[], []]);
      expect(text.trim()).toBe(says);
      expect(reasoning).toBe('');
    });

    it('words stand around a call where they were written', async () => {
      const { made, text } = await ask(`I read it first.\n${A}`, how);
      expect([made, text.trim()]).toEqual([['{"path":"a"}'], 'I read it first.']);
    });
  });

  it('an answer that came whole is told once: text is no thought', async () => {
    const plain = await ask('Hello there.', 'whole');
    expect([plain.text, plain.reasoning]).toEqual(['Hello there.', '']);
    const thought = await ask('It is a greeting.</think>Hello there.', 'whole');
    expect([thought.text, thought.reasoning]).toEqual(['Hello there.', 'It is a greeting.']);
  });
});
