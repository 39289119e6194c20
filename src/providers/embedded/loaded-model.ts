/** The one model that is in memory: another one takes its place when it is asked for. */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { LoraAdapter, Speculation } from '../../core/engine-options.ts';
import type { ModelError } from '../../core/model-port.ts';
import { type Chat, createChat, type RenderTemplate } from './chat.ts';
import type { Engine, LoadEngine } from './engine.ts';
import { keepStates } from './keep-states.ts';
import { adapterProblem, withAdapters } from './lora-adapters.ts';
import { modelDigest } from './model-digest.ts';
import type { ModelStore } from './model-store.ts';
import { openPromptStates, type StateKind } from './prompt-states.ts';

export type Loaded = {
  engine: Engine;
  chat: Chat;
  file: string;
  /** Keeps on disk what the conversation's lane holds; absent where nothing is kept. */
  keep?(kind: StateKind): Promise<void>;
};
export type LoadedOutcome = { ok: true; loaded: Loaded } | { ok: false; error: ModelError };

export type LoadedModelOptions = {
  modelFile: string | undefined;
  modelStore: ModelStore | undefined;
  threads: number;
  contextLength: number | undefined;
  adapters?: readonly LoraAdapter[] | undefined;
  speculation?: Speculation | undefined;
  loadEngine: LoadEngine;
  renderTemplate: RenderTemplate | undefined;
  /** Where states of prompts are kept; undefined: nowhere. */
  statesFolder: string | undefined;
};

export type LoadedModel = {
  load(model: string, onLoading?: (fraction: number) => void): Promise<LoadedOutcome>;
  close(): Promise<void>;
};

export const createLoadedModel = (options: LoadedModelOptions): LoadedModel => {
  let current: { file: string; loading: Promise<LoadedOutcome> } | undefined;

  const load: LoadedModel['load'] = async (model, onLoading) => {
    const found = await fileOf(options, model);
    if (!found.ok) return found;
    if (current?.file === found.file) return current.loading;
    const before = current;
    const { file } = found;
    const loading = (async (): Promise<LoadedOutcome> => {
      const last = await before?.loading;
      if (last?.ok) await last.loaded.engine.close();
      return loadFile(options, file, onLoading);
    })();
    current = { file, loading };
    const outcome = await loading;
    // A failure is not kept, so that a file put right is tried again.
    if (!outcome.ok && current?.loading === loading) current = undefined;
    return outcome;
  };

  return {
    load,
    async close() {
      const outcome = await current?.loading;
      current = undefined;
      if (outcome?.ok) await outcome.loaded.engine.close();
    },
  };
};

const fileOf = async (
  options: LoadedModelOptions,
  model: string,
): Promise<{ ok: true; file: string } | { ok: false; error: ModelError }> => {
  if (options.modelFile !== undefined) return { ok: true, file: options.modelFile };
  if (path.isAbsolute(model) && model.endsWith('.gguf')) return { ok: true, file: model };
  const found = await options.modelStore?.find(model);
  if (found !== undefined) return { ok: true, file: found };
  return {
    ok: false,
    error: {
      code: 'model_not_found',
      message: `There is no model \`${model}\` here.`,
      hint: '`halter models pull starter` pulls the starter model; or name a GGUF file by its whole path.',
    },
  };
};

const loadFile = async (
  options: LoadedModelOptions,
  file: string,
  onLoading: ((fraction: number) => void) | undefined,
): Promise<LoadedOutcome> => {
  const { threads, loadEngine, adapters = [], speculation } = options;
  const problem = await adapterProblem(adapters, file);
  if (problem) return { ok: false, error: problem };
  const outcome = await loadEngine({
    modelFile: file,
    threads,
    signal: new AbortController().signal,
    ...(options.contextLength === undefined ? {} : { contextLength: options.contextLength }),
    ...(adapters.length === 0 ? {} : { adapters }),
    ...(speculation === undefined ? {} : { speculation }),
    ...(onLoading ? { onLoading } : {}),
  });
  if (!outcome.ok) return outcome;
  const { engine } = outcome;
  const chat = createChat(engine, options.renderTemplate);
  const kept = await keepingOn(engine, file, adapters, options.statesFolder);
  return { ok: true, loaded: { engine: kept ?? engine, chat, file, keep: kept?.keep } };
};

/** Undefined where nothing is kept: no folder, an engine that cannot, or a file that changes under us. */
const keepingOn = async (
  engine: Engine,
  file: string,
  adapters: readonly LoraAdapter[],
  folder: string | undefined,
) => {
  if (folder === undefined || engine.state === undefined) return undefined;
  const digest = await withAdapters(await modelDigest(file), adapters);
  const found = await stat(file).catch(() => undefined);
  if (digest === undefined || found === undefined) return undefined;
  // A file that was written to in place has another time.
  const key = JSON.stringify([digest, found.mtimeMs, engine.chatTemplate ?? '', engine.state.build]);
  return keepStates(engine, engine.state, openPromptStates(folder, key));
};
