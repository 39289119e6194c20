/** What models are told of tools whose server or template takes none. */
import { expect, test } from 'vitest';
import { verifies } from '../../../../tests/requirements.ts';
import type { ModelMessage } from '../../../core/message.ts';
import type { ToolSchema } from '../../../core/tool.ts';
import type { ToolResult } from '../../../core/tool-result.ts';
import { dialectNames, parseToolCalls } from '../../../dialects/index.ts';
import { injectTools } from './inject-tools.ts';

const tools: ToolSchema[] = [
  {
    type: 'function',
    function: {
      name: 'read_file',
      description: 'Reads a file.',
      parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
    },
  },
];
const result: ToolResult = {
  success: true,
  data: 'It says hello.',
  error_message: null,
  error_type: 'none',
  metadata: { execution_time_ms: 1, data_size_bytes: 14, timestamp: 0 },
};
const messages: ModelMessage[] = [
  { role: 'system', content: 'Answer briefly.' },
  { role: 'user', content: 'What does a.md say?' },
  {
    role: 'assistant',
    content: '',
    finish: 'tool_calls',
    tool_calls: [{ id: 'abcdefghi', name: 'read_file', arguments: { path: 'a.md' }, source: 'parsed', repairs: [] }],
  },
  { role: 'tool', tool_call_id: 'abcdefghi', name: 'read_file', content: 'It says hello.', result },
];

test('Mistral is offered its tools between its own markers, behind the system prompt', () => {
  verifies('L2');
  const [system] = injectTools(messages, tools, 'mistral-json');
  expect(system?.content).toMatch(
    /^Answer briefly\.\n\n\[AVAILABLE_TOOLS\]\[\{.*"read_file".*\}\]\[\/AVAILABLE_TOOLS\]$/s,
  );
});

test('without a system prompt the offer becomes one', () => {
  verifies('L2');
  const [first, second] = injectTools(messages.slice(1), tools, 'mistral-json');
  expect(first).toMatchObject({ role: 'system', content: expect.stringMatching(/^\[AVAILABLE_TOOLS\]/) });
  expect(second).toEqual(messages[1]);
});

test.each(dialectNames().filter((name) => name !== 'native'))(
  '%s: a past call goes back as text that it reads',
  (name) => {
    verifies('L2', 'L10');
    const injected = injectTools(messages, tools, name);
    const assistant = injected.find(({ role }) => role === 'assistant');
    const { calls } = parseToolCalls(String(assistant?.content), { dialect: name, tools });
    expect(calls).toMatchObject([{ name: 'read_file', arguments: { path: 'a.md' } }]);
    expect(injected.at(-1)).toMatchObject({ role: 'user', content: expect.stringContaining('It says hello.') });
    expect(injected[0]?.content).toContain('Reads a file.');
  },
);

test('with no tools nothing is told', () => {
  verifies('L2');
  expect(injectTools(messages, [], 'hermes')).toBe(messages);
});
