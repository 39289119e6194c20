import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../json.ts';
import { nearestTools } from './nearest-tool.ts';

const tool = (name: string, ...keys: string[]) => ({
  name,
  description: '',
  parameters: { type: 'object', properties: Object.fromEntries(keys.map((key) => [key, { type: 'string' }])) },
});
const TOOLS = [
  tool('bash', 'command', 'timeout'),
  tool('edit', 'filePath', 'oldString', 'newString'),
  tool('glob', 'pattern', 'path'),
  tool('grep', 'pattern', 'path', 'include'),
  tool('read', 'filePath', 'offset', 'limit'),
  tool('webfetch', 'url', 'format'),
  tool('write', 'filePath', 'content'),
];

describe('the tool that was probably meant', () => {
  it.each<[string, JsonObject, string[]]>([
    ['open_document', { path: 'a.txt' }, ['read']],
    ['view_file', { file_path: 'a.txt' }, ['read']],
    ['cat', { filePath: 'a.txt' }, ['read']],
    ['execute_command', { command: 'ls' }, ['bash']],
    ['terminal', {}, ['bash']],
    ['create_file', { file_path: 'a', content: 'b' }, ['write']],
    ['replaceInFile', { file_path: 'a', old_string: 'b', new_string: 'c' }, ['edit']],
    ['search_files', { pattern: 'x' }, ['grep']],
    ['do_it', { url: 'http://x' }, ['webfetch']],
    ['launch_rocket', { planet: 'mars' }, []],
  ])('of %s with %j is found by meaning and arguments: %j', (name, args, expected) => {
    expect(nearestTools(name, args, TOOLS)).toEqual(expected);
  });
});
