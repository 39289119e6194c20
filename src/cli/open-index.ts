/** The index of the folder that a command is called in. No tool is opened for it, and a model only to make vectors. */
import { join, resolve } from 'node:path';
import { type Outcome, succeed } from '../core/outcome.ts';
import { createWorkspace } from '../io/workspace.ts';
import { openRetrieval, type RetrievalService } from '../search/open-retrieval.ts';
import type { Config } from '../storage/config-file.ts';
import type { HalterPaths } from '../storage/paths.ts';
import type { Storage } from '../storage/storage.ts';
import type { FlagValues } from './flags.ts';
import type { Io } from './io.ts';
import { modelKeyOf } from './model-key.ts';
import { databaseOf } from './session-access.ts';
import { pathsOf, readConfig } from './settings.ts';

export const openIndexHere = async (flags: FlagValues, io: Io): Promise<Outcome<RetrievalService>> => {
  const config = await readConfig(io);
  if (!config.ok) return config;
  const workspace = await createWorkspace({ root: resolve(io.cwd, flags.directory ?? '.') });
  if (!workspace.ok) return workspace;
  const folders = pathsOf(io);
  const storage = await openSharedHere(databaseOf(flags, config.value, io), folders, config.value);
  if (!storage.ok) return storage;
  const { embedding_model: model } = config.value;
  const vectors =
    model === undefined ? undefined : await openEmbedderHere(config.value, workspace.value.root, folders.data, io);
  const service = openRetrieval({
    dataFolder: folders.data,
    workspace: workspace.value,
    shared: storage.value?.index,
    ...(vectors?.embedder ? { embedder: vectors.embedder } : {}),
  });
  return succeed({
    ...service,
    async close() {
      await service.close();
      vectors?.close();
      await storage.value?.close();
    },
  });
};

/** Where a database is named, the index is there, for all processes. */
const openSharedHere = async (
  database: string | undefined,
  folders: HalterPaths,
  { offline }: Config,
): Promise<Outcome<Storage | undefined>> => {
  if (database === undefined) return succeed(undefined);
  const { openStorage } = await import('../storage/storage.ts');
  return openStorage({ folders, database, offline: offline ?? false });
};

const openEmbedderHere = async (config: Config, root: string, dataFolder: string, io: Io) => {
  const [{ createNetwork }, { createProcesses }, { embedderOf }] = await Promise.all([
    import('../io/network.ts'),
    import('../io/processes.ts'),
    import('../agent/knowledge/open-embedder.ts'),
  ]);
  const network = createNetwork({ environment: io.env, offline: config.offline ?? false });
  const processes = createProcesses({ root, environment: io.env });
  const agentIo = { environment: io.env, offline: config.offline ?? false, onWarning: () => {} };
  const embedder = embedderOf(
    {
      embeddingModel: config.embedding_model,
      model: {
        name: config.model,
        provider: config.provider,
        baseUrl: config.base_url,
        ...modelKeyOf({}, config, io),
      },
    },
    { network, processes, io: agentIo, modelsFolder: join(dataFolder, 'models') },
  );
  return {
    embedder,
    close() {
      processes.close();
      network.close();
    },
  };
};
