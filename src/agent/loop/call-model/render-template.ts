/**
 * Renders a model's own Jinja chat template. Templates come out of model files that anybody may have made, and Jinja can
 * loop for ever, so they are rendered in a thread that is ended when its time is up.
 */
import { Worker } from 'node:worker_threads';
import type { JsonObject } from '../../../core/json.ts';
import { failure, type Outcome, succeed } from '../../../core/outcome.ts';
import { mapInexact } from '../../../core/written-numbers.ts';
import { packageFile } from '../../../disk/own-package.ts';
import { AGENT_LIMITS } from '../../limits.ts';

export type RenderRequest = { template: string; input: JsonObject };
export type RenderReply = { ok: true; text: string } | { ok: false; message: string };

export type TemplateRenderer = {
  /** `input` is what templates expect: messages, tools, add_generation_prompt, bos_token, eos_token … */
  render(template: string, input: JsonObject): Promise<Outcome<string>>;
  close(): void;
};

const workerFile = new URL(
  `./render-template-worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`,
  import.meta.url,
);

const startWorker = (file: URL): Worker =>
  new Worker(file, {
    resourceLimits: { maxOldGenerationSizeMb: AGENT_LIMITS.templateMemoryMb },
    // A template must see nothing of the program's environment.
    env: {},
    execArgv: [],
  });

/** One thread for many renderings, one after the other; a thread that hangs or breaks is replaced. */
export const createTemplateRenderer = (timeoutMs: number = AGENT_LIMITS.templateTimeoutMs): TemplateRenderer => {
  let worker: Worker | undefined;
  let queue: Promise<unknown> = Promise.resolve();
  const close = (): void => {
    void worker?.terminate();
    worker = undefined;
  };
  const renderOne = (request: RenderRequest): Promise<Outcome<string>> =>
    new Promise((resolve) => {
      const file = packageFile('agent/loop/call-model/', workerFile);
      if (!file.ok) return resolve(file);
      worker ??= startWorker(file.value);
      const own = worker;
      const settle = (outcome: Outcome<string>, broken: boolean): void => {
        clearTimeout(timer);
        own.off('message', onMessage);
        own.off('error', onError);
        // An idle thread does not keep the program alive.
        own.unref();
        if (broken) close();
        resolve(outcome);
      };
      const onMessage = (reply: RenderReply): void =>
        settle(reply.ok ? succeed(reply.text) : templateFailed(reply.message), false);
      const onError = (error: Error): void => settle(templateFailed(error.message), true);
      const timer = setTimeout(() => {
        settle(failure('io_error', `The chat template did not finish within ${timeoutMs / 1000} s.`, 'timeout'), true);
      }, timeoutMs);
      own.on('message', onMessage);
      own.on('error', onError);
      own.ref();
      own.postMessage(request);
    });
  return {
    render(template, input) {
      const kept = withPlaceholders(template, input);
      const done = queue
        .then(() => renderOne({ template, input: kept.input }))
        .then((text) => (text.ok ? succeed(kept.restore(text.value)) : text));
      queue = done;
      return done;
    },
    close,
  };
};

/** The first of the numbers that stand for those whose digits would get lost on the way through the template. */
const FIRST_PLACEHOLDER = 8_000_000_000_000_000;

const withPlaceholders = (
  template: string,
  input: JsonObject,
): { input: JsonObject; restore(text: string): string } => {
  const digits: string[] = [];
  const noted = mapInexact(input, (number) => digits.push(number));
  if (noted === input) return { input, restore: (text) => text };
  const given = template + JSON.stringify(input);
  let first = FIRST_PLACEHOLDER;
  while (digits.some((_, index) => given.includes(String(first + index)))) first += digits.length;
  let index = first;
  return {
    input: mapInexact(input, () => index++) as JsonObject,
    restore: (text) => digits.reduce((whole, number, at) => whole.replaceAll(String(first + at), number), text),
  };
};

const templateFailed = (message: string): Outcome<string> =>
  failure('parse_error', `The chat template failed: ${message}`);

/** A single rendering. */
export const renderTemplate = async (
  template: string,
  input: JsonObject,
  timeoutMs?: number,
): Promise<Outcome<string>> => {
  const renderer = createTemplateRenderer(timeoutMs);
  try {
    return await renderer.render(template, input);
  } finally {
    renderer.close();
  }
};
