/** What a run is waiting for while it says nothing, for a program that has to know that it still goes on. */
import { CLI_LIMITS } from '../limits.ts';

export type WaitsFor = 'start' | 'model' | 'tool' | 'permission';

export type Silence = {
  /** A line was written. */
  heard(line: object, at: number): void;
  /** Every few seconds of a silence: what for, and for how long. */
  waiting(now: number): { for: WaitsFor; seconds: number } | undefined;
};

export const createSilence = (begun: number): Silence => {
  let heardAt = begun;
  let toldAt = begun;
  let isOver = false;
  let hasBegun = false;
  let asks = false;
  const running = new Set<unknown>();
  const what = (): WaitsFor => {
    if (asks) return 'permission';
    if (running.size > 0) return 'tool';
    return hasBegun ? 'model' : 'start';
  };
  return {
    heard(line, at) {
      heardAt = at;
      toldAt = at;
      const { type, id } = line as { type?: string; id?: string };
      if (type === 'session') hasBegun = true;
      else if (type === 'tool_call') running.add(id);
      else if (type === 'tool_result') running.delete(id);
      else if (type === 'turn_end') isOver = true;
      asks = type === 'permission_request' || (asks && type !== 'permission_resolved' && type !== 'tool_result');
    },
    waiting(now) {
      if (isOver || now - toldAt < CLI_LIMITS.signOfLifeMs) return undefined;
      toldAt = now;
      return { for: what(), seconds: Math.round((now - heardAt) / 1000) };
    },
  };
};
