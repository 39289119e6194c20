/** Asks about a folder. The model looks for itself, with halter's own tools. */
import assert from 'node:assert/strict';
import { builtinTools, createHarness } from 'halter';

const harness = createHarness({ model: process.env['MODEL'] ?? 'ollama/qwen3:4b', tools: builtinTools });
const { answer, toolsUsed } = await harness.chat('What files are here?');
await harness.close();

console.log(answer);
assert(toolsUsed.includes('ls') || toolsUsed.includes('get_file_tree'));
