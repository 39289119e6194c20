/** A GGUF file as bytes, with the header that a test names and no weights. */

export type GgufPair = number | { float: number } | boolean | string | readonly number[] | readonly string[];
export type GgufTensorSpec = { name: string; shape: readonly number[]; type: number; offset?: number };

const number = (size: 4 | 8, value: number): Buffer => {
  const bytes = Buffer.alloc(size);
  if (size === 4) bytes.writeUInt32LE(value);
  else bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
};
const text = (value: string): Buffer => Buffer.concat([number(8, Buffer.byteLength(value)), Buffer.from(value)]);

const float = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return bytes;
};

const pair = (value: GgufPair): Buffer => {
  if (typeof value === 'string') return Buffer.concat([number(4, 8), text(value)]);
  if (typeof value === 'boolean') return Buffer.concat([number(4, 7), Buffer.from([value ? 1 : 0])]);
  if (typeof value === 'object' && 'float' in value) return Buffer.concat([number(4, 6), float(value.float)]);
  if (typeof value === 'number') return Buffer.concat([number(4, 4), number(4, value)]);
  const type = typeof value[0] === 'string' ? 8 : 4;
  const items = value.map((item) => (typeof item === 'string' ? text(item) : number(4, item)));
  return Buffer.concat([number(4, 9), number(4, type), number(8, value.length), ...items]);
};

export const ggufBytes = (
  metadata: Readonly<Record<string, GgufPair>>,
  tensors: readonly GgufTensorSpec[] = [],
  version = 3,
): Buffer =>
  Buffer.concat([
    Buffer.from('GGUF'),
    number(4, version),
    number(8, tensors.length),
    number(8, Object.keys(metadata).length),
    ...Object.entries(metadata).flatMap(([name, value]) => [text(name), pair(value)]),
    ...tensors.flatMap(({ name, shape, type, offset = 0 }) => [
      text(name),
      number(4, shape.length),
      ...shape.map((size) => number(8, size)),
      number(4, type),
      number(8, offset),
    ]),
  ]);

const ALIGNMENT = 32;
const FLOAT32 = 0;
export type LoraSpec = {
  metadata?: Readonly<Record<string, GgufPair>>;
  /** What is changed, with the sizes that it takes and gives. */
  changes?: readonly (readonly [name: string, from: number, to: number])[];
  rank?: number;
  /** Every weight of it. */
  value?: number;
};

/** A LoRA adapter with weights. */
export const loraBytes = (spec: LoraSpec = {}): Buffer => {
  const { changes = [['blk.0.attn_output.weight', 576, 576]], rank = 4, value = 0.5 } = spec;
  const shapes = changes.flatMap(([name, from, to]) => [
    { name: `${name}.lora_a`, shape: [from, rank] },
    { name: `${name}.lora_b`, shape: [rank, to] },
  ]);
  let offset = 0;
  const weights: Buffer[] = [];
  const tensors = shapes.map(({ name, shape }) => {
    const count = shape.reduce((product, size) => product * size, 1);
    const bytes = Buffer.concat(Array.from({ length: count }, () => float(value)));
    const padded = Buffer.concat([bytes, Buffer.alloc((ALIGNMENT - (bytes.length % ALIGNMENT)) % ALIGNMENT)]);
    weights.push(padded);
    offset += padded.length;
    return { name, shape, type: FLOAT32, offset: offset - padded.length };
  });
  const metadata = {
    'general.type': 'adapter',
    'general.architecture': 'llama',
    'adapter.type': 'lora',
    'adapter.lora.alpha': { float: rank },
    ...spec.metadata,
  };
  const header = ggufBytes(metadata, tensors);
  const gap = Buffer.alloc((ALIGNMENT - (header.length % ALIGNMENT)) % ALIGNMENT);
  return Buffer.concat([header, gap, ...weights]);
};
