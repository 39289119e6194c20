/** A tool's name in a line of its own: prose, or a message of Functionary to that tool. */
import { describe, expect, test } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { createParser, readAnswer, type ToolDefinition } from './index.ts';

const tool = (name: string, required: readonly string[], more: readonly string[] = []): ToolDefinition => ({
  name,
  parameters: {
    type: 'object',
    properties: Object.fromEntries([...required, ...more].map((key) => [key, { type: 'string' }])),
    required: [...required],
  },
});
const tools = [
  tool('bash', ['command'], ['timeout_ms']),
  tool('ls', [], ['path']),
  tool('read_file', ['path']),
  tool('weather', ['place']),
  tool('write_file', ['path', 'content']),
  tool('python', ['code']),
];
const isTool = (name: string): boolean => tools.some((one) => 'name' in one && one.name === name);

const read = (text: string, dialect: string, size: number, isCut = false) => {
  const parser = createParser({ dialect, tools });
  const events = [];
  for (let at = 0; at < text.length; at += size) events.push(...parser.push(text.slice(at, at + size)));
  const end = parser.end({ isCut });
  events.push(...end.events);
  const judged = readAnswer(
    { events, result: end.result, text: end.result.content, whole: text },
    { tools, isTool, mayGuess: () => true, dialect, reads: dialect, isCut },
  );
  const { parts } = judged.written;
  return {
    calls: parts.flatMap((part) => (part.kind === 'call' ? [[part.call.name, part.call.arguments]] : [])),
    broken: parts.flatMap((part) =>
      part.kind === 'broken' ? [part.broken.name] : part.kind === 'unread' ? [part.unread.name] : [],
    ),
    text: judged.text.trim(),
  };
};
const sizesOf = (text: string): readonly number[] => [text.length, 1, 3, 7];

const PROSE = [
  'bash\nrm -rf src\n\nRun this yourself in the folder.',
  'bash\nzsh\nfish',
  'ls\n\nThe listing now sorts by size.',
  'read_file\n\n- reads a file',
  'bash\n====\nA shell.',
  'weather\nIt is sunny in Graz.',
  'python\nis a language.',
  'bash\n```bash\nrm -rf src\n```',
  'bash\n{"command": "rm -rf src"}\nis what it would be.',
  'bash\n{"command": "ls"}\nls\nlists a folder.',
  'bash\n{ rm -rf src; }',
  'bash',
  'bash\n',
];

describe.each(['auto', 'hermes', 'plain-json', 'mistral-args', 'llama3-json'])('in %s', (dialect) => {
  test.each(PROSE)('%j is prose', (text) => {
    verifies('L4');
    for (const size of sizesOf(text))
      expect(read(text, dialect, size), `in pieces of ${size}`).toEqual({ calls: [], broken: [], text: text.trim() });
  });
});

const LS = ['ls', { path: '.' }];
const BASH = ['bash', { command: 'ls' }];
const READ = ['read_file', { path: 'a.md' }];
/** With a JSON object that is all the rest. */
const CALLS: readonly [text: string, calls: readonly unknown[]][] = [
  ['bash\n{"command": "ls"}', [BASH]],
  ['bash\n\n{"command": "ls"}<|eot_id|>', [BASH]],
  ['bash\n{"command": "ls"}\nls\n{"path": "."}', [BASH, LS]],
  ['bash\n{"command": "ls"}>>>ls\n{"path": "."}', [BASH, LS]],
  ['bash\n{"command": "ls"}>>>all\n', [BASH]],
  ['read_file\n```json\n{"path": "a.md"}\n```', [READ]],
  ['>>>read_file\n```\n{"path": "a.md"}\n```', [READ]],
  ['>>>bash\ntouch x', [['bash', { command: 'touch x' }]]],
  ['>>>bash\ntouch x\n</tool_call>', [['bash', { command: 'touch x' }]]],
  ['>>>bash\necho "</tool_call>" > x', [['bash', { command: 'echo "</tool_call>" > x' }]]],
  ['>>>python\n```python\nprint(1)\n```', [['python', { code: 'print(1)' }]]],
  ['>>>python\nprint(1)<|eot_id|>', [['python', { code: 'print(1)' }]]],
];

describe.each(['auto', 'functionary-v3.2'])('in %s', (dialect) => {
  test.each(CALLS)('%j is read', (text, calls) => {
    verifies('L4');
    for (const size of sizesOf(text))
      expect(read(text, dialect, size), `in pieces of ${size}`).toEqual({ calls, broken: [], text: '' });
  });

  test.each([['>>>weather\nIt is sunny in Graz.'], ['>>>read_file\n\n- reads a file'], ['>>>write_file\na.md']])(
    '%j holds words, and no arguments',
    (text) => {
      for (const size of sizesOf(text)) expect(read(text, dialect, size).calls, `in pieces of ${size}`).toEqual([]);
    },
  );

  test('asks again for code in a fence with words behind it', () => {
    const text = '>>>python\n```python\nprint(1)\n```\nThat prints 1.';
    for (const size of sizesOf(text))
      expect(read(text, dialect, size)).toMatchObject({ calls: [], broken: ['python'] });
  });
});

test.each([
  ['bash\ntouch x', [['bash', { command: 'touch x' }]]],
  ['bash\ntouch x\n</tool_call>', [['bash', { command: 'touch x' }]]],
  ['python\nprint(1)', [['python', { code: 'print(1)' }]]],
])('where the arrow is part of the prompt %j is a call', (text, calls) => {
  for (const size of sizesOf(text))
    expect(read(text, 'functionary-v3.2', size)).toEqual({ calls, broken: [], text: '' });
});

test.each(['weather\nIt is sunny in Graz.', 'read_file\n\n- reads a file', 'ls\n\nThe listing now sorts by size.'])(
  'where the arrow is part of the prompt %j is prose all the same',
  (text) => {
    for (const size of sizesOf(text))
      expect(read(text, 'functionary-v3.2', size)).toEqual({ calls: [], broken: [], text });
  },
);

/** Nothing marks the end of code but the end of the answer. */
test.each([
  ['functionary-v3.2', '>>>bash\ntouch evil.txt && rm -rf s', 'bash'],
  ['functionary-v3.2', 'python\nimport os; os.remo', 'python'],
  ['auto', '>>>bash\ntouch evil.txt && rm -rf s', 'bash'],
  ['hermes', '>>>bash\ntouch evil.txt && rm -rf s', 'bash'],
  ['llama3-json', '<|python_tag|>import os; os.remo', 'python'],
  ['llama3-function', '<|python_tag|>import os; os.remo', 'python'],
  ['internlm2', '<|action_start|><|interpreter|>\nimport os; os.remo', 'python'],
  ['harmony', '<|channel|>commentary to=python code<|message|>import os; os.remo', 'python'],
  ['auto', '<|python_tag|>import os; os.remo', 'python'],
])('in %s %j is a call that a limit cut', (dialect, text, name) => {
  verifies('L10');
  for (const size of sizesOf(text)) {
    expect(read(text, dialect, size, true), `in pieces of ${size}`).toMatchObject({ calls: [], broken: [name] });
    expect(read(text, dialect, size).calls, `in pieces of ${size}`).toHaveLength(1);
  }
});
