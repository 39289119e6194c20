/** What of a conversation is handed on to the model, over all wires: pictures, thoughts, messages with nothing in them. */
import { describe, expect, it } from 'vitest';
import { BODIES, CHAT, GENERATE, MESSAGES, OLLAMA, RESPONSES, send, user } from '../../../tests/support/wire-bodies.ts';
import type { JsonObject, JsonValue } from '../../core/json.ts';

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const ADDRESS = `data:image/png;base64,${PNG}`;
const PICTURE = { type: 'image', mime_type: 'image/png', data_base64: PNG };
const block = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } };
const inChat = (role: string): JsonObject => ({
  messages: [
    user,
    {
      role,
      content: [
        { type: 'text', text: 'See.' },
        { type: 'image_url', image_url: { url: ADDRESS } },
      ],
    },
  ],
});
const inResponses = (role: string): JsonObject => ({
  input: [
    user,
    {
      role,
      content: [
        { type: 'input_text', text: 'See.' },
        { type: 'input_image', image_url: ADDRESS },
      ],
    },
  ],
});
const inOllama = (role: string, image: JsonValue = PNG): JsonObject => ({
  messages: [user, { role, content: 'See.', images: [image] }],
});
const called = (name: string, args: JsonValue): JsonObject => ({
  id: 'c1',
  type: 'function',
  function: { name, arguments: args },
});
const result = (role: string, more: JsonObject): JsonObject => ({ role, tool_call_id: 'c1', ...more });

describe('a picture', () => {
  const TAKEN: readonly [title: string, path: string, fields: JsonObject][] = [
    ['of the person', CHAT, inChat('user')],
    ['of the person', RESPONSES, inResponses('user')],
    ['of the person', MESSAGES, { messages: [{ role: 'user', content: [block] }] }],
    ['of the person', OLLAMA, inOllama('user')],
    ['with its kind', OLLAMA, inOllama('user', ADDRESS)],
    ['of a prompt', GENERATE, { images: [PNG] }],
    ['of a prompt with its kind', GENERATE, { images: [ADDRESS] }],
    [
      'of a result',
      CHAT,
      {
        messages: [
          user,
          { role: 'assistant', content: '', tool_calls: [called('look', '{}')] },
          result('tool', { content: [{ type: 'image_url', image_url: { url: ADDRESS } }] }),
        ],
      },
    ],
    [
      'of a result',
      RESPONSES,
      {
        input: [
          user,
          { type: 'function_call', call_id: 'c1', name: 'look', arguments: '{}' },
          { type: 'function_call_output', call_id: 'c1', output: [{ type: 'input_image', image_url: ADDRESS }] },
        ],
      },
    ],
    [
      'of a result',
      MESSAGES,
      {
        messages: [
          user,
          { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'look', input: {} }] },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: [block] }] },
        ],
      },
    ],
    [
      'of a result',
      OLLAMA,
      {
        messages: [
          user,
          { role: 'assistant', content: '', tool_calls: [called('look', {})] },
          { role: 'tool', tool_name: 'look', content: 'A tree.', images: [PNG] },
        ],
      },
    ],
  ];
  it.each(TAKEN)('%s is handed on by %s', async (_title, path, fields) => {
    const { status, said, asked } = await send(path, BODIES[path]?.(fields) as JsonObject, 'Seen.');
    expect([status, said]).toEqual([200, '']);
    const last = asked[0]?.messages.at(-1);
    expect(last).toMatchObject({ role: 'user', content: expect.arrayContaining([PICTURE]) });
  });

  const REFUSED: readonly [title: string, path: string, fields: JsonObject, said: RegExp][] = [
    ...['system', 'developer', 'assistant'].flatMap((role): [string, string, JsonObject, RegExp][] => [
      [`of the role ${role}`, CHAT, inChat(role), new RegExp(`a message of the role ${role} holds a picture`)],
      [
        `of the role ${role}`,
        RESPONSES,
        inResponses(role),
        new RegExp(`a message of the role ${role} holds a picture`),
      ],
    ]),
    ...['system', 'assistant'].map((role): [string, string, JsonObject, RegExp] => [
      `of the role ${role}`,
      OLLAMA,
      inOllama(role),
      new RegExp(`a message of the role ${role} holds a picture`),
    ]),
    ['of the instructions', MESSAGES, { system: [block] }, /system: blocks of the type "image"/],
    ['of the role assistant', MESSAGES, { messages: [user, { role: 'assistant', content: [block] }] }, /type "image"/],
    [
      'at an address',
      CHAT,
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://a.example/b.png' } }] }] },
      /data URLs/,
    ],
    [
      'at an address',
      MESSAGES,
      {
        messages: [
          { role: 'user', content: [{ type: 'image', source: { type: 'url', url: 'https://a.example/b.png' } }] },
        ],
      },
      /source\.type base64/,
    ],
    [
      'of no type',
      MESSAGES,
      { messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'base64', data: PNG } }] }] },
      /media_type/,
    ],
    ['at an address', OLLAMA, inOllama('user', 'https://a.example/b.png'), /images must be base64/],
    ['in a file', GENERATE, { images: ['./b.png'] }, /images must be base64/],
    ['that is a number', OLLAMA, inOllama('user', 7), /images must be base64/],
  ];
  it.each(REFUSED)('%s is refused by %s in the words of its API', async (_title, path, fields, said) => {
    const got = await send(path, BODIES[path]?.(fields) as JsonObject, 'Seen.');
    expect([got.status, got.asked]).toEqual([400, []]);
    expect(got.said).toMatch(said);
  });

  it('and other files are not handed to the model as letters', async () => {
    const file = { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: PNG } };
    const turns = [
      user,
      { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'look', input: {} }] },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'c1', content: [{ type: 'text', text: 'Here.' }, file] }],
      },
    ];
    // A client sends the result of its tool again and again, so it is told to the model and not refused.
    const { status, asked } = await send(MESSAGES, BODIES[MESSAGES]?.({ messages: turns }) as JsonObject, 'Seen.');
    expect(status).toBe(200);
    const told = JSON.stringify(asked[0]?.messages);
    expect(told).not.toContain(PNG);
    expect(told).toMatch(/Here\..*application\/pdf.*cannot be handed to a local model/);
  });
});

