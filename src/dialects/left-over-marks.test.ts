/** Marks that close a call and that an answer was left with: they are no part of what is said, and spoken of they are. */
import { expect, test } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { createParser, stripToolCalls } from './index.ts';

/** The text of an answer, and what a person sees of it while it comes in pieces. */
const read = (answer: string, dialect: string, size: number): { content: string; shown: string } => {
  const parser = createParser({ dialect });
  const pieces = answer.match(new RegExp(`[\\s\\S]{1,${size}}`, 'gu')) ?? [];
  const events = pieces.flatMap((piece) => parser.push(piece));
  const { events: last, result } = parser.end();
  const shown = [...events, ...last].map((event) => (event.type === 'text' ? event.text : '')).join('');
  return { content: result.content, shown };
};
const over = (answer: string, dialects: readonly string[]): string[] =>
  dialects.flatMap((dialect) =>
    [1, 3, 1000].flatMap((size) => {
      const { content, shown } = read(answer, dialect, size);
      return [content, shown];
    }),
  );

/** Each with the dialects that know it. */
const MARKS: readonly [mark: string, ...dialects: string[]][] = [
  ['</tool_call>', 'hermes', 'qwen3-coder', 'glm-4.5', 'edison', 'plain-json', 'mistral-args'],
  ['</tool_calls>', 'minimax-m1'],
  ['[/TOOL_CALLS]', 'mistral-args', 'mistral-json', 'hermes', 'edison'],
  ['<｜tool▁call▁end｜>', 'deepseek-v3'],
  ['<｜tool▁calls▁end｜>', 'deepseek-v3'],
  ['<|tool_calls_section_end|>', 'kimi-k2'],
  ['</minimax:tool_call>', 'minimax-m2'],
  ['</longcat_tool_call>', 'longcat'],
  ['</TOOLCALL>', 'nemotron-nano-v2'],
  ['<|tools_suffix|>', 'apertus'],
  ['<end_function_call>', 'functiongemma'],
  ['</seed:tool_call>', 'seed-oss'],
  ['<|END_ACTION|>', 'command-r7b'],
];
const SAID = ['42', 'Two files.', 'Yes\n', '- a.txt\n- b.txt', 'The file is `a.txt`.', '**Done**', 'f(1)'];

test.each(MARKS)('%s behind an answer is left out, in whole and in pieces', (mark, ...dialects) => {
  verifies('L4', 'L5');
  for (const said of SAID)
    for (const one of over(said + mark, ['auto', ...dialects])) expect(one.trimEnd(), said).toBe(said.trimEnd());
  expect(stripToolCalls(`42${mark}`)).toBe('42');
  expect(stripToolCalls(`42${mark}<|im_end|>`)).toBe('42');
  expect(stripToolCalls(`42${mark}\n${mark}`)).toBe('42');
});

test.each([
  'A call of Hermes ends with </tool_call>.',
  'It is closed by </tool_call>',
  'It ends in the line:\n</tool_call>',
  'The mark is `</tool_call>`',
  'The mark is "</tool_call>"',
  'The mark is “</tool_call>”',
  '42</tool_call> is what it wrote.',
  'Write <tool_call>, the object and then:\n{}\n</tool_call>',
  '```\n42</tool_call>',
  '```\n42</tool_call>\n```',
  'Mistral closes with [/TOOL_CALLS]',
  'DeepSeek closes with <｜tool▁call▁end｜>',
  'In XML: <a>1</a>',
])('%j is text to its last character', (answer) => {
  verifies('L4', 'L5');
  for (const one of over(answer, ['auto', 'hermes', 'mistral-json', 'deepseek-v3'])) expect(one).toBe(answer);
});
