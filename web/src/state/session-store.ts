/** One session's updates, from the server's stream to the view. The page redraws at most once a frame. */
import type { SessionUpdate } from '../../../src/core/events.ts';
import { isLooser } from '../../../src/core/policy/modes.ts';
import { reduce, withoutProgress } from './reduce.ts';
import { EMPTY_VIEW, type View } from './view.ts';

/** What the next message of a session would run with that is not open. */
export type OpensWith = Partial<Pick<View, 'mode' | 'model'>>;

/** What a stream of server-sent events tells; the browser's EventSource fits behind it. */
export type StreamHandlers = {
  update(update: SessionUpdate): void;
  /** Everything that was is told; from now on it is live. */
  ready(): void;
  /** What is under way and no fact yet comes again, put together. */
  restart(): void;
  opensWith(told: OpensWith): void;
  /** `toTheEnd`: it is gone, and all that was in it was told. */
  lost(gone: boolean, toTheEnd?: boolean): void;
};
export type OpenStream = (handlers: StreamHandlers) => () => void;

type Connection = 'connecting' | 'live' | 'lost' | 'gone';
/** `toTheEnd`: the session is gone, and the view holds all that was in it. */
export type Snapshot = { view: View; connection: Connection; toTheEnd?: boolean };

export type SessionStore = {
  snapshot(): Snapshot;
  subscribe(listener: () => void): () => void;
  dismissWarnings(): void;
  close(): void;
};

export type StorePorts = {
  open: OpenStream;
  now(): number;
  /** Runs a task in one of the next frames; returns how to call it off. */
  schedule(task: () => void, afterMs: number): () => void;
  /** Draws at once, so that the time it takes is known. */
  draw(task: () => void): void;
};

/** Between two drawings while text streams in. */
const FRAME_MS = 33;
/** Of the time, drawing takes at most a half. */
const REST_FACTOR = 1;

/** A fact that names one goes before what was told. */
const stillToCome = ({ mode, model, ...rest }: OpensWith, { type }: SessionUpdate): OpensWith => ({
  ...rest,
  ...(mode !== undefined && type !== 'mode_changed' ? { mode } : {}),
  ...(model !== undefined && type !== 'model_changed' && type !== 'branch_selected' ? { model } : {}),
});

const loosening = ({ mode: before }: View, { mode }: OpensWith): Pick<View, 'loosenedFrom'> =>
  mode !== undefined && isLooser(mode, before) ? { loosenedFrom: before } : {};

export const createSessionStore = (ports: StorePorts): SessionStore => {
  const listeners = new Set<() => void>();
  let current: Snapshot = { view: EMPTY_VIEW, connection: 'connecting' };
  let queue: SessionUpdate[] = [];
  let connection: Connection = 'connecting';
  let toTheEnd = false;
  let base: View = EMPTY_VIEW;
  let opens: OpensWith = {};
  let callOff: (() => void) | undefined;
  let restMs = 0;

  const draw = (): void => {
    callOff = undefined;
    const began = ports.now();
    const view = reduce(base, queue, began);
    queue = [];
    base = view;
    current = { view: { ...view, ...opens, ...loosening(view, opens) }, connection, toTheEnd };
    ports.draw(() => {
      for (const listener of listeners) listener();
    });
    restMs = (ports.now() - began) * REST_FACTOR;
  };
  const wanted = (): void => {
    callOff ??= ports.schedule(draw, Math.max(FRAME_MS, restMs));
  };

  const close = ports.open({
    update(update) {
      queue.push(update);
      opens = stillToCome(opens, update);
      // Nothing is drawn of a session that is still being told.
      if (connection === 'live') wanted();
    },
    ready() {
      connection = 'live';
      wanted();
    },
    restart() {
      base = withoutProgress(reduce(base, queue, ports.now()));
      queue = [];
      opens = {};
    },
    opensWith(told) {
      opens = { ...opens, ...told };
      if (connection === 'live') wanted();
    },
    lost(gone, isWhole = false) {
      connection = gone ? 'gone' : 'lost';
      toTheEnd = gone && isWhole;
      wanted();
    },
  });

  return {
    snapshot: () => current,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    dismissWarnings() {
      base = { ...base, warnings: [] };
      wanted();
    },
    close() {
      close();
      callOff?.();
      listeners.clear();
    },
  };
};
