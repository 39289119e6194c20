/**
 * The one rule of everything that is allowed on this page: all of it was in sight, or was opened and read to its end. What
 * is folded away carries `data-left-out`, and the end of each part is a `ReadEnd`.
 */
import { createContext, type RefObject, use, useCallback, useEffect, useRef, useState } from 'react';
import { isInSight } from '../parts/in-sight.ts';

/** Whether all of what is asked is shown, and what shows it. */
export type Unfolding = {
  isWhole: boolean;
  open(): void;
  /** It stands in a column beside others, however wide the window is. */
  isSlim?: boolean;
};

export const UnfoldingContext = createContext<Unfolding>({ isWhole: true, open: () => {} });
export const useUnfolding = (): Unfolding => use(UnfoldingContext);

export type Reading = Unfolding & {
  /** Round everything that a yes would allow. */
  area: RefObject<HTMLDivElement | null>;
  /** A yes came too early: what it would allow is open now, and to be read. */
  isDue: boolean;
  /** The press that opened it is just over: a second tap of the same two is no answer. */
  isFresh: boolean;
  /** Whether a yes may be taken; where it may not, what is missing is opened. */
  mayAllow(): boolean;
};

/** Said beside the buttons. */
export const READ_ON = 'Read it to its end, then answer.';
const FRESH_MS = 500;
/** So much of an end has to be in sight. */
const IN_SIGHT = 0.9;

const endsIn = (area: Element): Element[] => [...area.querySelectorAll('[data-read-end]')];

/** What scrolls it. */
const scrollerOf = (element: Element): Element | null => {
  let around = element.parentElement;
  while (around !== null && !/auto|scroll/.test(getComputedStyle(around).overflowY)) around = around.parentElement;
  return around;
};

/** Whoever came to a later end in the same box came past this one, however they went there. */
const isReadTo = (ends: readonly Element[], isSeen: (end: Element) => boolean): boolean => {
  const lastOf = new Map(ends.map((end) => [scrollerOf(end), end]));
  return [...lastOf.values()].every(isSeen);
};

/** Remembers each end that was in sight once; `onSeen` is told of it. */
const useSeenEnds = (area: RefObject<HTMLDivElement | null>, onSeen: () => void): RefObject<WeakSet<Element>> => {
  const seen = useRef(new WeakSet<Element>());
  useEffect(() => {
    const { current } = area;
    if (current === null) return;
    const sight = new IntersectionObserver(
      (entries) => {
        for (const { intersectionRatio, target } of entries)
          if (intersectionRatio >= IN_SIGHT) seen.current.add(target);
        onSeen();
      },
      { threshold: IN_SIGHT },
    );
    const watch = (): void => {
      for (const end of endsIn(current)) sight.observe(end);
    };
    watch();
    const changes = new MutationObserver(watch);
    changes.observe(current, { childList: true, subtree: true });
    return () => {
      sight.disconnect();
      changes.disconnect();
    };
  }, [area, onSeen]);
  return seen;
};

export const useReading = (): Reading => {
  const area = useRef<HTMLDivElement>(null);
  const [isDue, setDue] = useState(false);
  const seen = useRef<WeakSet<Element>>(undefined);
  const isRead = useCallback((): boolean => {
    const { current } = area;
    if (current === null || current.querySelector('[data-left-out]') !== null) return false;
    return isReadTo(endsIn(current), (end) => seen.current?.has(end) === true || isInSight(end));
  }, []);
  /** The words that ask for it go when it was done. */
  const look = useCallback(() => setDue((due) => due && !isRead()), [isRead]);
  seen.current = useSeenEnds(area, look).current;
  const [isWhole, setWhole] = useState(false);
  const [isFresh, setFresh] = useState(false);
  useEffect(() => {
    if (!isFresh) return;
    const timer = setTimeout(() => setFresh(false), FRESH_MS);
    return () => clearTimeout(timer);
  }, [isFresh]);
  const open = useCallback((): void => setWhole(true), []);
  const mayAllow = (): boolean => {
    const { current } = area;
    if (current === null || isFresh) return false;
    if (isRead()) return true;
    open();
    setDue(true);
    setFresh(true);
    // The keys that scroll go to what is to be read.
    const scrolls: HTMLElement =
      current.closest<HTMLElement>('[data-scrolls]') ?? current.querySelector('[data-scrolls]') ?? current;
    scrolls.focus({ preventScroll: true });
    return false;
  };
  return { area, isWhole, open, isDue, isFresh, mayAllow };
};
