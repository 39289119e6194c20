/** Pulls and probes of models: they take minutes, go on without the page that began them, and can be stopped. */
import type { ModelAdmin, WorkOptions } from '../agent/models/model-admin.ts';
import type { Outcome } from '../core/outcome.ts';
import { ApiError } from './api-error.ts';
import { SERVER_LIMITS } from './limits.ts';

export const MODEL_JOB_KINDS = ['pull', 'probe'] as const;
export type ModelJobKind = (typeof MODEL_JOB_KINDS)[number];

export type ModelJob = {
  id: string;
  kind: ModelJobKind;
  /** `provider/model`. */
  model: string;
  state: 'running' | 'done' | 'failed' | 'stopped';
  /** What it is at, or what came of it. */
  message: string;
  /** From 0 to 1, where it is known. */
  fraction?: number;
};

type Held = { job: ModelJob; stop: AbortController; ended: Promise<void> };

export class ModelJobs {
  readonly #admin: ModelAdmin;
  readonly #held = new Map<string, Held>();

  constructor(admin: ModelAdmin) {
    this.#admin = admin;
  }

  /** Newest first. */
  list(): ModelJob[] {
    return [...this.#held.values()].map(({ job }) => ({ ...job })).reverse();
  }

  /** Throws an ApiError where it goes on already, or too many do. */
  begin(kind: ModelJobKind, model: string): ModelJob {
    const running = [...this.#held.values()].filter(({ job }) => job.state === 'running');
    if (running.some(({ job }) => job.kind === kind && job.model === model))
      throw new ApiError(409, 'not_now', `A ${kind} of ${model} goes on already.`);
    if (running.length >= SERVER_LIMITS.modelJobs)
      throw new ApiError(409, 'not_now', `${SERVER_LIMITS.modelJobs} pulls and probes go on already.`);
    const job: ModelJob = { id: crypto.randomUUID(), kind, model, state: 'running', message: '' };
    const stop = new AbortController();
    this.#held.set(job.id, { job, stop, ended: this.#run(job, stop.signal) });
    this.#forgetOld();
    return { ...job };
  }

  /** Stops it, or forgets one that is over. Throws an ApiError where there is none. */
  async stop(id: string): Promise<void> {
    const held = this.#held.get(id);
    if (held === undefined) throw new ApiError(404, 'not_found', 'There is no such pull or probe.');
    if (held.job.state !== 'running') {
      this.#held.delete(id);
      return;
    }
    held.stop.abort();
    await held.ended;
  }

  async close(): Promise<void> {
    for (const { stop } of this.#held.values()) stop.abort();
    await Promise.allSettled([...this.#held.values()].map(({ ended }) => ended));
  }

  async #run(job: ModelJob, signal: AbortSignal): Promise<void> {
    const onProgress: WorkOptions['onProgress'] = (message, fraction) => {
      job.message = message;
      if (fraction === undefined) delete job.fraction;
      else job.fraction = Math.min(1, Math.max(0, fraction));
    };
    let came: Outcome<unknown>;
    try {
      came = await this.#admin[job.kind](job.model, { signal, onProgress });
    } catch (error) {
      // A defect must not leave a job that never ends.
      came = { ok: false, error: { error_type: 'internal_error', message: `This is a defect of halter: ${error}` } };
    }
    delete job.fraction;
    job.state = came.ok ? 'done' : signal.aborted ? 'stopped' : 'failed';
    job.message = came.ok ? '' : came.error.message;
  }

  #forgetOld(): void {
    const over = [...this.#held].filter(([, { job }]) => job.state !== 'running');
    for (const [id] of over.slice(0, Math.max(0, over.length - SERVER_LIMITS.modelJobsRemembered)))
      this.#held.delete(id);
  }
}
