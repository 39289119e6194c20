/** Markdown, whose reader is a third of the page and comes right after the first view. Until then the words stand as they are. */

import {
  type ComponentType,
  createContext,
  memo,
  type RefObject,
  useMemo,
  useState,
  useSyncExternalStore,
} from 'react';
import { readable } from '../parts/visible.ts';
import { longText } from './long-text.ts';

type Props = { text: string; live: boolean; atOnce?: number };

/** How much of each answer may be drawn with the page, by its key; read when an answer comes on the page. */
export const DrawnAtOnce = createContext<RefObject<ReadonlyMap<string, number>>>({ current: new Map() });

let reader: ComponentType<Props> | undefined;
let isLoading = false;
const listeners = new Set<() => void>();

/** Asked for once the first view stands. */
export const loadMarkdown = (): void => {
  if (reader !== undefined || isLoading) return;
  isLoading = true;
  void import('./markdown.tsx').then(
    ({ Markdown: loaded }) => {
      reader = loaded;
      for (const listener of listeners) listener();
    },
    () => {
      isLoading = false;
    },
  );
};

const subscribe = (listener: () => void): (() => void) => {
  loadMarkdown();
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const Markdown = memo(({ text: written, live, ...rest }: Props) => {
  const text = useMemo(() => readable(written), [written]);
  const Reader = useSyncExternalStore(subscribe, () => reader);
  const [whole, setWhole] = useState(false);
  const long = useMemo(() => (whole ? undefined : longText(text)), [text, whole]);
  const shown = long?.beginning ?? text;
  return (
    <>
      {Reader ? (
        <Reader text={shown} live={live && !long} {...(long ? { atOnce: 0 } : rest)} />
      ) : (
        <AsWritten text={shown} busy />
      )}
      {long && (
        <>
          <button type="button" className="quiet-button" data-tells onClick={() => setWhole(true)}>
            {/* A number that changes with every word would be read out with every word. */}
            Show all {live ? 'of it' : `${text.length.toLocaleString('en')} characters`}
          </button>
          {Reader ? <Reader text={long.end} live={live} {...rest} /> : <AsWritten text={long.end} />}
        </>
      )}
    </>
  );
});

const AsWritten = ({ text, busy = false }: { text: string; busy?: boolean }) => (
  <div className="prose whitespace-pre-wrap" aria-busy={busy}>
    {text}
  </div>
);
