/** Looks at LoRA adapters before the engine does: llama.cpp says little of a file that does not fit, or ends the process. */
import { createHash } from 'node:crypto';
import type { LoraAdapter } from '../../core/engine-options.ts';
import { type GgufHeader, openLocalFile, readGgufHeader } from '../gguf.ts';
import type { EngineFailure } from './engine.ts';
import { modelDigest } from './model-digest.ts';

const HINT = 'An adapter is a GGUF file that was made for this very model (`convert_lora_to_gguf.py` of llama.cpp).';

const headerOf = async (file: string): Promise<{ header: GgufHeader } | { problem: string }> => {
  const source = await openLocalFile(file);
  if (!source.ok) return { problem: source.error.message };
  const read = await readGgufHeader(source.value);
  await source.value.close();
  return read.ok ? { header: read.value } : { problem: read.error.message };
};

/** Why the first of them that does not fit does not; undefined where all do. */
export const adapterProblem = async (
  adapters: readonly LoraAdapter[],
  modelFile: string,
): Promise<EngineFailure | undefined> => {
  if (adapters.length === 0) return undefined;
  const model = await headerOf(modelFile);
  const known = 'header' in model ? model.header : undefined;
  for (const { file } of adapters) {
    const read = await headerOf(file);
    const problem = 'problem' in read ? read.problem : misfit(read.header, known);
    if (problem === undefined) continue;
    return { code: 'load_failed', message: `The adapter ${file} cannot be used: ${problem}`, hint: HINT };
  }
  return undefined;
};

const misfit = ({ metadata, tensors }: GgufHeader, model: GgufHeader | undefined): string | undefined => {
  if (metadata.get('general.type') !== 'adapter') return 'it is no adapter, but a model or something else.';
  const type = metadata.get('adapter.type');
  if (type !== 'lora') return `it is an adapter of the kind ${JSON.stringify(type)}, and the engine takes lora.`;
  if (tensors.length === 0) return 'it holds no weights.';
  const [own, wanted] = [metadata, model?.metadata].map((one) => one?.get('general.architecture'));
  if (wanted !== undefined && own !== wanted)
    return `it was made for models of the architecture ${String(own)}, and this one is ${String(wanted)}.`;
  const foreign = model && foreignTensor(tensors, model.tensors);
  return foreign === undefined ? undefined : `it changes ${foreign}, which this model has not or has in another size.`;
};

/** `NAME.lora_a` goes from what `NAME` takes, `NAME.lora_b` to what it gives. */
const foreignTensor = (adapter: GgufHeader['tensors'], model: GgufHeader['tensors']): string | undefined => {
  const shapes = new Map(model.map(({ name, shape }) => [name, shape]));
  for (const { name, shape } of adapter) {
    const [, base = name, part] = /^(.*)\.lora_([ab])$/.exec(name) ?? [];
    const wanted = shapes.get(base);
    const side = part === 'a' ? 0 : 1;
    if (part === undefined || wanted === undefined || shape[side] !== wanted[side]) return base;
  }
  return undefined;
};

/** A model with adapters is another model: for what was read with it, and for what is known of it. */
export const withAdapters = async (
  digest: string | undefined,
  adapters: readonly LoraAdapter[],
): Promise<string | undefined> => {
  if (digest === undefined || adapters.length === 0) return digest;
  const hash = createHash('sha256').update(digest);
  for (const { file, scale } of adapters) {
    const own = await modelDigest(file);
    if (own === undefined) return undefined;
    hash.update(`\n${own} ${scale}`);
  }
  return hash.digest('hex');
};
