/**
 * Calls as small models write them, beside every notation: none is an answer without a word. And honest texts that look like
 * calls: none is made, and none goes back. Over the notations that are used most, and where none is named.
 */
import { expect, test } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { everyNth } from '../../tests/support/long.ts';
import { createParser, readAnswer, type ToolDefinition } from './index.ts';

const text = { type: 'string' } as const;
const tool = (name: string, properties: Record<string, { type: string }>, required: string[] = []): ToolDefinition => ({
  name,
  parameters: { type: 'object', properties, required },
});
/** Names that are words of any sentence, and one that is not. */
const tools = [
  tool('ls', { path: text, show_hidden: { type: 'boolean' } }),
  tool('read_file', { path: text, line_start: { type: 'integer' } }, ['path']),
  tool('bash', { command: text }, ['command']),
  tool('get_current_time', {}),
];
const isTool = (name: string): boolean => tools.some((one) => 'name' in one && one.name === name);
const DIALECTS = everyNth(
  [
    'auto',
    'hermes',
    'llama3-json',
    'llama3-function',
    'mistral-args',
    'mistral-json',
    'qwen3-coder',
    'deepseek-v3.1',
    'harmony',
    'pythonic',
    'plain-json',
  ],
  5,
);

type Becomes = 'made' | 'sent back' | 'asked' | 'told' | 'answer';
const becomes = (answer: string, dialect: string): Becomes => {
  const parser = createParser({ dialect, tools });
  const events = parser.push(answer);
  const { events: last, result } = parser.end();
  const cut = result.broken.filter(({ problem }) => problem === 'truncated').map((broken) => broken.text);
  const read = readAnswer(
    { events: [...events, ...last], result, text: [result.content, ...cut].join(''), whole: answer },
    { tools, isTool, mayGuess: () => false, dialect, reads: dialect },
  );
  const { parts } = read.written;
  if (parts.some(({ kind }) => kind === 'call')) return 'made';
  if (parts.length > 0) return 'sent back';
  if (read.held !== undefined) return 'asked';
  return read.warning === undefined ? 'answer' : 'told';
};
const over = (answer: string): [dialect: string, Becomes][] =>
  DIALECTS.map((dialect) => [dialect, becomes(answer, dialect)]);

