/** The image servers, each in its own words. All make one picture and give its bytes. */
import type { JsonObject, JsonValue } from '../../core/json.ts';
import type { ToolContext } from '../../core/tool.ts';
import { fail, type ToolOutput } from '../../core/tool-result.ts';
import type { ImageApi, ImageSettings } from '../../core/web-settings.ts';
import { TOOL_LIMITS } from '../limits.ts';
import { cutText, oneLine } from './clean-text.ts';
import {
  at,
  connectImageServer,
  fromBase64,
  type ImageOutcome,
  type ImageRequest,
  type ImageServer,
  type JsonOutcome,
  pause,
  protocol,
  reporter,
  stoppable,
} from './image-server.ts';

type Adapter = { make(server: ImageServer, request: ImageRequest): Promise<ImageOutcome> };

const automatic1111: Adapter = {
  make: (server, { guidance_scale, ...request }) =>
    stoppable(
      server,
      () => server.tell('sdapi/v1/interrupt'),
      async () => {
        const report = reporter(server.context);
        let over = false;
        const watch = async (): Promise<void> => {
          for (;;) {
            await pause(server.context.signal);
            if (over || server.context.signal.aborted) return;
            const path = 'sdapi/v1/progress?skip_current_image=true';
            const seen = await server.json('GET', path, undefined, TOOL_LIMITS.imageProbeTimeoutMs);
            const progress = seen.ok ? at(seen.value, 'progress') : undefined;
            if (!over && typeof progress === 'number' && progress > 0) report(`${Math.round(progress * 100)} %`);
          }
        };
        void watch();
        const made = await server.json('POST', 'sdapi/v1/txt2img', { ...request, cfg_scale: guidance_scale });
        over = true;
        return made.ok ? fromBase64(at(made.value, 'images', 0)) : made;
      },
    ),
};

const stableDiffusionCpp: Adapter = {
  async make(server, { steps, guidance_scale, ...request }) {
    const started = await server.json('POST', 'sdcpp/v1/img_gen', {
      ...request,
      seed: -1,
      batch_count: 1,
      output_format: 'png',
      sample_params: { sample_steps: steps, guidance: { txt_cfg: guidance_scale, distilled_guidance: guidance_scale } },
    });
    if (!started.ok) return started;
    const id = at(started.value, 'id');
    if (typeof id !== 'string') return protocol('the job has no id');
    const job = `sdcpp/v1/jobs/${encodeURIComponent(id)}`;
    const report = reporter(server.context);
    return stoppable(
      server,
      () => server.tell(`${job}/cancel`),
      async () => {
        for (;;) {
          const seen = await server.json('GET', job);
          if (!seen.ok) return seen;
          const status = at(seen.value, 'status');
          if (status === 'completed') return fromBase64(at(seen.value, 'result', 'images', 0, 'b64_json'));
          if (status !== 'queued' && status !== 'generating') {
            const why = at(seen.value, 'error', 'message') ?? status;
            return { ok: false, output: fail('io_error', `The image server gave up: ${oneLine(String(why))}.`) };
          }
          report(String(status));
          await pause(server.context.signal);
        }
      },
    );
  },
};

const openai: Adapter = {
  async make(server, { prompt, width, height }) {
    const { model } = server.settings;
    const body: JsonObject = { prompt, n: 1, size: `${width}x${height}` };
    if (model !== undefined) body['model'] = model;
    // Newer models send the bytes unasked and refuse the question, so it is put only where none is named.
    if (model === undefined || model.startsWith('dall-e')) body['response_format'] = 'b64_json';
    const made = await server.json('POST', 'images/generations', body);
    if (!made.ok) return made;
    const [inside, address] = [at(made.value, 'data', 0, 'b64_json'), at(made.value, 'data', 0, 'url')];
    if (typeof inside === 'string') return fromBase64(inside);
    if (typeof address !== 'string') return protocol('there is no picture in it');
    const own = URL.parse(address)?.origin === new URL(server.settings.url).origin;
    const fetched = await server.send({ url: address, personsWord: own, redirects: TOOL_LIMITS.webRedirects });
    return fetched.ok ? { ok: true, bytes: fetched.answer.bytes } : fetched;
  },
};

/** The smallest graph of nodes that makes a picture from words. */
const comfyGraph = (checkpoint: string, request: ImageRequest, seed: number): JsonObject => ({
  model: { class_type: 'CheckpointLoaderSimple', inputs: { ckpt_name: checkpoint } },
  words: { class_type: 'CLIPTextEncode', inputs: { text: request.prompt, clip: ['model', 1] } },
  none: { class_type: 'CLIPTextEncode', inputs: { text: '', clip: ['model', 1] } },
  canvas: {
    class_type: 'EmptyLatentImage',
    inputs: { width: request.width, height: request.height, batch_size: 1 },
  },
  sampler: {
    class_type: 'KSampler',
    inputs: {
      model: ['model', 0],
      positive: ['words', 0],
      negative: ['none', 0],
      latent_image: ['canvas', 0],
      seed,
      steps: request.steps,
      cfg: request.guidance_scale,
      sampler_name: 'euler',
      scheduler: 'normal',
      denoise: 1,
    },
  },
  decoded: { class_type: 'VAEDecode', inputs: { samples: ['sampler', 0], vae: ['model', 2] } },
  saved: { class_type: 'SaveImage', inputs: { images: ['decoded', 0], filename_prefix: 'halter' } },
});

