/** Requests that clients make beside the conversation, as they came from the programs, and others that look like them. */
import type { JsonObject } from '../../src/core/json.ts';

type Sent = { client: string; path: string; body: JsonObject };

const system = (content: string): JsonObject => ({ role: 'system', content });
const user = (content: string): JsonObject => ({ role: 'user', content });
const chat = (client: string, ...messages: JsonObject[]): Sent => ({
  client,
  path: '/v1/chat/completions',
  body: { model: 'm', messages },
});

export const SIDE_REQUESTS: readonly Sent[] = [
  chat(
    'opencode',
    system(
      'You are a title generator. You output ONLY a thread title. Nothing else.\n\n<task>\nGenerate a brief title that would help the user find this conversation later.\n</task>',
    ),
    user('Generate a title for this conversation:\n'),
    user('"What is in file-1.txt?"'),
  ),
  chat(
    'zed',
    user('What is in file-1.txt?'),
    { role: 'assistant', content: 'Plums.' },
    user(
      'Generate a concise 3-7 word title for this conversation, omitting punctuation. Go straight to the title, without any preamble and prefix.',
    ),
  ),
  chat(
    'open-webui',
    user(
      '### Task:\nGenerate a concise, 3-5 word title with an emoji summarizing the chat history.\n### Guidelines:\n- The title should clearly represent the main theme.\n### Chat History:\n<chat_history>\nUSER: Hello\n</chat_history>',
    ),
  ),
  chat(
    'open-webui',
    user(
      '### Task:\nSuggest 3-5 relevant follow-up questions or prompts that the user might naturally ask next in this conversation.\n### Chat History:\n<chat_history>\nUSER: Hello\n</chat_history>',
    ),
  ),
  {
    client: 'claude-cli',
    path: '/v1/messages',
    body: {
      model: 'm',
      max_tokens: 32_000,
      system: [
        {
          type: 'text',
          text: 'Generate a concise, sentence-case title (3-7 words) that captures the main topic or goal of this coding session. Return JSON with a single "title" field.',
        },
      ],
      messages: [user('What is in file-1.txt?')],
      output_format: {
        type: 'json_schema',
        schema: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
      },
    },
  },
];

const HELLO = { role: 'assistant', content: 'Hello.' };

/** What people and programs ask a model, and nothing beside it. */
export const OWN_REQUESTS: readonly Sent[] = [
  chat('openai', user('Suggest a title for my essay about plums.')),
  chat('openai', user('Write a summary of this text: Plums are blue.')),
  chat('openai', system('You are a helpful assistant.'), user('hi'), HELLO, user('What is the title of that book?')),
  chat('openai', system('Classify the text. Answer with one of the tags: a, b.'), user('Plums are blue.')),
  // A client that makes room in its window: the conversation is what it is about.
  chat(
    'opencode',
    user('What is in file-1.txt?'),
    HELLO,
    user('Summarize what was done in this conversation. Write like a pull request description.'),
  ),
  { client: 'claude-cli', path: '/v1/messages', body: { model: 'm', max_tokens: 1, messages: [user('Yes or no?')] } },
];
