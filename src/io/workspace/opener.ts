import type { BigIntStats } from 'node:fs';
import type { Outcome } from '../../core/outcome.ts';
import type { OpenFile } from './system-calls.ts';

/** Something that was opened and whose real place was then verified. Whoever has it closes it. */
export type Located = {
  /** Where it really lies, as the system says. */
  realPath: string;
  stat: BigIntStats;
  /** Opens the very same thing for reading; closed by `close`. Never blocks on a FIFO. */
  openForReading(): Promise<OpenFile>;
  close(): Promise<void>;
};

/**
 * A folder held open, so that a name in it means this folder whatever happens to the path that led here.
 * Where the system cannot do that, `at` gives a plain path and `isInside` narrows the window.
 */
export type Folder = {
  realPath: string;
  /** A path for system calls that names the folder itself. */
  readonly self: string;
  /** A path for system calls that names an entry of precisely this folder. */
  at(name: string): string;
  /** Whether it still lies in an open folder: it may have been moved meanwhile. */
  isInside(): Promise<boolean>;
  close(): Promise<void>;
};

/** A folder opened by its name in an open one, without following a link; for walking, where speed counts. */
export type OpenChild = {
  readonly self: string;
  /** Whether what was read of it belongs to it; only where `self` is a plain path can it be otherwise. */
  isUnmoved(): boolean;
  close(): void;
};

/** The way this system opens things so that what was opened can be verified. */
export type Opener = {
  /** Follows links, and fails with `validation_failed` where they lead outside. `name` is for messages. */
  locate(absolute: string, name: string): Promise<Outcome<Located>>;
  folder(absolute: string, name: string): Promise<Outcome<Folder>>;
  /** Throws what the system says, ELOOP or ENOTDIR for a link. */
  child(parentSelf: string, name: string): OpenChild;
};