const comfyui: Adapter = {
  async make(server, request) {
    const checkpoint = await comfyCheckpoint(server);
    if (typeof checkpoint !== 'string') return checkpoint;
    const graph = comfyGraph(checkpoint, request, Math.floor(server.context.clock.now() % 2 ** 32));
    const started = await server.json('POST', 'prompt', { prompt: graph });
    if (!started.ok) return started;
    const id = at(started.value, 'prompt_id');
    if (typeof id !== 'string') return protocol('the queue gave no prompt_id');
    const report = reporter(server.context);
    const stop = (): void => {
      server.tell('queue', { delete: [id] });
      server.tell('interrupt', { prompt_id: id });
    };
    return stoppable(server, stop, async () => {
      for (;;) {
        const seen = await server.json('GET', `history/${encodeURIComponent(id)}`);
        if (!seen.ok) return seen;
        const status = at(seen.value, id, 'status', 'status_str');
        if (status === 'error') return { ok: false, output: fail('io_error', comfyError(at(seen.value, id))) };
        const image = comfyImage(at(seen.value, id, 'outputs'));
        if (image) return comfyView(server, image);
        if (at(seen.value, id, 'status', 'completed') === true) return protocol('no node made a picture');
        report('generating');
        await pause(server.context.signal);
      }
    });
  },
};

const comfyCheckpoint = async (server: ImageServer): Promise<string | Extract<JsonOutcome, { ok: false }>> => {
  if (server.settings.model !== undefined) return server.settings.model;
  const info = await server.json('GET', 'object_info/CheckpointLoaderSimple');
  if (!info.ok) return info;
  const names = at(info.value, 'CheckpointLoaderSimple', 'input', 'required', 'ckpt_name');
  const first = at(names, 0, 0) ?? at(names, 1, 'options', 0);
  return typeof first === 'string' ? first : protocol('ComfyUI has no checkpoint');
};

const comfyError = (entry: JsonValue | undefined): string => {
  const messages = at(entry, 'status', 'messages');
  const error = Array.isArray(messages) ? messages.find((message) => at(message, 0) === 'execution_error') : undefined;
  const why = at(error, 1, 'exception_message') ?? 'the log of ComfyUI says why';
  return `ComfyUI could not make the picture: ${cutText(oneLine(String(why)), TOOL_LIMITS.webSearchSnippetCharacters)}.`;
};

const comfyImage = (outputs: JsonValue | undefined): JsonObject | undefined => {
  if (typeof outputs !== 'object' || outputs === null) return undefined;
  for (const output of Object.values(outputs)) {
    const image = at(output, 'images', 0);
    if (typeof at(image, 'filename') === 'string') return image as JsonObject;
  }
  return undefined;
};

const comfyView = async (server: ImageServer, image: JsonObject): Promise<ImageOutcome> => {
  const query = new URLSearchParams({
    filename: String(image['filename']),
    subfolder: String(image['subfolder'] ?? ''),
    type: String(image['type'] ?? 'output'),
  });
  const fetched = await server.send({ url: server.address(`view?${query.toString()}`) });
  return fetched.ok ? { ok: true, bytes: fetched.answer.bytes } : fetched;
};

const ADAPTERS: Readonly<Record<ImageApi, Adapter>> = {
  automatic1111,
  comfyui,
  'stable-diffusion-cpp': stableDiffusionCpp,
  openai,
};

/** A path that only this make of server answers, in an order in which none is taken for another. */
const SIGNS: readonly (readonly [api: ImageApi, path: string, sign: string])[] = [
  ['stable-diffusion-cpp', 'sdcpp/v1/capabilities', 'model'],
  ['comfyui', 'system_stats', 'devices'],
  ['automatic1111', 'sdapi/v1/options', 'sd_model_checkpoint'],
  ['openai', 'models', 'data'],
];

/** What was found out about an address holds for the run. */
const known = new Map<string, ImageApi>();

const detect = async (
  server: ImageServer,
): Promise<{ ok: true; api: ImageApi } | { ok: false; output: ToolOutput }> => {
  const { url, api } = server.settings;
  const found = api ?? known.get(url);
  if (found !== undefined) return { ok: true, api: found };
  let last: ToolOutput | undefined;
  for (const [candidate, path, sign] of SIGNS) {
    const seen = await server.json('GET', path, undefined, TOOL_LIMITS.imageProbeTimeoutMs);
    if (seen.ok && at(seen.value, sign) !== undefined) {
      known.set(url, candidate);
      return { ok: true, api: candidate };
    }
    if (!seen.ok) last = seen.output;
    // Nobody is there, or a key is wanted: the other paths would say the same.
    if (
      last &&
      !last.success &&
      ['refused', 'timeout', 'connect_timeout', 'http_401'].includes(last.metadata?.reason ?? '')
    )
      return { ok: false, output: last };
  }
  const message = `${url} is no image server that halter knows. \`halter config set image_api NAME\` names its kind, in a program tools: { web: { imageApi } }.`;
  return { ok: false, output: fail('io_error', message, { reason: 'unknown_server' }) };
};

export const makeImage = async (
  settings: ImageSettings,
  request: ImageRequest,
  context: ToolContext,
): Promise<ImageOutcome> => {
  if (URL.parse(settings.url) === null) {
    return { ok: false, output: fail('io_error', `${settings.url} is no address.`, { reason: 'not_configured' }) };
  }
  const server = connectImageServer(context, settings);
  const detected = await detect(server);
  return detected.ok ? ADAPTERS[detected.api].make(server, request) : detected;
};
