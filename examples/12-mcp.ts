/** Tools of MCP servers beside one's own: named as other clients name them, and asked about like every tool. */
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { createHarness } from 'halter';

// `npm install @modelcontextprotocol/server-filesystem`; `command: 'npx'` with `args: ['-y', …]` does without.
const files = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-filesystem/dist/index.js');
const asked: string[] = [];

const harness = createHarness({
  model: process.env['MODEL'] ?? 'ollama/qwen3:4b',
  mcpServers: {
    files: { command: 'node', args: [files, process.cwd()] },
    // A server elsewhere: { url: 'https://mcp.example.com/mcp', headers: { Authorization: 'Bearer ${TOKEN}' } }
  },
  permissions: { allow: ['mcp__files__list_directory'] },
  onPermission: ({ name }) => {
    asked.push(name);
    return name === 'mcp__files__read_text_file' ? 'allow_once' : 'deny';
  },
});
const { answer, toolCalls } = await harness.chat('What is in the files here?');
await harness.close();

console.log(answer);
assert(toolCalls.every(({ result }) => result.success));
assert(asked.every((name) => name === 'mcp__files__read_text_file'));
