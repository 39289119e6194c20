import { type Agent, type AgentOptions, createAgent } from '../agent/create-agent.ts';

export type OpenHalterOptions = Pick<AgentOptions, 'folder'> & Partial<AgentOptions>;

/** A halter for one folder, as the command line opens it. Throws where the options make no sense. */
export const openHalter = async (options: OpenHalterOptions): Promise<Agent> => {
  const opened = await createAgent({
    environment: process.env,
    platform: process.platform,
    documents: true,
    onWarning: (code, message) => process.emitWarning(message, { code }),
    ...options,
  });
  if (!opened.ok) throw new TypeError(opened.error.message);
  return opened.value;
};
