/** The inside of `render-template.ts`: renderings in a thread of their own. */
import { parentPort } from 'node:worker_threads';
import { Template } from '@huggingface/jinja';
import { thrownText } from '../../../core/thrown-text.ts';
import type { RenderReply, RenderRequest } from './render-template.ts';

/** The last template, ready to render: a conversation uses the same one again and again. */
let last: { source: string; template: Template } | undefined;

const render = ({ template: source, input }: RenderRequest): RenderReply => {
  try {
    if (last?.source !== source) last = { source, template: new Template(source) };
    return { ok: true, text: last.template.render(input) };
  } catch (error) {
    return { ok: false, message: thrownText(error) };
  }
};

parentPort?.on('message', (request: RenderRequest) => parentPort?.postMessage(render(request)));
