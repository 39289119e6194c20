/** `halter models load | unload`: which models a server that serves several holds in memory. */
import { type Outcome, succeed } from '../../core/outcome.ts';
import type { HoldOptions } from '../../providers/hold-model.ts';
import type { ServerProviderName } from '../../providers/index.ts';
import type { CommandCode, Invocation } from '../command-code.ts';
import { EXIT } from '../exit-codes.ts';
import { UsageError } from '../io.ts';
import { type ModelServers, namedProvider } from '../model-servers.ts';
import { withServerSettings } from '../server-choice.ts';
import { reportFailure, reportModelError } from '../settings.ts';
import { noSuchModel, withServers } from './models.ts';

type Target = { provider: ServerProviderName; baseUrl: string | undefined; model: string };

/** The server that is named, else the first on a usual port that has the model. */
const targetOf = async (
  servers: ModelServers,
  flags: Invocation['flags'],
  words: readonly string[],
  signal: AbortSignal,
): Promise<Outcome<Target>> => {
  const { provider, model } = namedProvider(flags, words[0]);
  if (model === undefined) throw new UsageError('The name of the model is missing.');
  if (provider === 'embedded')
    throw new UsageError('The embedded engine holds its model as long as the program runs, and no longer.');
  if (provider !== undefined) return succeed({ provider, baseUrl: flags['base-url'], model });
  const answering = await servers.detect(signal);
  const found = answering.find(({ models }) => models.includes(model));
  if (found) return succeed({ provider: found.provider, baseUrl: found.baseUrl, model });
  const among = answering.flatMap(({ models }) => models);
  return { ok: false, error: noSuchModel(model, among, 'on a server that answers') };
};

const holdCommand = (wanted: HoldOptions['wanted']): CommandCode => ({
  execute: (invocation) =>
    withServers(invocation, async (servers, signal, settings) => {
      const { io, words } = invocation;
      const target = await targetOf(servers, withServerSettings(invocation.flags, settings), words, signal);
      if (!target.ok) return reportFailure(target.error, io);
      const { provider, baseUrl, model } = target.value;
      const held = await servers.hold(provider, baseUrl, { model, wanted, signal });
      if (!held.ok) return reportModelError(held.error, io);
      io.stdout.write(`${model} is ${wanted}\n`);
      return EXIT.answered;
    }),
});

export const modelsLoadCommand = holdCommand('loaded');
export const modelsUnloadCommand = holdCommand('unloaded');
