/** Thoughts that the prompt opened end at the first mark that closes them, in every dialect and place. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { createParser, dialectNames, readAnswer, readBehindThoughts, renderCall } from './index.ts';

const tools = [{ name: 'bash', parameters: { type: 'object', properties: { command: { type: 'string' } } } }];
const isTool = (name: string): boolean => name === 'bash';
const call = (command: string): string =>
  `<tool_call>{"name": "bash", "arguments": {"command": "${command}"}}</tool_call>`;

const read = (text: string, dialect: string) => {
  const open = () => createParser({ dialect, tools });
  const parser = open();
  const events = parser.push(text);
  const end = parser.end();
  const plain = { text, events: [...events, ...end.events], result: end.result };
  const { text: whole, ...read } = readBehindThoughts(text, end.result, open) ?? plain;
  const answer = { ...read, text: read.result.content, whole };
  const judged = readAnswer(answer, { tools, isTool, mayGuess: () => false, dialect, reads: dialect });
  return {
    calls: judged.written.parts.map((part) =>
      part.kind === 'call' ? String(part.call.arguments['command']) : part.kind,
    ),
    text: judged.text,
    reasoning: read.result.reasoning,
  };
};

describe.each(['auto', 'hermes', 'plain-json', 'mistral-args'])('%s', (dialect) => {
  it.each([
    [`Maybe ${call('a')} no.</think>\nHello.`, 'Hello.', []],
    [`${call('a')}\nno\n</think>\n\nHello.`, 'Hello.', []],
    [`Maybe ${call('a')} no.[/THINK]Hello.`, 'Hello.', []],
    [`[THINK]Maybe\n${call('a')}\nno.[/THINK]Hello.`, 'Hello.', []],
    ['I should greet.\n</think>\n\nHello.', 'Hello.', []],
    ['They asked what `</think>` is.\n</think>\nA mark.', 'A mark.', []],
    [`I look.\n</think>\n${call('b')}`, '', ['b']],
    [`Perhaps\n${call('a')}\nor not.\n</think>\n${call('b')}`, '', ['b']],
  ])('%j is thought up to the mark', (text, left, made) => {
    verifies('K5');
    const found = read(text, dialect);
    expect([found.text, found.calls]).toEqual([left, made]);
    expect(found.reasoning).not.toBe('');
  });

  it.each([
    'The model writes </think> where its thoughts end.',
    'The mark `</think>` ends thoughts.',
    'Thoughts stand in <think>…</think> here.\nThat is all.',
    'It looks so:\n```\nhm\n</think>\nHello\n```\nDone.',
    'The text "</think>" ends thoughts.',
  ])('%j speaks of the mark', (text) => {
    expect(read(text, dialect)).toEqual({ calls: [], text, reasoning: '' });
  });

  it('an argument may hold the mark', () => {
    const found = read(`Let me write it:\n${call('echo </think> x')}`, dialect);
    expect([found.calls, found.reasoning]).toEqual([['echo </think> x'], '']);
  });
});

it.each(['think', 'THINK'])('edison reads its call behind thoughts between marks (%s)', (mark) => {
  const [open, close] = mark === 'think' ? ['<think>', '</think>'] : ['[THINK]', '[/THINK]'];
  for (const before of [open, ''])
    expect(read(`${before}I want that.${close}\n{"tool":"bash","args":{"command":"a"}}`, 'edison').calls).toEqual([
      'a',
    ]);
});

it.each(dialectNames().filter((name) => name !== 'auto' && name !== 'native'))(
  'thought marks that hold nothing or were opened twice are left out before a call, in any pieces: %s',
  (dialect) => {
    const tools = [
      { name: 'fetch_row', parameters: { type: 'object', properties: { key: { type: 'string' } } } },
    ] as const;
    const call = { name: 'fetch_row', arguments: { key: 'x1' } };
    const written = renderCall(dialect, call);
    for (const left of [
      '<think>\n\n</think>\n',
      '</think>\n',
      '<think></think></think>\n',
      '<think>\n<think>\n</think>',
      '<think>\n<think>\nI look.\n</think>\n',
    ])
      for (const size of [1, 3, 7, 1_000]) {
        const parser = createParser({ dialect, tools });
        const text = left + written;
        for (let at = 0; at < text.length; at += size) parser.push(text.slice(at, at + size));
        const { calls, content } = parser.end().result;
        expect([calls.map(({ name }) => name), content.trim()], `${size} ${text}`).toEqual([['fetch_row'], '']);
      }
  },
);
