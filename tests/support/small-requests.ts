/** Requests to a small model with tools to list and read files. */
import type { ModelMessage } from '../../src/core/message.ts';
import type { ModelRequest } from '../../src/core/model-port.ts';
import type { ToolSchema } from '../../src/core/tool.ts';

export const tool = (name: string, description: string, properties = {}, required: string[] = []): ToolSchema => ({
  type: 'function',
  function: { name, description, parameters: { type: 'object', properties, required } },
});
export const TOOLS = [
  tool('list_files', 'List the files of a folder.', { path: { type: 'string' } }),
  tool('read_file', 'Read a text file.', { path: { type: 'string' } }, ['path']),
];
export const user = (content: string): ModelMessage => ({ role: 'user', content });
export const request = (content: string, more: Partial<ModelRequest> = {}): ModelRequest => ({
  model: 'm',
  messages: [user(content)],
  tools: TOOLS,
  sampling: {},
  ...more,
});
