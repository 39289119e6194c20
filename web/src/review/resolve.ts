import type { Command } from '../../../src/core/events.ts';

/** What is to become of the changes of a file. */
export type Resolve = Omit<Extract<Command, { type: 'resolve_changes' }>, 'type' | 'path' | 'hash'>;
