/** Under what scrolls: how much of it is out of sight; a press goes on by what is in sight, as a key does. */
import { type RefObject, useEffect, useState } from 'react';
import { counted } from '../../../src/core/number-text.ts';

/** Of the text of a question. */
const LINE_PIXELS = 20;

/** How many lines of what scrolls are below what is in sight. */
const useLinesBelow = (area: RefObject<HTMLElement | null>): number => {
  const [lines, setLines] = useState(0);
  useEffect(() => {
    const element = area.current;
    if (!element) return;
    const look = (): void =>
      setLines(Math.round((element.scrollHeight - element.scrollTop - element.clientHeight) / LINE_PIXELS));
    const observer = new ResizeObserver(look);
    for (const each of [element, ...element.children]) observer.observe(each);
    element.addEventListener('scroll', look, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', look);
    };
  }, [area]);
  return lines;
};

export const PageOn = ({ area }: { area: RefObject<HTMLElement | null> }) => {
  const below = useLinesBelow(area);
  if (below <= 0) return null;
  const goOn = (): void => {
    const { current } = area;
    // The last line that was in sight is the first one then.
    current?.scrollBy(0, Math.max(current.clientHeight - LINE_PIXELS, LINE_PIXELS));
  };
  return (
    // A finger has more room than is drawn, and takes none of what is to be read.
    <button
      type="button"
      // The keyboard scrolls the text itself.
      tabIndex={-1}
      className="-my-[11px] h-10 shrink-0 self-center px-4 text-xs text-soft hover:text-ink"
      onClick={goOn}
    >
      <span data-below={below}>↓ {counted(below, 'more line')}</span>
    </button>
  );
};
