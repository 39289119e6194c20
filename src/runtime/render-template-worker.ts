/** The inside of `render-template.ts`: one rendering in a thread of its own. */
import { parentPort, workerData } from 'node:worker_threads';
import { Template } from '@huggingface/jinja';
import type { RenderReply, TemplateInput } from './render-template.ts';

const render = ({ template, input }: { template: string; input: TemplateInput }): RenderReply => {
  try {
    const text = new Template(template).render(input);
    return { ok: true, text };
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : String(error) };
  }
};

parentPort?.postMessage(render(workerData as { template: string; input: TemplateInput }));