/** One tool is meant in each, whatever is wrong with its form. */
const MISSHAPEN: readonly string[] = [
  'Calling the ls tool with path: "."',
  'I\'ll use the ls tool: {"path": "."}',
  '<tool>ls</tool><path>.</path>',
  '<call>ls(path=".")</call>',
  '<action>ls</action><input>{"path": "."}</input>',
  'analysisI should look.assistantcommentary to=functions.ls json{"path": "."}',
  'assistantcommentary to=functions.ls <|constrain|>json<|message|>{"path": "."}',
  '> ls(path=".")',
  '- ls(path=".")',
  '```\nls(path=".")\n```\n',
  '`ls(path=".")`',
  '`{"name": "ls", "arguments": {"path": "."}}`',
  '(ls path=".")',
  'ls path="."',
  'ls path=.',
  'call:ls{path:"."}',
  '@ls(path=".")',
  '#ls(path=".")',
  '$ls(path=".")',
  '%%ls path="."%%',
  '{{ls(path=".")}}',
  '{ls(path=".")}',
  '<%= ls(path=".") %>',
  '[[ls(path=".")]]',
  '<ls path="."/>',
  '<ls>path=.</ls>',
  '[ls] {"path": "."}',
  '<ls>{"path": "."}</ls>',
  'tool_call: {"name": "ls", "arguments": {"path": "."}}',
  'json {"name": "ls", "arguments": {"path": "."}}',
  'Assistant: {"name": "ls", "arguments": {"path": "."}}',
  'tool_calls = [{"name": "ls", "arguments": {"path": "."}}]',
  '{"name": "ls", "arguments": {"path": "."}} <|eot_id|>',
  '<|python_tag|>ls(path=".")',
  '<|python_tag|>{"type": "function", "name": "ls", "parameters": {"path": "."}}',
  '<start_function_call>call:ls{path:<escape>.<escape>}<end_function_call>',
  '<function_call>ls(path=".")</function_call>',
  '"ls": {"path": "."}',
  'ls: {"path": "."}',
  '{"command": "ls", "path": "."}',
  '{"function_name": "ls", "function_args": {"path": "."}}',
  '{"api": "ls", "params": {"path": "."}}',
  '{"method": "ls", "params": {"path": "."}}',
  '{"call": {"ls": {"path": "."}}}',
  '{"tool_call": {"name": "ls", "arguments": {"path": "."}}}',
  '{"type": "tool_use", "name": "ls", "input": {"path": "."}}',
  '{"thought": "look", "name": "ls", "arguments": {"path": "."}}',
  '{"thought": "look", "action": {"name": "ls", "arguments": {"path": "."}}}',
  '{"plan": ["look"], "tool": "ls", "tool_input": {"path": "."}}',
  'import tools\ntools.ls(path=".")',
  'with tools: ls(path=".")',
  'x := ls(path=".")',
  'let r = await tools.ls({path: "."});',
  'console.log(ls({path: "."}))',
  'ls path: .',
  'LS(path=".")',
  'ls\n{"path": "."}',
  'ls\npath: .',
  'ls\n```json\n{"path": "."}\n```',
  "{'name': 'ls', 'arguments': {'path': '.'}}",
  '{“name”: “ls”, “arguments”: {“path”: “.”}}',
  '{`name`: `ls`, `arguments`: {`path`: `.`}}',
  '{name: "ls", arguments: {path: "."}}',
  '{"name": "ls", "arguments": "{\\"path\\": \\".\\"}"}',
  '{"name": "ls", "arguments": "{\'path\': \'.\'}"}',
  '{"name": "ls", "arguments": "path=."}',
  '{"name": "ls", "arguments": "."}',
  '«{"name": "ls", "arguments": {"path": "."}}»',
  '"{\\"name\\": \\"ls\\", \\"arguments\\": {\\"path\\": \\".\\"}}"',
  '<toolcall>{"name": "ls", "arguments": {"path": "."}}</toolcall>',
  '<tool-call>{"name": "ls", "arguments": {"path": "."}}</tool-call>',
  '<tool_calls>{"name": "ls", "arguments": {"path": "."}}</tool_calls>',
  '<function_call>{"name": "ls", "arguments": {"path": "."}}</function_call>',
  '<functioncall>{"name": "ls", "arguments": {"path": "."}}</functioncall>',
  '[tool_call]{"name": "ls", "arguments": {"path": "."}}[/tool_call]',
  '<|tool_call|>{"name": "ls", "arguments": {"path": "."}}<|/tool_call|>',
  '<|tool_call_start|>[ls(path=".")]<|tool_call_end|>',
  '<tool_call name="ls">{"path": "."}</tool_call>',
  '<tool name="ls" path="."/>',
  '<invoke name="ls"><parameter name="path">.</parameter></invoke>',
  '<function_calls><invoke name="ls"><parameter name="path">.</parameter></invoke></function_calls>',
  '<tool_use><name>ls</name><arguments>{"path": "."}</arguments></tool_use>',
  '<use_mcp_tool><tool_name>ls</tool_name><arguments>{"path": "."}</arguments></use_mcp_tool>',
  '<read_file><path>a.txt</path></read_file>',
  '<tool_call>\n<ls>\n<path>.</path>\n</ls>\n</tool_call>',
  '<function name="ls">{"path": "."}</function>',
  '<function=ls><parameter=path>.</parameter>',
  '<function=ls>\n{"path": "."}',
  '</tool_call>{"name": "ls", "arguments": {"path": "."}}</tool_call>',
  '<tool_call>{"name": "ls", "arguments": {"path": "."}}</function>',
  '<tool_call><tool_call>{"name": "ls", "arguments": {"path": "."}}</tool_call></tool_call>',
  '[TOOL_CALL]{"name": "ls", "arguments": {"path": "."}}',
  '[TOOL_CALLS]ls{"path": "."}',
  '[TOOL_CALLS]ls [ARGS] {"path": "."}',
  '[TOOL_CALLS] ls(path=".")',
  '<｜tool▁call▁begin｜>ls<｜tool▁sep｜>{"path": "."}',
  '<|channel|>commentary to=functions.ls<|message|>{"path": "."}',
  'commentary to=functions.ls json{"path": "."}',
  '```json\n{"name": "ls", "arguments": {"path": "."}}',
  '```tool_call\n{"name": "ls", "arguments": {"path": "."}}\n```',
  '```tool_code\nls(path=".")\n```',
  '```python\nls(path=".")\n```',
  '```xml\n<tool_call>{"name": "ls", "arguments": {"path": "."}}</tool_call>\n```',
  '```json\n// list the folder\n{"name": "ls", "arguments": {"path": "."}}\n```',
  '```json\n{\n  "name": "ls", // the tool\n  "arguments": {"path": "."}\n}\n```',
  '```python\n# list the folder\nprint(ls(path="."))\n```',
  '**Tool call:** `ls(path=".")`',
  '### Tool Call\n\n```\nls {"path": "."}\n```',
  '**ls**\n```json\n{"path": "."}\n```',
  '1. `{"name": "ls", "arguments": {"path": "."}}`',
  'ls(path=".")',
  'ls(".")',
  'functions.ls(path=".")',
  'default_api.ls(path=".")',
  'print(default_api.ls(path="."))',
  'result = ls(path=".")',
  'await ls(path=".")',
  '[ls(path="."), get_current_time()]',
  'ls({"path": "."})',
  'tools.ls({ path: "." });',
  'get_current_time()',
  '{"name": "functions.ls", "arguments": {"path": "."}}',
  '{"name": "default_api.ls", "arguments": {"path": "."}}',
  '{"name": "default_api:ls", "arguments": {"path": "."}}',
  '{"name": "tool.ls", "arguments": {"path": "."}}',
  '{"name": "functions/ls", "arguments": {"path": "."}}',
  '{"name": "ls()", "arguments": {"path": "."}}',
  '{"name": "LS", "arguments": {"path": "."}}',
  '{"name": "read-file", "arguments": {"path": "a.txt"}}',
  '{"name": "readFile", "arguments": {"path": "a.txt"}}',
  '<tool_call>{"name": "functions.ls:0", "arguments": {"path": "."}}</tool_call>',
  '<function=functions.ls><parameter=path>.</parameter></function>',
  '{"name": "ls", "arguments": {"path": "."}}{"name": "get_current_time", "arguments": {}}',
  '{"name": "ls", "arguments": {"path": "."}}; {"name": "get_current_time", "arguments": {}}',
  '{"name": "ls", "arguments": {"path": "."}}, {"name": "get_current_time", "arguments": {}}',
  '<tool_call>{"name": "ls", "arguments": {"path": "."}} {"name": "get_current_time", "arguments": {}}</tool_call>',
  '{"tool_calls": [{"type": "function", "function": {"name": "ls", "arguments": "{\\"path\\": \\".\\"}"}}]}',
  '{"type": "function", "function": {"name": "ls", "parameters": {"path": "."}}}',
  '{"function": "ls", "args": {"path": "."}}',
  '{"action": "ls", "action_input": {"path": "."}}',
  '{"tool": "ls", "input": {"path": "."}}',
  '{"recipient_name": "functions.ls", "parameters": {"path": "."}}',
  '{"tool_name": "ls", "tool_args": {"path": "."}}',
  '{"name": "ls", "args": {"path": "."}}',
  '{"name": "ls", "params": {"path": "."}}',
  '{"ls": {"path": "."}, "get_current_time": {}}',
  '<think>I should look.</think><tool_call>{"name": "ls", "arguments": {"path": "."}}',
  'I should look.\n</think>\n{"name": "ls", "arguments": {"path": "."}}',
  '{"name": "ls", "arguments": {"path": "."',
  '{"name": "ls", "arguments": {"path": ".}}',
  '{"name": "ls", "arguments": {"path": "."}}}',
  '{"name": "ls", "arguments": {"path": "."]}',
  '{"name": "ls", "arguments": {"path": ".",}}',
  '{"name": "ls", "arguments": {"path": "."} ',
  '<tool_call>{"name": "ls", "arguments": {"path": "."}',
  '{"name": "ls" "arguments": {"path": "."}}',
  '{"name": "ls", "arguments": {path: .}}',
  'ls(path=".',
  'Action: ls\nAction Input: {"path": "."}',
  'Action: ls(path=".")',
  'Tool: ls\nArguments: {"path": "."}',
  'Tool Call: ls\npath: .',
  'name: ls\narguments:\n  path: .',
  'I will now call ls with {"path": "."}.',
  'Calling tool ls with arguments {"path": "."}',
  'ls --path .',
];

