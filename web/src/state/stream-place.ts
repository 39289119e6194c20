/**
 * Which streams of this browser stay open. Over plain HTTP a browser lets a host have six connections, however many
 * windows show it: were each to keep its own, the third would leave none for a message, a yes or Stop. So three places are
 * shared out by the browser's own locks, and a window without one looks again and again (`placed-events.ts`): one for what
 * goes on in all sessions, one for the session of the window that was used last, one for another session.
 */
export type Place = {
  isHeld(): boolean;
  /** Called when that has changed; one listener. */
  listen(onChange: () => void): void;
  leave(): void;
};

export type PlacePorts = {
  /** Absent on addresses that the browser does not trust: each window keeps its own streams there. */
  locks: Pick<LockManager, 'request'> | undefined;
  isFocused(): boolean;
  /** Until the signal aborts. */
  onFocus(listener: () => void, signal: AbortSignal): void;
};

const ACTIVITY = 'halter activity';
const IN_FRONT = 'halter session in front';
const BESIDE = 'halter session beside';
const LOOK = 'halter look';
/** A window that was frozen in the middle of its look holds up no other for longer. */
const TURN_MS = 10_000;

const ALWAYS: Place = { isHeld: () => true, listen() {}, leave() {} };

/** Resolves when the lock is not, or no longer, held: after `signal`, or since another window took it. */
const hold = (
  locks: Pick<LockManager, 'request'>,
  name: string,
  how: LockOptions,
  signal: AbortSignal,
  onHeld: () => void,
): Promise<void> => {
  const whileWanted = (): Promise<void> =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve();
      signal.addEventListener('abort', () => resolve(), { once: true });
      onHeld();
    });
  return locks.request(name, how, whileWanted).catch(() => undefined);
};

/** Of what goes on in all sessions: whichever window comes first, also while nobody looks at it, for notifications. */
export const activityPlace = ({ locks }: PlacePorts, onHeld: () => void): Place => {
  if (locks === undefined) return ALWAYS;
  const over = new AbortController();
  let isHeld = false;
  let changed = (): void => {};
  void hold(locks, ACTIVITY, { signal: over.signal }, over.signal, () => {
    isHeld = true;
    changed();
    onHeld();
  });
  return {
    isHeld: () => isHeld,
    listen(onChange) {
      changed = onChange;
    },
    leave: () => over.abort(),
  };
};

/** Of a session: the window that was used last has the first place, and whoever waits longest the other. */
export const sessionPlace = ({ locks, isFocused, onFocus }: PlacePorts): Place => {
  if (locks === undefined) return ALWAYS;
  const over = new AbortController();
  let isFront = false;
  let isBeside = false;
  let isComing = false;
  let line = new AbortController();
  let changed = (): void => {};
  const standInLine = (): void => {
    const own = new AbortController();
    line = own;
    const held = (): void => {
      isBeside = true;
      changed();
    };
    void hold(locks, BESIDE, { signal: own.signal }, own.signal, held).then(() => {
      if (line === own) isBeside = false;
    });
  };
  const comeToFront = (): void => {
    if (isComing) return;
    isComing = true;
    const held = (): void => {
      isFront = true;
      line.abort();
      changed();
    };
    void hold(locks, IN_FRONT, { steal: true }, over.signal, held).then(() => {
      isComing = false;
      isFront = false;
      if (over.signal.aborted) return;
      standInLine();
      changed();
    });
  };
  onFocus(comeToFront, over.signal);
  if (isFocused()) comeToFront();
  else standInLine();
  return {
    isHeld: () => isFront || isBeside,
    listen(onChange) {
      changed = onChange;
    },
    leave() {
      over.abort();
      line.abort();
    },
  };
};

/** One window looks at a time. Resolves with how to end the turn. */
export const turnToLook = ({ locks }: PlacePorts): Promise<() => void> =>
  new Promise((resolve) => {
    const patience = new AbortController();
    const timer = setTimeout(() => patience.abort(), TURN_MS);
    const held = (): Promise<void> => {
      clearTimeout(timer);
      return new Promise((end) => resolve(end));
    };
    locks?.request(LOOK, { signal: patience.signal }, held).catch(() => resolve(() => {}));
  });

export const inThisBrowser: PlacePorts = {
  locks: globalThis.navigator?.locks as LockManager | undefined,
  isFocused: () => document.hasFocus(),
  onFocus: (listener, signal) => window.addEventListener('focus', listener, { signal }),
};