describe('what the model thought before', () => {
  const ROWS: readonly [path: string, fields: JsonObject][] = [
    ...['reasoning_content', 'reasoning', 'reasoning_text', 'thinking'].map((field): [string, JsonObject] => [
      CHAT,
      { messages: [user, { role: 'assistant', content: 'Yes.', [field]: 'Hm.' }, user] },
    ]),
    [
      CHAT,
      {
        messages: [
          user,
          {
            role: 'assistant',
            content: [
              { type: 'thinking', thinking: 'Hm.' },
              { type: 'text', text: 'Yes.' },
            ],
          },
          user,
        ],
      },
    ],
    [
      CHAT,
      {
        messages: [
          user,
          {
            role: 'assistant',
            content: [
              { type: 'reasoning', text: 'Hm.' },
              { type: 'text', text: 'Yes.' },
            ],
          },
          user,
        ],
      },
    ],
    [
      RESPONSES,
      {
        input: [
          user,
          { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }] },
          { role: 'assistant', content: 'Yes.' },
          user,
        ],
      },
    ],
    [
      MESSAGES,
      {
        messages: [
          user,
          {
            role: 'assistant',
            content: [
              { type: 'thinking', thinking: 'Hm.', signature: 's' },
              { type: 'text', text: 'Yes.' },
            ],
          },
          user,
        ],
      },
    ],
    [OLLAMA, { messages: [user, { role: 'assistant', content: 'Yes.', thinking: 'Hm.' }, user] }],
  ];
  it.each(ROWS)('is handed on by %s: %j', async (path, fields) => {
    const { status, asked } = await send(path, BODIES[path]?.(fields) as JsonObject, 'Good.');
    expect([status, asked[0]?.messages[1]]).toMatchObject([
      200,
      { role: 'assistant', content: 'Yes.', reasoning: 'Hm.' },
    ]);
  });
});

describe('a message with nothing in it', () => {
  const ROWS: readonly [path: string, fields: JsonObject][] = [
    ...['', null, [], [{ type: 'text', text: '' }]].map((content): [string, JsonObject] => [
      CHAT,
      { messages: [{ role: 'user', content }] },
    ]),
    ...['', [], [{ type: 'input_text', text: '' }]].map((content): [string, JsonObject] => [
      RESPONSES,
      { input: [{ role: 'user', content }] },
    ]),
    ...['', [], [{ type: 'text', text: '' }]].map((content): [string, JsonObject] => [
      MESSAGES,
      { messages: [{ role: 'user', content }] },
    ]),
    ...['', null].map((content): [string, JsonObject] => [OLLAMA, { messages: [{ role: 'user', content }] }]),
  ];
  it.each(ROWS)('of %s is one all the same: %j', async (path, fields) => {
    const { status, asked } = await send(path, BODIES[path]?.(fields) as JsonObject, 'Hello.');
    expect([status, asked[0]?.messages]).toEqual([200, [{ role: 'user', content: '' }]]);
  });
});
