/** Model files in the GGUF format: what one says of itself, on this machine or behind an address. */
export { type ByteSource, openLocalFile, openRemoteFile } from './gguf/byte-source.ts';
export { type GgufHeader, readGgufHeader } from './gguf/read-header.ts';
export { factsOf, type GgufFacts } from './gguf/shape.ts';
