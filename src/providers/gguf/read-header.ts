/**
 * The header of a GGUF file: what the model says of itself, and its tensors with their shapes and types. Nothing of the
 * weights is read. A file may come from anybody, so every count and length is held to a limit before it is believed.
 */
import { failure, type Outcome, succeed } from '../../core/outcome.ts';
import type { ByteSource } from './byte-source.ts';
import { GGUF_LIMITS } from './limits.ts';

export type GgufValue = number | boolean | string | readonly number[] | { count: number };
export type GgufTensor = { name: string; shape: readonly number[]; type: number };
export type GgufHeader = {
  version: number;
  metadata: ReadonlyMap<string, GgufValue>;
  tensors: readonly GgufTensor[];
  /** Where the header ends; the weights follow. */
  endsAt: number;
  /** Of the whole file; absent where the source does not say. */
  fileBytes?: number;
};

const UINT8 = 0;
const INT8 = 1;
const UINT16 = 2;
const INT16 = 3;
const UINT32 = 4;
const INT32 = 5;
const FLOAT32 = 6;
const BOOL = 7;
const STRING = 8;
const ARRAY = 9;
const UINT64 = 10;
const INT64 = 11;
const FLOAT64 = 12;
const WIDTHS: Readonly<Record<number, number>> = {
  [UINT8]: 1,
  [INT8]: 1,
  [UINT16]: 2,
  [INT16]: 2,
  [UINT32]: 4,
  [INT32]: 4,
  [FLOAT32]: 4,
  [BOOL]: 1,
  [UINT64]: 8,
  [INT64]: 8,
  [FLOAT64]: 8,
};

/** Ends the reading with a sentence for the person; never leaves this file. */
class Unreadable extends Error {
  readonly outcome: ReturnType<typeof failure>;
  constructor(outcome: ReturnType<typeof failure>) {
    super(outcome.error.message);
    this.outcome = outcome;
  }
}

/** A window on the source that moves forward. */
class Cursor {
  position = 0;
  private readonly source: ByteSource;
  private piece: Uint8Array = new Uint8Array();
  private view: DataView = new DataView(new ArrayBuffer(0));
  private start = 0;

  constructor(source: ByteSource) {
    this.source = source;
  }

  bad(what: string): Unreadable {
    return new Unreadable(failure('parse_error', `${this.source.name} ${what}.`));
  }

  /** Makes `length` bytes from here on readable; waits only at the end of a piece. */
  async need(length: number): Promise<void> {
    const offset = this.position - this.start;
    if (offset + length <= this.piece.length) return;
    if (this.position + length > GGUF_LIMITS.headerBytes)
      throw this.bad(`has a header of more than ${GGUF_LIMITS.headerBytes} bytes`);
    const pieces = [this.piece.subarray(Math.min(offset, this.piece.length))];
    let have = pieces[0]?.length ?? 0;
    while (have < length) {
      const read = await this.source.read(this.position + have, GGUF_LIMITS.pieceBytes);
      if (!read.ok) throw new Unreadable(read);
      if (read.value.length === 0) throw this.bad('is cut short: its header is not whole');
      pieces.push(read.value);
      have += read.value.length;
    }
    this.piece = pieces.length === 1 ? (pieces[0] as Uint8Array) : Buffer.concat(pieces);
    this.view = new DataView(this.piece.buffer, this.piece.byteOffset, this.piece.byteLength);
    this.start = this.position;
  }

  /** Whether so much is there without waiting. */
  has(length: number): boolean {
    return this.position - this.start + length <= this.piece.length;
  }

  /** The next number of a type; `need` has made it readable. */
  scalar(type: number): number {
    const at = this.position - this.start;
    this.position += WIDTHS[type] ?? 0;
    const { view } = this;
    if (type === UINT8 || type === BOOL) return view.getUint8(at);
    if (type === INT8) return view.getInt8(at);
    if (type === UINT16) return view.getUint16(at, true);
    if (type === INT16) return view.getInt16(at, true);
    if (type === UINT32) return view.getUint32(at, true);
    if (type === INT32) return view.getInt32(at, true);
    if (type === FLOAT32) return view.getFloat32(at, true);
    if (type === FLOAT64) return view.getFloat64(at, true);
    return Number(type === UINT64 ? view.getBigUint64(at, true) : view.getBigInt64(at, true));
  }

  text(length: number): string {
    const at = this.position - this.start;
    this.position += length;
    return Buffer.from(this.piece.buffer, this.piece.byteOffset + at, length).toString('utf8');
  }
}

