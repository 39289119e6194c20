/** A tool of one's own, described in JSON Schema: the compiler reads the types of its arguments from there. */
import assert from 'node:assert/strict';
import { createHarness, defineTool } from 'halter';

const rollDice = defineTool({
  name: 'roll_dice',
  description: 'Roll dice and return what each shows',
  parameters: {
    type: 'object',
    properties: {
      sides: { type: 'integer', default: 6, minimum: 2 },
      count: { type: 'integer', minimum: 1, maximum: 20 },
    },
    required: ['count'],
  },
  risk: 'safe',
  run: ({ sides, count }) => Array.from({ length: count }, () => 1 + Math.floor(Math.random() * sides)),
});

const harness = createHarness({ model: process.env['MODEL'] ?? 'ollama/qwen3:4b', tools: [rollDice] });
const { answer, toolCalls } = await harness.chat('Roll three dice.');
await harness.close();

console.log(answer);
const [call] = toolCalls;
assert(call?.result.success);
// Defaults are in, and `count` is known to be a number.
assert.equal(JSON.parse(call.result.data ?? '').length, call.arguments.count);
