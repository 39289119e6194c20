/** Calls that a model wrote as text, while they stream. Needs nothing of Node: it runs in a browser as well. */
import assert from 'node:assert/strict';
import { autoParseToolCalls, createParser, stripToolCalls } from 'halter/dialects';

const text = 'Let me look.<tool_call>\n{"name": "ls", "arguments": {"path": "src",}}\n</tool_call>';

const { dialect, calls } = autoParseToolCalls(text);
assert.equal(dialect, 'hermes');
assert.deepEqual(calls[0]?.arguments, { path: 'src' });
// The comma too many was mended, and it is said.
assert.equal(calls[0].repairs.length, 1);
assert.equal(stripToolCalls(text).trim(), 'Let me look.');

const parser = createParser({ dialect: 'auto' });
for (const piece of text.match(/.{1,4}/gs) ?? []) {
  for (const event of parser.push(piece)) if (event.type === 'text') process.stdout.write(event.text);
}
const { result } = parser.end();
console.log(result.calls);
assert.deepEqual(
  result.calls.map(({ name }) => name),
  ['ls'],
);
