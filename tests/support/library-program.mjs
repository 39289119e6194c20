// A program that uses the library, for any runtime and any bundler: prints what came of a conversation.
import { builtinTools, createHarness, defineTool } from 'halter';
import { autoParseToolCalls } from 'halter/dialects';
import { scriptedProvider, startScriptedServer } from 'halter/testing';

const add = defineTool({
  name: 'add',
  description: 'Add',
  risk: 'safe',
  parameters: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
  run: ({ a, b }) => a + b,
});
const turns = [
  {
    calls: [
      { name: 'add', arguments: { a: 42, b: 58 } },
      { name: 'ls', arguments: {} },
    ],
  },
  { text: '{"n": "100",}' },
];
const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
const told = [];
const server = await startScriptedServer({ turns: [...turns, ...turns] });
for (const model of [
  { name: 'm', provider: scriptedProvider(turns) },
  { name: 'm', provider: 'openai', baseUrl: server.openaiUrl },
  // One request at a time: the others wait for a place.
  { name: 'm', provider: 'openai', baseUrl: server.openaiUrl, maxRequests: 1 },
]) {
  const harness = createHarness({ model, tools: [...builtinTools, add] });
  const chat = harness.chat('What is 42 + 58?', { schema });
  let last = '';
  for await (const { type } of chat) last = type;
  const { output, toolCalls } = await chat;
  await harness.close();
  told.push([output, toolCalls.map(({ result }) => result.success), last]);
}
await server.close();
const { calls } = autoParseToolCalls('<tool_call>{"name": "x", "arguments": {}}</tool_call>');
console.log(JSON.stringify([...told, calls.length]));
