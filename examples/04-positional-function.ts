/** Any function becomes a tool: its parameters by name and type. Tools also run without a model. */
import assert from 'node:assert/strict';
import { createHarness, ErrorCode, HalterError, registerTool } from 'halter';

const add = registerTool('add', 'Add two integers', ['a', 'b'], (a, b) => a + b, ['integer', 'integer']);
const harness = createHarness({ model: process.env['MODEL'] ?? 'ollama/qwen3:4b', tools: [add] });

const { data } = await harness.executeTool('add', { a: 42, b: 58 });
assert.equal(data, '100');

// Arguments that do not fit are a result; a tool that is not there is a mistake of the program.
const wrong = await harness.executeTool('add', JSON.parse('{"a": "many", "b": 1}'));
assert.equal(wrong.error_type, 'validation_failed');
await assert.rejects(harness.executeTool('subtract', {}), { name: 'ToolNotFound', code: ErrorCode.ToolNotFound });

// What could never work is refused at once.
assert.throws(() => registerTool('add', 'Add', ['a'], (a, b) => a + b, ['integer', 'integer']), HalterError);

const { answer } = await harness.chat('What is 42 + 58?');
console.log(answer);
assert.match(answer, /100/);
await harness.close();
