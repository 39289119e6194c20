/** Markdown, whose reader is a third of the page and comes right after the first view. Until then the words stand as they are. */
import { type ComponentType, memo, useState, useSyncExternalStore } from 'react';

type Props = { text: string; live: boolean };

/** What is shown of a longer text until the person asks for the rest. Twice the longest answers that models give. */
const SHOWN_CHARACTERS = 200_000;

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

export const Markdown = memo(({ text, live }: Props) => {
  const Reader = useSyncExternalStore(subscribe, () => reader);
  const [whole, setWhole] = useState(false);
  const isCut = !whole && text.length > SHOWN_CHARACTERS;
  const shown = isCut ? text.slice(0, SHOWN_CHARACTERS) : text;
  return (
    <>
      {Reader ? (
        <Reader text={shown} live={live && !isCut} />
      ) : (
        <div className="prose whitespace-pre-wrap" aria-busy="true">
          {shown}
        </div>
      )}
      {isCut && (
        <button type="button" className="quiet-button" onClick={() => setWhole(true)}>
          Show all {text.length.toLocaleString('en')} characters
        </button>
      )}
    </>
  );
});
