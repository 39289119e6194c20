/** A parser that tells text as reasoning until a mark closes it: in the end it has read what is read of the whole. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { createParser, createThoughtsFirstParser, isNamedThinker, readBehindThoughts } from './index.ts';
import type { ParserEvent } from './types.ts';

const tools = [{ name: 'bash', parameters: { type: 'object', properties: { command: { type: 'string' } } } }];
const call = (command: string): string =>
  `<tool_call>{"name": "bash", "arguments": {"command": "${command}"}}</tool_call>`;

const CLOSED = [
  `Maybe ${call('a')} no.</think>\nHello.`,
  `Maybe ${call('a')} no.[/THINK]Hello.`,
  'I should greet.\n</think>\n\nHello.',
  'They asked what `</think>` is.\n</think>\nA mark.',
  'The mark </think> ends it, I say.\n</think>\nA mark.',
  `I look.\n</think>\n${call('b')}`,
  `a < b [1] </thi\n</think>\nYes, a < b.`,
];
const OPEN = [
  'Hello.',
  `I look.\n${call('b')}`,
  call('b'),
  'The model writes </think> where its thoughts end.',
  'It says </think> again.\n'.repeat(40),
  'It looks so:\n```\nhm\n</think>\nHello\n```\nDone.',
  'a < b, and [1] is a list <',
  '<think>I see.</think>Hello.',
  '',
];

const saidIn = (events: readonly ParserEvent[], type: 'text' | 'reasoning'): string =>
  events.map((event) => (event.type === type ? event.text : '')).join('');

const wholeOf = (text: string, dialect: string) => {
  const open = () => createParser({ dialect, tools });
  const parser = open();
  const events = parser.push(text);
  const end = parser.end();
  return readBehindThoughts(text, end.result, open) ?? { text, events: [...events, ...end.events], result: end.result };
};

const live = (text: string, dialect: string, size: number) => {
  const parser = createThoughtsFirstParser(() => createParser({ dialect, tools }));
  const before: ParserEvent[] = [];
  for (let at = 0; at < text.length; at += size) before.push(...parser.push(text.slice(at, at + size)));
  const { events, result } = parser.end();
  return { events: [...before, ...events], before, result, parser };
};

describe.each(['auto', 'hermes', 'mistral-args'])('%s', (dialect) => {
  it.each([...CLOSED, ...OPEN])('reads %j as the whole is read, in whatever pieces', (text) => {
    verifies('L4');
    const whole = wholeOf(text, dialect);
    for (const size of [1, 2, 7, 1_000]) {
      const { events, result, parser } = live(text, dialect, size);
      expect([result.content, result.calls, result.reasoning], `pieces of ${size}`).toEqual([
        whole.result.content,
        whole.result.calls,
        whole.result.reasoning,
      ]);
      expect(saidIn(events, 'text')).toBe(saidIn(whole.events, 'text'));
      expect([parser.isClosed, parser.rest]).toEqual([CLOSED.includes(text), whole.text]);
    }
  });

  it.each(CLOSED)('tells nothing of the thoughts in %j as text, and each of them once', (text) => {
    const { events } = live(text, dialect, 1);
    const thoughts = saidIn(events, 'reasoning');
    expect(text.startsWith(thoughts)).toBe(true);
    expect(text.slice(thoughts.length)).toMatch(/^(?:<\/think>|\[\/THINK\])/);
  });

  it('tells the answer while it comes', () => {
    const { before } = live('I should greet.\n</think>\n\nHello, how are you?', dialect, 1);
    expect(saidIn(before, 'text').trim()).toContain('Hello, how are');
  });
});

it('reads a long text of many marks in linear time', () => {
  const steps = (count: number): number => {
    let parsers = 0;
    const parser = createThoughtsFirstParser(() => {
      parsers += 1;
      return createParser({ dialect: 'auto' });
    });
    for (let at = 0; at < count; at += 1) parser.push('It says </think> again, and so on.\n');
    parser.end();
    return parsers;
  };
  expect(steps(4_000)).toBe(steps(400));
});

it.each([
  ['deepseek-r1:8b', true],
  ['Qwen/Qwen3-4B-Thinking-2507', true],
  ['qwq-32b', true],
  ['deepseek-reasoner', true],
  ['llama3.1:8b', false],
  ['command-r17', false],
  ['qwen3-4b-instruct', false],
])('%s is named for its thinking: %s', (model, is) => {
  expect(isNamedThinker(model)).toBe(is);
});
