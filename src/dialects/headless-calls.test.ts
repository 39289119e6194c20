/**
 * Calls whose beginning is lost, in the notation of every dialect: none is an answer without a word, and none is made. And
 * honest texts that speak of the marks of calls, or end like one: none goes back, and nobody is asked about them.
 */
import { expect, test } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { everyNth } from '../../tests/support/long.ts';
import { createParser, dialectNames, readAnswer, renderCall, type ToolDefinition } from './index.ts';

const text = { type: 'string' } as const;
const tool = (name: string, properties: Record<string, { type: string }>, required: string[] = []): ToolDefinition => ({
  name,
  parameters: { type: 'object', properties, required },
});
const tools = [
  tool('ls', { path: text, show_hidden: { type: 'boolean' } }),
  tool('read_file', { path: text, line_start: { type: 'integer' } }, ['path']),
  tool('bash', { command: text }, ['command']),
  tool('get_current_time', {}),
];
const isTool = (name: string): boolean => tools.some((one) => 'name' in one && one.name === name);

type Becomes = 'made' | 'sent back' | 'asked' | 'told' | 'answer';
const read = (answer: string, dialect: string): ReturnType<typeof readAnswer> => {
  const parser = createParser({ dialect, tools });
  const events = parser.push(answer);
  const { events: last, result } = parser.end();
  const cut = result.broken.filter(({ problem }) => problem === 'truncated').map((broken) => broken.text);
  return readAnswer(
    { events: [...events, ...last], result, text: [result.content, ...cut].join(''), whole: answer },
    { tools, isTool, mayGuess: () => false, dialect, reads: dialect },
  );
};
const partsOf = (answer: string, dialect: string): string[] =>
  read(answer, dialect).written.parts.map(({ kind }) => kind);
const becomes = (answer: string, dialect: string): Becomes => {
  const { written, held, warning } = read(answer, dialect);
  const { parts } = written;
  if (parts.some(({ kind }) => kind === 'call')) return 'made';
  if (parts.length > 0) return 'sent back';
  if (held !== undefined) return 'asked';
  return warning === undefined ? 'answer' : 'told';
};
const WRITTEN = everyNth(['auto', 'hermes', 'mistral-args', 'qwen3-coder', 'plain-json', 'react', 'harmony'], 3);
const over = (answer: string): [dialect: string, Becomes][] =>
  WRITTEN.map((dialect) => [dialect, becomes(answer, dialect)]);

