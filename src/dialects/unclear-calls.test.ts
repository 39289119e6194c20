/** The last look at an answer: what names a tool beside its arguments is asked about; what only speaks of it is an answer. */
import { expect, it } from 'vitest';
import { createParser, readAnswer } from './index.ts';

const tools = [
  {
    name: 'read_file',
    parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  },
];

const becomes = (text: string): string => {
  const parser = createParser({ dialect: 'auto', tools });
  const events = parser.push(text);
  const { events: last, result } = parser.end();
  const answer = { events: [...events, ...last], result, text: result.content, whole: text };
  const isTool = (name: string): boolean => name === 'read_file';
  const read = readAnswer(answer, { tools, isTool, mayGuess: () => false, dialect: 'auto', reads: 'auto' });
  if (read.written.parts.length > 0) return 'made or sent back';
  if (read.held !== undefined) return 'asked';
  return read.warning === undefined ? 'answer' : 'told';
};

it.each([
  ['{"read_file": ["a.txt"]}', 'asked'],
  ['(read_file :path "a.txt")', 'asked'],
  ['read_file -path a.txt', 'asked'],
  ['`read_file` {"path": "a.txt"}', 'asked'],
  ['**Tool:** `read_file`\n**path:** a.txt', 'asked'],
  ['`read_file`\n- path: a.txt', 'asked'],
  [
    '```diff\n+ <tool_call>read_file\n+ <arg_key>path</arg_key>\n+ <arg_value>a.txt</arg_value>\n+ </tool_call>\n```',
    'asked',
  ],
  ['```js\nconst text = read_file("a.txt");\n```', 'asked'],
  ['```js\nconst list = [1];\nconst text = read_file("a.txt");\n```\nThat is the code.', 'told'],
  ['I use `read_file` for that.', 'answer'],
  ['The tool `read_file` reads a file (path: where it lies).', 'answer'],
  ['- `read_file` reads a file\n- path: where it lies', 'answer'],
  ['With read_file the path may be relative.', 'answer'],
])('%j: %s', (text, expected) => {
  expect(becomes(text)).toBe(expected);
});
