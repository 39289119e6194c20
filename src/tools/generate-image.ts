/** E3: a picture from words, made by the person's own image server and saved in the workspace. */

import type { ToolConfig } from '../core/ports.ts';
import type { ToolContext } from '../core/tool.ts';
import { fail, ok, type ToolOutput } from '../core/tool-result.ts';
import { webSettings } from '../core/web-settings.ts';
import { TOOL_LIMITS } from './limits.ts';
import { builtIn } from './support/built-in.ts';
import { refuse } from './support/refuse.ts';

const WHAT_TO_SET =
  'No image server is set up. Set HALTER_IMAGE_URL to the address of Automatic1111, ComfyUI, stable-diffusion.cpp or an OpenAI-compatible server (with /v1).';

const LOOPBACK = /^(?:localhost|127(?:\.\d+){1,3}|\[::1\])$/;

const unavailable = (config: ToolConfig): string | undefined => {
  const { image, offline } = webSettings(config);
  if (image === undefined) return WHAT_TO_SET;
  return offline && !LOOPBACK.test(URL.parse(image.url)?.hostname ?? '')
    ? 'halter is offline (--offline), and the image server is not on this machine.'
    : undefined;
};

const FOLDER = 'images';
const NAME_WORDS = 5;
const NAME_CHARACTERS = 40;

/** `A cat, sleeping!` → `a-cat-sleeping`. */
const nameOf = (prompt: string): string =>
  prompt
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .slice(0, NAME_WORDS)
    .join('-')
    .slice(0, NAME_CHARACTERS) || 'image';

/** Under the first name that is free: what is there stays. */
const save = async (
  context: ToolContext,
  name: string,
  format: string,
  bytes: Uint8Array,
): Promise<string | ToolOutput> => {
  for (let number = 1; number <= TOOL_LIMITS.imageNames; number += 1) {
    const path = `${FOLDER}/${name}${number === 1 ? '' : `-${number}`}.${format}`;
    const written = await context.workspace.writeFile(path, bytes, { expectedHash: null, signal: context.signal });
    if (written.ok) return path;
    if (written.error.reason !== 'changed_since_read') return refuse(written.error);
  }
  return fail('io_error', `There are already ${TOOL_LIMITS.imageNames} pictures named ${name}.`);
};

export const generateImage = builtIn({
  name: 'generate_image',
  description: 'Make a picture from a description and save it in the workspace. Returns its path and size.',
  risk: 'medium',
  effects: 'write',
  path_arguments: [],
  sinks: [],
  timeout_ms: TOOL_LIMITS.imageTimeoutMs,
  dispensable: true,
  main_argument: 'prompt',
  parameters: {
    type: 'object',
    properties: {
      prompt: { type: 'string', minLength: 1, maxLength: TOOL_LIMITS.imagePromptCharacters },
      width: { type: 'integer', minimum: 64, maximum: TOOL_LIMITS.imagePixelsMax, default: 1024 },
      height: { type: 'integer', minimum: 64, maximum: TOOL_LIMITS.imagePixelsMax, default: 1024 },
      steps: { type: 'integer', minimum: 1, maximum: TOOL_LIMITS.imageStepsMax, default: 20 },
      guidance_scale: { type: 'number', minimum: 0, maximum: 100, default: 3.5 },
    },
    required: ['prompt'],
  },
  unavailable,
  async run(args, context) {
    const reason = unavailable(context.config);
    const { image } = webSettings(context.config);
    if (reason !== undefined || image === undefined) {
      return fail('io_error', reason ?? WHAT_TO_SET, { reason: 'not_configured' });
    }
    const [{ makeImage }, { imageFile }] = await Promise.all([
      import('./web/image-backends.ts'),
      import('./web/image-file.ts'),
    ]);
    const prompt = String(args['prompt']);
    const made = await makeImage(
      image,
      {
        prompt,
        width: Number(args['width']),
        height: Number(args['height']),
        steps: Number(args['steps']),
        guidance_scale: Number(args['guidance_scale']),
      },
      context,
    );
    if (!made.ok) return made.output;
    const file = imageFile(made.bytes);
    if (file === undefined)
      return fail('io_error', 'The image server sent bytes that are no PNG, JPEG or WebP picture.');
    if (context.signal.aborted) return fail('io_error', 'Cancelled.', { reason: 'cancelled' });
    const saved = await save(context, nameOf(prompt), file.format, made.bytes);
    if (typeof saved !== 'string') return saved;
    const { format, ...size } = file;
    return ok({ path: saved, format, ...size, bytes: made.bytes.length });
  },
});
