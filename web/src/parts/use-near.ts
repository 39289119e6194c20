import { type RefObject, useEffect, useState } from 'react';

/** Above and below the view, so that what scrolls in is ready. */
const MARGIN = '800px 0px';

type Watch = { observer: IntersectionObserver; listeners: Map<Element, (isNear: boolean) => void> };
/** One observer for all that scrolls in the same place. */
const watches = new WeakMap<Element, Watch>();

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
    };
  }, [element]);
  return isNear;
};
