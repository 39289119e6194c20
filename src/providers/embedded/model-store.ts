/** Where the models of this machine are: a folder of GGUF files, found by name. */
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { ModelInfo } from '../../core/model-port.ts';

export type ModelStore = {
  readonly folder: string;
  /** The file of a model by its name (`starter`) or its file name; undefined where it is not there. */
  find(model: string): Promise<string | undefined>;
  list(): Promise<ModelInfo[]>;
};

export const createModelStore = (options: { folder: string }): ModelStore => {
  const { folder } = options;
  const isFile = async (file: string): Promise<boolean> => {
    try {
      return (await stat(file)).isFile();
    } catch {
      return false;
    }
  };
  return {
    folder,
    find: async (model) => {
      const names = [model, `${model}.gguf`].map((name) => path.basename(name));
      for (const name of names) {
        const file = path.join(folder, name);
        if (name.endsWith('.gguf') && (await isFile(file))) return file;
      }
      return undefined;
    },
    list: async () => {
      const names = await readdir(folder).catch(() => []);
      return names
        .filter((name) => name.endsWith('.gguf'))
        .map((name) => ({ id: path.basename(name, '.gguf'), tools: true }));
    },
  };
};