test.each(MISSHAPEN)('%j is no answer', (answer) => {
  verifies('L4', 'K5');
  expect(over(answer).filter(([, becomes]) => becomes === 'answer' || becomes === 'told')).toEqual([]);
});

/** They speak of tools, show a call, leave it to the person, or are data and code. */
const HONEST: readonly string[] = [
  '<b>ls</b> shows the path: it is bold.',
  'Use the bash tool of your system, not mine.',
  'I would use <tools> tags for that.',
  'I write [TOOL_CALLS] tags for that.',
  'I would use <|tool_call|> for that.',
  'It is done with <function_calls> and such.',
  'Should I call read_file(path="a.txt")?',
  'Shall I use the tool bash with command: rm x?',
  'The tool bash with the command line is dangerous.',
  'To call bash (with a command) is dangerous.',
  'To list a folder you write ls(path=".") in the tool language.',
  'You can write `{"name": "ls", "arguments": {"path": "."}}` to call it.',
  'A call looks like this:\n```json\n{"name": "ls", "arguments": {"path": "."}}\n```\nI did not make it.',
  'The name is "ls" and the arguments are {"path": "."}.',
  'The `ls` command lists files. Try `ls -la` in your shell.',
  'In Python:\n```python\nimport os\nfor name in os.listdir("."):\n    print(name)\n```',
  'In the shell:\n```bash\nls -la\n```',
  'Run this:\n```sh\nbash install.sh\n```',
  'Here is the config:\n```json\n{"name": "my-app", "version": "1.0.0"}\n```',
  '{"name": "Ada", "age": 36}',
  '[{"name": "a"}, {"name": "b"}]',
  'The function read_file(path) returns a string.',
  'def ls(path):\n    return os.listdir(path)',
  'I cannot use read_file here, because it needs a path.',
  'Should I call ls(path=".")?',
  'Do you want me to run bash(command="rm -rf x")?',
  'The tag `<tool_call>` opens a call and `</tool_call>` closes it.',
  'Models of Mistral write [TOOL_CALLS] before their calls.',
  'There are 3 ways: ls, read_file, bash.',
  '- ls: lists a folder\n- read_file: reads a file',
  '| tool | does |\n|---|---|\n| ls | lists |\n| read_file | reads |',
  'Action: think more. The plan is simple.',
  'Final Answer: 42',
  'Thought: I know the answer.\nFinal Answer: 42',
  "The log says: \"tool ls failed with {'path': '.'}\".",
  'Error: read_file: no such file: a.txt',
  'a.txt: read_file said it is empty.',
  '<b>ls</b> is bold.',
  'The XML is <file name="ls"><path>.</path></file>.',
  '# read_file\n\nReads a file.\n\n## Parameters\n\n- path: where it lies',
  'Use {name: "ls"} as a key.',
  'f(x) = ls(x) + 1',
  'const ls = require("ls");\nls(".");',
  'The answer is {"path": "."}.',
  'echo "ls" | bash',
  'time: get_current_time() is a function of the harness.',
  'I called ls earlier and it showed two files: a.txt and b.txt.',
  'For example, `read_file({"path": "a.txt"})` would read the file a.txt.',
  'An example of a call: <tool_call>{"name": "ls", "arguments": {"path": "."}}</tool_call>. I do not make it.',
  'Do not call {"name": "bash", "arguments": {"command": "rm -rf /"}} ever.',
];

