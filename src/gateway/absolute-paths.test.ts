/** Tools of other programs that want absolute paths get them from a led model, whose words are the person's. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import type { ModelMessage, ToolCall } from '../core/message.ts';
import type { Tool } from '../core/tool.ts';
import { withAbsolutePaths } from './absolute-paths.ts';

const toolOf = (description: string, argument: string, name = 'file_path'): Tool => ({
  name: 'read',
  description,
  parameters: {
    type: 'object',
    properties: { [name]: { type: 'string', description: argument }, limit: { type: 'integer' } },
    required: [name],
  },
  risk: 'high',
  effects: 'process',
  run: () => {
    throw new Error('it does not run here');
  },
});
const callOf = (path: string, name = 'file_path'): ToolCall => ({
  id: 'a',
  name: 'read',
  arguments: { [name]: path },
  source: 'native',
  repairs: [],
});
const system = (content: string): ModelMessage[] => [{ role: 'system', content }];
const user = (content: string): ModelMessage[] => [{ role: 'user', content }];
const pathOf = (tool: Tool, path: string, messages: readonly ModelMessage[], name = 'file_path') =>
  withAbsolutePaths(callOf(path, name), tool, messages).arguments[name];

const WANTS = toolOf('Reads a file.', 'The absolute path to the file to read.');
const IN = system('Working directory: /home/me/app');

describe('a path of a led call', () => {
  it.each<[string, ModelMessage[]]>([
    ['Claude Code', system('# Environment\n - Primary working directory: /home/me/app\n - Platform: linux')],
    ['opencode', system('<env>\n  Working directory: /home/me/app\n  Is directory a git repo: no\n</env>')],
    ['Codex', user('<environment_context>\n  <cwd>/home/me/app</cwd>\n</environment_context>')],
    ['Qwen Code', user("My operating system is: linux\nI'm currently working in the directory: /home/me/app\nHere is")],
    ['another in words', system('You are in the current working directory "/home/me/app".\ncwd: /home/me/app')],
    ['another in JSON', system('{"cwd": "/home/me/app", "shell": "bash"}')],
  ])('begins in the folder that the program says: %s', (_, messages) => {
    verifies('K8');
    expect(pathOf(WANTS, 'hello.txt', messages)).toBe('/home/me/app/hello.txt');
    expect(pathOf(WANTS, './src/../hello.txt', messages)).toBe('/home/me/app/hello.txt');
  });

  it('begins in a folder with another kind of slash', () => {
    expect(pathOf(WANTS, 'a.txt', system('Working directory: C:\\me\\work'))).toBe('C:\\me\\work\\a.txt');
  });

  it.each<[string, Tool]>([
    ['in the description of the tool', toolOf('Reads.\n- `file_path` must be an absolute path.', 'The file.')],
    ['with the contrary', toolOf('Reads a file.', 'The path (must be absolute, not relative)')],
  ])('is made absolute where that is said %s', (_, tool) => {
    expect(pathOf(tool, 'hello.txt', IN)).toBe('/home/me/app/hello.txt');
  });

  it.each<[string, Tool, string, ModelMessage[]]>([
    ['the tool does not say so', toolOf('Reads a file.', 'The file.'), 'hello.txt', IN],
    ['either will do', toolOf('Reads.', 'An absolute or relative path.'), 'hello.txt', IN],
    ['another argument is meant', toolOf('Reads. `root` must be an absolute path.', 'The file.'), 'hello.txt', IN],
    ['nobody says where it works', WANTS, 'hello.txt', system('Be kind.')],
    ['it is absolute', WANTS, '/etc/hosts', IN],
    ['it begins at home', WANTS, '~/notes.txt', IN],
    ['it is an address', WANTS, 'https://a.example/b', IN],
    ['it is empty', WANTS, '', IN],
  ])('stays as it is where %s', (_, tool, path, messages) => {
    expect(pathOf(tool, path, messages)).toBe(path);
  });

  it('is told as a repair', () => {
    expect(withAbsolutePaths(callOf('a.txt'), WANTS, IN).repairs.map(({ kind }) => kind)).toEqual(['absolute_path']);
    expect(withAbsolutePaths(callOf('/a.txt'), WANTS, IN).repairs).toEqual([]);
  });
});
