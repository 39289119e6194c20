/** Pictures of results go out as a message of their own, which must not stand between the results of one answer. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import type { JsonObject } from '../core/json.ts';
import type { ModelMessage } from '../core/message.ts';
import { NO_EARLIER_ANSWERS } from './kept-responses.ts';
import { readMessages } from './openai-messages.ts';
import { chatCompletions } from './wires/chat-completions/wire.ts';
import { messages } from './wires/messages/wire.ts';
import { ollamaChat } from './wires/ollama/wire.ts';
import { responses } from './wires/responses/wire.ts';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const URL_OF = `data:image/png;base64,${PIXEL}`;
const IDS = ['a', 'b', 'c'] as const;

type Surface = { name: string; read(withPicture: readonly string[], person: boolean): readonly ModelMessage[] };

const chatBody = (withPicture: readonly string[], person: boolean) => ({
  model: 'm',
  messages: [
    { role: 'user', content: 'Look.' },
    {
      role: 'assistant',
      content: null,
      tool_calls: IDS.map((id) => ({ id, type: 'function', function: { name: 'look', arguments: '{}' } })),
    },
    ...IDS.map((id) => ({
      role: 'tool',
      tool_call_id: id,
      content: [
        { type: 'text', text: id },
        ...(withPicture.includes(id) ? [{ type: 'image_url', image_url: { url: URL_OF } }] : []),
      ],
    })),
    ...(person ? [{ role: 'user', content: 'And?' }] : []),
  ],
});
const results = (id: string, isShown: boolean) => ({
  type: 'tool_result',
  tool_use_id: id,
  content: [
    { type: 'text', text: id },
    ...(isShown ? [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } }] : []),
  ],
});
const anthropicBody = (withPicture: readonly string[], person: boolean, isOne: boolean) => {
  const blocks = IDS.map((id) => results(id, withPicture.includes(id)));
  return {
    model: 'm',
    max_tokens: 10,
    messages: [
      { role: 'user', content: 'Look.' },
      { role: 'assistant', content: IDS.map((id) => ({ type: 'tool_use', id, name: 'look', input: {} })) },
      ...(isOne ? [{ role: 'user', content: blocks }] : blocks.map((block) => ({ role: 'user', content: [block] }))),
      ...(person ? [{ role: 'user', content: 'And?' }] : []),
    ],
  };
};

const SURFACES: readonly Surface[] = [
  {
    name: 'chat completions',
    read: (...given) => chatCompletions.read(chatBody(...given) as JsonObject, NO_EARLIER_ANSWERS).messages,
  },
  {
    name: 'a file of messages',
    read: (...given) => {
      const read = readMessages(JSON.stringify(chatBody(...given)));
      if (!read.ok) throw new Error(read.error.message);
      return read.value;
    },
  },
  {
    name: 'responses',
    read: (withPicture, person) =>
      responses.read(
        {
          model: 'm',
          input: [
            { role: 'user', content: 'Look.' },
            ...IDS.map((id) => ({ type: 'function_call', call_id: id, name: 'look', arguments: '{}' })),
            ...IDS.map((id) => ({
              type: 'function_call_output',
              call_id: id,
              output: [
                { type: 'input_text', text: id },
                ...(withPicture.includes(id) ? [{ type: 'input_image', image_url: URL_OF }] : []),
              ],
            })),
            ...(person ? [{ role: 'user', content: 'And?' }] : []),
          ],
        } as JsonObject,
        NO_EARLIER_ANSWERS,
      ).messages,
  },
  {
    name: 'messages, a message each',
    read: (withPicture, person) =>
      messages.read(anthropicBody(withPicture, person, false) as JsonObject, NO_EARLIER_ANSWERS).messages,
  },
  {
    name: 'messages, one message',
    read: (withPicture, person) =>
      messages.read(anthropicBody(withPicture, person, true) as JsonObject, NO_EARLIER_ANSWERS).messages,
  },
  {
    name: "Ollama's chat",
    read: (withPicture, person) =>
      ollamaChat.read(
        {
          model: 'm',
          messages: [
            { role: 'user', content: 'Look.' },
            {
              role: 'assistant',
              content: '',
              tool_calls: IDS.map(() => ({ function: { name: 'look', arguments: {} } })),
            },
            ...IDS.map((id) => ({
              role: 'tool',
              tool_name: 'look',
              content: id,
              ...(withPicture.includes(id) ? { images: [PIXEL] } : {}),
            })),
            ...(person ? [{ role: 'user', content: 'And?' }] : []),
          ],
        } as JsonObject,
        NO_EARLIER_ANSWERS,
      ).messages,
  },
];

describe.each(SURFACES)('results with pictures, $name', ({ read }) => {
  it.each([
    [['a'], false],
    [['b'], true],
    [['a', 'b'], false],
    [['a', 'c'], true],
    [['c'], false],
    [['a', 'b', 'c'], true],
  ] as const)('of %j stand together, and the pictures behind them', (withPicture, person) => {
    verifies('B2');
    const [, asked, ...behind] = read(withPicture, person);
    expect(asked?.role).toBe('assistant');
    expect(behind.map(({ role }) => role)).toEqual(['tool', 'tool', 'tool', 'user', ...(person ? ['user'] : [])]);
    expect(behind.slice(0, 3).map(({ content }) => content)).toEqual([...IDS]);
    expect(behind[3]).toMatchObject({ content: withPicture.map(() => ({ type: 'image', data_base64: PIXEL })) });
    if (person) expect(behind[4]?.content).toBe('And?');
  });
});
