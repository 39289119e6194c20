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

const BYTES = Buffer.from(PNG, 'base64');
const JPEG = '/9j/4AAQSkZJRg==';
const picture = { type: 'image', mime_type: 'image/png', data_base64: PNG };

test.each<[string, object, object]>([
  ['image_url', { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } }, picture],
  ['input_image', { type: 'input_image', image_url: `data:image/png;base64,${PNG}` }, picture],
  ['a data URL', { type: 'image', image: `data:image/png;base64,${PNG}` }, picture],
  ['a data URL with parameters', { type: 'image', image: `data:image/png;name=a.png;base64,${PNG}` }, picture],
  ['a URL object', { type: 'image', image: new URL(`data:image/png;base64,${PNG}`) }, picture],
  ['base64 with a media type', { type: 'image', image: PNG, mediaType: 'image/png' }, picture],
  ['base64 alone', { type: 'image', image: PNG }, picture],
  [
    'base64 alone, a JPEG',
    { type: 'image', image: JPEG },
    { type: 'image', mime_type: 'image/jpeg', data_base64: JPEG },
  ],
  ['base64 of any picture', { type: 'file', data: PNG, mediaType: 'image/*' }, picture],
  ['the older name of the type', { type: 'image', image: PNG, mimeType: 'image/png' }, picture],
  ['a Uint8Array', { type: 'image', image: new Uint8Array(BYTES) }, picture],
  [
    'a part of a larger buffer',
    { type: 'image', image: new Uint8Array([0, ...BYTES, 0]).subarray(1, 1 + BYTES.length) },
    picture,
  ],
  ['a Buffer', { type: 'file', data: BYTES, mediaType: 'image/png' }, picture],
  [
    'a Buffer that was JSON',
    { type: 'file', data: JSON.parse(JSON.stringify(BYTES)), mediaType: 'image/png' },
    picture,
  ],
  ['an ArrayBuffer', { type: 'image', image: new Uint8Array(BYTES).buffer }, picture],
  ['data with a type', { type: 'file', data: { type: 'data', data: PNG }, mediaType: 'image/png' }, picture],
  [
    'a URL with a type',
    { type: 'file', data: { type: 'url', url: new URL(`data:image/png;base64,${PNG}`) }, mediaType: 'image/png' },
    picture,
  ],
  [
    'text in a file',
    { type: 'file', data: { type: 'text', text: 'one' }, mediaType: 'text/plain' },
    { type: 'text', text: 'one' },
  ],
  ['input_text', { type: 'input_text', text: 'one' }, { type: 'text', text: 'one' }],
])('a part of the person that is %s is taken', async (_name, part, taken) => {
  const [message] = (await said([
    { role: 'user', content: [{ type: 'text', text: 'Look.' }, part] },
    { role: 'assistant', content: 'Yes.' },
  ])) as { content: object[] }[];
  expect(message?.content).toEqual([{ type: 'text', text: 'Look.' }, taken]);
});

test.each<[string, object]>([
  ['a picture elsewhere', { type: 'image', image: 'https://a.example/x.png' }],
  [
    'a picture elsewhere, as a URL object',
    { type: 'image', image: new URL('https://a.example/x.png'), mediaType: 'image/png' },
  ],
  ['a file on this machine', { type: 'image', image: 'file:///etc/passwd', mediaType: 'image/png' }],
  ['a document', { type: 'file', data: 'JVBERi0xLjQ=', mediaType: 'application/pdf' }],
  [
    'a reference of a provider',
    { type: 'file', data: { type: 'reference', reference: { openai: 'f' } }, mediaType: 'image/png' },
  ],
  ['sound', { type: 'input_audio', input_audio: { data: PNG, format: 'wav' } }],
])('a part of the person that is %s is refused in words', async (_name, part) => {
  await expect(said([{ role: 'user', content: [part] }])).rejects.toThrow(/messages\[0\]\.content\[0\] must be/);
});

const pictureResult = (...value: object[]): object =>
  told({ type: 'content', value: [{ type: 'text', text: 'here' }, ...value] });
