import { type Agent, type AgentOptions, createAgent } from '../agent/create-agent.ts';
import type { ModelProvider } from '../core/model-port.ts';
import { BUILT_IN_TOOLS } from '../tools/index.ts';

export type OpenHalterOptions = AgentOptions & {
  /** The same as `workspace`. */
  folder?: string;
  /** The same as `model.provider`, where that is a provider of your own. */
  modelProvider?: ModelProvider;
};

/**
 * An agent for one folder, as the command line opens it: halter's own tools, AGENTS.md, documents in chats, and everything
 * kept in the person's files. Options are those of `createAgent`. Throws `TypeError` where they make no sense.
 */
export const openHalter = async ({ folder, modelProvider, ...options }: OpenHalterOptions): Promise<Agent> => {
  const model = typeof options.model === 'string' ? { name: options.model } : options.model;
  const opened = await createAgent({
    workspace: folder,
    tools: BUILT_IN_TOOLS,
    storage: 'files',
    ...options,
    model: modelProvider === undefined ? model : { ...model, provider: modelProvider },
    prompt: { projectInstructions: true, ...options.prompt },
    search: { documents: true, ...options.search },
  });
  if (!opened.ok) throw new TypeError(opened.error.message);
  return opened.value;
};
