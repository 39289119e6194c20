/** `halter models load | unload`: which models a server that serves several holds in memory. */
import type { HoldOptions } from '../../providers/hold-model.ts';
import type { ServerProviderName } from '../../providers/index.ts';
import type { CommandCode, Invocation } from '../command-code.ts';
import { EXIT } from '../exit-codes.ts';
import { UsageError } from '../io.ts';
import { type ModelServers, namedProvider } from '../model-servers.ts';
import { withServerSettings } from '../server-choice.ts';
import { reportModelError } from '../settings.ts';
import { withServers } from './models.ts';

type Target = { provider: ServerProviderName; baseUrl: string | undefined; model: string };

/** The server that is named, else the first on a usual port that has the model. */
const targetOf = async (
  servers: ModelServers,
  flags: Invocation['flags'],
  words: readonly string[],
  signal: AbortSignal,
): Promise<Target | undefined> => {
  const { provider, model } = namedProvider(flags, words[0]);
  if (model === undefined) throw new UsageError('The name of the model is missing.');
  if (provider === 'embedded')
    throw new UsageError('The embedded engine holds its model as long as the program runs, and no longer.');
  if (provider !== undefined) return { provider, baseUrl: flags['base-url'], model };
  const found = (await servers.detect(signal)).find(({ models }) => models.includes(model));
  return found && { provider: found.provider, baseUrl: found.baseUrl, model };
};

const holdCommand = (wanted: HoldOptions['wanted']): CommandCode => ({
  execute: (invocation) =>
    withServers(invocation, async (servers, signal, settings) => {
      const { io, words } = invocation;
      const target = await targetOf(servers, withServerSettings(invocation.flags, settings), words, signal);
      if (target === undefined) {
        io.stderr.write(`halter: no server that answers has a model ${JSON.stringify(words[0])}\n`);
        return EXIT.error;
      }
      const held = await servers.hold(target.provider, target.baseUrl, { model: target.model, wanted, signal });
      if (!held.ok) return reportModelError(held.error, io);
      io.stdout.write(`${target.model} is ${wanted}\n`);
      return EXIT.answered;
    }),
});

export const modelsLoadCommand = holdCommand('loaded');
export const modelsUnloadCommand = holdCommand('unloaded');
