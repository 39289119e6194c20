/**
 * What pulling a model would download, and whether it fits: asked before anything is fetched. Of a model of Ollama, the
 * registry's manifest tells the size, and the header of its file what memory it takes. What cannot be asked is left out.
 */
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type MemoryNeed, type ModelShape, memoryNeed } from '../../../core/model-shape.ts';
import type { Network } from '../../../core/ports.ts';
import { STARTER_MODEL } from '../../../providers/embedded/model-store.ts';
import { factsOf, openRemoteFile, readGgufHeader } from '../../../providers/gguf.ts';
import { AGENT_LIMITS } from '../../limits.ts';
import { catalogueShape, MODEL_CATALOGUE } from './catalogue.ts';
import { type Fit, fitOf, type SystemFacts, systemFacts } from './machine.ts';

export type PullPlan = {
  /** A host, or a file that is fetched by more than one way. */
  from: string;
  bytes?: number;
  window: number;
  memory?: MemoryNeed;
  /** Absent where the model will run on another machine, or its memory is not known. */
  fits?: Fit;
  memoryBytes: number;
  freeBytes: number;
};

export type PlanOptions = {
  network: Network;
  signal: AbortSignal;
  /** No address is asked. */
  offline: boolean;
  provider: 'embedded' | 'ollama';
  model: string;
  /** Whether the server is on this machine. */
  isHere: boolean;
  window: number;
  facts?: SystemFacts;
};

/** Undefined where nothing is known beforehand. */
export const planPull = async (options: PlanOptions): Promise<PullPlan | undefined> => {
  const facts = options.facts ?? systemFacts();
  const found = options.provider === 'embedded' ? starter(options.model) : await fromRegistry(options);
  if (found === undefined) return undefined;
  const { from, bytes, shape } = found;
  const window = Math.min(options.window, shape?.trainedWindow ?? options.window);
  const memory = shape && memoryNeed(shape, window);
  const machine = { memoryBytes: facts.totalBytes, freeBytes: Math.min(facts.freeBytes, facts.totalBytes) };
  return {
    from,
    window,
    ...machine,
    ...(bytes === undefined ? {} : { bytes }),
    ...(memory === undefined ? {} : { memory }),
    ...(memory === undefined || !options.isHere ? {} : { fits: fitOf(memory.bytes, machine) }),
  };
};

/** Bytes that the disk of a folder has left, of one that will be made too; undefined where it cannot be asked. */
export const freeDisk = async (folder: string): Promise<number | undefined> => {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch (error) {
    const above = dirname(folder);
    return (error as NodeJS.ErrnoException).code === 'ENOENT' && above !== folder ? freeDisk(above) : undefined;
  }
};

type Found = { from: string; bytes?: number; shape?: ModelShape };

const starter = (name: string): Found | undefined => {
  if (name !== STARTER_MODEL.id && !STARTER_MODEL.aliases.includes(name)) return undefined;
  const row = MODEL_CATALOGUE.models.find(({ id }) => id === STARTER_MODEL.id);
  const shape = row && catalogueShape(row, 'Q4_1');
  const host = new URL(STARTER_MODEL.hubUrl).host;
  return { from: `${host}, or the package ${STARTER_MODEL.pypi?.package}`, bytes: STARTER_MODEL.sizeBytes, shape };
};

/** `qwen3:4b`, `someone/model:tag`, `hf.co/someone/model:Q4_K_M`: as Ollama reads such names. */
export const registryPlace = (name: string): { host: string; repository: string; tag: string } | undefined => {
  const [, path = '', tag = 'latest'] = /^([\w./-]+?)(?::([\w.-]+))?$/.exec(name) ?? [];
  const parts = path.split('/');
  if (path === '' || parts.some((part) => part === '' || part.startsWith('.'))) return undefined;
  if (parts.length === 1) return { host: OLLAMA_REGISTRY, repository: `library/${path}`, tag };
  if (parts.length === 2) return { host: OLLAMA_REGISTRY, repository: path, tag };
  const [host = '', ...repository] = parts;
  return host.includes('.') ? { host, repository: repository.join('/'), tag } : undefined;
};
const OLLAMA_REGISTRY = 'registry.ollama.ai';
const MODEL_LAYER = 'application/vnd.ollama.image.model';

type Layer = { mediaType?: unknown; digest?: unknown; size?: unknown };

const fromRegistry = async (options: PlanOptions): Promise<Found | undefined> => {
  const place = options.offline ? undefined : registryPlace(options.model);
  if (place === undefined) return undefined;
  const root = `https://${place.host}/v2/${place.repository}`;
  const layers = await readLayers(options, `${root}/manifests/${place.tag}`);
  if (layers === undefined) return undefined;
  const bytes = layers.reduce((sum, { size }) => sum + (typeof size === 'number' ? size : 0), 0);
  const model = layers.find(({ mediaType }) => mediaType === MODEL_LAYER);
  const shape =
    typeof model?.digest === 'string' && /^sha256:[0-9a-f]{64}$/.test(model.digest)
      ? await readShape(options, `${root}/blobs/${model.digest}`)
      : undefined;
  return { from: place.host, bytes, ...(shape === undefined ? {} : { shape }) };
};

const readLayers = async ({ network, signal }: PlanOptions, url: string): Promise<Layer[] | undefined> => {
  const answer = await network.request({
    method: 'GET',
    url,
    headers: { accept: 'application/vnd.docker.distribution.manifest.v2+json, application/json' },
    signal,
    connectTimeoutMs: AGENT_LIMITS.pullPlanMs,
    firstByteTimeoutMs: AGENT_LIMITS.pullPlanMs,
    maxResponseBytes: AGENT_LIMITS.pullManifestBytes,
  });
  if (!answer.ok) return undefined;
  const text = await answer.value.text();
  if (!text.ok || answer.value.status !== 200) return undefined;
  try {
    const { layers } = JSON.parse(text.value) as { layers?: unknown };
    return Array.isArray(layers) ? (layers as Layer[]) : undefined;
  } catch {
    return undefined;
  }
};

const readShape = async ({ network, signal }: PlanOptions, url: string): Promise<ModelShape | undefined> => {
  const header = await readGgufHeader(openRemoteFile(network, url, signal));
  return header.ok ? factsOf(header.value)?.shape : undefined;
};
