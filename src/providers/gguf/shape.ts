/** From the header of a model file to what memory and speed follow from. */
import type { CacheShape, ModelShape } from '../../core/model-shape.ts';
import type { GgufHeader, GgufTensor, GgufValue } from './read-header.ts';
import { bytesOf, fileTypeName, isRepacked, workOf } from './types.ts';

export type GgufFacts = {
  architecture: string;
  name?: string;
  license?: string;
  quantisation?: string;
  chatTemplate?: string;
  shape: ModelShape;
  /** What the file lacks of the weights that its header names; absent where it is whole. */
  missingBytes?: number;
};

const CACHE_BYTES = 2;

/** Numbers of one layer each: a list as it is, one number for all of them. */
const perLayer = (value: GgufValue | undefined, layers: number): number[] | undefined => {
  if (Array.isArray(value)) return value as number[];
  return typeof value === 'number' ? Array.from({ length: layers }, () => value) : undefined;
};

/** Every so many layers look at the whole window, where the file does not say which. */
const WHOLE_EVERY: Readonly<Record<string, number>> = {
  gemma2: 2,
  gemma3: 6,
  gemma3n: 5,
  'gpt-oss': 2,
  cohere2: 4,
};

type Look = (key: string) => GgufValue | undefined;
const number = (value: GgufValue | undefined): number | undefined => (typeof value === 'number' ? value : undefined);

/** Which layers look at a part of the window only. */
const slidingLayers = (look: Look, architecture: string, layers: number): boolean[] => {
  const pattern = look('attention.sliding_window_pattern');
  const every = number(pattern) ?? WHOLE_EVERY[architecture];
  if (Array.isArray(pattern)) return Array.from({ length: layers }, (_, layer) => Boolean(pattern[layer]));
  // A window without a pattern is written by models that engines run without it.
  if (every === undefined || every < 1) return Array.from({ length: layers }, () => false);
  return Array.from({ length: layers }, (_, layer) => (layer + 1) % every !== 0);
};

/** Layers that keep a state of fixed size in place of a cache. */
const stateBytes = (look: Look): number => {
  const [kernel, inner, state] = ['ssm.conv_kernel', 'ssm.inner_size', 'ssm.state_size'].map((key) =>
    number(look(key)),
  );
  if (inner === undefined || state === undefined) {
    // Short convolutions keep their last inputs only.
    return (number(look('shortconv.l_cache')) ?? 0) * (number(look('embedding_length')) ?? 0) * 4;
  }
  const groups = number(look('ssm.group_count')) ?? 1;
  return 4 * (inner * state + Math.max(0, (kernel ?? 1) - 1) * (inner + 2 * groups * state));
};

const cacheOf = (look: Look, architecture: string, layers: number): CacheShape | undefined => {
  const heads = perLayer(look('attention.head_count'), layers);
  const cached = perLayer(look('attention.head_count_kv'), layers) ?? heads;
  const embedding = number(look('embedding_length'));
  if (cached === undefined || heads === undefined || embedding === undefined) return undefined;
  const own = embedding / Math.max(1, ...heads);
  const key = number(look('attention.key_length')) ?? own;
  const value = number(look('attention.value_length')) ?? own;
  const latent = number(look('attention.kv_lora_rank'));
  // Latent attention keeps one compressed row for all heads.
  if (latent !== undefined) {
    const row = latent + (number(look('rope.dimension_count')) ?? 0);
    return { bytesPerToken: layers * row * CACHE_BYTES };
  }
  const interval = number(look('full_attention_interval'));
  const hasCache = (layer: number): boolean => interval === undefined || (layer + 1) % interval === 0;
  const sliding = slidingLayers(look, architecture, layers);
  const smallKey = number(look('attention.key_length_swa')) ?? key;
  const smallValue = number(look('attention.value_length_swa')) ?? value;
  const shared = number(look('attention.shared_kv_layers')) ?? 0;
  const result = { bytesPerToken: 0, slidingBytesPerToken: 0, states: 0 };
  for (let layer = 0; layer < layers - shared; layer += 1) {
    const count = cached[layer] ?? 0;
    if (count === 0 || !hasCache(layer)) result.states += 1;
    else if (sliding[layer]) result.slidingBytesPerToken += count * (smallKey + smallValue) * CACHE_BYTES;
    else result.bytesPerToken += count * (key + value) * CACHE_BYTES;
  }
  const window = number(look('attention.sliding_window'));
  const isSliding = result.slidingBytesPerToken > 0 && window !== undefined;
  return {
    bytesPerToken: result.bytesPerToken + (isSliding ? 0 : result.slidingBytesPerToken),
    ...(isSliding ? { slidingBytesPerToken: result.slidingBytesPerToken, slidingTokens: window } : {}),
    ...(result.states === 0 ? {} : { fixedBytes: result.states * stateBytes(look) }),
  };
};

