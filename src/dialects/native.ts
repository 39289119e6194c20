import type { Format } from './engine/format.ts';

/** The server reads the calls itself and hands them over in a field of their own; the text is text. */
export const native: Format = { name: 'native', calls: [] };
