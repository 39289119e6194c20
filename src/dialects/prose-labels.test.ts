/** Labels that are words (`Thought:`, `>>>all`) hide no call that another notation marks. */
import { describe, expect, test } from 'vitest';
import { createParser, dialectNames, type ParseResult, renderCall, type ToolDefinition } from './index.ts';

const tools: ToolDefinition[] = [
  { name: 'read_file', parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] } },
];
const read = (text: string, dialect: string, size = text.length): ParseResult => {
  const parser = createParser({ dialect, tools });
  for (let at = 0; at < text.length; at += size) parser.push(text.slice(at, at + size));
  return parser.end().result;
};
const CALL = { name: 'read_file', arguments: { path: 'a' } };
/** Every dialect whose calls are known by their marks behind words. `Action:` is a label itself. */
const MARKED = dialectNames()
  .filter((name) => !['auto', 'native', 'react', 'functionary-v3.2', 'command-r-plus'].includes(name))
  .flatMap((name) => {
    const written = renderCall(name, CALL);
    return read(`I will read it.\n${written}`, 'auto').calls.length === 1 ? [[name, written] as const] : [];
  });
const LABELS = [
  ['react', 'Thought: I will read it.'],
  ['react', 'Final Answer: I will read it.'],
  ['functionary-v3.2', '>>>all\nI will read it.'],
  ['functionary-v3.2', 'all\nI will read it.'],
] as const;

test('most dialects mark their calls', () => {
  expect(MARKED.length).toBeGreaterThan(40);
});

describe.each(LABELS)('%s: behind %j a call of', (own, words) => {
  test.each(MARKED)('%s is made, whole and in pieces', (_name, written) => {
    for (const dialect of ['auto', own])
      for (const size of [1_000, 1, 7]) {
        const { calls, content, reasoning } = read(`${words}\n${written}`, dialect, size);
        expect({ dialect, size, calls }).toMatchObject({ calls: [CALL] });
        expect(`${reasoning}${content}`).toContain('I will read it.');
        expect(`${reasoning}${content}`).not.toContain('path');
      }
  });
});

test.each(['auto', 'react'])('a call in thoughts that an action follows is a draft (%s)', (dialect) => {
  const draft = '<tool_call>{"name": "read_file", "arguments": {"path": "b"}}</tool_call>';
  const thought = `Thought: I could write\n${draft}\nbut not here.`;
  for (const size of [1_000, 1]) {
    const acted = read(`${thought}\nAction: read_file\nAction Input: {"path": "a"}`, dialect, size);
    expect(acted).toMatchObject({ calls: [CALL], content: '' });
    expect(acted.reasoning).toBe(thought.slice('Thought: '.length));
    const answered = read(`${thought}\nFinal Answer: No call is needed.`, dialect, size);
    expect(answered).toMatchObject({ calls: [], content: 'No call is needed.' });
  }
});

test.each(['auto', 'react'])('each of several thoughts with calls is read, and no made-up result (%s)', (dialect) => {
  const call = (path: string): string =>
    `<tool_call>{"name": "read_file", "arguments": {"path": "${path}"}}</tool_call>`;
  const text = `Thought: First.\n${call('a')}\nThought: Second.\n${call('b')}\nObservation: made up ${call('c')}`;
  for (const size of [1_000, 1])
    expect(read(text, dialect, size).calls.map(({ arguments: { path } }) => path)).toEqual(['a', 'b']);
});

test.each(['auto', 'react'])(
  'what may be a call without marks is no thought, where nothing follows (%s)',
  (dialect) => {
    const call = '{"name": "read_file", "arguments": {"path": "a"}}';
    for (const written of [call, `[${call}]`, `\`\`\`json\n${call}\n\`\`\``])
      for (const size of [1_000, 1]) {
        expect(read(`Thought: I will read it.\n${written}`, dialect, size)).toMatchObject({
          reasoning: 'I will read it.',
          content: written,
        });
        expect(read(`Thought: Or\n${written}\nFinal Answer: No.`, dialect, size)).toMatchObject({ content: 'No.' });
      }
  },
);
