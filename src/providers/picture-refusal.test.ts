import { expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { errorFromServer } from './model-errors.ts';

const words = { endpoint: 'http://127.0.0.1:1', startHint: '' };
const wrapped = (message: string): string => JSON.stringify({ error: { message } });

it.each([
  ['llama.cpp', 500, 'image input is not supported - hint: if this is unexpected, you may need to provide the mmproj'],
  ['llama.cpp of old', 500, 'unsupported content[].type'],
  ['vLLM', 400, 'At most 0 image(s) may be provided in one request.'],
  ['vLLM, of a text model', 400, 'm-3.1-8b is not a multimodal model'],
  ['LM Studio', 400, 'Model does not support images. Please use a model that does.'],
  ['LM Studio of today', 400, 'Invalid content type: this model has no vision support'],
  ['Ollama', 400, 'this model is missing data required for image input'],
  ['Ollama, of a model without', 500, '"llama3.2" does not support image input'],
  ['OpenAI', 400, 'Invalid content type. image_url is only supported by certain models.'],
  ['a reader in Rust', 422, 'messages[1]: unknown variant `image_url`, expected `text`'],
  ['a reader in Python', 422, 'messages.1.content: Input should be a valid string'],
  [
    'Groq',
    400,
    "'messages.1' : for 'role:user' the following must be satisfied[('messages.1.content' : value must be a string)]",
  ],
  ['OpenRouter', 404, 'No endpoints found that support image input'],
  ['Mistral', 400, 'Image input is not enabled for this model'],
  ['SGLang', 400, 'This model does not support multimodal input'],
  ['DeepSeek', 400, 'This model does not support image input.'],
])('knows that no pictures are taken from the words of %s', (_server, status, message) => {
  verifies('B2');
  expect(errorFromServer(status, wrapped(message), 'm', words).reason).toBe('pictures_unsupported');
});

it.each([
  'image exceeds the maximum size of 5242880 bytes',
  'failed to load image or audio file',
  'Could not decode image: invalid base64',
  'invalid image data',
  'Invalid image format',
  'The image data you provided does not represent a valid image: it could not be read',
  'Could not process image',
  'Unable to process input image. Please retry or report.',
  'cannot identify image file <_io.BytesIO object>',
  "You uploaded an unsupported image. Please make sure your image is below 20 MB in size and is of one the following formats: ['png', 'jpeg', 'gif', 'webp'].",
  'image: unknown format: invalid image',
  'unsupported image format',
  'illegal base64 data at input byte 4 of image',
  'The image file is truncated (12 bytes not processed)',
  'Image is not valid.',
])('knows from the words that one picture is bad, and others may be taken: %s', (message) => {
  verifies('B2');
  expect(errorFromServer(400, wrapped(message), 'm', words).reason).toBe('picture_unreadable');
});

it.each([
  'temperature must be between 0 and 2',
  'this model does not support tools',
  'the prompt is too long',
  'model not found',
])('takes another refusal for what it is: %s', (message) => {
  expect(errorFromServer(400, wrapped(message), 'm', words).reason).toBeUndefined();
});

it.each(["model 'm' is not loaded", 'No model named m is served here'])(
  'a 404 about a model is of the model, not of the address: %s',
  (message) => {
    const error = errorFromServer(404, wrapped(message), 'm', words);
    expect(error.code).toBe('model_not_found');
    expect(error.hint ?? '').not.toContain('base URL');
  },
);
