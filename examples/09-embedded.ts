/** A model in this process, without any server: `npm install node-llama-cpp`, then `halter models pull starter`. */
import assert from 'node:assert/strict';
import { builtinTools, createHarness } from 'halter';

const harness = createHarness({ model: 'embedded/smollm2-135m-instruct', tools: builtinTools });
const { answer, toolsUsed } = await harness.chat('What files are here?');
await harness.close();

console.log(answer);
assert(toolsUsed.includes('ls') || toolsUsed.includes('get_file_tree'));
