/**
 * While the person thinks, a local engine reads what every next prompt begins with, so that the answer begins sooner. It
 * is the only request that nobody asked for; it is told of, it gives way to the next message at once, and it is never
 * made by `run`.
 */
import type { Event, Progress, SessionUpdate } from '../../../core/events.ts';
import type { ModelProvider, ModelRequest } from '../../../core/model-port.ts';
import { AGENT_LIMITS } from '../../limits.ts';

export type WarmUpOptions = {
  provider: Pick<ModelProvider, 'warmUp'>;
  /** What the next request begins with; undefined where it was called off before that was known, or begins anew. */
  upcoming(signal: AbortSignal): Promise<ModelRequest | undefined>;
  /** A run goes on. Room is made in its middle too, and its next request needs the engine. */
  isBusy(): boolean;
  progress(update: WarmUpProgress): void;
  /** Names the session to the ledger of connections. */
  within?<T>(work: () => Promise<T>): Promise<T>;
  /** Calls once, after so long; the returned function calls it off. */
  after(ms: number, work: () => void): () => void;
};
type WarmUpProgress = Extract<Progress, { type: 'warm_up' }>;

export type WarmUp = {
  /** Hears everything of the session: a run that ends begins the wait, a message of the person ends it. */
  hear(update: Event | SessionUpdate): void;
  /** Nothing is running: begins soon. */
  idle(): void;
  /** Resolves when the engine is free. */
  stop(): Promise<void>;
};

export const afterMs: WarmUpOptions['after'] = (ms, work) => {
  const timer = setTimeout(work, ms);
  timer.unref();
  return () => clearTimeout(timer);
};

export const createWarmUp = (options: WarmUpOptions): WarmUp => {
  const { warmUp } = options.provider;
  let callOff: (() => void) | undefined;
  let reading: { controller: AbortController; done: Promise<void> } | undefined;
  /** What is being read is not what comes next any more. */
  let isAgain = false;

  const schedule = (ms: number): void => {
    callOff?.();
    callOff = options.after(ms, begin);
  };
  const begin = (): void => {
    callOff = undefined;
    if (warmUp === undefined || reading !== undefined || options.isBusy()) return;
    const controller = new AbortController();
    const done = read(options, controller.signal).finally(() => {
      reading = undefined;
      if (isAgain) {
        isAgain = false;
        return schedule(AGENT_LIMITS.warmUpDelayMs);
      }
      // A model that is not asked for long enough is put out of memory.
      if (warmUp.againAfterMs !== undefined && !controller.signal.aborted) schedule(warmUp.againAfterMs);
    });
    reading = { controller, done };
  };
  const stop = async (): Promise<void> => {
    callOff?.();
    callOff = undefined;
    isAgain = false;
    reading?.controller.abort();
    await reading?.done;
  };
  const idle = (): void => {
    if (warmUp === undefined) return;
    isAgain = reading !== undefined;
    if (reading) reading.controller.abort();
    else schedule(AGENT_LIMITS.warmUpDelayMs);
  };
  return {
    idle,
    stop,
    hear(update) {
      if (BEGINS.has(update.type)) void stop();
      else if (ENDS.has(update.type)) idle();
    },
  };
};

const read = async (options: WarmUpOptions, signal: AbortSignal): Promise<void> => {
  options.progress({ type: 'warm_up', state: 'started' });
  const ask = async () => {
    const request = await options.upcoming(signal);
    return request && !signal.aborted ? options.provider.warmUp?.read(request, signal) : NOTHING_TO_READ;
  };
  // It only helps, so a defect of the provider is no more than a failure here; the next request tells of it.
  const outcome = await (options.within ? options.within(ask) : ask()).catch(() => undefined);
  if (signal.aborted) options.progress({ type: 'warm_up', state: 'cancelled' });
  else if (outcome?.ok) options.progress({ type: 'warm_up', state: 'finished', usage: outcome.usage });
  else options.progress({ type: 'warm_up', state: 'failed' });
};

const NOTHING_TO_READ = { ok: true, usage: undefined } as const;
const BEGINS: ReadonlySet<string> = new Set(['user_message_added', 'model_started']);
const ENDS: ReadonlySet<string> = new Set([
  'run_completed',
  'run_stopped',
  'run_cancelled',
  'context_compacted',
  'model_changed',
  'branch_selected',
]);
