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
  [
    'vLLM with its check of the prompt',
    JSON.stringify({
      object: 'error',
      message:
        'The decoder prompt (length 15983) is longer than the maximum model length of 8192. Make sure that `max_model_len` is no smaller than the number of text tokens.',
    }),
    8_192,
    15_983,
  ],
  [
    'vLLM with both in words',
    wrapped(
      "This model's maximum context length is 262144 tokens. However, you requested 0 output tokens and your prompt contains at least 262145 input tokens, for a total of at least 262145 tokens. Please reduce the length of the input prompt or the number of requested output tokens. (parameter=input_tokens, value=262145)",
    ),
    262_144,
    262_145,
  ],
  [
    'SGLang with a limit of its own',
    wrapped(
      'Input length (5000 tokens) exceeds the maximum allowed length (4090 tokens). Use a shorter input or enable --allow-auto-truncate.',
    ),
    4_090,
    5_000,
  ],
  [
    'Ollama, by how much',
    JSON.stringify({ error: 'prompt too long; exceeded max context length by 1051 tokens' }),
    undefined,
    undefined,
  ],
  [
    'LM Studio in the middle of an answer',
    wrapped(
      'Reached context length of 4096 tokens with model (arch: llama) that does not currently support mid-generation context overflow. Try reloading with a larger context length or shortening the prompt/chat.',
    ),
    4_096,
    undefined,
  ],
  ['llama.cpp in the middle of an answer', wrapped('Context size has been exceeded.'), undefined, undefined],
  ['llama-cpp-python', wrapped('Requested tokens (5000) exceed context window of 4096'), 4_096, 5_000],
  [
    'TensorRT-LLM',
    JSON.stringify({ error: 'Prompt length (5000) exceeds maximum input length (4096). Set log level to info' }),
    4_096,
    5_000,
  ],
  ['TabbyAPI', JSON.stringify({ detail: 'Prompt length 5000 is greater than max_seq_len 4096' }), 4_096, 5_000],
  [
    'Gemini over a cloud',
    wrapped(
      'Unable to submit request because the input token count is 32825 but model only supports up to 32768. Reduce the input token count and try again.',
    ),
    32_768,
    32_825,
  ],
  [
    'Anthropic with the answer',
    wrapped(
      'input length and `max_tokens` exceed context limit: 190640 + 21333 > 200000, decrease input length or `max_tokens` and try again',
    ),
    200_000,
    190_640,
  ],
  ['Bedrock', JSON.stringify({ message: 'Input is too long for requested model.' }), undefined, undefined],
  [
    'Cohere',
    JSON.stringify({
      message:
        'too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 5000. Try a shorter prompt',
    }),
    4_081,
    5_000,
  ],
  [
    'Moonshot',
    wrapped('Invalid request: Your request exceeded model token limit: 262144 (requested: 269030)'),
    262_144,
    269_030,
  ],
  [
    'DashScope',
    wrapped('<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 30720]'),
    30_720,
    undefined,
  ],
  ['MiniMax', wrapped('invalid params, context window exceeds limit (2013)'), undefined, undefined],
  ['Zhipu', wrapped('Prompt 超长', { code: '1261' }), undefined, undefined],
  ['Copilot', wrapped('prompt token count of 140000 exceeds the limit of 128000'), 128_000, 140_000],
  [
    'Cerebras',
    wrapped('Please reduce the length of the messages or completion. Current length is 9000 while limit is 8192', {
      code: 'context_length_exceeded',
    }),
    8_192,
    9_000,
  ],
  [
    'Poolside behind OpenRouter',
    wrapped('Input length 131393 exceeds the maximum allowed input length of 131040 tokens.'),
    131_040,
    131_393,
  ],
  [
    'Workers AI',
    wrapped(
      'The estimated number of input and maximum output tokens (9000) exceeded this model context window limit (7968).',
    ),
    7_968,
    9_000,
  ],
  [
    'a server in C',
    wrapped('Prompt has 32769 tokens, but the configured context size is 32768 tokens'),
    32_768,
    32_769,
  ],
  [
    'llama.cpp within the words of a proxy',
    wrapped(
      'litellm.BadRequestError: OpenAIException - {"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error","n_prompt_tokens":9000,"n_ctx":8192}}',
    ),
    8_192,
    9_000,
  ],
  [
    'llama.cpp within two proxies',
    wrapped(wrapped(JSON.stringify({ error: { message: 'too long', n_prompt_tokens: 9_000, n_ctx: 8_192 } }))),
    8_192,
    9_000,
  ],
  [
    'SGLang with pictures',
    wrapped(
      'Multimodal prompt is too long after expanding multimodal tokens. After expanding len(req.origin_input_ids_unpadded)=500 => 9000 >= 8191.',
    ),
    8_191,
    9_000,
  ],
  [
    'a cloud that adds up',
    wrapped('prompt tokens (9000) + max_tokens (1000) exceeds the model context window 8192'),
    8_192,
    9_000,
  ],
  ['a fraction', wrapped('Query exceeds context size: 9000/8192'), 8_192, 9_000],
  ['a full window', wrapped('context window full (9000 / 8192 tokens)'), 8_192, 9_000],
  ['what is supported', wrapped('Prompt is 9000 tokens long but only 8192 tokens are supported.'), 8_192, 9_000],
  ['what is available', wrapped('prompt needs 9000 tokens, 8192 available'), 8_192, 9_000],
  ['a slot', wrapped('Requested 9000 tokens but slot context is 8192 tokens'), 8_192, 9_000],
  ['a cache', wrapped('Request rejected: 9000 tokens needed, cache size is 8192 tokens'), 8_192, 9_000],
  ['llama.cpp, of its cache', wrapped('failed to find free space in the KV cache'), undefined, undefined],
  [
    'Ollama that cannot shift',
    JSON.stringify({ error: 'context limit hit - shifting not supported' }),
    undefined,
    undefined,
  ],
  ['Volcengine', wrapped('Total tokens of image and text exceed max message tokens.'), undefined, undefined],
  [
    'Qianfan',
    JSON.stringify({ error_code: 336_007, error_msg: 'the max input characters is 11200' }),
    undefined,
    undefined,
  ],
  ['Chinese, of a window', wrapped('请求的 token 数（9000）超出模型上下文窗口（8192）'), 8_192, 9_000],
  ['Chinese alone', wrapped('对话内容过长，请减少消息数量'), undefined, undefined],
  ['a code alone', wrapped('Bad request.', { code: 'context_length_exceeded' }), undefined, undefined],
  [
    'a limit of tokens in a minute that no waiting helps against',
    wrapped(
      'Request too large for model `m` in organization `o` on tokens per minute (TPM): Limit 6000, Requested 12000, please reduce your message size and try again.',
    ),
    6_000,
    12_000,
  ],
  ['a proxy that takes no such body', '<html><h1>413 Request Entity Too Large</h1></html>', undefined, undefined],
])('reads how large the window is out of a refusal of %s', (_server, body, window_tokens, prompt_tokens) => {
  verifies('B7');
  const { code, ...figures } = errorFromServer(400, body, 'm', words);
  expect(code).toBe('context_overflow');
  expect([figures.window_tokens, figures.prompt_tokens]).toEqual([window_tokens, prompt_tokens]);
});