const readNumber = async (cursor: Cursor, type: number): Promise<number> => {
  await cursor.need(WIDTHS[type] ?? 0);
  return cursor.scalar(type);
};

const readText = async (cursor: Cursor): Promise<string> => {
  const length = await readNumber(cursor, UINT64);
  if (length > GGUF_LIMITS.textBytes) throw cursor.bad(`has a text of ${length} bytes in its header`);
  await cursor.need(length);
  return cursor.text(length);
};

/** The words of a vocabulary are many, and nobody here needs them. */
const skipTexts = async (cursor: Cursor, count: number): Promise<void> => {
  for (let index = 0; index < count; index += 1) {
    if (!cursor.has(8)) await cursor.need(8);
    const length = cursor.scalar(UINT64);
    if (length > GGUF_LIMITS.textBytes) throw cursor.bad(`has a text of ${length} bytes in its header`);
    if (!cursor.has(length)) await cursor.need(length);
    cursor.position += length;
  }
};

const readArray = async (cursor: Cursor): Promise<GgufValue> => {
  const type = await readNumber(cursor, UINT32);
  const count = await readNumber(cursor, UINT64);
  if (count > GGUF_LIMITS.headerBytes) throw cursor.bad('has an array in its header that cannot be');
  if (type === STRING) {
    await skipTexts(cursor, count);
    return { count };
  }
  const width = WIDTHS[type];
  if (width === undefined) throw cursor.bad(`has an array of an unknown type (${type}) in its header`);
  if (count > GGUF_LIMITS.arrayNumbers) {
    if (cursor.position + width * count > GGUF_LIMITS.headerBytes) throw cursor.bad('has too large a header');
    cursor.position += width * count;
    return { count };
  }
  await cursor.need(width * count);
  return Array.from({ length: count }, () => cursor.scalar(type));
};

const readValue = async (cursor: Cursor): Promise<GgufValue> => {
  const type = await readNumber(cursor, UINT32);
  if (type === STRING) return readText(cursor);
  if (type === ARRAY) return readArray(cursor);
  if (WIDTHS[type] === undefined) throw cursor.bad(`has a value of an unknown type (${type}) in its header`);
  const value = await readNumber(cursor, type);
  return type === BOOL ? value !== 0 : value;
};

const readTensor = async (cursor: Cursor): Promise<GgufTensor> => {
  const name = await readText(cursor);
  const dimensions = await readNumber(cursor, UINT32);
  if (dimensions > GGUF_LIMITS.dimensions) throw cursor.bad(`has a tensor of ${dimensions} dimensions`);
  const shape: number[] = [];
  for (let index = 0; index < dimensions; index += 1) shape.push(await readNumber(cursor, UINT64));
  const type = await readNumber(cursor, UINT32);
  await readNumber(cursor, UINT64);
  return { name, shape, type };
};

const readAll = async (cursor: Cursor): Promise<Omit<GgufHeader, 'fileBytes'>> => {
  await cursor.need(4);
  if (cursor.text(4) !== 'GGUF') throw cursor.bad('is not a GGUF file');
  await cursor.need(20);
  const version = cursor.scalar(UINT32);
  if (version > 0xffff) throw cursor.bad('was written for machines of the other byte order');
  if (version < 2 || version > 3) throw cursor.bad(`is GGUF version ${version}, and versions 2 and 3 are known`);
  const [tensorCount, pairCount] = [cursor.scalar(UINT64), cursor.scalar(UINT64)];
  if (tensorCount > GGUF_LIMITS.tensors || pairCount > GGUF_LIMITS.pairs) throw cursor.bad('has a damaged header');
  const metadata = new Map<string, GgufValue>();
  for (let index = 0; index < pairCount; index += 1) metadata.set(await readText(cursor), await readValue(cursor));
  const tensors: GgufTensor[] = [];
  for (let index = 0; index < tensorCount; index += 1) tensors.push(await readTensor(cursor));
  return { version, metadata, tensors, endsAt: cursor.position };
};

/** Closes nothing: the source is the caller's. */
export const readGgufHeader = async (source: ByteSource): Promise<Outcome<GgufHeader>> => {
  try {
    const header = await readAll(new Cursor(source));
    const fileBytes = source.size();
    return succeed(fileBytes === undefined ? header : { ...header, fileBytes });
  } catch (error) {
    if (error instanceof Unreadable) return error.outcome;
    throw error;
  }
};