const valuesOf = (tensor: GgufTensor): number => tensor.shape.reduce((product, size) => product * size, 1);

/** Of the tensors whose type is known here. */
const missingOf = ({ tensors, fileBytes, endsAt }: GgufHeader): number => {
  const named = tensors.reduce((sum, tensor) => sum + (bytesOf(tensor.type, valuesOf(tensor)) ?? 0), 0);
  return fileBytes === undefined ? 0 : Math.max(0, Math.ceil(named) - (fileBytes - endsAt));
};

const LOOKED_UP = /^(?:token_embd|per_layer_token_embd)\./;
const EXPERTS = /_exps\./;

/** The weights, and how much of them one written token goes through. */
const weights = (header: GgufHeader, look: Look) => {
  const used = number(look('expert_used_count'));
  const experts = number(look('expert_count'));
  const share = used !== undefined && experts !== undefined && experts > 0 ? used / experts : 1;
  const hasOutput = header.tensors.some(({ name }) => name.startsWith('output.'));
  let [parameters, bytes, active, readingWork, repacked] = [0, 0, 0, 0, 0];
  for (const tensor of header.tensors) {
    const values = valuesOf(tensor);
    // A type newer than the list: as large as most are.
    const size = bytesOf(tensor.type, values) ?? values / 2;
    parameters += values;
    bytes += size;
    // Where there is no output of its own, the table of words is that too.
    const isOutput = !hasOutput && tensor.name.startsWith('token_embd.');
    if (LOOKED_UP.test(tensor.name) && !isOutput) continue;
    const part = EXPERTS.test(tensor.name) ? share : 1;
    active += size * part;
    readingWork += values * part * workOf(tensor.type);
    if (isRepacked(tensor.type) && !isOutput && tensor.shape.length > 1) repacked += size;
  }
  return {
    parameters,
    active,
    readingWork,
    repacked,
    bytes: header.fileBytes === undefined ? bytes : header.fileBytes - header.endsAt,
  };
};

/** Undefined for a file without the metadata of a model, such as a projector for pictures. */
export const factsOf = (header: GgufHeader): GgufFacts | undefined => {
  const { metadata } = header;
  const architecture = metadata.get('general.architecture');
  if (typeof architecture !== 'string') return undefined;
  const look: Look = (key) => metadata.get(`${architecture}.${key}`);
  const layers = number(look('block_count'));
  if (layers === undefined || layers < 1 || layers > 10_000) return undefined;
  const text = (key: string): string | undefined => {
    const value = metadata.get(key);
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const { parameters, bytes, active, readingWork, repacked } = weights(header, look);
  const words = metadata.get('tokenizer.ggml.tokens');
  const fileType = number(metadata.get('general.file_type'));
  const vocabulary =
    number(look('vocab_size')) ?? (typeof words === 'object' && 'count' in words ? words.count : undefined);
  const missingBytes = missingOf(header);
  return {
    architecture,
    ...(missingBytes === 0 ? {} : { missingBytes }),
    name: text('general.name'),
    license: text('general.license'),
    quantisation: fileType === undefined ? undefined : fileTypeName(fileType),
    chatTemplate: text('tokenizer.chat_template'),
    shape: {
      weightBytes: bytes,
      activeBytes: active,
      parameters,
      readingWork,
      ...(repacked === 0 ? {} : { repackedBytes: repacked }),
      cache: cacheOf(look, architecture, layers),
      vocabulary,
      embedding: number(look('embedding_length')),
      trainedWindow: number(look('context_length')),
      layers,
    },
  };
};
