/**
 * Which models fit this machine: what each of the catalogue, or one file or address, would take of its memory, how fast it
 * would be, whether it calls tools, and the command that gets it. For the command line, and for a page that lists models.
 */

import { join, resolve } from 'node:path';
import { type MachinePace, paceOfModel } from '../../core/model-pace.ts';
import { type MemoryNeed, type ModelShape, memoryNeed } from '../../core/model-shape.ts';
import { counted } from '../../core/number-text.ts';
import { failure, type Outcome, succeed } from '../../core/outcome.ts';
import type { Clock, Network, Processes } from '../../core/ports.ts';
import { quotedName } from '../../core/quoted-name.ts';
import { didYouMean } from '../../core/tool/nearest-names.ts';
import { detectDialect } from '../../dialects/index.ts';
import type { LoadEngine } from '../../providers/embedded/engine.ts';
import { STARTER_MODEL } from '../../providers/embedded/model-store.ts';
import { factsOf, openLocalFile, openRemoteFile, readGgufHeader } from '../../providers/gguf.ts';
import { detectEndpoints, usualEndpoints } from '../../providers/index.ts';
import {
  type CatalogueModel,
  type CatalogueScore,
  type CatalogueSource,
  catalogueShape,
  MODEL_CATALOGUE,
  templateFamily,
} from './advise/catalogue.ts';
import { describeMachine, type Fit, fitOf, type Machine, type SystemFacts } from './advise/machine.ts';
import { paceOfThisMachine } from './advise/pace.ts';

export type AdviseOptions = {
  network: Network;
  processes: Processes;
  clock: Clock;
  environment: Readonly<Record<string, string | undefined>>;
  modelsFolder: string;
  cacheFolder: string;
  signal: AbortSignal;
  /** One model: an id of the catalogue, a GGUF file, or the address of one. Absent: the whole catalogue. */
  model?: string;
  /** Tokens. Default: `DEFAULT_WINDOW`. */
  window?: number;
  /** No address is asked. */
  offline?: boolean;
  /** False: no model is run to measure this machine. Default: true. */
  measure?: boolean;
  facts?: SystemFacts;
  loadEngine?: LoadEngine;
};

export type AdvisedModel = {
  id: string;
  title: string;
  quantisation?: string;
  license?: string;
  released?: string;
  parameters: number;
  size_bytes: number;
  window: number;
  trained_window?: number;
  memory: MemoryNeed;
  fits: Fit;
  /** A graphics card whose own memory holds it. */
  card?: string;
  reads_tokens_per_second?: number;
  writes_tokens_per_second?: number;
  tools: boolean;
  /** How its calls are written. */
  family?: string;
  score?: CatalogueScore;
  command: string;
  sources: readonly CatalogueSource[];
};

export type Advice = {
  machine: Machine & { pace: MachinePace };
  window: number;
  /** Of the catalogue. */
  date: string;
  /** The best first. */
  models: AdvisedModel[];
};

export const DEFAULT_WINDOW = 8_192;
/** Slower than this nobody waits for. */
const PATIENT_TOKENS_PER_SECOND = 3;

export const adviseModels = async (options: AdviseOptions): Promise<Outcome<Advice>> => {
  const { processes, signal, model } = options;
  const window = options.window ?? DEFAULT_WINDOW;
  const found = model === undefined ? undefined : await oneModel(options, model);
  if (found !== undefined && !found.ok) return found;
  const starterFile = await fileOfStarter(options.modelsFolder);
  const [machine, pace, hasOllama] = await Promise.all([
    describeMachine(processes, signal, options.facts),
    paceOfThisMachine({ ...options, starterFile, measure: options.measure ?? true }),
    answersAsOllama(options),
  ]);
  const judge = (candidate: Candidate): AdvisedModel => judged(candidate, { machine, pace, window });
  const models =
    found === undefined
      ? MODEL_CATALOGUE.models.map((row) => bestOf(row, hasOllama, judge)).toSorted(byWorth)
      : [judge(found.value(hasOllama))];
  return succeed({ machine: { ...machine, pace }, window, date: MODEL_CATALOGUE.date, models });
};

