/**
 * Renders a model's own Jinja chat template. Templates come out of model files that anybody may have made, and Jinja can
 * loop for ever, so each rendering happens in a worker that is ended when its time is up.
 */
import { Worker } from 'node:worker_threads';
import type { JsonValue } from '../core/json.ts';
import { LIMITS } from '../core/limits.ts';
import { failure, type Outcome, succeed } from '../core/outcome.ts';

export type TemplateInput = { [key: string]: JsonValue };
export type RenderReply = { ok: true; text: string } | { ok: false; message: string };

const workerFile = new URL(
  `./render-template-worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`,
  import.meta.url,
);

/** `input` is what templates expect: messages, tools, add_generation_prompt, bos_token, eos_token … */
export const renderTemplate = (
  template: string,
  input: TemplateInput,
  timeoutMs: number = LIMITS.templateTimeoutMs,
): Promise<Outcome<string>> =>
  new Promise((resolve) => {
    const worker = new Worker(workerFile, {
      workerData: { template, input },
      resourceLimits: { maxOldGenerationSizeMb: LIMITS.templateMemoryMb },
      // A template must see nothing of the program's environment.
      env: {},
      execArgv: [],
    });
    let settled = false;
    const settle = (outcome: Outcome<string>): void => {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      void worker.terminate();
      resolve(outcome);
    };
    const timer = setTimeout(() => {
      settle(failure('io_error', `The chat template did not finish within ${timeoutMs / 1000} s.`, 'timeout'));
    }, timeoutMs);
    worker.once('message', (reply: RenderReply) => {
      settle(reply.ok ? succeed(reply.text) : failure('parse_error', `The chat template failed: ${reply.message}`));
    });
    worker.once('error', (error) => settle(failure('parse_error', `The chat template failed: ${error.message}`)));
  });