test.each(HONEST)('%j runs nothing and goes back in no notation', (answer) => {
  verifies('L4', 'K5');
  expect(over(answer).filter(([, becomes]) => becomes === 'made' || becomes === 'sent back')).toEqual([]);
});

test.each([
  'Should I call ls(path=".")?',
  'Do you want me to run bash(command="rm -rf x")?',
  "The log says: \"tool ls failed with {'path': '.'}\".",
  'To list a folder you write ls(path=".") in the tool language.',
  'The tool bash with the command line is dangerous.',
  'To call bash (with a command) is dangerous.',
  'f(x) = ls(x) + 1',
  'Use the bash tool of your system, not mine.',
  'Shall I use the ls tool with path: "."?',
])('%j holds the name of a tool as a word, and nobody is asked about it', (answer) => {
  verifies('L4');
  expect(over(answer).filter(([, becomes]) => becomes !== 'answer')).toEqual([]);
});

test.each([
  ['{"name": "default_api:ls", "arguments": {"path": "."}}'],
  ['{"name": "functions/ls", "arguments": {"path": "."}}'],
  ['{"name": "tools::ls", "arguments": {"path": "."}}'],
  ['{"name": "ls()", "arguments": {"path": "."}}'],
  ['<tool_call>{"name": "functions.ls:0", "arguments": {"path": "."}}</tool_call>'],
])('%j is made, whatever stands around the name', (answer) => {
  verifies('L4');
  expect(over(answer).filter(([, becomes]) => becomes !== 'made')).toEqual([]);
});

test.each([
  'Use <tool_call> tags.',
  'I would use the <tool_call> tag.',
  'The <tool_call> tag opens it.',
  'Put <function_calls> before, as Claude does.',
  'In XML the tag <invoke> names a function.',
  'Hermes writes <tool_call> and then the object; so does Qwen.',
  '<tool_call> is a tag.',
  '[TOOL_CALLS] marks the beginning.',
  'Mistral begins with [TOOL_CALLS] and a list.',
])('%j speaks of a mark: it is an answer', (answer) => {
  verifies('L4', 'K5');
  expect(over(answer).filter(([, becomes]) => becomes !== 'answer')).toEqual([]);
});

test.each([
  'Sure! <tool_call> ls',
  'Let me look.\n<tool_call>',
  '<tool_call> read_file',
  '<tool_call> I use ls.',
  'I use <tool_call> with ls.',
  'I look: <tool_call> {"name": "ls"',
])('%j may begin a call, and is more than an answer', (answer) => {
  verifies('L4', 'K5');
  expect(over(answer).filter(([, becomes]) => becomes === 'answer')).toEqual([]);
});
