/** A GGUF file as bytes, with the header that a test names and no weights. */

export type GgufPair = number | boolean | string | readonly number[] | readonly string[];
export type GgufTensorSpec = { name: string; shape: readonly number[]; type: number };

const number = (size: 4 | 8, value: number): Buffer => {
  const bytes = Buffer.alloc(size);
  if (size === 4) bytes.writeUInt32LE(value);
  else bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
};
const text = (value: string): Buffer => Buffer.concat([number(8, Buffer.byteLength(value)), Buffer.from(value)]);

const pair = (value: GgufPair): Buffer => {
  if (typeof value === 'string') return Buffer.concat([number(4, 8), text(value)]);
  if (typeof value === 'boolean') return Buffer.concat([number(4, 7), Buffer.from([value ? 1 : 0])]);
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
    ...tensors.flatMap(({ name, shape, type }) => [
      text(name),
      number(4, shape.length),
      ...shape.map((size) => number(8, size)),
      number(4, type),
      number(8, 0),
    ]),
  ]);
