/** What a person types besides words: prompts of their own after `/`, files after `@`. */

import { AGENT_LIMITS } from '../../agent/limits.ts';
import { SERVER_LIMITS } from '../limits.ts';
import { defineRoute, json, type Route } from '../route.ts';
import { CONTENT } from '../schemas.ts';

export const INPUT_ROUTES: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: '/api/commands',
    summary: "The person's own prompts, those of the folder where it is trusted, and those of plugins",
    tag: 'sessions',
    responses: {
      200: {
        description: 'Read anew each time.',
        schema: {
          type: 'object',
          required: ['commands', 'warnings'],
          properties: {
            commands: {
              type: 'array',
              items: {
                type: 'object',
                required: ['name', 'description', 'from'],
                properties: {
                  name: { type: 'string', description: 'What stands behind the slash.' },
                  description: { type: 'string' },
                  from: { enum: ['yours', 'folder', 'plugin', 'halter'] },
                },
              },
            },
            warnings: { type: 'array', items: { type: 'string' }, description: 'What is not used, and why.' },
          },
        },
      },
    },
    async handle({ server }) {
      const { commands, warnings } = await server.halter.userInput.commands();
      return json({ commands: commands.map(({ name, description, from }) => ({ name, description, from })), warnings });
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/input',
    summary: 'What a text of the person stands for, before it is sent',
    description:
      'A prompt of their own takes the place of `/name words`, and files, folders and pictures that the text names with `@` come along. They are read under the rules of every call; naming one is the answer to the question. Nothing is sent to a model.',
    tag: 'sessions',
    body: {
      type: 'object',
      required: ['text'],
      properties: { text: { type: 'string', minLength: 1, maxLength: AGENT_LIMITS.userMessageCharacters } },
    },
    maxBodyBytes: SERVER_LIMITS.messageBytes,
    responses: {
      200: {
        description: 'What to send.',
        schema: {
          type: 'object',
          required: ['content', 'problems'],
          properties: {
            content: CONTENT,
            problems: { type: 'array', items: { type: 'string' }, description: 'What did not come along, and why.' },
            command: { type: 'string', description: 'The prompt that the text named.' },
          },
        },
      },
    },
    async handle({ body, server }) {
      return json(await server.halter.userInput.expand(body.text));
    },
  }),
];
