/** A history from another library is taken, or refused in words. */
import { expect, onTestFinished, test } from 'vitest';
import { scratchFolder } from '../../tests/support/scratch.ts';
import { scriptedProvider } from '../testing/index.ts';
import { createHarness } from './create-harness.ts';
import type { HistoryMessage } from './history.ts';

const PNG = 'iVBORw0KGgo=';
const said = async (messages: unknown): Promise<unknown[]> => {
  const provider = scriptedProvider([{ text: 'Yes.' }]);
  const harness = createHarness({
    model: 'm',
    provider,
    workspace: scratchFolder(),
    messages: messages as HistoryMessage[],
  });
  onTestFinished(() => harness.close());
  await harness.chat('And now?');
  return (await harness.messages()).slice(0, -2);
};

const EXPECTED = [
  {
    role: 'user',
    content: [
      { type: 'text', text: 'Weather?' },
      { type: 'image', mime_type: 'image/png', data_base64: PNG },
    ],
  },
  { role: 'assistant', content: '', tool_calls: [{ id: 'c1', name: 'weather', arguments: { city: 'Ulm' } }] },
  { role: 'tool', tool_call_id: 'c1', result: { success: true, data: '{"sky":"clear"}' } },
  { role: 'assistant', content: 'Clear.' },
];

test.each<[string, unknown[]]>([
  [
    "OpenAI's API",
    [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Weather?' },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } },
        ],
      },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'weather', arguments: '{"city":"Ulm"}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: '{"sky":"clear"}' },
      { role: 'assistant', content: 'Clear.', refusal: null },
    ],
  ],
  [
    'ModelMessage of the AI SDK',
    [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Weather?' },
          { type: 'file', mediaType: 'image/png', data: PNG },
        ],
      },
      {
        role: 'assistant',
        content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'weather', input: { city: 'Ulm' } }],
      },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: 'c1',
            toolName: 'weather',
            output: { type: 'json', value: { sky: 'clear' } },
          },
        ],
      },
      { role: 'assistant', content: [{ type: 'text', text: 'Clear.' }] },
    ],
  ],
])('%s is taken', async (_name, messages) => {
  expect(await said(messages)).toMatchObject(EXPECTED);
});

test.each<[string, unknown, RegExp]>([
  ['a UIMessage', { id: 'x', role: 'user', parts: [{ type: 'text', text: 'Hi' }] }, /fromUIMessages/],
  ['a system message', { role: 'system', content: 'Be short.' }, /the system prompt is the option `systemPrompt`/],
  [
    'a developer message',
    { role: 'developer', content: 'Be short.' },
    /the system prompt is the option `systemPrompt`/,
  ],
  [
    'a picture elsewhere',
    { role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://a.example/x.png' } }] },
    /must be \{ type: 'text', text \} or/,
  ],
  [
    'arguments that are no JSON',
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'x', arguments: '{' } }],
    },
    /arguments is an object/,
  ],
])('%s is refused in words', async (_name, message, words) => {
  await expect(said([message])).rejects.toThrow(words);
});

const CALLED = [
  { role: 'user', content: 'Weather?' },
  { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'weather', input: {} }] },
];
const told = (output: object): object => ({
  role: 'tool',
  content: [{ type: 'tool-result', toolCallId: 'c1', toolName: 'weather', output }],
});
test.each<[string, object, string, boolean]>([
  [
    "text parts of OpenAI's",
    {
      role: 'tool',
      tool_call_id: 'c1',
      content: [
        { type: 'text', text: 'it is ' },
        { type: 'text', text: 'clear' },
      ],
    },
    'it is clear',
    true,
  ],
  ['content with text', told({ type: 'content', value: [{ type: 'text', text: 'clear' }] }), 'clear', true],
  ['a denial', told({ type: 'execution-denied', reason: 'no' }), 'The person denied this call: no', false],
  ['a denial without reason', told({ type: 'execution-denied' }), 'The person denied this call.', false],
  ['error-text', told({ type: 'error-text', value: 'storm' }), 'storm', false],
  ['error-json', told({ type: 'error-json', value: { a: 1 } }), '{"a":1}', false],
])('a result that is %s is told in words', async (_name, message, text, success) => {
  const result = success ? { success, data: text } : { success, error_message: text };
  expect((await said([...CALLED, message])).at(-1)).toMatchObject({ role: 'tool', result });
});
