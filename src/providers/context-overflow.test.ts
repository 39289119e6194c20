import { expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { errorFromServer } from './model-errors.ts';

const words = { endpoint: 'http://127.0.0.1:1', startHint: '' };
const wrapped = (message: string, more: object = {}): string => JSON.stringify({ error: { message, ...more } });

it.each<[string, string, number | undefined, number | undefined]>([
  [
    'llama.cpp',
    wrapped('the request exceeds the available context size, try increasing it', {
      type: 'exceed_context_size_error',
      n_prompt_tokens: 17_500,
      n_ctx: 16_384,
    }),
    16_384,
    17_500,
  ],
  [
    'llama.cpp, in words',
    wrapped('request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it'),
    4_096,
    5_000,
  ],
  [
    'llama.cpp of old',
    wrapped('the request exceeds the available context size. try increasing the context size or enable context shift'),
    undefined,
    undefined,
  ],
  [
    'vLLM',
    wrapped(
      "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4500 in the messages, 500 in the completion). Please reduce the length of the messages or completion.",
    ),
    4_096,
    4_500,
  ],
  [
    'vLLM of today',
    JSON.stringify({
      object: 'error',
      message:
        "'max_tokens' or 'max_completion_tokens' is too large: 512. This model's maximum context length is 4096 tokens and your request has 4000 input tokens (512 > 4096 - 4000).",
    }),
    4_096,
    4_000,
  ],
  [
    'SGLang',
    JSON.stringify({ message: "The input (5000 tokens) is longer than the model's context length (4096 tokens)." }),
    4_096,
    5_000,
  ],
  [
    'SGLang, with the answer',
    wrapped(
      "Requested token count exceeds the model's maximum context length of 4096 tokens. You requested a total of 5000 tokens: 4500 tokens from the input messages and 500 tokens for the completion.",
    ),
    4_096,
    4_500,
  ],
  [
    'LM Studio',
    JSON.stringify({
      error:
        'Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough. Try to load the model with a larger context length, or provide a shorter input',
    }),
    4_096,
    5_000,
  ],
  [
    'LM Studio of old',
    JSON.stringify({
      error:
        'The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 5000>= n_ctx: 4096).',
    }),
    4_096,
    5_000,
  ],
  ['Ollama', JSON.stringify({ error: 'the input length exceeds the context length' }), undefined, undefined],
  [
    'TGI',
    JSON.stringify({
      error:
        'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens and 100 `max_new_tokens`',
      error_type: 'validation',
    }),
    4_096,
    5_000,
  ],
  [
    'TGI without an answer',
    JSON.stringify({ error: 'Input validation error: `inputs` must have less than 4095 tokens. Given: 5000' }),
    4_095,
    5_000,
  ],
  [
    'OpenAI',
    wrapped(
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens. Please reduce the length of the messages.",
      { code: 'context_length_exceeded' },
    ),
    128_000,
    130_000,
  ],
  [
    'OpenAI of today',
    wrapped('Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300000 tokens.'),
    272_000,
    300_000,
  ],
  [
    'Mistral',
    JSON.stringify({
      object: 'error',
      message: 'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
    }),
    32_768,
    40_000,
  ],
  [
    'OpenRouter',
    wrapped(
      "This endpoint's maximum context length is 32768 tokens. However, you requested about 40000 tokens (39000 of text input, 1000 of tool input). Please reduce the length of either one.",
    ),
    32_768,
    39_000,
  ],
  ['Anthropic behind a proxy', wrapped('prompt is too long: 205,000 tokens > 200,000 maximum'), 200_000, 205_000],
  [
    'LiteLLM',
    wrapped(
      "litellm.ContextWindowExceededError: litellm.BadRequestError: This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
    ),
    8_192,
    9_000,
  ],
  [
    'Gemini',
    wrapped('The input token count (1100000) exceeds the maximum number of tokens allowed (1048576).'),
    1_048_576,
    1_100_000,
  ],
  [
    'xAI',
    wrapped("This model's maximum prompt length is 131072 but the request contains 140000 tokens."),
    131_072,
    140_000,
  ],
  ['Groq', wrapped('Please reduce the length of the messages or completion.'), undefined, undefined],
])('reads how large the window is out of a refusal of %s', (_server, body, window_tokens, prompt_tokens) => {
  verifies('B7');
  const { code, ...figures } = errorFromServer(400, body, 'm', words);
  expect(code).toBe('context_overflow');
  expect([figures.window_tokens, figures.prompt_tokens]).toEqual([window_tokens, prompt_tokens]);
});

it('takes other refusals for what they are', () => {
  for (const message of ['invalid api key', 'temperature must be between 0 and 2', 'unknown field "context_id"']) {
    expect(errorFromServer(400, wrapped(message), 'm', words).code).not.toBe('context_overflow');
  }
});
