/** Everything as it happens: words, calls, results. The same object gives the whole at the end. */
import assert from 'node:assert/strict';
import { builtinTools, createHarness } from 'halter';

const harness = createHarness({ model: process.env['MODEL'] ?? 'ollama/qwen3:4b', tools: builtinTools });
const chat = harness.chat('What time is it?');
let shown = '';
for await (const update of chat) {
  if (update.type === 'text_delta') {
    shown += update.delta;
    process.stdout.write(update.delta);
  }
  if (update.type === 'tool_result') console.log(`[${update.result.success ? 'done' : update.result.error_message}]`);
}
const { answer, usage } = await chat.result();
await harness.close();

console.log(`\n${usage.prompt_tokens} tokens read, ${usage.completion_tokens} written`);
assert(shown.endsWith(answer));
