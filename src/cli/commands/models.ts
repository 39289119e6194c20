/** `halter models list | pull | rm`. */

import { rm } from 'node:fs/promises';
import { freeDisk, planPull } from '../../agent/models/advise/pull-plan.ts';
import { DEFAULT_WINDOW } from '../../agent/models/advise.ts';
import type { ModelInfo } from '../../core/model-port.ts';
import type { Failure } from '../../core/outcome.ts';
import { quotedName } from '../../core/quoted-name.ts';
import { didYouMean } from '../../core/tool/nearest-names.ts';
import { isLoopbackHost } from '../../io/network/address.ts';
import { pullWithOllama, removeFromOllama } from '../../providers/ollama/ollama-admin.ts';
import type { Config } from '../../storage/config-file.ts';
import { formatBytes, formatDuration } from '../../terminal/text.ts';
import type { CommandCode, Invocation } from '../command-code.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { UsageError } from '../io.ts';
import { type ModelServers, namedProvider, openModelServers } from '../model-servers.ts';
import { FITS, gigabytes } from '../model-size-text.ts';
import { progressLine } from '../progress-line.ts';
import { createEnding } from '../run/ending.ts';
import { withServerSettings } from '../server-choice.ts';
import { pathsOf, readConfig, reportFailure, reportModelError } from '../settings.ts';
import { columns } from '../table.ts';

type Listed = { id: string; endpoint: string; model: ModelInfo };

/** Opens what a command needs, ends it on a signal, and closes it whatever happens. */
export const withServers = async (
  invocation: Invocation,
  work: (servers: ModelServers, signal: AbortSignal, settings: Config) => Promise<ExitCode>,
): Promise<ExitCode> => {
  const config = await readConfig(invocation.io);
  if (!config.ok) return reportFailure(config.error, invocation.io);
  const settings = config.value;
  const ending = createEnding(invocation.io, undefined);
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
    withServers(invocation, async (servers, signal, settings) => {
      const { io, flags } = invocation;
      const offline = flags.offline ?? settings.offline ?? false;
      const { provider, model } = target(invocation);
      const progress = progressLine(io.stderr);
      const isThere = provider === 'embedded' && (await servers.store.find(model)) !== undefined;
      const problem = isThere ? undefined : await announce(servers, { provider, model, io, signal, offline });
      if (problem !== undefined) {
        io.stderr.write(`halter: ${problem}\n`);
        return EXIT.error;
      }
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
        onProgress: ({ source, bytes, total, secondsLeft, phase }) => {
          const left = secondsLeft === undefined ? '' : `, ${formatDuration(secondsLeft * 1000)} left`;
          const doing = phase === undefined ? '' : `${phase} `;
          progress.show(
            `${doing}${model} from ${source}: ${formatBytes(bytes)} of ${formatBytes(total)}${left}`,
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
      reportFailure({ error_type: 'io_error', message: `${message}\n${hint}` }, io);
      return reason === 'disk' || reason === 'cancelled' ? EXIT.error : EXIT.modelUnusable;
    }),
};

type Wanted = {
  provider: 'embedded' | 'ollama';
  model: string;
  io: Invocation['io'];
  signal: AbortSignal;
  offline: boolean;
};

/** Says what will be downloaded and whether it fits; the answer is why it cannot be begun at all. */
const announce = async (servers: ModelServers, wanted: Wanted): Promise<string | undefined> => {
  const { provider, model, io, signal, offline } = wanted;
  const isHere = provider === 'embedded' || isLoopbackHost(new URL(servers.ollamaUrl).hostname);
  const { network } = servers;
  const plan = await planPull({ network, signal, offline, provider, model, isHere, window: DEFAULT_WINDOW });
  if (plan === undefined) return undefined;
  const { bytes, from, memory, fits, window, memoryBytes, freeBytes } = plan;
  io.stderr.write(`${model}: ${bytes === undefined ? 'of unknown size' : gigabytes(bytes)} from ${from}\n`);
  if (memory !== undefined) {
    const here =
      fits === undefined ? '' : `: ${FITS[fits]} (${gigabytes(freeBytes)} of ${gigabytes(memoryBytes)} free)`;
    io.stderr.write(`It takes ${gigabytes(memory.bytes)} of memory with a window of ${window} tokens${here}.\n`);
  }
  const room = provider === 'embedded' ? await freeDisk(pathsOf(io).data) : undefined;
  return room !== undefined && bytes !== undefined && room < bytes
    ? `The disk has ${gigabytes(room)} left, and the model takes ${gigabytes(bytes)}.`
    : undefined;
};

/** `where`: behind "There is no model X". */
export const noSuchModel = (model: string, among: readonly string[], where: string): Failure => ({
  error_type: 'not_found',
  message: `There is no model ${quotedName(model)} ${where}.${didYouMean(model, among)} \`halter models list\` shows what there is.`,
});

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
        const kept = (await servers.store.list()).map(({ id }) => id);
        return reportFailure(noSuchModel(model, kept, `in ${servers.store.folder}`), io);
      }
      await rm(file);
      io.stdout.write(`${file}\n`);
      return EXIT.answered;
    }),
};
