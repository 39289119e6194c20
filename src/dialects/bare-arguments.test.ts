/** An answer that is a bare JSON object: asked about where it is the arguments of one tool alone, else an answer. */
import { expect, test } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { createParser, readAnswer, type ToolDefinition } from './index.ts';

const text = { type: 'string' } as const;
const tool = (name: string, properties: Record<string, { type: string }>, required: string[] = []): ToolDefinition => ({
  name,
  parameters: { type: 'object', properties, required },
});
const LS = tool('ls', { path: text, show_hidden: { type: 'boolean' } });
const READ = tool('read_file', { path: text, line_start: { type: 'integer' } }, ['path']);
const BASH = tool('bash', { command: text }, ['command']);
const WRITE = tool('write_file', { path: text, content: text }, ['path', 'content']);
const WEB = tool('web_search', { query: text, max_results: { type: 'integer' } }, ['query']);
const TIME = tool('get_current_time', {});
/** As servers of MCP offer: a schema without a property fits any object. */
const ANY: ToolDefinition = { name: 'any', parameters: { type: 'object', additionalProperties: true } };
const BARE: ToolDefinition = { name: 'bare', parameters: { type: 'object' } };
const OPEN: ToolDefinition = {
  name: 'open',
  parameters: { type: 'object', properties: { path: text }, additionalProperties: true },
};
const ALL = [LS, READ, BASH, WRITE, WEB, TIME];

const DIALECTS = ['auto', 'hermes', 'mistral-args', 'plain-json', 'edison', 'react', 'harmony'];
const read = (answer: string, dialect: string, tools: readonly ToolDefinition[], isShaped = false) => {
  const parser = createParser({ dialect, tools });
  const events = parser.push(answer);
  const { events: last, result } = parser.end();
  const isTool = (name: string): boolean => tools.some((one) => 'name' in one && one.name === name);
  return readAnswer(
    { events: [...events, ...last], result, text: result.content, whole: answer },
    { tools, isTool, mayGuess: () => false, dialect, reads: dialect, isShaped },
  );
};

test.each<[answer: string, tools: readonly ToolDefinition[], name: string]>([
  ['{"path": "."}', [LS], 'ls'],
  ['{"path": "."}', [LS, BASH, TIME], 'ls'],
  ['{"path": "."}', [LS, ANY, BARE], 'ls'],
  ['{"path": "."}', [OPEN, ANY], 'open'],
  ['{"command": "ls -la"}', ALL, 'bash'],
  ['\n{"command": "ls -la"}\n', [BASH], 'bash'],
  ['```json\n{"command": "ls -la"}\n```', [BASH], 'bash'],
  ['{"path": "a.txt", "content": "hello"}', ALL, 'write_file'],
  ['{"path": "a.txt", "line_start": 3}', ALL, 'read_file'],
  ['{"query": "towers", "max_results": 3}', ALL, 'web_search'],
])('%j is asked about, and stays the answer where the model means none', (answer, tools, name) => {
  verifies('L4', 'K5');
  for (const dialect of DIALECTS) {
    const { written, held, text: kept } = read(answer, dialect, tools);
    expect(
      held?.calls.map((call) => call.name),
      dialect,
    ).toEqual([name]);
    expect(written.parts, dialect).toEqual([]);
    expect(kept.trim(), dialect).toBe(answer.trim());
  }
});

test.each<[answer: string, tools: readonly ToolDefinition[]]>([
  ['{"path": "."}', ALL],
  ['{"path": "."}', [LS, READ]],
  ['{"name": "Ada", "age": 36}', [ANY]],
  ['{"name": "Ada", "age": 36}', [BARE, BASH]],
  ['{"path": ".", "age": 36}', [OPEN]],
  ['{"path": 3}', [LS]],
  ['{"path": ".", "depth": 2}', [LS]],
  ['{"line_start": 3}', [READ]],
  ['{}', ALL],
  ['{}', [TIME]],
  ['{"name": "halter", "version": "1.0"}', ALL],
  ['{"ok": true}', ALL],
  ['["ls -la"]', [BASH]],
  ['"ls -la"', [BASH]],
  ['[{"command": "ls"}, {"command": "pwd"}]', [BASH]],
  ['The command is {"command": "ls"}.', [BASH]],
  ['Here it is:\n```json\n{"command": "ls"}\n```', [BASH]],
  ['{"command": "ls"}\nThis lists the folder.', [BASH]],
  ['{"command": "ls"} {"command": "pwd"}', [BASH]],
  ['{"command": {"line": "ls"}}', [BASH]],
])('%j is an answer with these tools, and nobody is asked', (answer, tools) => {
  verifies('L4', 'K5');
  for (const dialect of DIALECTS) {
    const { written, held, warning, text: kept } = read(answer, dialect, tools);
    expect({ held, warning, parts: written.parts, text: kept }, dialect).toEqual({ parts: [], text: answer });
  }
});

test('an answer that has to be JSON is one, whatever it fits', () => {
  verifies('L4');
  for (const dialect of DIALECTS) {
    const { written, held, warning } = read('{"command": "ls"}', dialect, [BASH], true);
    expect({ held, warning, parts: written.parts }, dialect).toEqual({ parts: [] });
  }
});
