/** JSON Schemas that more than one route speaks of. */
import { PERMISSION_DECISIONS } from '../core/permission-decision.ts';
import type { Schema } from '../schema/index.ts';

const text = (description: string) => ({ type: 'string', description }) as const;

export const ERROR: Schema = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message'],
      properties: { code: text('A short machine word.'), message: text('A sentence for a person.') },
    },
  },
};

export const TOOL_RESULT: Schema = {
  type: 'object',
  required: ['success', 'data', 'error_message', 'error_type', 'metadata'],
  properties: {
    success: { type: 'boolean' },
    data: { type: ['string', 'null'], description: 'Text; structured data is JSON text.' },
    error_message: { type: ['string', 'null'] },
    error_type: {
      enum: [
        'none',
        'not_found',
        'validation_failed',
        'permission_denied',
        'io_error',
        'parse_error',
        'internal_error',
      ],
    },
    metadata: {
      type: 'object',
      required: ['execution_time_ms', 'data_size_bytes', 'timestamp'],
      properties: {
        execution_time_ms: { type: 'number' },
        data_size_bytes: { type: 'integer' },
        timestamp: { type: 'integer', description: 'Milliseconds since 1970.' },
        reason: { type: 'string' },
        code: { type: 'integer' },
        dropped_arguments: { type: 'array', items: { type: 'string' } },
        cached: { type: 'boolean' },
        truncated: { type: 'string' },
        result_file: { type: 'string', description: 'Where the whole of a long result was put aside.' },
        exit_code: { type: 'integer' },
        argument_issues: {
          type: 'array',
          items: { type: 'string' },
          description: 'What is wrong with the arguments; error_message adds the schema, for the model.',
        },
        no_output: { type: 'boolean', description: 'Of a command that failed and printed nothing.' },
      },
    },
  },
};

/** A message of the person: text, or text and pictures. */
export const CONTENT = {
  oneOf: [
    { type: 'string', minLength: 1 },
    {
      type: 'array',
      minItems: 1,
      items: {
        oneOf: [
          {
            type: 'object',
            required: ['type', 'text'],
            properties: {
              type: { const: 'text' },
              text: { type: 'string' },
              shown: { type: 'string', description: 'What a person sees instead, such as the name of a file.' },
              untrusted_content: { const: true, description: 'Named by the person and not written by them.' },
              file: {
                type: 'object',
                description: 'The file that it is the content of.',
                required: ['path', 'hash'],
                properties: { path: { type: 'string' }, hash: { type: 'string', description: 'SHA-256.' } },
              },
            },
          },
          {
            type: 'object',
            required: ['type', 'mime_type', 'data_base64'],
            properties: {
              type: { const: 'image' },
              mime_type: { type: 'string', pattern: '^image/' },
              data_base64: { type: 'string' },
              name: { type: 'string', description: 'The name of its file.' },
            },
          },
        ],
      },
    },
  ],
} as const;

export const DECISION = { enum: PERMISSION_DECISIONS } as const;

export const RULE = {
  type: 'object',
  description:
    'What is allowed from now on, where it is to be something else than `rule`: one of `suggestions`, or a pattern of the same tool that covers the call and names something (of a command its program).',
  required: ['tool'],
  properties: { tool: { type: 'string' }, pattern: { type: 'string' } },
} as const;

/** What `server_asked` brings on the stream, and what is open of it. */
export const SERVER_QUESTION: Schema = {
  type: 'object',
  description: 'What an MCP server asks of the person; answered with the command `answer_server`.',
  required: ['question_id', 'server', 'message', 'kind'],
  properties: {
    question_id: { type: 'string' },
    server: text('The name of the server in the settings.'),
    message: text('Why it asks, in its own words.'),
    tool_call_id: text('The call during which it asks, where that is known.'),
    kind: { enum: ['form', 'url', 'sampling', 'sampling_answer'] },
    fields: { type: 'object', description: 'form: a JSON Schema of an object with flat fields.' },
    url: text("url: an address for the person's browser, http or https."),
    prompt: text('sampling: what the model is to answer.'),
    system: text('sampling: instructions that would go before it.'),
    max_tokens: { type: 'integer' },
    answer: text('sampling_answer: what the model said and the server would get.'),
    model: { type: 'string' },
  },
};

export const SESSION_SUMMARY: Schema = {
  type: 'object',
  required: ['id', 'title', 'workspace', 'model', 'created_at', 'updated_at', 'message_count'],
  properties: {
    id: { type: 'string' },
    title: text('The first words of the first message, or the name it was given.'),
    workspace: { type: 'string' },
    model: text('That answered last.'),
    created_at: { type: 'integer' },
    updated_at: { type: 'integer' },
    message_count: { type: 'integer' },
    running: { type: 'boolean', description: 'A run goes on in it, in this server.' },
    waiting: { type: 'boolean', description: 'It waits for an answer about permission.' },
    excerpt: { type: 'string', description: 'Where the words were said.' },
    set_aside: { type: 'boolean', description: 'They stand on ways through the session that were set aside alone.' },
  },
};

export const STREAM_LINE: Schema = {
  type: 'object',
  description: 'One line of the stream. `event_id` is what to resume behind; lines of kept events have `seq`.',
  required: ['type', 'at'],
  properties: {
    event_id: { type: 'string', description: 'In a page; on the stream it is the id of the event.' },
    type: { type: 'string' },
    at: { type: 'integer', description: 'Milliseconds since 1970.' },
    seq: { type: 'integer' },
  },
  additionalProperties: true,
};
