/** The last look at an answer: what names a tool beside its arguments is asked about; what only speaks of it is an answer. */
import { expect, it } from 'vitest';
import { createParser, readAnswer, type ToolDefinition } from './index.ts';

const tools = [
  {
    name: 'read_file',
    parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  },
];

/** Tools that need no arguments. */
const plain: ToolDefinition[] = [
  { name: 'get_file_tree', parameters: { type: 'object', properties: { path: { type: 'string' } } } },
  { name: 'system_stats', parameters: { type: 'object', properties: {} } },
];

/** Tools whose names are words that any answer may hold. */
const everyday: ToolDefinition[] = [
  { name: 'echo', parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } },
  {
    name: 'add',
    parameters: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
  },
  { name: 'search', parameters: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] } },
  { name: 'test', parameters: { type: 'object', properties: { path: { type: 'string' } } } },
];

const becomes = (text: string, offered: readonly ToolDefinition[] = tools): string => {
  const parser = createParser({ dialect: 'auto', tools: offered });
  const events = parser.push(text);
  const { events: last, result } = parser.end();
  const answer = { events: [...events, ...last], result, text: result.content, whole: text };
  const isTool = (name: string): boolean => offered.some((tool) => 'name' in tool && tool.name === name);
  const read = readAnswer(answer, { tools: offered, isTool, mayGuess: () => false, dialect: 'auto', reads: 'auto' });
  if (read.written.parts.length > 0) return 'made or sent back';
  if (read.held !== undefined) return 'asked';
  return read.warning === undefined ? 'answer' : 'told';
};

it.each([
  ['{"read_file": ["a.txt"]}', 'asked'],
  ['(read_file :path "a.txt")', 'asked'],
  // One tag with the name is nothing but a call; entities stand for what they are.
  ['<call tool="read_file"/>', 'asked'],
  ["<use name='read_file'></use>", 'asked'],
  ['<read_file />', 'asked'],
  ['<read_file></read_file>', 'asked'],
  ['<call tool="read_file" args="{&quot;path&quot;:&quot;a.txt&quot;}"/>', 'asked'],
  ['&lt;read_file path=&quot;a.txt&quot;/&gt;', 'asked'],
  ['The element <read_file/> is none of HTML.', 'answer'],
  ['<reader name="read_files"/>', 'answer'],
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

it.each([
  '<read_file>a.txt</read_file>',
  '<read_file>\na.txt\n</read_file>',
  '[read_file]a.txt[/read_file]',
  '[read_file: a.txt]',
  '<read_file: a.txt>',
  '{"read_file": "a.txt"}',
  '{read_file: a.txt}',
  'read_file: a.txt',
  '**read_file**: a.txt',
  '`read_file`: a.txt',
  '`read_file: a.txt`',
  'read_file | a.txt',
  'read_file -> a.txt',
  'read_file = a.txt',
  'read_file => "a.txt"',
  'read_file "a.txt"',
  'read_file a.txt',
  '/read_file a.txt',
  '$ read_file src/a.txt',
  'mcp__read_file {"path": "a.txt"}',
  'tools/read_file: a.txt',
  '```\nread_file: a.txt\n```',
])('a whole answer that is a tool and what it may be given is asked about: %j', (text) => {
  expect(['asked', 'made or sent back']).toContain(becomes(text));
});

it.each([
  'read_file works.',
  'The tool is read_file.',
  'read_file',
  'I have two tools:\n\nread_file: reads a file\nwrite_file: writes one',
])('a whole answer that speaks of a tool is an answer: %j', (text) => {
  expect(becomes(text)).toBe('answer');
});

it.each([
  'To add two numbers, write `a + b`; with a = 2 and b = 3 that is 5.',
  'You can add them: a = 2, b: 3.',
  'Run echo (a command of the shell) with text: hello.',
  'In PHP you write echo("hello"), and in Python print("hello").',
  'I did a search ("cats"), query: cats, and found three.',
  'The search --query flag is optional, so test -path a.txt as well.',
  'That echo [1] is a reverberation.',
  'A quick test (1 of 3) passed; the path: src/a.txt.',
  'Use the search {query} form.',
])('of a tool with an everyday name prose is an answer: %j', (text) => {
  expect(becomes(text, everyday)).toBe('answer');
});

it.each([
  'echo("hello", 2)',
  'Tool: echo\ntext: hello',
  '**echo**\n- text: hello',
  '{"tool_name": "echo", "input": {"text": "hello"}}',
  '<echo>hello</echo>',
  '{"echo": "hello"}',
  'echo: hello',
  'I look for it.\n\nsearch --query cats',
  'search query="cats"',
  '(add :a 2 :b 3)',
])('of a tool with an everyday name a call is asked about: %j', (text) => {
  expect(['asked', 'made or sent back']).toContain(becomes(text, everyday));
});

const entities = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
const encodings: [string, (text: string) => string][] = [
  ['with entities', entities],
  ['with entities, in a fence', (text) => `\`\`\`\n${entities(text)}\n\`\`\``],
  ['with entities, behind words', (text) => `I look at it now.\n${entities(text)}`],
  ['as a string of JSON', (text) => JSON.stringify(text)],
];

it.each(
  encodings.flatMap(([how, encode]) =>
    [
      '<tool_call>{"name":"get_file_tree","arguments":{}}</tool_call>',
      '<tool_call>\n<function=get_file_tree>\n</function>\n</tool_call>',
      '<invoke name="get_file_tree"></invoke>',
      '{"tool":"system_stats","args":{}}',
      '{"arguments":{ },"name":"system_stats"}',
      '[{"name":"system_stats","parameters":{}}]',
    ].map((text) => [how, encode(text)] as const),
  ),
)('a call without arguments is asked about as one with them: %s, %j', (_, text) => {
  expect(becomes(text, plain)).toBe('asked');
});

it.each([
  ['get_file_tree -> {}', 'asked'],
  ['`get_file_tree` {}', 'asked'],
  ["'get_file_tree()'", 'asked'],
  ['**Tool:** `get_file_tree`\n**Arguments:** `{}`', 'asked'],
  ["I'll call `get_file_tree` with {}", 'asked'],
  ['Calling get_file_tree with {}', 'asked'],
  ['call:get_file_tree{}', 'asked'],
  ['I look at it now.\n<get_file_tree/>', 'asked'],
  ['I look at it now.\n<get_file_tree></get_file_tree>', 'asked'],
  // Spoken of, shown, or something else.
  ['You can call get_file_tree() for that.', 'answer'],
  ['With `get_file_tree` no arguments are needed.', 'answer'],
  ['Its body is empty: `function get_file_tree() {}` does nothing.', 'answer'],
  ['The element <get_file_tree/> is none of HTML.', 'answer'],
  ['In XML write &lt; for < and &quot; for a quotation mark.', 'answer'],
  ['"It lists the files: get_file_tree needs no arguments."', 'answer'],
  ['For example: {"tool": "get_file_tree", "input": {}} is such a call.', 'told'],
])('without arguments, %j: %s', (text, expected) => {
  expect(becomes(text, plain)).toBe(expected);
});
