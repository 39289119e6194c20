/**
 * How far the reading of a prompt is, and how long it will take. A server that tells its progress is believed; for the
 * others it is estimated from the speed that was learned of the model, and said to be an estimate.
 */
import type { Progress } from '../../../core/events.ts';
import type { ModelPart } from '../../../core/model-port.ts';
import type { Clock } from '../../../core/ports.ts';
import { AGENT_LIMITS } from '../../limits.ts';

export type PrefillFacts = {
  /** Tokens of the prompt, and how many of them the server has read before. */
  tokens: number;
  known: number;
  /** Absent: nothing was learned yet, so nothing is estimated. */
  tokensPerSecond?: number;
};

export type PrefillWatch = {
  /** Looks at each part; progress is replaced by one with the time that is left. */
  see(part: ModelPart): ModelPart | PrefillProgress;
  stop(): void;
};
type PrefillProgress = Extract<Progress, { type: 'prefill' }>;

/** Calls again and again until the returned function is called. */
export type Every = (ms: number, tick: () => void) => () => void;
export const everyMs: Every = (ms, tick) => {
  const timer = setInterval(tick, ms);
  timer.unref();
  return () => clearInterval(timer);
};

export const watchPrefill = (
  facts: PrefillFacts,
  ports: { clock: Clock; every: Every; progress(update: PrefillProgress): void },
): PrefillWatch => {
  const { clock } = ports;
  const total = Math.round(facts.tokens);
  const cached = Math.min(Math.round(facts.known), total);
  let startedAt = clock.monotonic();
  let first: { at: number; processed: number } | undefined;
  const rate = facts.tokensPerSecond;

  const estimate = (): void => {
    if (rate === undefined || isQueued) return;
    const seconds = (clock.monotonic() - startedAt) / 1_000;
    const left = (total - cached) / rate - seconds;
    // Never done before the model speaks, and no time is named once the estimate has run out.
    const processed = Math.min(Math.round(cached + seconds * rate), Math.floor(total * ALMOST));
    ports.progress({
      type: 'prefill',
      processed: Math.max(cached, processed),
      total,
      ...(cached === 0 ? {} : { cached }),
      ...(left > 0 ? { seconds_left: Math.ceil(left) } : {}),
      estimated: true,
    });
  };
  const isLong = rate !== undefined && (total - cached) / rate >= AGENT_LIMITS.prefillShownSeconds;
  /** Nothing is read while the request waits for its turn. */
  let isQueued = false;
  let stopTicking = isLong ? ports.every(AGENT_LIMITS.prefillTickMs, estimate) : undefined;
  const stop = (): void => {
    stopTicking?.();
    stopTicking = undefined;
  };

  /** By the speed of this very prompt where it has moved, else by the learned one. */
  const secondsLeft = (processed: number, all: number): number | undefined => {
    const now = clock.monotonic();
    first ??= { at: now, processed };
    const moved = processed - first.processed;
    const seconds = (now - first.at) / 1_000;
    const speed = moved > 0 && seconds > 0 ? moved / seconds : rate;
    return speed === undefined || processed >= all ? undefined : Math.ceil((all - processed) / speed);
  };

  return {
    see(part) {
      if (part.type === 'loading') {
        // The model comes into memory first: reading begins after that.
        startedAt = clock.monotonic();
        isQueued = (part.queue_position ?? 0) > 0;
        return part;
      }
      if (part.type === 'warning') return part;
      stop();
      if (part.type !== 'prefill') return part;
      const left = secondsLeft(part.processed, part.total);
      return left === undefined ? part : { ...part, seconds_left: left };
    },
    stop,
  };
};

const ALMOST = 0.99;
