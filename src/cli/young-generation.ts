import { setFlagsFromString } from 'node:v8';

/**
 * Where much passes through a program and nothing of it stays, V8 doubles the part of its memory for new objects again and
 * again, up to 128 MB, and gives none of it back for long. A model shares the machine with us: what starting up took is
 * enough, and costs a few collections of a millisecond more.
 */
export const keepYoungGeneration = (): void => setFlagsFromString('--semi-space-growth-factor=1');
