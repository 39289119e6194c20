/** What the model thinks before it says something: one line, with how long it takes and its last words, until it is opened. */

import { memo, useEffect, useId, useState } from 'react';
import { Markdown } from '../markdown/late-markdown.tsx';
import { wholeSeconds } from '../parts/format.ts';
import { Icon } from '../parts/icons.tsx';
import { readable } from '../parts/visible.ts';
import type { ReasoningItem } from '../state/view.ts';

const TICK_MS = 1_000;
const LINE_CHARACTERS = 300;

/** How long it takes, or took; undefined where nobody here saw it begin. */
const useSeconds = ({ live, since, seconds }: ReasoningItem): number | undefined => {
  const [now, setNow] = useState(() => performance.now());
  const isCounting = live && since !== undefined && seconds === undefined;
  useEffect(() => {
    if (!isCounting) return;
    const timer = setInterval(() => setNow(performance.now()), TICK_MS);
    return () => clearInterval(timer);
  }, [isCounting]);
  if (seconds !== undefined) return seconds;
  return isCounting ? Math.max(0, now - since) / 1_000 : undefined;
};

/** Without the signs of Markdown, which say nothing in a line by itself. */
const lastLine = (text: string): string => {
  const end = text.trimEnd();
  const line = end.slice(end.lastIndexOf('\n') + 1);
  return readable(line)
    .replace(/^[\s#>*-]+/, '')
    .replaceAll(/[*`]/g, '')
    .slice(-LINE_CHARACTERS);
};

const took = (seconds: number): string => (seconds < 1 ? 'a moment' : wholeSeconds(seconds));

export const Reasoning = memo(({ item }: { item: ReasoningItem }) => {
  const [open, setOpen] = useState(false);
  const seconds = useSeconds(item);
  const body = useId();
  const isThinking = item.live && item.seconds === undefined;
  return (
    <div className="text-sm">
      <button
        type="button"
        data-tells
        className="quiet-button -ml-1.5 max-w-full gap-1.5 text-sm"
        aria-expanded={open}
        aria-controls={body}
        onClick={() => setOpen(!open)}
      >
        <span className={open ? 'rotate-90' : ''}>
          <Icon name="right" size={12} />
        </span>
        <span className="shrink-0 tabular-nums">
          {isThinking ? 'Thinking' : 'Thought'}
          {seconds !== undefined && ` for ${took(seconds)}`}
        </span>
        {seconds === undefined && (
          <span className="shrink-0 text-xs">· {item.text.length.toLocaleString('en')} characters</span>
        )}
        {isThinking && !open && <span className="min-w-0 truncate text-xs italic">{lastLine(item.text)}</span>}
      </button>
      <div id={body} hidden={!open} className="mt-1 animate-open border-l border-line pl-3 text-soft">
        {open && <Markdown text={item.text} live={item.live} />}
      </div>
    </div>
  );
});