it('knows a request that is too large by its status alone', () => {
  expect(errorFromServer(413, '', 'm', words).code).toBe('context_overflow');
});

it.each([
  'invalid api key',
  'temperature must be between 0 and 2',
  'unknown field "context_id"',
  'max_tokens is too large: 5000. This model supports at most 4096 completion tokens, whereas you provided 5000.',
  'Rate limit reached for model `m` on tokens per minute (TPM): Limit 6000, Used 5000, Requested 2000. Please try again in 7s.',
  'Too many tokens, please wait before trying again.',
  'Too many requests',
  'This request requires more credits, or fewer max_tokens. You requested up to 65536 tokens, but can only afford 12000',
  'This request exceeds the limit of 30000 tokens per minute',
  "Invalid 'tools[0].function.name': string too long. Expected a string with maximum length 64, but got a string with length 80 instead.",
  'image exceeds the maximum size of 5242880 bytes',
  'the tool name is too long',
  'model requires more system memory (9000 MiB) than is available (4096 MiB)',
  'You exceeded your current quota, please check your plan and billing details.',
  'The max_tokens value 9000 exceeds the maximum of 8192 output tokens',
  'max_output_tokens is too large: 9000, the maximum is 8192',
  'Message has too many attachments (limit 20)',
  'stop sequence too long',
  'Requested 9000 tokens, only 1000 tokens are available. Try again in 7 s.',
  'You requested 9000 tokens, but 100 tokens are available in your plan.',
])('takes another refusal for what it is: %s', (message) => {
  expect(errorFromServer(400, wrapped(message), 'm', words).code).not.toBe('context_overflow');
});

const SUBJECTS = ['The prompt', 'Your input', 'The request', 'This conversation', 'Prompt length', 'Input'];
const VERBS = ['exceeds', 'is longer than', 'is too long for', 'is larger than', 'is too large for', 'does not fit'];
const OBJECTS = ['the context window', 'the maximum context length', 'the context size', 'the limit', 'the model'];

it('reads any pair of figures, in whatever words: the smaller one is the window', () => {
  for (const subject of SUBJECTS) {
    for (const verb of VERBS) {
      for (const object of OBJECTS) {
        for (const [size, window] of [
          [5_000, 4_096],
          [33_001, 32_768],
          [1_100_000, 1_048_576],
        ] as const) {
          const said = (number: number): string => number.toLocaleString('en-US');
          for (const message of [
            `${subject} (${size} tokens) ${verb} ${object} (${window})`,
            `${subject} ${verb} ${object}: ${said(size)} > ${said(window)}`,
            `${subject} ${verb} ${object}. Limit ${window}, got ${size}`,
            `${subject} ${verb} ${object} of model m-3.1-8b (have ${window}, need ${size}.0) (code 400)`,
          ]) {
            const { code, window_tokens, prompt_tokens } = errorFromServer(400, wrapped(message), 'm', words);
            expect([message, code, window_tokens, prompt_tokens]).toEqual([message, 'context_overflow', window, size]);
          }
        }
      }
    }
  }
});
