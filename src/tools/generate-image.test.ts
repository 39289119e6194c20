/** Each image server in its own words, on a server that speaks them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { jsonRoutes, pngBytes, type Route, webWorld } from '../../tests/support/web-world.ts';
import type { JsonObject } from '../core/json.ts';
import type { ImageSettings } from '../core/web-settings.ts';
import { generateImage } from './generate-image.ts';

const PICTURE = pngBytes(512, 256).toString('base64');
const WISH = { prompt: 'A fox, sleeping in the sun today!', width: 512, height: 256 };

/** Every server has an address of its own here, since what is found out about one is remembered. */
let hosts = 0;
const world = async (routes: Record<string, Route>, more: Partial<ImageSettings> = {}, path = '') => {
  const { listener, requests } = jsonRoutes(routes);
  hosts += 1;
  const image = { url: `http://127.0.0.1:${10_000 + hosts}${path}`, ...more };
  return { ...(await webWorld(listener, { image })), requests };
};
const bodyOf = (requests: { route: string; body: string }[], route: string) =>
  JSON.parse(requests.find((request) => request.route === route)?.body ?? 'null');

describe('generate_image', () => {
  it('speaks with Automatic1111 and saves the picture under a name of its own', async () => {
    verifies('E3');
    const { call, requests, root } = await world({
      'GET /sdapi/v1/options': () => ({ sd_model_checkpoint: 'm.safetensors', samples_format: 'png' }),
      'GET /sdapi/v1/progress': () => ({ progress: 0.5, eta_relative: 2, state: {}, current_image: null }),
      'POST /sdapi/v1/txt2img': () => ({ images: [PICTURE], parameters: {}, info: '{}' }),
    });
    const result = await call(generateImage, WISH);
    expect(JSON.parse(result.data ?? '')).toEqual({
      path: 'images/a-fox-sleeping-in-the.png',
      format: 'png',
      width: 512,
      height: 256,
      bytes: 33,
    });
    expect(readFileSync(join(root, 'images/a-fox-sleeping-in-the.png')).equals(pngBytes(512, 256))).toBe(true);
    expect(bodyOf(requests, 'POST /sdapi/v1/txt2img')).toEqual({ ...WISH, steps: 20, cfg_scale: 3.5 });
    await call(generateImage, WISH);
    expect(readdirSync(join(root, 'images')).sort()).toEqual([
      'a-fox-sleeping-in-the-2.png',
      'a-fox-sleeping-in-the.png',
    ]);
  });

  it('speaks with ComfyUI: a graph, its history, the picture', async () => {
    verifies('E3');
    let looks = 0;
    const { call, requests } = await world({
      'GET /system_stats': () => ({ system: { comfyui_version: '0.3' }, devices: [] }),
      'GET /object_info/CheckpointLoaderSimple': () => ({
        CheckpointLoaderSimple: { input: { required: { ckpt_name: [['sd15.safetensors', 'xl.safetensors'], {}] } } },
      }),
      'POST /prompt': () => ({ prompt_id: 'p-1', number: 3, node_errors: {} }),
      'GET /history/p-1': (): JsonObject => {
        looks += 1;
        return looks < 2
          ? {}
          : {
              'p-1': {
                outputs: { saved: { images: [{ filename: 'halter_1_.png', subfolder: 'x', type: 'output' }] } },
                status: { status_str: 'success', completed: true, messages: [] },
              },
            };
      },
      'GET /view': (_, url) =>
        url.search === '?filename=halter_1_.png&subfolder=x&type=output' ? pngBytes(512, 256) : undefined,
    });
    expect(await call(generateImage, { ...WISH, steps: 4 })).toMatchObject({ success: true });
    const { prompt: graph } = bodyOf(requests, 'POST /prompt') as {
      prompt: Record<string, { class_type: string; inputs: object }>;
    };
    expect(graph['model']?.inputs).toEqual({ ckpt_name: 'sd15.safetensors' });
    expect(graph['words']?.inputs).toMatchObject({ text: WISH.prompt });
    expect(graph['sampler']?.inputs).toMatchObject({ steps: 4, cfg: 3.5 });
    expect(graph['canvas']?.inputs).toMatchObject({ width: 512, height: 256 });
  });

  it('tells why ComfyUI could not', async () => {
    const { call } = await world(
      {
        'POST /prompt': () => ({ prompt_id: 'p' }),
        'GET /history/p': () => ({
          p: {
            outputs: {},
            status: {
              status_str: 'error',
              completed: false,
              messages: [['execution_error', { exception_message: 'out of memory' }]],
            },
          },
        }),
      },
      { api: 'comfyui', model: 'm' },
    );
    expect((await call(generateImage, WISH)).error_message).toContain('out of memory');
  });

  it('speaks with stable-diffusion.cpp: a job, and its end', async () => {
    verifies('E3');
    let looks = 0;
    const { call, requests, reported } = await world({
      'GET /sdcpp/v1/capabilities': () => ({ model: { name: 'm' }, current_mode: 'img_gen' }),
      'POST /sdcpp/v1/img_gen': () => ({ status: 202, body: { id: 'job_1', kind: 'img_gen', status: 'queued' } }),
      'GET /sdcpp/v1/jobs/job_1': () => {
        looks += 1;
        return looks < 2
          ? { id: 'job_1', status: 'generating', result: null }
          : {
              id: 'job_1',
              status: 'completed',
              result: { output_format: 'png', images: [{ index: 0, b64_json: PICTURE }] },
            };
      },
    });
    expect(await call(generateImage, WISH)).toMatchObject({ success: true });
    expect(bodyOf(requests, 'POST /sdcpp/v1/img_gen')).toMatchObject({
      ...WISH,
      sample_params: { sample_steps: 20, guidance: { txt_cfg: 3.5 } },
    });
    expect(reported).toEqual(['generating\n']);
  });

  it("speaks with a server of OpenAI's form, with a key, and fetches a picture that it only names", async () => {
    verifies('E3');
    const { call, requests } = await world(
      {
        'GET /v1/models': () => ({ object: 'list', data: [] }),
        'POST /v1/images/generations': () => ({ created: 1, data: [{ url: 'http://pictures.test/x.png' }] }),
        'GET /x.png': () => pngBytes(64, 64),
      },
      { key: 'k', model: 'dall-e-3' },
      '/v1',
    );
    expect(JSON.parse((await call(generateImage, WISH)).data ?? '')).toMatchObject({ width: 64 });
    expect(bodyOf(requests, 'POST /v1/images/generations')).toEqual({
      prompt: WISH.prompt,
      n: 1,
      size: '512x256',
      model: 'dall-e-3',
      response_format: 'b64_json',
    });
    const headers = (route: string) => requests.find((request) => request.route === route)?.headers['authorization'];
    expect(headers('POST /v1/images/generations')).toBe('Bearer k');
    expect(headers('GET /x.png')).toBeUndefined();
  });

  it('does not fetch from a private address that the server names', async () => {
    const { call } = await world(
      { 'POST /images/generations': () => ({ data: [{ url: 'http://169.254.169.254/x' }] }) },
      { api: 'openai' },
    );
    expect(await call(generateImage, WISH)).toMatchObject({ error_type: 'permission_denied' });
  });

  it('asks the server to stop when it is cancelled', async () => {
    verifies('E3', 'E11');
    const cancel = new AbortController();
    let stopped: () => void = () => {};
    const told = new Promise<void>((resolve) => {
      stopped = resolve;
    });
    const { call } = await world(
      {
        'POST /sdcpp/v1/img_gen': () => ({ id: 'j' }),
        'GET /sdcpp/v1/jobs/j': () => {
          cancel.abort();
          return { status: 'generating' };
        },
        'POST /sdcpp/v1/jobs/j/cancel': () => {
          stopped();
          return {};
        },
      },
      { api: 'stable-diffusion-cpp' },
    );
    expect(await call(generateImage, WISH, cancel.signal)).toMatchObject({ metadata: { reason: 'cancelled' } });
    await told;
  });

  it('says what a server is not, and what it says itself', async () => {
    expect((await (await world({})).call(generateImage, WISH)).error_message).toContain(
      'no image server that halter knows',
    );
    const refused = await world(
      { 'POST /images/generations': () => ({ status: 400, body: { error: { message: 'not that' } } }) },
      { api: 'openai' },
    );
    expect((await refused.call(generateImage, WISH)).error_message).toContain('not that');
    const broken = await world(
      { 'POST /images/generations': () => ({ data: [{ b64_json: 'aGVsbG8=' }] }) },
      { api: 'openai' },
    );
    expect((await broken.call(generateImage, WISH)).error_message).toContain('no PNG');
  });

  it('without a server says what to set, and keeps to its arguments', async () => {
    const { call } = await webWorld((_, response) => response.end());
    expect((await call(generateImage, WISH)).error_message).toContain('HALTER_IMAGE_URL');
    expect(generateImage.unavailable?.({})).toContain('HALTER_IMAGE_URL');
    expect(await call(generateImage, { prompt: 'x', width: 10_000 })).toMatchObject({
      error_type: 'validation_failed',
    });
    expect(await call(generateImage, { prompt: 'x', steps: true })).toMatchObject({ error_type: 'validation_failed' });
  });
});