type Candidate = Omit<AdvisedModel, 'window' | 'memory' | 'fits' | 'card'> & { shape: ModelShape };

const fileOfStarter = async (folder: string): Promise<string | undefined> => {
  const file = join(folder, STARTER_MODEL.fileName);
  const source = await openLocalFile(file);
  if (!source.ok) return undefined;
  await source.value.close();
  return file;
};

const answersAsOllama = async ({ network, environment, signal, offline }: AdviseOptions): Promise<boolean> => {
  if (offline) return false;
  const endpoints = await detectEndpoints(network, signal, usualEndpoints(environment));
  return endpoints.some(({ provider }) => provider === 'ollama');
};

const judged = (
  { shape, ...candidate }: Candidate,
  { machine, pace, window: wanted }: { machine: Machine; pace: MachinePace; window: number },
): AdvisedModel => {
  const window = Math.min(wanted, shape.trainedWindow ?? wanted);
  const memory = memoryNeed(shape, window);
  const speed = paceOfModel(shape, pace, window / 2);
  const card = machine.cards.find(({ memoryBytes, shared }) => !shared && (memoryBytes ?? 0) >= memory.bytes);
  return {
    ...candidate,
    window,
    memory,
    fits: fitOf(memory.bytes, machine),
    ...(card === undefined ? {} : { card: card.name }),
    ...(speed.readTokensPerSecond === undefined ? {} : { reads_tokens_per_second: rounded(speed.readTokensPerSecond) }),
    writes_tokens_per_second: rounded(speed.writeTokensPerSecond),
  };
};

const rounded = (value: number): number => (value < 10 ? Math.round(value * 10) / 10 : Math.round(value));

/** Four bits are what most people run; more only where nothing smaller is published, and less is not good with tools. */
const PREFERRED = ['Q4_K_M', 'Q4_K_XL', 'MXFP4', 'Q4_0', 'Q4_1', 'Q8_0', 'BF16', 'F16'];

const bestOf = (
  row: CatalogueModel,
  hasOllama: boolean,
  judge: (candidate: Candidate) => AdvisedModel,
): AdvisedModel => {
  const quantisation = PREFERRED.find((name) => row.sizes[name] !== undefined) ?? Object.keys(row.sizes)[0] ?? '';
  return judge(candidateOf(row, quantisation, hasOllama));
};

const candidateOf = (row: CatalogueModel, quantisation: string, hasOllama: boolean): Candidate => ({
  id: row.id,
  title: row.title,
  quantisation,
  license: row.license,
  ...(row.released === undefined ? {} : { released: row.released }),
  parameters: row.parameters,
  size_bytes: row.sizes[quantisation] ?? 0,
  trained_window: row.window,
  tools: row.tools,
  ...(templateFamily(row) === undefined ? {} : { family: templateFamily(row) }),
  ...(row.score === undefined ? {} : { score: row.score }),
  command: commandFor(row, quantisation, hasOllama),
  sources: row.sources.flatMap((key) => MODEL_CATALOGUE.sources[key] ?? []),
  shape: catalogueShape(row, quantisation) as ModelShape,
});

/** Both take files of the hub by this name. Without an Ollama that answers, llama.cpp's server gets and serves it. */
const commandFor = ({ id, hub }: CatalogueModel, quantisation: string, hasOllama: boolean): string => {
  if (id === STARTER_MODEL.id) return 'halter models pull starter';
  return hasOllama
    ? `halter models pull ollama/hf.co/${hub}:${quantisation}`
    : `llama-server -hf ${hub}:${quantisation} --jinja`;
};

