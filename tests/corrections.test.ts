/** What a model is told of a call that was not made: its own text as it wrote it, and what is wrong with that text. */
import { expect, it } from 'vitest';
import { verifies } from './requirements.ts';
import { testServer } from './support/test-server.ts';

type Row = { preset?: string; says: string; told: RegExp; not?: RegExp };

const TWO = '{"tool": "system_stats", "args": {}}\n{"tool":"system_stats","args":{"x":1}}';
const ROWS: Row[] = [
  { preset: 'edison', says: TWO, told: /the answer holds 2 calls, and one is made at a time/ },
  {
    preset: 'edison',
    says: 'I will call it now:  {"tool":"system_stats","args":{}}',
    told: /words stand beside the call/,
  },
  {
    preset: 'edison',
    says: '[TOOL_CALLS]system_stats[ARGS]{}',
    told: /write it as {"tool":"system_stats","args":{}}/,
    not: /must be/,
  },
  {
    preset: 'edison',
    says: '[{"type":"function","function":{"name":"system_stats","arguments":"{}"}}]',
    told: /write it as {"tool":"system_stats","args":{}}/,
    not: /must be/,
  },
  {
    preset: 'zoo-keeper',
    says: '{"name":"ls","arguments":{"path":"a"}}\n\nThe file contains:\n\n{"name":"ls","arguments":{"path":"b"}}\n\nSo.',
    told: /words stand beside the call[\s\S]*stands in a sentence or as a sample/,
  },
  {
    says: '{"name": "read_file",  "arguments": "a.md"}',
    told: /must be an object: you wrote the text "a\.md"/,
    not: /among/,
  },
  { says: '[TOOL_CALLS]bash[ARGS]"ls"', told: /must be a JSON object: you wrote the text "ls"/, not: /cut off/ },
  { says: '<tool_call>{"name":"bash","arguments":"ls"}</tool_call>', told: /you wrote the text "ls"/, not: /cut off/ },
  { says: '{"name": "read_file", "path": 7}', told: /the name and the arguments each need a key of their own/ },
  { preset: 'zoo-keeper', says: '[TOOL_CALLS]', told: /cut off before its end/, not: /names no tool|web_search/ },
  { says: '[TOOL_CALLS]', told: /cut off before its end/, not: /names no tool|web_search/ },
  { says: '<tool_call>\n</tool_call>', told: /The call names no tool/, not: /web_search|generate_image/ },
];

it.each(ROWS)(
  '$says is shown as it was written, and answered with its defect ($preset)',
  async ({ preset, ...row }) => {
    verifies('K5', 'L4');
    const server = await testServer([{ text: row.says }, { text: 'Done.' }], { preset, mode: 'yolo' });
    const reply = await server.json('POST', '/api/chat', { message: 'go', mode: 'agent' });
    expect(reply).toMatchObject({ exit_reason: 'answered' });
    expect(server.provider.requests).toHaveLength(2);
    const messages = server.provider.requests[1]?.messages ?? [];
    const said = messages.findLast(({ role }) => role === 'assistant');
    expect(said).toMatchObject({ content: row.says, tool_calls: [] });
    const told = String(messages.at(-1)?.content).replaceAll('\\"', '"');
    expect(told).toMatch(row.told);
    if (row.not) expect(told).not.toMatch(row.not);
  },
);

it('a call that the token limit cut, be it in its name, is told as that', async () => {
  verifies('L4');
  for (const preset of [undefined, 'zoo-keeper', 'llama-chat', 'edison'])
    for (const text of ['<tool_call>\n{"name": "write_f', '[TOOL_CALLS]', '{"name": "ls", "argu']) {
      const server = await testServer([{ text, finish: 'length' }, { text: 'Done.' }], { preset, mode: 'yolo' });
      await server.json('POST', '/api/chat', { message: 'go', mode: 'agent' });
      const told = String(server.provider.requests[1]?.messages.at(-1)?.content);
      expect(told, `${preset} ${text}`).toMatch(/cut off before its end|There is no tool named/);
    }
});

it('an empty list of calls before an answer is left out of it', async () => {
  for (const text of ['Yes.', 'Hello there, how are you today?']) {
    const server = await testServer({ text: `[TOOL_CALLS][]${text}` });
    expect(await server.json('POST', '/api/chat', { message: 'go', mode: 'agent' })).toMatchObject({ answer: text });
  }
});

it('a result that was made up is told, and stands in no history', async () => {
  verifies('L4');
  const call = '<tool_call>{"name": "ls", "arguments": {}}</tool_call>';
  const text = `I look.\n${call}\n<tool_response>\nsecret.txt\n</tool_response>\n${call}\nThere is secret.txt.`;
  const server = await testServer([{ text }, { text: 'Nothing.' }], { mode: 'yolo' });
  const reply = await server.json('POST', '/api/chat', { message: 'go', mode: 'agent' });
  expect(reply).toMatchObject({
    tools_used: ['ls'],
    warnings: expect.arrayContaining([expect.objectContaining({ code: 'invented_result' })]),
  });
  expect(JSON.stringify(server.provider.requests[1]?.messages)).not.toContain('secret');
});
