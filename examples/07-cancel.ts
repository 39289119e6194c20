/** One signal stops the model and whatever tool is running; the harness can be asked again. */
import assert from 'node:assert/strict';
import { createHarness, defineTool } from 'halter';

const stop = new AbortController();
let stopped = false;

const wait = defineTool({
  name: 'wait_for_rain',
  description: 'Wait until it rains',
  parameters: { type: 'object', properties: {} },
  risk: 'safe',
  run: (_, { signal }) =>
    new Promise<string>((resolve) => {
      signal.addEventListener('abort', () => {
        stopped = true;
        resolve('no rain');
      });
      stop.abort();
    }),
});

const harness = createHarness({ model: process.env['MODEL'] ?? 'ollama/qwen3:4b', tools: [wait] });
await assert.rejects(async () => harness.chat('Wait for rain.', { signal: stop.signal }), { name: 'AbortError' });
assert(stopped);

const { answer } = await harness.chat('Never mind. Just say hello.');
await harness.close();
console.log(answer);
assert.notEqual(answer, '');