/** Where a mark, a name, a key or a value may begin. */
const PLACES = /(?<=[>\]\n:}{|▁]|｜)|(?=[<"{[(])|\b/g;
/** With less than a key of the arguments, or a whole mark that closes a call, nobody can tell what it is the rest of. */
const LEFT = /path(?!<\/|\]<\])|\[ARGS\]|\[\/|<\/[^<>\s]*>[\s\S]*>$|<[|｜][^<>\s]*end[^<>\s]*[|｜]>[\s\S]*>$/;
const restsOf = (dialect: string): string[] => {
  const whole = renderCall(dialect, { id: 'call_1', name: 'ls', arguments: { path: '.' } });
  const rests = [...whole.matchAll(PLACES)].map(({ index }) => whole.slice(index).trim());
  return [...new Set(rests)].filter((rest) => rest !== whole && LEFT.test(rest) && !isData(rest));
};
/** The bare object of the arguments is any data, and its end may be that of any other: settings in a fence, a line of code. */
const isData = (rest: string): boolean => ['', '{', '{"'].some((opening) => isJson(opening + rest.replace(/^:/, '')));
const isJson = (json: string): boolean => {
  try {
    JSON.parse(json);
    return true;
  } catch {
    return false;
  }
};
const NOTATIONS = dialectNames().filter((name) => name !== 'auto' && name !== 'native');

test.each(everyNth(NOTATIONS, 3))(
  'no rest of a call of %s is an answer, where it is named and where it is not',
  (dialect) => {
    verifies('L4', 'K5');
    const rests = restsOf(dialect);
    expect(rests.length).toBeGreaterThan(0);
    const lost = rests.filter((rest) =>
      [dialect, 'auto'].some((reads) => ['answer', 'told'].includes(becomes(rest, reads))),
    );
    expect(lost).toEqual([]);
  },
);

const HEADLESS: readonly string[] = [
  '<parameter=path>.</parameter></function></tool_call>',
  '<parameter=command>\necho hello world\n</parameter>',
  '"arguments": {"path": "."}}</tool_call>',
  '{"path": "."}</tool_call>',
  '{"path": "."}</tool_call>\nI wait for what it says.',
  'Let me look.\n{"path": "."}</tool_call>',
  'Let me look: "arguments": {"path": "."}}</tool_call>',
  '```json\n"arguments": {"path": "."}}\n```',
  '```\n{"path": "."}</tool_call>\n```',
  '[ARGS]{"path": "."}',
  'TOOL_CALLS]ls[ARGS]{"path": "."}',
  '<arg_key>path</arg_key>\n<arg_value>.</arg_value>\n</tool_call>',
  '<|tool_call_argument_begin|>{"path": "."}',
  '<｜tool▁sep｜>{"path": "."}<｜tool▁call▁end｜>',
  '<|message|>{"path": "."}<|call|>',
  '{"path": "."}<|call|>',
  'Action Input: {"path": "."}',
  'Thought: I look.\nAction Input: {"path": "."}',
  '**Action Input:** {"path": "."}',
  'Arguments: {"command": "ls -la"}',
  'Parameters:\n```json\n{"command": "ls -la"}\n```',
  '": {"path": "."}}',
  'ls", "arguments": {"path": "."}}',
  '"path": "."}}]',
  '(path=".")\n```',
  'path=".")]',
  '</tool_call>',
  '</parameter>\n</function>\n</tool_call>',
  '{"path": "."}\n</function_call>',
  '{"path": "."}[/TOOL_CALLS]',
  '{"command": "ls"}}\n```<｜tool▁call▁end｜>',
  'Calling `ls` with `{"path": "."}`',
  'I call `bash` with `{"command": "ls -la"}`.',
  'Using `read_file` with the arguments `{"path": "a.txt"}`',
  'Using tool: ls\nPath: .',
  'Tool: bash\nCommand: ls -la',
  '{"ls": "."}',
  '{"ls": "./src"}',
  'Ls path="."',
  'LS(path: ".")',
  'Bash command="ls -la"',
  '<tool_call>{"name": "ls", "arguments": {"path": "."}}</tool_call>\n"arguments": {"path": "b"}}</tool_call>',
];

test.each(HEADLESS)('%j is neither an answer nor a call that is made', (answer) => {
  verifies('L4', 'K5');
  expect(over(answer).filter(([, one]) => one === 'answer' || one === 'told')).toEqual([]);
});

test.each(HEADLESS.slice(0, 31))('%j names no tool for sure, so nothing runs', (answer) => {
  verifies('L4', 'K5');
  expect(over(answer).filter(([, one]) => one === 'made')).toEqual([]);
});

test.each([
  '<tool_call>{"name": "ls", "arguments": {"path": "."}}</tool_call>\n{"path": "b"}</tool_call>',
  '<tool_call>{"name": "ls", "arguments": {"path": "."}}</tool_call>\n<parameter=path>b</parameter></function></tool_call>',
])('%j: the call is made, and the rest of another goes back beside it', (answer) => {
  verifies('L4');
  for (const dialect of ['auto', 'hermes', 'qwen3-coder'])
    expect(partsOf(answer, dialect), dialect).toEqual(['call', 'unread']);
});

test.each([
  '<tool_call>{"name": "ls", "arguments": {"path": "."}}</tool_call></tool_call>',
  '<tool_call>{"name": "ls", "arguments": {"path": "."}}</tool_call>\n</function>',
])('%j: a closing mark too many is nothing beside a call', (answer) => {
  verifies('L4');
  for (const dialect of ['auto', 'hermes', 'qwen3-coder']) expect(partsOf(answer, dialect), dialect).toEqual(['call']);
});

const HONEST: readonly string[] = [
  'A call of Hermes ends with </tool_call>.',
  'It is closed by </tool_call>',
  'The tag `</tool_call>` closes a call.',
  'The last line of it is "</tool_call>".',
  'The mark (</tool_call>) closes it.',
  'Between <tool_call> and </tool_call> stands the object.',
  'Mistral writes [ARGS] between the name and the arguments.',
  '[ARGS] stands between the name and the arguments.',
  '[ARGS] is the mark of Mistral for arguments.',
  'In GLM, <arg_key> opens a key and <arg_value> its value.',
  '<arg_key> opens a key.',
  'Qwen writes `<parameter=path>.</parameter>` for each argument.',
  'DeepSeek ends a call with <｜tool▁call▁end｜>.',
  'Harmony ends a call with <|call|>.',
  'ReAct has the lines Thought, Action, Action Input and Observation.',
  'In ReAct, "Action Input:" is followed by JSON.',
  'Action Input is the line with the arguments.',
  'The folder holds two files: a.txt and b.txt.\n</tool_call>',
  'The folder holds two files: a.txt and b.txt.</tool_call>',
  'It is done!</function>',
  'There are 3 files.\n</function_calls>',
  '**Two files.**</tool_call>',
  'The config is {"path": "."}.',
  '{"path": "."}',
  'The arguments are {"path": ".", "depth": 2}.',
  'Arguments: none.',
  'Arguments: path (where to look), depth (how deep).',
  'Parameters: {"width": 3, "height": 4}',
  'Input: {"x": 1}\nOutput: {"y": 2}',
  'Input: 3 4\nOutput: 7',
  'Example:\n\nInput: {"nums": [1, 2]}\nOutput: 3',
  '```json\n{"path": "src", "files": ["a.ts"]}\n```',
  'In tsconfig.json:\n```json\n"paths": {"@/*": ["src/*"]}\n```',
  '```json\n"compilerOptions": {\n  "strict": true\n}\n```',
  '"name": "my-app", "version": "1.0.0"',
  'Set "path": "." in the file.',
  'path = os.path.join(root, "a")',
  'path = root / "a.txt"',
  'command = shlex.join(["ls", "-la"])',
  'f(path=".") lists a folder.',
  'Use open(path="a.txt") in Python.',
  '(see a.txt)',
  '(path is the folder)',
  '(1) path: the folder. (2) depth: how deep.',
  'Doxygen:\n/// <param name="r">the radius</param>',
  '```xml\n<method name="area">\n  <param name="r">2</param>\n</method>\n```',
  'XML:\n<tool id="1">\n  <arg>2</arg>\n</tool>',
  '<target>web</target>',
  '<large>big</large>',
  '<margin>2</margin>',
  'Ant has <target name="build"> and </target> around a build.',
  'Close it with `</invoke>` and then `</function_calls>`.',
  '```\n</tool_call>\n```\nis what ends a call.',
  'Your log ends in:\n```\n{"path": "."}</tool_call>\n```\nIts beginning is cut off.',
  'The parser failed at `{"path": "."}</tool_call>`, whose beginning is missing.',
  'You wrote `"arguments": {"path": "."}}`; one bracket is too many.',
  'The string "arguments": {"path": "."} has no braces around it.',
  'Bash is a shell. Its command line is powerful.',
  'Ls is a program of Unix, and its path is /bin/ls.',
  'Read_file is one of my tools.',
  'The key is {"ls": 1}.',
  'Time: 12:00\nPath: /tmp',
  'Using Linux: yes\nPath: /usr/bin',
  'Call `ls` with a path.',
  'You can call `ls` with `{"path": "."}` in the playground.',
  'To list a folder, call `ls` with `{"path": "."}`.',
  // Elements of XML and HTML, and lines of usage.
  '```xml\n<init-param>\n  <param-name>a</param-name>\n  <param-value>b</param-value>\n</init-param>\n```',
  '```xml\n<param name="rate" value="10"/>\n<param name="frame" value="map"/>\n```',
  '```xml\n<parameters>\n  <rate>10</rate>\n</parameters>\n```',
  '```xml\n<arguments>\n  <rate>10</rate>\n</arguments>\n```',
  '<parameters>\n  <path>.</path>\n</parameters>',
  '<parameter name="rate">10</parameter>',
  '```xml\n<Separator Orientation="Vertical" />\n<Button/>\n```',
  '<sepalLength>5.1</sepalLength>\n<sepalWidth>3.5</sepalWidth>',
  '<constraint name="x">y</constraint>',
  '<max_args>3</max_args>',
  '<arg_key>path</arg_key>',
  '[ARGS] [OPTIONS]',
  '[ARGS]...',
  '<arg name="model" default="a"/>\n<include file="b.launch"/>',
  '[ARGS] {start|stop}',
  '<arg1> <arg2>',
  '<param1> <param2>: two numbers',
  '<param>, <result> and <error> are XML-RPC elements.',
  // A closing mark that no arguments stand before.
  '42</tool_call>',
  'Yes</tool_call>',
  'Yes\n</tool_call>',
  '- a.txt\n- b.txt</tool_call>',
  '| a | b |\n|---|---|\n| 1 | 2 |</tool_call>',
  'Run `npm test`</tool_call>',
  'a.txt, b.txt</tool_call>',
  'Time: 12:00</tool_call>',
  'a = 2</tool_call>',
  'Done<｜tool▁call▁end｜>',
  'src/a.ts[/TOOL_CALLS]',
  'const f = (a) => { return a }</function>',
  'const f = (a = {}) => { return a }</function>',
  'open(path="a.txt")</function>',
  'Yes</invoke>',
  '</Tooltip>',
  '```tsx\n</Tooltip>\n```',
  '```tsx\n  <Foo />\n  </Toolbar>\n```',
  '```tsx\n  <Foo data={{ a: 1 }} />\n  </Toolbar>\n```',
  '```html\n</div>\n</toolbar>\n```',
  '<b>x</b></callout>',
  '{"rate": 10}</transaction>',
  // Rests of JSON and code that no mark of a call is in.
  '```json\n"parameters": {\n  "rate": 10\n}\n}\n```',
  '```json\n  "args": {"a": 1}\n}\n```',
  '```json\n"path": "/api",\n"content": "x"\n}\n```',
  '```json\n"path": "/api"\n}\n```',
  '"path": "/api"}',
  '] {"a": 1}',
  '"text": "hello"}',
  '(path = "x")',
  '(path=".")',
  '(path = /a/)',
  '```python\npath = normalize(path))\n```',
  '```python\ncommand = normalize(command))\n```',
];

test.each(HONEST)('%j is an answer, and nobody is asked about it', (answer) => {
  verifies('L4', 'K5');
  expect(over(answer).filter(([, one]) => one !== 'answer')).toEqual([]);
});
