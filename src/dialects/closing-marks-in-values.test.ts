/** Values that are not escaped may hold the marks that close them: a call is read whole or is broken, and never cut short. */

import { describe, expect, test } from 'vitest';
import { inTurn } from '../../tests/support/long.ts';
import { dialectNames } from './all-dialects.ts';
import { createParser } from './parse.ts';
import { renderCall } from './prompts.ts';

const text = { type: 'string' };
const parameters = { type: 'object', properties: { path: text, content: text } };
const tools = [{ name: 'write_file', description: '', parameters }];
const PLACE = 'CONTENT';

const written = (dialect: string, content: string): string =>
  renderCall(dialect, { name: 'write_file', arguments: { path: 'p', content } });
/** The content is the first argument. */
const contentFirst = (dialect: string, content: string): string =>
  renderCall(dialect, { name: 'write_file', arguments: { content, path: 'p' } });
/** All that closes a call. */
const closing = (dialect: string): string => {
  const call = written(dialect, PLACE);
  return call.slice(call.indexOf(PLACE) + PLACE.length);
};
/** The notations that leave such a content as it is. */
const raw = dialectNames().filter((dialect) => {
  const content = `<a>${closing(dialect)}\n</a>`;
  return written(dialect, content).includes(content);
});

const read = (dialect: string, whole: string, size: number) => {
  const parser = createParser({ dialect, tools });
  for (let at = 0; at < whole.length; at += size) parser.push(whole.slice(at, at + size));
  return parser.end().result;
};

test('some notations do not escape their values', () =>
  expect(raw).toEqual(expect.arrayContaining(['qwen3-coder', 'glm-4.5', 'gemma4', 'functiongemma', 'minimax-m3'])));

describe.each(raw.map((dialect, at) => [dialect, at] as const))('%s', (dialect, at) => {
  const marks = closing(dialect);
  const tags = marks.match(/\]<\]minimax\[>\[<[^>]*>|<\|close\|>\w+<\|sep\|>|<[^<]*/g) ?? [];
  /** Muse's answer begins in the header of a message. */
  const before = read(dialect, `Look:\n${written(dialect, 'x')}`, 99).calls.length === 1 ? 'Look:\n' : '';
  const contents = [
    ['all that closes a call', `<a>${marks}\n</a>`],
    ['twice', `<a>${marks}\n</a>${marks}\nand more`],
    ['the end of a value', `<a>${tags[0]}\n</a>`],
    ['the end of a value and of a call', `<a>${tags.slice(0, 2).join('')}\n</a>`],
    ['a call of two values', `Like this:\n${renderCall(dialect, { name: 'move', arguments: { from: 'a', to: 'b' } })}`],
    ['a call of the same tool', `Like this:\n${written(dialect, 'x')}\nSo it is.`],
    ...['<|im_end|>', '<|endoftext|>', '<|user|>', '<|eot_id|>', '</s>', '<end_of_turn>'].flatMap((end) => [
      [`the end of a call and ${end}`, `one ${tags.slice(1).join('\n')} ${end} two`],
      [`the end of a call's wrapper and ${end}`, `one\n${tags.at(-1)}${end}\n## two`],
      [`a call in JSON and ${end}`, `    <tool_call>{"name": "ls"}</tool_call>${end}\n\n## two`],
    ]),
    ['two calls in JSON', '<tool_call>{"name": "ls"}</tool_call>\n<tool_call>{"name": "ls"}</tool_call>\nmore'],
    ['how a call begins', `It begins with ${written(dialect, 'x').split('write_file')[0]}write_file.`],
  ];

  // Usually each notation has a third of the values.
  const SHARES = 3;
  test.each(inTurn(contents, at % SHARES, SHARES))('a value holds %s', (_, content) => {
    const call = written(dialect, content as string);
    for (const size of [1, 7, call.length])
      for (const whole of [call, `${before}${call}`, `${call}\nDone.`]) {
        const { calls, broken, content: told } = read(dialect, whole, size);
        expect(broken).toEqual([]);
        expect(calls.map(({ arguments: args }) => args)).toEqual([{ path: 'p', content }]);
        expect(told.trim()).toBe(whole.replace(call, '').trim());
      }
  });

  test.each(inTurn(contents, (at + 1) % SHARES, SHARES))('the first value holds %s', (_, content) => {
    for (const size of [1, 9999]) {
      const { calls, broken, content: told } = read(dialect, contentFirst(dialect, content as string), size);
      expect([calls.map(({ arguments: args }) => args), broken, told]).toEqual([[{ content, path: 'p' }], [], '']);
    }
  });

  test('a call of the same tool with the same first value is read whole or not at all', () => {
    const content = `Like this:\n${contentFirst(dialect, 'x')}\nSo it is.`;
    for (const call of [contentFirst(dialect, content), written(dialect, content)]) {
      const { calls, broken } = read(dialect, call, 5);
      if (calls.length === 0) expect(broken.map(({ name }) => name)).toContain('write_file');
      else expect(calls.map(({ arguments: args }) => args)).toEqual([{ content, path: 'p' }]);
    }
  });

  test('two calls, and words between them', () => {
    const call = written(dialect, 'x');
    const { calls, content } = read(dialect, `${call}\nNext.\n${call}`, 5);
    expect([calls.length > 0, calls.every(({ arguments: args }) => args['content'] === 'x')]).toEqual([true, true]);
    expect(content).toContain('Next.');
  });

  test('where it cannot be told which of them ends the value, no call is made', () => {
    const { calls, broken } = read(dialect, `${written(dialect, 'x')}\nIt ends with ${tags[0]} as it should.`, 5);
    expect([calls.length, broken.map(({ name }) => name)]).toEqual([0, ['write_file']]);
  });
});