test.each<[string, object]>([
  ['media', pictureResult({ type: 'media', data: PNG, mediaType: 'image/png' })],
  ['image-data', pictureResult({ type: 'image-data', data: PNG, mediaType: 'image/png' })],
  ['file-data', pictureResult({ type: 'file-data', data: PNG, mediaType: 'image/png' })],
  ['image-url', pictureResult({ type: 'image-url', url: `data:image/png;base64,${PNG}` })],
  ['file', pictureResult({ type: 'file', data: { type: 'data', data: PNG }, mediaType: 'image/png' })],
  [
    "OpenAI's parts",
    {
      role: 'tool',
      tool_call_id: 'c1',
      content: [
        { type: 'text', text: 'here' },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } },
      ],
    },
  ],
])('a picture in a result is a picture for the model: %s', async (_name, message) => {
  const messages = await said([...CALLED, message, { role: 'assistant', content: 'Seen.' }]);
  expect(messages).toMatchObject([
    CALLED[0],
    { role: 'assistant' },
    { role: 'tool', content: expect.stringMatching(/^here\n\[a picture/) },
    { role: 'user', of_results: true, content: [{ type: 'text' }, picture] },
    { role: 'assistant', content: 'Seen.' },
  ]);
  expect(JSON.stringify(messages[2])).not.toContain(PNG);
});

test('a document in a result is named, and its bytes are no words for a model', async () => {
  const message = pictureResult({
    type: 'file-data',
    data: 'JVBERi0xLjQ=',
    mediaType: 'application/pdf',
    filename: 'a.pdf',
  });
  expect((await said([...CALLED, message])).at(-1)).toMatchObject({
    result: { data: 'here[file-data, a.pdf, application/pdf]' },
  });
});

const call = (id: string): object => ({ type: 'tool-call', toolCallId: id, toolName: 'weather', input: {} });
const result = (id: string): object => ({
  type: 'tool-result',
  toolCallId: id,
  toolName: 'weather',
  output: { type: 'text', value: 'clear' },
});
const asked = (id: string): object => ({ type: 'tool-approval-request', approvalId: `of ${id}`, toolCallId: id });
const answered = (id: string, approved: boolean, reason?: string): object => ({
  type: 'tool-approval-response',
  approvalId: `of ${id}`,
  approved,
  reason,
});
const person = { role: 'user', content: 'Weather?' };

test.each<[string, object[], object[]]>([
  [
    'a call that the person allowed',
    [
      { role: 'assistant', content: [call('c1'), asked('c1')] },
      { role: 'tool', content: [answered('c1', true)] },
      { role: 'tool', content: [result('c1')] },
    ],
    [{ role: 'assistant' }, { role: 'tool', tool_call_id: 'c1', result: { data: 'clear' } }],
  ],
  [
    'a call that the person denied',
    [
      { role: 'assistant', content: [call('c1'), asked('c1')] },
      { role: 'tool', content: [answered('c1', false, 'not now')] },
    ],
    [
      { role: 'assistant' },
      {
        role: 'tool',
        result: { error_type: 'permission_denied', error_message: 'The person denied this call: not now' },
      },
    ],
  ],
  [
    'a denial with its result',
    [
      { role: 'assistant', content: [call('c1'), asked('c1')] },
      { role: 'tool', content: [answered('c1', false)] },
      told({ type: 'execution-denied' }),
    ],
    [{ role: 'assistant' }, { role: 'tool', result: { error_type: 'permission_denied' } }],
  ],
  [
    'a result within the answer',
    [
      {
        role: 'assistant',
        content: [{ type: 'text', text: 'I look. ' }, call('c1'), result('c1'), { type: 'text', text: 'Clear.' }],
      },
    ],
    [
      { role: 'assistant', content: 'I look. ', tool_calls: [{ id: 'c1' }] },
      { role: 'tool', result: { data: 'clear' } },
      { role: 'assistant', content: 'Clear.' },
    ],
  ],
  [
    'a file in the answer',
    [
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'See ' },
          { type: 'file', data: PNG, mediaType: 'image/png' },
        ],
      },
    ],
    [{ role: 'assistant', content: 'See [file, image/png]' }],
  ],
  [
    'a refusal',
    [{ role: 'assistant', content: null, refusal: 'I will not.' }],
    [{ role: 'assistant', content: 'I will not.' }],
  ],
  [
    'a refusal as a part',
    [{ role: 'assistant', content: [{ type: 'refusal', refusal: 'I will not.' }] }],
    [{ role: 'assistant', content: 'I will not.' }],
  ],
  [
    "OpenAI's older calls",
    [
      { role: 'assistant', content: null, function_call: { name: 'weather', arguments: '{"city":"Ulm"}' } },
      { role: 'function', name: 'weather', content: 'clear' },
      { role: 'assistant', content: 'Let me see.', function_call: { name: 'weather', arguments: '{}' } },
      { role: 'function', name: 'weather', content: 'rain' },
    ],
    [
      { role: 'assistant', tool_calls: [{ name: 'weather', arguments: { city: 'Ulm' } }] },
      { role: 'tool', result: { data: 'clear' } },
      { role: 'assistant', content: 'Let me see.', tool_calls: [{ name: 'weather' }] },
      { role: 'tool', result: { data: 'rain' } },
    ],
  ],
])('%s is taken', async (_name, given, taken) => {
  expect(await said([person, ...given])).toMatchObject([person, ...taken]);
});

test.each<[string, object[]]>([
  [
    'a call that was allowed and has not run',
    [
      { role: 'assistant', content: [call('c1'), asked('c1')] },
      { role: 'tool', content: [answered('c1', true)] },
    ],
  ],
  ['a call that nobody answered', [{ role: 'assistant', content: [call('c1'), asked('c1')] }]],
  [
    'an older call without a result',
    [{ role: 'assistant', content: null, function_call: { name: 'weather', arguments: '{}' } }],
  ],
  ['an older result without a call', [{ role: 'function', name: 'weather', content: 'clear' }]],
])('%s is refused in words', async (_name, given) => {
  await expect(said([person, ...given])).rejects.toThrow(/has no (?:result|place)|role must be one of/);
});
