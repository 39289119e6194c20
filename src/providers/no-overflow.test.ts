/** Refusals that are about something else than the length of the prompt, and numbers that are no sizes (Z15). */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { overflowFigures } from './context-overflow.ts';
import { errorFromServer } from './model-errors.ts';

const words = { endpoint: 'http://127.0.0.1:1', startHint: '' };

const NO_OVERFLOW = [
  'Job 12345/67890 failed: out of memory.',
  'Job 12345/67890 failed: CUDA error 700.',
  'Worker 3 of 8 died while it handled request 123456.',
  'The request took longer than 60000 ms and was cancelled.',
  'Generation took too long and was stopped after 30000 ms.',
  'The request took too long.',
  'Loading the model took too long.',
  'The queue is too long: 512 requests are waiting.',
  'Waiting for a slot took too long (30 s).',
  'The connection was idle for too long.',
  'The server is full, 4096 requests are waiting.',
  'The disk is full: 0 of 512000 bytes are free.',
  'Request queue is full.',
  'The request queue is full. Please retry later.',
  'Too many requests are running: 65 of 64.',
  'The maximum number of concurrent requests (256) is reached.',
  'Not enough memory to load the model: 8192 MB needed, 4096 MB free.',
  'Model requires more system memory (5.6 GiB) than is available (3.1 GiB).',
  'CUDA out of memory. Tried to allocate 2048 MiB.',
  'The model is too large for the memory of this machine.',
  'The model is too large to be loaded.',
  'The model file exceeds the size of the disk.',
  'The grammar is too large.',
  'JSON schema is too large: 5000 nodes.',
  'The tool description is too long (2000 characters, at most 1024).',
  'The name of a tool is too long: 80 characters.',
  'The value of user is too long.',
  'The model name is too long.',
  'The header is too large.',
  'Request header fields too large.',
  'The URL is too long.',
  'Temperature must be at most 2.',
  'top_k is larger than the vocabulary (32000).',
  'The seed is larger than 4294967295.',
  'n is too large: at most 8 choices.',
  'max_tokens is too large: 200000. This model supports at most 16384 completion tokens.',
  'logprobs must be less than or equal to 20.',
  'The image is too large: 12000 x 9000 pixels.',
  'Image file exceeds 20 MB.',
  'The audio is longer than 30 seconds.',
  'More than 16 stop sequences are not supported.',
  'The batch is too large: 3000 inputs, at most 2048.',
  'Too many inputs in one batch: 3000.',
  'The number of tools exceeds 128.',
  'You exceeded your current quota.',
  'You exceeded your limit of 100000 tokens a day.',
  'Rate limit reached: limit 30000, used 29000, requested 5000.',
  'Your balance of 12 cents is too low for this request.',
  'Session 123456/654321 has expired.',
  'Build 20250/20260 is not supported.',
  'Context of the request was cancelled.',
  'context deadline exceeded',
  'context canceled',
  'rpc error: code = DeadlineExceeded desc = context deadline exceeded',
  'The message could not be parsed: 4096 is no role.',
  'Unexpected message role at position 8192.',
  'The conversation must begin with a user message.',
  'The prompt is empty.',
  'Maximum number of retries exceeded.',
  'Recursion limit exceeded in the chat template.',
  'The input is not UTF-8 at byte 5000.',
  'Template error: the loop is longer than 100000 steps.',
];

describe.each([400, 500])('with status %i', (status) => {
  it.each(NO_OVERFLOW)('is no prompt that is too long: %s', (message) => {
    verifies('Z15');
    for (const body of [JSON.stringify({ error: { message } }), JSON.stringify({ error: message }), message]) {
      const error = errorFromServer(status, body, 'm', words);
      expect(error.code, body).not.toBe('context_overflow');
      expect([error.window_tokens, error.prompt_tokens]).toEqual([undefined, undefined]);
    }
  });
});

/** What stands beside words that say that the prompt is too long. */
const NO_SIZES = [
  'Job 12345/67890 failed: the prompt is too long.',
  'The prompt is too long (job 12345/67890).',
  'Job 67890/12345: the input length exceeds the context length.',
  'Request req_2024/11/29: the prompt is too long.',
  'The prompt is too long. See https://example.com/errors/12345/67890.',
  '[2026-11-29 12:30:45] The prompt is too long.',
  'worker 1234/5678: prompt is too long for this model',
  'Error at 4096/8192 in scheduler: the input is too long.',
  'Slot 12345/67890: the request exceeds the available context size.',
  'step 300/1000: the prompt exceeds the context window',
  'The prompt is too long (trace 123456, span 654321).',
  'The prompt is too long, request 123456 of user 654321.',
  'The prompt is too long (port 8080, pid 31337).',
  'The prompt is too long: model m-2024 build 4096.',
];
it.each(NO_SIZES)('takes no numbers of something else for sizes: %s', (message) => {
  verifies('Z15');
  for (const body of [JSON.stringify({ error: { message } }), message]) expect(overflowFigures(body)).toEqual({});
});

it.each([
  'Prompt too long: 9000/8192',
  'The prompt is too long (9000 / 8192 tokens)',
  'Job 12345/67890 failed: the prompt has 9000/8192 tokens, too long',
  'tokens 9000/8192: context exceeded',
  'Job 12345/67890: prompt is too long: 9000 tokens > 8192 maximum',
])('takes a fraction of sizes for sizes: %s', (message) => {
  expect(overflowFigures(message)).toEqual({ window_tokens: 8_192, prompt_tokens: 9_000 });
});
