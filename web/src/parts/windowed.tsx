/** A long list of rows of one height, of which only those in the view are there. */
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';

/** Rows above and below the view. */
const MARGIN = 10;

type Props<Entry> = {
  entries: readonly Entry[];
  keyOf(entry: Entry): string;
  row(entry: Entry): ReactNode;
  /** The end of what is known comes into view. */
  onEnd(): void;
  label: string;
  className: string;
};

/** As high as the style says, which is more where fingers are used. */
const ROW = '--row-height';

export const Windowed = <Entry,>({ entries, keyOf, row, onEnd, label, className }: Props<Entry>) => {
  const scroller = useRef<HTMLDivElement>(null);
  const [height, setHeight] = useState(32);
  const [{ from, to }, setRange] = useState({ from: 0, to: 40 });
  const look = useCallback((): void => {
    const element = scroller.current;
    if (!element) return;
    const size = Number.parseFloat(getComputedStyle(element).getPropertyValue(ROW)) || 32;
    setHeight(size);
    const first = Math.max(0, Math.floor(element.scrollTop / size) - MARGIN);
    const last = Math.ceil((element.scrollTop + element.clientHeight) / size) + MARGIN;
    setRange((known) => (known.from === first && known.to === last ? known : { from: first, to: last }));
  }, []);
  useEffect(() => {
    look();
    const observer = new ResizeObserver(look);
    if (scroller.current) observer.observe(scroller.current);
    return () => observer.disconnect();
  }, [look]);
  useEffect(() => {
    if (to >= entries.length) onEnd();
  }, [to, entries.length, onEnd]);
  const shown = entries.slice(from, to);
  return (
    <div ref={scroller} className={`windowed ${className}`} onScroll={look}>
      <ul
        aria-label={label}
        style={{ paddingTop: from * height, paddingBottom: Math.max(0, entries.length - to) * height }}
      >
        {shown.map((entry) => (
          <li key={keyOf(entry)}>{row(entry)}</li>
        ))}
      </ul>
    </div>
  );
};
