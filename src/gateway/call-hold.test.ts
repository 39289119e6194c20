/** What a person reads while a model writes: words at once, and no half of a call ever. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { completed } from '../../tests/support/completed.ts';
import { steepness } from '../../tests/support/processor-time.ts';
import type { ToolSchema } from '../core/tool.ts';
import { scriptedProvider } from '../testing/index.ts';
import { createCallHold } from './call-hold.ts';
import { GATEWAY_LIMITS } from './limits.ts';

const tool = (name: string, ...texts: string[]): ToolSchema => ({
  type: 'function',
  function: {
    name,
    description: name,
    parameters: { type: 'object', properties: Object.fromEntries(texts.map((text) => [text, { type: 'string' }])) },
  },
});
const TOOLS = [tool('read_file', 'path', 'mode'), tool('list')];
const pieces = (text: string, size: number): string[] =>
  Array.from({ length: Math.ceil(text.length / size) }, (_, index) => text.slice(index * size, (index + 1) * size));

const JSON_CALL = '{"name": "read_file", "arguments": {"path": "a.txt"}}';
const CUT = JSON_CALL.slice(0, 40);

/** What the model says, and what of it is text. */
const ANSWERS: readonly [title: string, said: string, text: string][] = [
  ['a call behind words', `Ok.\n\n${JSON_CALL}`, 'Ok.'],
  ['two calls', `Both.\n${JSON_CALL}\n${JSON_CALL}`, 'Both.'],
  ['a list of calls', `Both.\n[${JSON_CALL}, ${JSON_CALL}]`, 'Both.'],
  ['a function', 'Now.\nread_file(path="a.txt")', 'Now.'],
  ['a function in a list', 'Now.\n[read_file(path="a.txt")]', 'Now.'],
  ['a call without its mark', 'Now.\nread_file[ARGS]{"path": "a.txt"}', 'Now.'],
  ['a call in tags', `Now.\n<tool_call>${JSON_CALL}</tool_call>`, 'Now.'],
  ['half a call', `Ok.\n\n${CUT}`, 'Ok.'],
  ['half a call behind a sentence', `Let me look: ${CUT}`, 'Let me look:'],
  ['half a call in a fence', `Ok.\n\`\`\`json\n${CUT}`, 'Ok.'],
  ['half a call in tags', `Ok.\n<tool_call>${CUT}`, 'Ok.'],
  ['half a call without its mark', 'Ok.\nread_file[ARGS]{"path"', 'Ok.'],
  ['half a call in the middle of a line', 'I call read_file[ARGS]{"path"', 'I call'],
  ['a call that cannot be read', 'Ok.\n<tool_call>{"name": "read_file", "arguments": {path is a}}</tool_call>', 'Ok.'],
  ['a call in the line of its sentence', `A call looks so. It is this: ${JSON_CALL}`, 'A call looks so. It is this:'],
  ['data', 'The settings:\n\n{"port": 80, "host": "x"}\n\nThat is all.', ''],
  ['data with the keys of a call', 'A person:\n{"name": "Ann", "age": 4}\nThat is all.', ''],
  ['code', '```ts\nconst list = [{ name: 1 }];\nread_file("x");\n```\nDone.', ''],
  ['links and boxes', '- [ ] one\n- [x] two\n[a link](http://x)\n{curly} words', ''],
  ['names of tools', 'The list of files. read_file is a tool (list too). list', ''],
];

const heardOf = async (said: string, size: number) => {
  const provider = scriptedProvider(
    [{ text: pieces(said, size) }, { calls: [{ name: 'read_file', arguments: '{"path":"a.txt"}' }] }],
    { models: [{ id: 'm' }] },
  );
  return completing(provider);
};

const completing = (provider: ReturnType<typeof scriptedProvider>) => completed(provider, { tools: TOOLS });

describe('the text of an answer', () => {
  it.each(ANSWERS)('holds no call, however the stream is cut: %s', async (_title, said, text) => {
    verifies('B2');
    for (const size of [1, 3, 7, said.length]) {
      const done = await heardOf(said, size);
      expect([size, done.heard.trimEnd()]).toEqual([size, text === '' ? said : text]);
      expect([size, done.heard.trimEnd()]).toEqual([size, done.text.trimEnd()]);
      expect(done.calls.length > 0).toBe(text !== '');
    }
  });
});

describe('an answer about calls', () => {
  it('keeps what could not be read as one where the model, asked again, makes none', async () => {
    const said = 'Write <tool_call>{"name": "read_file", "arguments": {path is a}}</tool_call> for that.';
    const provider = scriptedProvider([{ text: said }, { text: 'I only explained it.' }], { models: [{ id: 'm' }] });
    const done = await completing(provider);
    expect([done.heard, done.text, done.calls]).toEqual([said, said, []]);
  });
});

describe('text that may be a call', () => {
  const through = (parts: readonly string[]): { shown: string[]; rest: string } => {
    const hold = createCallHold(TOOLS);
    const shown = parts.map((part) => hold.push(part));
    return { shown, rest: hold.end() };
  };

  it('goes on as it came, whatever it is', () => {
    const words = fc.constantFrom(
      ...'{ } [ ] ( ) " \' ` ``` : , . \n  list read_file [ARGS] "name" name path arguments x é \\'.split(' '),
      ' ',
      '\n',
    );
    fc.assert(
      fc.property(fc.array(words, { maxLength: 40 }), (parts) => {
        const { shown, rest } = through(parts);
        expect(shown.join('') + rest).toBe(parts.join(''));
      }),
    );
  });

  it.each([
    'One word after the other. And a second sentence, with a list (of things) and {braces}.',
    'A table:\n\n| a | b |\n|---|---|\n| 1 | 2 |\n',
    'const x = { port: 80 };\nreturn [1, 2, 3];\n',
    'Say `read_file` or <tool_call> to call.',
    '{"port": 80,\n "host": "x"}',
  ])('waits for no more than a word where it is ordinary: %s', (text) => {
    const hold = createCallHold(TOOLS);
    let behind = 0;
    for (const [index, character] of [...text].entries()) {
      behind += hold.push(character).length;
      expect(index + 1 - behind).toBeLessThanOrEqual('read_file'.length + 3);
    }
  });

  it('is held no longer than its limit', () => {
    const { shown, rest } = through(['Ok.\n{"name": "read_file", "x": "', ...pieces('y'.repeat(300_000), 50_000)]);
    expect(rest.length).toBeLessThan(GATEWAY_LIMITS.heldCharacters);
    expect(shown.join('').length).toBeGreaterThan(100_000);
  });

  it('costs time in proportion to its length', async () => {
    const held = (length: number) =>
      through(pieces(`Ok.\n{"name": "list", "arguments": {"x": "${'y'.repeat(length)}`, 4));
    expect(await steepness(20_000, held)).toBeUndefined();
  });
});
