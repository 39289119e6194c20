import { type RefObject, useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import { takeAllTurns } from './turns.ts';

/** Above and below the view, so that what scrolls in is ready. */
const MARGIN = '800px 0px';

type Watch = { observer: IntersectionObserver; listeners: Map<Element, (isNear: boolean) => void> };
/** One observer for all that scrolls in the same place. */
const watches = new Map<Element, Watch>();

const watchOf = (scroller: Element): Watch => {
  const known = watches.get(scroller);
  if (known) return known;
  const listeners = new Map<Element, (isNear: boolean) => void>();
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) listeners.get(target)?.(isIntersecting);
    },
    { root: scroller, rootMargin: MARGIN },
  );
  const made = { observer, listeners };
  watches.set(scroller, made);
  return made;
};

// On paper all of the page is in view.
addEventListener('beforeprint', () => {
  flushSync(() => {
    for (const { listeners } of watches.values()) for (const setNear of listeners.values()) setNear(true);
  });
  takeAllTurns();
});
addEventListener('afterprint', () => {
  for (const { observer, listeners } of watches.values()) {
    for (const target of listeners.keys()) {
      observer.unobserve(target);
      observer.observe(target);
    }
  }
});

/** Whether an element is in the view of the conversation or close to it. */
export const useNear = (element: RefObject<HTMLElement | null>): boolean => {
  const [isNear, setNear] = useState(false);
  useEffect(() => {
    const target = element.current;
    const scroller = target?.closest('[data-scroller]');
    if (!target || !scroller) {
      setNear(true);
      return;
    }
    const { observer, listeners } = watchOf(scroller);
    listeners.set(target, setNear);
    observer.observe(target);
    return () => {
      listeners.delete(target);
      observer.unobserve(target);
      if (listeners.size === 0) watches.delete(scroller);
    };
  }, [element]);
  return isNear;
};
