/** Rules decide first; what no rule decides is asked, with the change that would be made. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtinTools, createHarness } from 'halter';

const workspace = await mkdtemp(join(tmpdir(), 'halter-example-'));
const asked: string[] = [];

const harness = createHarness({
  model: process.env['MODEL'] ?? 'ollama/qwen3:4b',
  tools: builtinTools,
  workspace,
  permissions: { allow: ['read_file'], deny: ['bash'] },
  onPermission: ({ name, arguments: args, preview }) => {
    asked.push(name);
    console.log(preview?.diff ?? preview?.summary);
    if (name === 'write_file' && String(args['path']).endsWith('.md')) return 'allow_once';
    return { decision: 'deny', reason: 'only Markdown may be written' };
  },
});
const { answer, toolCalls } = await harness.chat(
  'Write "# Notes" into notes.md, then delete everything with the shell.',
);
await harness.close();

console.log(answer);
assert.deepEqual(asked, ['write_file']);
assert.match(await readFile(join(workspace, 'notes.md'), 'utf8'), /Notes/);
assert.equal(
  toolCalls.find(({ name }) => name === 'bash')?.result.error_type ?? 'permission_denied',
  'permission_denied',
);
await rm(workspace, { recursive: true });
