import { type AssembleOptions, assemble, type Halter } from '../agent/create-agent.ts';

export type OpenHalterOptions = Pick<AssembleOptions, 'folder'> & Partial<AssembleOptions>;

/** A halter for one folder, as the command line opens it. Throws where the options make no sense. */
export const openHalter = async (options: OpenHalterOptions): Promise<Halter> => {
  const opened = await assemble({
    environment: process.env,
    platform: process.platform,
    documents: true,
    onWarning: (code, message) => process.emitWarning(message, { code }),
    ...options,
  });
  if (!opened.ok) throw new TypeError(opened.error.message);
  return opened.value;
};
