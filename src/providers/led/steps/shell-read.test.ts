/** A program that offers a shell and nothing for files: one named file is read by the plain command, and nothing else is run. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../tests/requirements.ts';
import type { JsonSchema } from '../../../core/json.ts';
import type { ToolSchema } from '../../../core/tool.ts';
import { shellRead } from './shell-read.ts';

const tool = (name: string, properties: Record<string, JsonSchema>, required: readonly string[]): ToolSchema => ({
  type: 'function',
  function: {
    name,
    description: 'Runs a command.',
    parameters: { type: 'object', properties, required: [...required] },
  },
});
const text: JsonSchema = { type: 'string' };
/** As Codex offers it. */
const EXEC = tool('exec_command', { cmd: text, workdir: text, yield_time_ms: { type: 'number' } }, ['cmd']);
const SHELL = tool('shell', { command: text }, ['command']);
const NONE = [
  tool('write_stdin', { session_id: { type: 'number' }, chars: text }, ['session_id']),
  tool('shell', { command: { type: 'array', items: text } }, ['command']),
  tool('shell', { command: text, reason: text }, ['command', 'reason']),
  tool('run_query', { command: text }, ['command']),
];
const commandOf = (request: string, tools: readonly ToolSchema[] = [EXEC]): unknown =>
  Object.values(shellRead(request, tools)?.arguments ?? {})[0];

describe('a shell without a tool for files', () => {
  it.each([
    ['Read the file hello.txt and tell me the secret word in it.', 'cat hello.txt'],
    ['Please show me src/main.ts', 'cat src/main.ts'],
    ['What does notes.md say?', 'cat notes.md'],
    ['What is in package.json?', 'cat package.json'],
  ])('reads the file that is named: %s', (request, command) => {
    verifies('K8');
    expect(commandOf(request)).toBe(command);
    expect(shellRead(request, [NONE[0] as ToolSchema, SHELL])).toMatchObject({
      name: 'shell',
      arguments: { command },
    });
  });

  it.each([
    'Hello, how are you?',
    'Read the file.',
    'Delete hello.txt',
    'Read hello.txt and write it to b.txt',
    'Run build.sh and show what it prints',
    'Read a.txt; rm -rf / and delete it all',
    'What is the sum in total.txt? Add 3 to it.',
    'Show -n.txt',
  ])('runs nothing for: %s', (request) => {
    expect(commandOf(request)).toBeUndefined();
  });

  it.each(NONE.map((none) => [none.function.name, none] as const))('takes %s for none', (_, none) => {
    expect(commandOf('Read hello.txt', [none])).toBeUndefined();
  });

  it('quotes what a shell would read', () => {
    expect(commandOf('Read the file "my notes.txt"')).toBe("cat 'my notes.txt'");
    expect(commandOf('Read "$(reboot) a.txt"')).toBe("cat '$(reboot) a.txt'");
    expect(commandOf('Read "; reboot; a.txt"')).toBe("cat '; reboot; a.txt'");
  });
});
