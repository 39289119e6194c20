/** Paths of other APIs that are not served here, and what to use in their place. */
import { GatewayError } from '../../gateway/error.ts';

const OF_OLLAMA = "is not done through Ollama's API here: use `halter models`, or the server that has the models.";

/** Work that no route does. */
const NOT_DONE: readonly [path: RegExp, words: string][] = [
  [
    /^\/v1\/(?:engines\/[^/]+\/)?completions$/,
    'Prompts are completed as conversations alone: send it as a message to /v1/chat/completions. A program that completes code while it is typed needs the address of the model server itself.',
  ],
  [/^\/v1\/complete$/, 'Prompts are completed as conversations alone: send it as a message to /v1/messages.'],
  [/^\/v1\/messages\/batches(?:\/|$)/, 'There are no batches here: send each request to /v1/messages.'],
  [
    /^\/v1\/responses\/[^/]+\/cancel$/,
    'No answer is made in the background here: one that is under way ends when its connection is closed.',
  ],
  [
    /^\/v1\/responses\/input_tokens$/,
    'Tokens are counted for conversations of Anthropic’s API alone: /v1/messages/count_tokens.',
  ],
  [/^\/v1\/responses\/compact$/, 'No conversation is shortened here: send the shorter one to /v1/responses.'],
  [/^\/v1\/batches(?:\/|$)/, 'There are no batches here: send each request to its own path.'],
  [/^\/api\/(?:pull|push)$/, `Moving models ${OF_OLLAMA}`],
  [/^\/api\/(?:create|copy|delete|blobs\/.*)$/, `Changing models ${OF_OLLAMA}`],
];

/** Paths as they come of an address that a client was given wrongly. */
const MISLED: readonly [path: RegExp, words: string][] = [
  [/^\/(?:chat\/completions|completions|responses|embeddings|models)$/, 'The base URL of this API ends in /v1.'],
  [/^\/v1\/v1(?:\/|$)/, 'The base URL of this API is without /v1, which its client adds.'],
  [/^\/v1\/api(?:\/|$)/, "The base URL of Ollama's API is without /v1."],
];

const wordsIn = (table: typeof MISLED, path: string): string | undefined => table.find(([at]) => at.test(path))?.[1];

/** Of a path that stands for work which no route does, though the pattern of one may fit it. */
export const notDoneAt = (path: string): GatewayError | undefined => {
  const words = wordsIn(NOT_DONE, path);
  return words === undefined ? undefined : new GatewayError(501, 'not_supported', words);
};

/** What is said of a path that has no route. */
export const absentPath = (method: string, path: string): GatewayError => {
  const words = [`There is no route ${method} ${path}.`, wordsIn(MISLED, path) ?? ''].join(' ').trim();
  return notDoneAt(path) ?? new GatewayError(404, 'not_found', words);
};
