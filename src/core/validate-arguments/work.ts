/** What is known, and found out, while one value is prepared. */
import type { Schema } from '../../schema/index.ts';
import type { Repair } from '../message.ts';

export type Work = {
  root: Schema;
  mode: 'strict' | 'model';
  repairs: Repair[];
  dropped: string[];
  /** Where a number stands in place of a text, and nobody knows any more how it was written. */
  unquoted: Set<string>;
  /** Branches that may still be tried: those within one another multiply. */
  trials: { left: number };
};

/** The parts that a value at one place was prepared by. Each is used once, though many ways may lead to it. */
export type Place = { readonly parts: Set<Schema>; readonly inside: Map<string | number, Place> };

export const newPlace = (parts: Iterable<Schema> = []): Place => ({ parts: new Set(parts), inside: new Map() });

const TRIALS_MAX = 1_000;

export const workOf = (root: Schema, mode: Work['mode']): Work => ({
  root,
  mode,
  repairs: [],
  dropped: [],
  unquoted: new Set(),
  trials: { left: TRIALS_MAX },
});
