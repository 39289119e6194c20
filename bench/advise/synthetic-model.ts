/**
 * Writes a GGUF model of any size whose weights mean nothing: it computes as long and takes as much memory as a real one
 * of its shape. Its vocabulary is that of the model it is made after.
 */
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';

export type SyntheticModel = {
  layers: number;
  embedding: number;
  heads: number;
  keyValueHeads: number;
  headSize: number;
  feedForward: number;
  window: number;
  /** Number of the GGUF type of all matrices, with the values and bytes of a block. */
  type: { id: number; values: number; bytes: number };
};

const ALIGNMENT = 32;
const STRING = 8;
const ARRAY = 9;
const WIDTHS: Readonly<Record<number, number>> = {
  0: 1,
  1: 1,
  2: 2,
  3: 2,
  4: 4,
  5: 4,
  6: 4,
  7: 1,
  10: 8,
  11: 8,
  12: 8,
};

/** The pairs of a header as they stand, by name, and how many words the vocabulary has. */
const rawPairs = (bytes: Buffer): { pairs: Map<string, Buffer>; words: number } => {
  const pairs = new Map<string, Buffer>();
  let at = 24;
  let words = 0;
  const text = (): string => {
    const length = Number(bytes.readBigUInt64LE(at));
    at += 8 + length;
    return bytes.toString('utf8', at - length, at);
  };
  const skip = (type: number): number => {
    if (type === STRING) {
      text();
      return 1;
    }
    if (type !== ARRAY) {
      at += WIDTHS[type] ?? 0;
      return 1;
    }
    const inner = bytes.readUInt32LE(at);
    const count = Number(bytes.readBigUInt64LE(at + 4));
    at += 12;
    for (let index = 0; index < count; index += 1) skip(inner);
    return count;
  };
  const count = Number(bytes.readBigUInt64LE(16));
  for (let index = 0; index < count; index += 1) {
    const start = at;
    const name = text();
    const type = bytes.readUInt32LE(at);
    at += 4;
    const size = skip(type);
    if (name === 'tokenizer.ggml.tokens') words = size;
    pairs.set(name, bytes.subarray(start, at));
  }
  return { pairs, words };
};

const text = (value: string): Buffer => {
  const bytes = Buffer.from(value);
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(bytes.length));
  return Buffer.concat([length, bytes]);
};
const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};
const uint64 = (value: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
};
const float32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return bytes;
};

export const writeSyntheticModel = (file: string, after: string, model: SyntheticModel): void => {
  const { pairs, words } = rawPairs(readFileSync(after));
  const { layers, embedding, heads, keyValueHeads, headSize, feedForward, type } = model;
  const numbers: Readonly<Record<string, number>> = {
    block_count: layers,
    context_length: model.window,
    embedding_length: embedding,
    feed_forward_length: feedForward,
    'attention.head_count': heads,
    'attention.head_count_kv': keyValueHeads,
    'attention.key_length': headSize,
    'attention.value_length': headSize,
    'rope.dimension_count': headSize,
    vocab_size: words,
  };
  const header = [
    Buffer.concat([text('general.architecture'), uint32(STRING), text('llama')]),
    ...Object.entries(numbers).map(([name, value]) => Buffer.concat([text(`llama.${name}`), uint32(4), uint32(value)])),
    Buffer.concat([text('llama.attention.layer_norm_rms_epsilon'), uint32(6), float32(1e-5)]),
    ...[...pairs].filter(([name]) => name.startsWith('tokenizer.')).map(([, bytes]) => bytes),
  ];
  const matrix = (name: string, rows: number, columns: number) => ({ name, shape: [rows, columns], quantised: true });
  const vector = (name: string, size: number) => ({ name, shape: [size], quantised: false });
  const tensors = [
    matrix('token_embd.weight', embedding, words),
    vector('output_norm.weight', embedding),
    ...Array.from({ length: layers }, (_, layer) => [
      vector(`blk.${layer}.attn_norm.weight`, embedding),
      matrix(`blk.${layer}.attn_q.weight`, embedding, heads * headSize),
      matrix(`blk.${layer}.attn_k.weight`, embedding, keyValueHeads * headSize),
      matrix(`blk.${layer}.attn_v.weight`, embedding, keyValueHeads * headSize),
      matrix(`blk.${layer}.attn_output.weight`, heads * headSize, embedding),
      vector(`blk.${layer}.ffn_norm.weight`, embedding),
      matrix(`blk.${layer}.ffn_gate.weight`, embedding, feedForward),
      matrix(`blk.${layer}.ffn_up.weight`, embedding, feedForward),
      matrix(`blk.${layer}.ffn_down.weight`, feedForward, embedding),
    ]).flat(),
  ];
  let offset = 0;
  const described = tensors.map(({ name, shape, quantised }) => {
    const values = shape.reduce((product, size) => product * size, 1);
    const size = quantised ? (values / type.values) * type.bytes : values * 4;
    const info = Buffer.concat([
      text(name),
      uint32(shape.length),
      ...shape.map(uint64),
      uint32(quantised ? type.id : 0),
      uint64(offset),
    ]);
    offset += Math.ceil(size / ALIGNMENT) * ALIGNMENT;
    return info;
  });
  const start = Buffer.alloc(24);
  start.write('GGUF', 'latin1');
  start.writeUInt32LE(3, 4);
  start.writeBigUInt64LE(BigInt(tensors.length), 8);
  start.writeBigUInt64LE(BigInt(header.length), 16);
  const head = Buffer.concat([start, ...header, ...described]);
  const padding = Buffer.alloc((ALIGNMENT - (head.length % ALIGNMENT)) % ALIGNMENT);
  const handle = openSync(file, 'w');
  try {
    writeSync(handle, Buffer.concat([head, padding]));
    // Small numbers in every format, and never a zero page.
    const piece = Buffer.alloc(16 * 1024 * 1024, 0x11);
    for (let left = offset; left > 0; left -= piece.length) writeSync(handle, piece, 0, Math.min(left, piece.length));
  } finally {
    closeSync(handle);
  }
};
