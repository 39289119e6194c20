import type { Halter } from '../runtime/assemble.ts';
import type { Schema } from '../schema/index.ts';
import type { SessionHub } from './session-hub.ts';

/** What every route may use. */
export type ServerContext = {
  readonly halter: Halter;
  readonly sessions: SessionHub;
  readonly version: string;
  /** The OpenAPI document of all routes. */
  document(): Schema;
  readonly startedAt: number;
  /** Aborts when the server ends. */
  readonly signal: AbortSignal;
  now(): number;
  /** What getting a model ready is at, while it is. */
  loading?(): { message: string; fraction?: number } | undefined;
};
