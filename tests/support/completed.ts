/** A completion of the gateway, as its wires ask for one. */

import type { ModelProvider } from '../../src/core/model-port.ts';
import type { CompletionPart } from '../../src/gateway/asking.ts';
import { type CompletionRequest, complete } from '../../src/gateway/complete.ts';

/** `parts`: what was told while the model wrote; `heard`: all of it together. */
export const completed = async (provider: ModelProvider, request: Partial<CompletionRequest> = {}) => {
  const parts: CompletionPart[] = [];
  const done = await complete(
    {
      chosen: { provider, model: 'm', info: { id: 'm' } },
      messages: [{ role: 'user', content: 'go' }],
      tools: [],
      toolChoice: 'auto',
      parallel: true,
      sampling: {},
      stop: [],
      signal: new AbortController().signal,
      ...request,
    },
    (part) => parts.push(part),
  );
  if (!done.ok) throw new Error(done.error.message);
  return { ...done.value, parts, heard: parts.map(({ delta }) => delta).join('') };
};
