/** The starter model for tests, pulled once into the repository's own cache; undefined where it cannot be had. */
import path from 'node:path';
import { createNetwork } from '../../src/io/network.ts';
import { createProcesses } from '../../src/io/processes.ts';
import { createModelStore } from '../../src/providers/embedded/model-store.ts';

export const testCacheFolder = path.join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'halter');

export type TestModel = { file: string; problem?: undefined } | { file?: undefined; problem: string };

export const starterModel = async (): Promise<TestModel> => {
  const network = createNetwork({ environment: process.env });
  const processes = createProcesses({ root: path.dirname(testCacheFolder) });
  try {
    const folder = path.join(testCacheFolder, 'models');
    const store = createModelStore({ folder, network, processes, environment: process.env });
    const pulled = await store.pull('starter', { signal: new AbortController().signal });
    return pulled.ok ? { file: pulled.value.file } : { problem: pulled.error.message };
  } finally {
    network.close();
    processes.close();
  }
};
