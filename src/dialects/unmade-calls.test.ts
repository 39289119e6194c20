/** Calls that cannot be made, in models of the AI SDK and of LangChain: each is told as these libraries tell such calls. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { type How, LIBRARIES, NAME } from '../../tests/support/answer-libraries.ts';

const GOOD = '<tool_call>{"name": "read_file", "arguments": {"path": "a"}}</tool_call>';

describe.each(LIBRARIES)('%s', (_library, ask, called) => {
  describe.each<How>(['whole', 'stream'])('%s', (how) => {
    it.each([
      '<tool_call>{"name": "read_file", "arguments": {path is a}}</tool_call>',
      '<tool_call>{"name": "read_file", "arguments": {"path": "a"',
      '<tool_call>{"read_file": {"file": "a"}}</tool_call>',
      '{"name": "read_file", "path": "a", "why": "to know"}',
      '{"name": "read_file", "arguments": "a"}',
      '{"read_file": {"path": 7}}',
      '[TOOL_CALLS]read_file[ARGS]["a"]',
    ])('%j is handed on as a call that is not made', async (says) => {
      verifies('L4', 'K5');
      const { made, unmade, finish, told } = await ask(says, how);
      expect(unmade).toEqual([{ name: NAME, input: expect.stringContaining('The call was not made: ') }]);
      expect(unmade[0]?.input).toContain('read_file');
      expect(made).toEqual([]);
      expect(told).not.toBe('""');
      if (!says.endsWith('"a"')) expect(finish).toBe(called);
    });

    it.each([
      '<tool_call>{"read_file": {"path": "a"}}</tool_call>',
      '{"name": "read_file", "path": "a"}',
      '{"read_file": {"path": "a"}}',
    ])('%j is understood, and made', async (says) => {
      verifies('L4', 'K5');
      const { made, unmade, finish } = await ask(says, how);
      expect([made, unmade, finish]).toEqual([['{"path":"a"}'], [], called]);
    });

    it('beside a call that is made as well', async () => {
      const { made, unmade } = await ask(`${GOOD}\n{"name": "read_file", "arguments": ["b"]}`, how);
      expect([made, unmade.length]).toEqual([['{"path":"a"}'], 1]);
    });

    it('says that a limit ended the answer inside a call', async () => {
      const { made, unmade, finish } = await ask('Ok.\n<tool_call>{"name": "read_file", "argum', how, 'length');
      expect([made, finish]).toEqual([[], 'length']);
      expect(unmade).toEqual([{ name: NAME, input: expect.stringContaining('cut off') }]);
    });

    it.each(['<tool_call>{"na', '[TOOL_CALLS][]', '<tool_call></tool_call>'])(
      'what names no tool stays in the text: %j',
      async (says) => {
        const { text, made, unmade } = await ask(says, how);
        expect([text.trim(), made, unmade]).toEqual([says, [], []]);
      },
    );

    it.each([
      `A call looks like this:\n${GOOD}\nThat is all.`,
      '12: [TOOL_CALLS]read_file[ARGS]{"path": "a"}\n13: end',
    ])('a sample is text, and no program runs it: %j', async (says) => {
      verifies('K5');
      const { text, made, unmade } = await ask(says, how);
      expect([made, unmade]).toEqual([[], []]);
      for (const word of ['read_file', '"path"', says.slice(-4)]) expect(text).toContain(word);
    });
  });
});