/** What fits and calls tools stands first, and among that what is not too slow; then the better one with tools, then the larger. */
const byWorth = (one: AdvisedModel, other: AdvisedModel): number => worth(other) - worth(one);
const FIT_WORTH: Readonly<Record<Fit, number>> = { yes: 4_000, tight: 2_000, no: 0 };
const worth = (model: AdvisedModel): number => {
  // Twice as fast is worth nothing where both are fast enough, and much where neither is.
  const speed = Math.min(1, (model.writes_tokens_per_second ?? PATIENT_TOKENS_PER_SECOND) / PATIENT_TOKENS_PER_SECOND);
  const size = Math.min(99, model.parameters / 1e9 / 2);
  return FIT_WORTH[model.fits] + (model.tools ? 1_000 : 0) + speed * 800 + (model.score?.overall ?? size);
};

type Named = (hasOllama: boolean) => Candidate;

const oneModel = async (options: AdviseOptions, model: string): Promise<Outcome<Named>> => {
  const row = MODEL_CATALOGUE.models.find(({ id }) => id === model);
  const isStarter = model === 'starter' ? MODEL_CATALOGUE.models.find(({ id }) => id === STARTER_MODEL.id) : undefined;
  const known = row ?? isStarter;
  if (known) {
    const quantisation = PREFERRED.find((name) => known.sizes[name] !== undefined) ?? Object.keys(known.sizes)[0] ?? '';
    return succeed((hasOllama) => candidateOf(known, quantisation, hasOllama));
  }
  if (/^https?:\/\//.test(model)) return fromAddress(options, model);
  if (model.endsWith('.gguf')) return fromFile(model);
  return failure(
    'not_found',
    `There is no model ${quotedName(model)} in the catalogue.${didYouMean(model.toLowerCase(), ['starter', ...MODEL_CATALOGUE.models.map(({ id }) => id)])} Name a GGUF file by its path or address, or run \`halter models advise\` for the list.`,
  );
};

const fromFile = async (file: string): Promise<Outcome<Named>> => {
  const source = await openLocalFile(file);
  if (!source.ok) return source;
  const header = await readGgufHeader(source.value);
  await source.value.close();
  if (!header.ok) return header;
  return candidateOfFile(
    file,
    factsOf(header.value),
    source.value.size() ?? 0,
    `halter -m ${inShell(`embedded/${resolve(file)}`)}`,
  );
};

/** As a shell takes it: quoted where it is more than a plain name. */
const inShell = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

const fromAddress = async (options: AdviseOptions, url: string): Promise<Outcome<Named>> => {
  if (options.offline) return failure('io_error', `${url} is not asked: offline is set.`);
  const source = openRemoteFile(options.network, url, options.signal);
  const header = await readGgufHeader(source);
  if (!header.ok) return header;
  return candidateOfFile(
    url,
    factsOf(header.value),
    source.size() ?? 0,
    `llama-server --model-url ${inShell(url)} --jinja`,
  );
};

const candidateOfFile = (
  id: string,
  facts: ReturnType<typeof factsOf>,
  size: number,
  command: string,
): Outcome<Named> => {
  if (facts === undefined) return failure('parse_error', `${id} is a GGUF file, but not one of a language model.`);
  const { name = id, chatTemplate, quantisation, license, shape } = facts;
  if (facts.missingBytes !== undefined)
    return failure(
      'parse_error',
      `${id} is cut short: it lacks ${counted(facts.missingBytes, 'byte')} of its weights. Get it again.`,
    );
  const tools = chatTemplate !== undefined && /\btools\b/.test(chatTemplate);
  const family = tools ? detectDialect({ model: name, template: chatTemplate }) : undefined;
  return succeed(() => ({
    id,
    title: name,
    ...(quantisation === undefined ? {} : { quantisation }),
    ...(license === undefined ? {} : { license }),
    parameters: shape.parameters,
    size_bytes: size > 0 ? size : shape.weightBytes,
    ...(shape.trainedWindow === undefined ? {} : { trained_window: shape.trainedWindow }),
    tools,
    ...(family === undefined ? {} : { family }),
    command,
    sources: [],
    shape,
  }));
};
