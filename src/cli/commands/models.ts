/** `halter models list | pull | rm`. */
import { rm } from 'node:fs/promises';
import type { ModelInfo } from '../../core/model-port.ts';
import { pullWithOllama, removeFromOllama } from '../../providers/ollama/ollama-admin.ts';
import type { Config } from '../../storage/config-file.ts';
import { formatBytes, formatDuration } from '../../terminal/text.ts';
import type { CommandCode, Invocation } from '../command-code.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { UsageError } from '../io.ts';
import { type ModelServers, namedProvider, openModelServers } from '../model-servers.ts';
import { progressLine } from '../progress-line.ts';
import { createEnding } from '../run/ending.ts';
import { withServerSettings } from '../server-choice.ts';
import { readConfig, reportFailure, reportModelError } from '../settings.ts';
import { columns } from '../table.ts';

type Listed = { id: string; endpoint: string; model: ModelInfo };

/** Opens what a command needs, ends it on a signal, and closes it whatever happens. */
const withServers = async (
  invocation: Invocation,
  work: (servers: ModelServers, signal: AbortSignal, settings: Config) => Promise<ExitCode>,
): Promise<ExitCode> => {
  const ending = createEnding(invocation.io, undefined);
  const config = await readConfig(invocation.io);
  const settings = config.ok ? config.value : {};
  const servers = openModelServers(withServerSettings(invocation.flags, settings), invocation.io, settings);
  try {
    const code = await work(servers, ending.signal, settings);
    return ending.reason() === 'interrupted' ? EXIT.interrupted : code;
  } finally {
    ending.release();
    servers.close();
  }
};

export const modelsListCommand: CommandCode = {
  execute: (invocation) =>
    withServers(invocation, async (servers, signal, settings) => {
      const { flags: given, io } = invocation;
      const flags = withServerSettings(given, settings);
      const { provider } = namedProvider(flags);
      const listed: Listed[] = [];
      if (provider !== undefined && provider !== 'embedded') {
        const found = await servers.list(provider, flags['base-url'], signal);
        if (!found.ok) return reportModelError(found.error, io);
        for (const model of found.models)
          listed.push({ id: `${provider}/${model.id}`, endpoint: found.endpoint, model });
      }
      if (provider === undefined) {
        for (const endpoint of await servers.detect(signal)) {
          const found = await servers.list(endpoint.provider, endpoint.baseUrl, signal);
          for (const model of found.ok ? found.models : []) {
            listed.push({ id: `${endpoint.provider}/${model.id}`, endpoint: endpoint.baseUrl, model });
          }
        }
      }
      if (provider === undefined || provider === 'embedded') {
        for (const model of await servers.store.list()) {
          listed.push({ id: `embedded/${model.id}`, endpoint: servers.store.folder, model });
        }
      }
      if (flags.json) {
        const models = listed.map(({ id, endpoint, model }) => ({ ...model, id, endpoint }));
        io.stdout.write(`${JSON.stringify({ models })}\n`);
        return EXIT.answered;
      }
      io.stdout.write(columns(listed.map(rowOf)));
      if (listed.length === 0) {
        io.stderr.write(
          'halter: there is no model yet. `halter models pull starter` gets a small one for this machine.\n',
        );
      }
      return EXIT.answered;
    }),
};

const rowOf = ({ id, endpoint, model }: Listed): string[] => [
  id,
  model.size_bytes === undefined ? '' : formatBytes(model.size_bytes),
  model.context_length === undefined ? '' : `${model.context_length} tokens`,
  [model.loaded ? 'loaded' : '', model.tools === false ? 'no tools' : '', model.vision ? 'vision' : '']
    .filter((word) => word !== '')
    .join(', '),
  endpoint,
];

/** The embedded engine's models are the default; `ollama/NAME` or `--provider ollama` means that server. */
const target = ({ flags, words }: Invocation): { provider: 'embedded' | 'ollama'; model: string } => {
  const { provider = 'embedded', model } = namedProvider(flags, words[0]);
  if (provider !== 'embedded' && provider !== 'ollama') {
    throw new UsageError(`halter can pull and remove models for ollama and the embedded engine, not for ${provider}.`);
  }
  if (model === undefined) throw new UsageError('The name of the model is missing.');
  return { provider, model };
};

export const modelsPullCommand: CommandCode = {
  execute: (invocation) =>
    withServers(invocation, async (servers, signal) => {
      const { io } = invocation;
      const { provider, model } = target(invocation);
      const progress = progressLine(io.stderr);
      if (provider === 'ollama') {
        const ask = { network: servers.network, url: servers.ollamaUrl, model, signal };
        const pulled = await pullWithOllama(ask, (status, fraction) => progress.show(status, fraction));
        progress.clear();
        if (!pulled.ok) return reportFailure(pulled.error, io);
        io.stdout.write(`${model}\n`);
        return EXIT.answered;
      }
      const pulled = await servers.store.pull(model, {
        signal,
        onProgress: ({ source, bytes, total, secondsLeft }) => {
          const left = secondsLeft === undefined ? '' : `, ${formatDuration(secondsLeft * 1000)} left`;
          progress.show(
            `${model} from ${source}: ${formatBytes(bytes)} of ${formatBytes(total)}${left}`,
            bytes / total,
          );
        },
      });
      progress.clear();
      if (pulled.ok) {
        io.stdout.write(`${pulled.value.file}\n`);
        return EXIT.answered;
      }
      const { reason, message, hint } = pulled.error;
      io.stderr.write(`halter: ${message}\n${hint}\n`);
      return reason === 'disk' || reason === 'cancelled' ? EXIT.error : EXIT.modelUnusable;
    }),
};

export const modelsRemoveCommand: CommandCode = {
  execute: (invocation) =>
    withServers(invocation, async (servers, signal) => {
      const { io } = invocation;
      const { provider, model } = target(invocation);
      if (provider === 'ollama') {
        const removed = await removeFromOllama({ network: servers.network, url: servers.ollamaUrl, model, signal });
        return removed.ok ? EXIT.answered : reportFailure(removed.error, io);
      }
      const file = await servers.store.find(model);
      if (file === undefined) {
        io.stderr.write(`halter: there is no model ${JSON.stringify(model)} in ${servers.store.folder}\n`);
        return EXIT.error;
      }
      await rm(file);
      io.stdout.write(`${file}\n`);
      return EXIT.answered;
    }),
};
